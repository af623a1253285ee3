"""Which examples are measured: a split, a sample, and what is left beside a sample."""

from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.taxonomies import BINARY
from assay.core.verdicts import Verdict
from assay.detectors.units import response_unit
from assay.evaluate.localization.selecting import Part, choose_sample, of_split, select
from tests.evaluate.localization.stories import WRECK, gold, unit

CARGO = unit("The wreck held no silver.", "silver")


def examples(count: int) -> list[Example]:
    """Of every second one it is known that something is wrong, of the others that nothing is."""
    made = (replace(WRECK, id=str(n)) for n in range(count))
    return [gold(each, *[CARGO] * (int(each.id) % 2)) for each in made]


def ids(part: Part, corpus: list[Example]) -> list[int]:
    return [int(each.id) for each in select("d", corpus, part).examples]


def test_sample_is_the_same_for_the_same_seed_and_keeps_the_order() -> None:
    corpus = examples(50)
    chosen = ids(Part(sample=10, seed=3), corpus)
    assert chosen == ids(Part(sample=10, seed=3), corpus)
    assert chosen != ids(Part(sample=10, seed=4), corpus)
    assert chosen == sorted(chosen)
    assert ids(Part(sample=90), corpus) == list(range(50))
    with pytest.raises(InputError, match="not 0"):
        choose_sample(corpus, 0, seed=0)


def test_held_out_is_what_a_sample_of_that_size_leaves() -> None:
    corpus = examples(50)
    used, rest = ids(Part(sample=20, seed=7), corpus), ids(Part(held_out=20, seed=7), corpus)
    assert sorted([*used, *rest]) == list(range(50))
    assert set(ids(Part(held_out=20, sample=10, seed=7), corpus)) <= set(rest)
    with pytest.raises(InputError, match="no example of d is left"):
        ids(Part(held_out=50), corpus)


def test_unknown_examples_are_left_out_before_the_sample_and_counted() -> None:
    open_one = Verdict(response_unit(WRECK), BINARY["unfaithful"])
    corpus = [*examples(4), replace(WRECK, id="9", gold=(open_one,))]
    selected = select("d", corpus, Part(sample=4))
    assert [each.id for each in selected.examples] == ["0", "1", "2", "3"]
    assert (selected.unknown, selected.outside) == (1, 0)


def test_split_without_examples_names_the_splits_there_are() -> None:
    corpus = [replace(each, split="ab"[int(each.id) % 2]) for each in examples(4)]
    assert [each.id for each in of_split("d", corpus, "b")] == ["1", "3"]
    with pytest.raises(InputError, match="d has no split 'c'; its splits: a, b"):
        of_split("d", corpus, "c")
    with pytest.raises(InputError, match="d has no examples"):
        of_split("d", [], "")
