"""Who annotates what: every source in one batch, k people for each item, the same load for all."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.bench.batches import BatchRule, Before, make_batches
from assay.core.errors import InputError

SOURCES = st.dictionaries(st.integers(1, 10_000), st.sampled_from("abcdefghij"), max_size=60)
TEAM = st.lists(st.integers(1, 20), min_size=1, max_size=9, unique=True)


@given(SOURCES, TEAM, st.integers(1, 20), st.data(), st.integers(0, 99))
def test_a_plan_keeps_sources_together_and_loads_equal(
    sources: dict[int, str], team: list[int], size: int, data: st.DataObject, seed: int
) -> None:
    k = data.draw(st.integers(1, len(team)))
    plan = make_batches(sources, team, BatchRule(size, k, seed))
    assert sorted(each.item for each in plan) == sorted(sources)
    assert all(len(set(each.annotators)) == k for each in plan)
    assert all(set(each.annotators) <= set(team) for each in plan)
    of_source: dict[str, set[tuple[int, tuple[int, ...]]]] = {}
    for each in plan:
        of_source.setdefault(sources[each.item], set()).add((each.batch, each.annotators))
    assert all(len(found) == 1 for found in of_source.values())
    load = Counter(dict.fromkeys(team, 0))
    load.update(person for each in plan for person in each.annotators)
    largest = max(Counter(sources.values()).values(), default=0)
    assert max(load.values()) - min(load.values()) <= largest


@given(SOURCES, TEAM, st.integers(1, 20), st.data(), st.integers(0, 99))
def test_a_batch_can_have_the_same_annotators_throughout(
    sources: dict[int, str], team: list[int], size: int, data: st.DataObject, seed: int
) -> None:
    k = data.draw(st.integers(1, len(team)))
    plan = make_batches(sources, team, BatchRule(size, k, seed, per_batch=True))
    usual = make_batches(sources, team, BatchRule(size, k, seed))
    assert sorted(each.item for each in plan) == sorted(each.item for each in usual)
    people: dict[int, set[tuple[int, ...]]] = {}
    for each in plan:
        people.setdefault(each.batch, set()).add(each.annotators)
    assert all(len(found) == 1 for found in people.values())
    assert all(len(set(chosen)) == k for found in people.values() for chosen in found)
    load = Counter(dict.fromkeys(team, 0))
    load.update(person for each in plan for person in each.annotators)
    largest = max(Counter(each.batch for each in plan).values(), default=0)
    assert max(load.values()) - min(load.values()) <= largest


def test_three_people_take_turns_by_batch_as_in_faithbench() -> None:
    sources = {number: str(number // 10) for number in range(150)}  # 15 sources, 10 responses each
    for per_batch, teams in ((True, 1), (False, 3)):
        plan = make_batches(sources, [1, 2, 3], BatchRule(50, 2, 0, per_batch=per_batch))
        of_batch = [{e.annotators for e in plan if e.batch == number} for number in (1, 2, 3)]
        assert max(map(len, of_batch)) == teams
    loads = Counter(person for each in plan for person in each.annotators)
    assert set(loads.values()) == {100}  # 150 * 2 / 3


def test_who_has_a_batch_gets_more_of_it_before_who_has_less_to_do() -> None:
    before = Before(loads={1: 5, 2: 0, 3: 9}, batches={"a": 3}, annotators={3: {1, 9}})
    sources = {7: "a", 8: "b"}
    plan = make_batches(sources, [1, 2, 3], BatchRule(10, 1, 0, per_batch=True), before)
    assert {each.item: each.annotators for each in plan} == {7: (1,), 8: (2,)}


@given(SOURCES, TEAM, st.integers(1, 20), st.integers(0, 99))
def test_a_batch_is_larger_than_asked_only_for_one_source(
    sources: dict[int, str], team: list[int], size: int, seed: int
) -> None:
    batches: dict[int, list[str]] = {}
    for each in make_batches(sources, team, BatchRule(size, 1, seed)):
        batches.setdefault(each.batch, []).append(sources[each.item])
    assert sorted(batches) == list(range(1, len(batches) + 1))
    assert all(len(given) <= size or len(set(given)) == 1 for given in batches.values())


@given(SOURCES, TEAM, st.integers(1, 20), st.integers(0, 99))
def test_the_same_seed_gives_the_same_plan_whatever_the_order(
    sources: dict[int, str], team: list[int], size: int, seed: int
) -> None:
    backwards = dict(reversed(sources.items()))
    again = make_batches(backwards, team[::-1], BatchRule(size, 1, seed))
    assert make_batches(sources, team, BatchRule(size, 1, seed)) == again


def test_another_seed_gives_another_plan() -> None:
    sources = {number: str(number // 2) for number in range(40)}
    plans = [make_batches(sources, [1, 2, 3], BatchRule(4, 2, seed)) for seed in (1, 2)]
    assert plans[0] != plans[1]


def test_more_responses_to_a_source_join_its_batch_and_new_ones_come_after() -> None:
    before = Before(loads={1: 5, 2: 0}, batches={"a": 3})
    plan = make_batches({7: "a", 8: "b"}, [1, 2], BatchRule(10, 1, 0), before)
    assert {each.item: each.batch for each in plan} == {7: 3, 8: 4}
    assert {each.annotators for each in plan} == {(2,)}  # who had less


def test_too_few_annotators_is_one_clear_error() -> None:
    with pytest.raises(InputError, match="3 people annotate each item, but only 2 named") as e:
        make_batches({1: "a"}, [4, 5, 5], BatchRule(10, 3, 0))
    assert (e.value.code, e.value.field) == ("too-few-annotators", "annotators")


@pytest.mark.parametrize(("size", "k", "field"), [(0, 1, "size"), (10_001, 1, "size"), (5, 0, "k")])
def test_sizes_and_numbers_have_limits(size: int, k: int, field: str) -> None:
    with pytest.raises(InputError) as error:
        make_batches({1: "a"}, [1], BatchRule(size, k, 0))
    assert error.value.field == field
