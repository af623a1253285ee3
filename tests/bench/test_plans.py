"""Plans as plain files: blind, balanced, the same for the same seed, and safe in a spreadsheet."""

import csv
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay import Example, Response, Source
from assay.bench.batches import BatchRule, Placed, Plan, plan_batches, write_key, write_plan
from assay.core.errors import InputError

EXAMPLES = [
    Example(f"s{source}/{model}", Source(f"Source {source}."), Response(f"By {model[-1]}.", model))
    for model in ("lab/m-1", "lab/m-2", "lab/m-3")
    for source in range(4)
]


def make(examples: list[Example] = EXAMPLES, k: int = 2, size: int = 6, seed: int = 0) -> Plan:
    return plan_batches(examples, ["ann", "bo", "cy"], BatchRule(size, k, seed))


def test_every_item_has_k_annotators_and_a_source_is_in_one_batch() -> None:
    rows = list(make().rows())
    assert len(rows) == 24  # 12 items for two people each
    assert set(Counter(row["id"] for row in rows).values()) == {2}
    batches = {(row["source"], row["batch"]) for row in rows}
    assert len(batches) == 4
    assert Counter(row["annotator"] for row in rows) == make().loads
    assert max(make().loads.values()) - min(make().loads.values()) <= 3


def test_same_seed_same_rows_and_another_seed_others() -> None:
    assert list(make().rows()) == list(make().rows())
    assert list(make().rows()) != list(make(seed=1).rows())


def test_nothing_in_a_row_names_the_model() -> None:
    plan = make()
    assert not any("m-" in str(value) for row in plan.rows() for value in row.values())
    key = {row["id"]: row["example"] for row in plan.key()}
    assert sorted(map(str, key.values())) == sorted(each.id for each in EXAMPLES)
    assert {row["id"] for row in plan.rows()} == set(key)
    shown = list(plan.rows(models=True))
    assert {(row["id"], row["model"]) for row in shown} == {
        (each.id, each.response.model) for each in EXAMPLES
    }


@pytest.mark.parametrize(
    ("ids", "models"),
    [
        (("0_gpt4o", "0_claude_3_5"), ("openai/gpt-4o", "Anthropic/claude-3-5-sonnet-20240620")),
        (("src/0", "src/1"), ("a", "b")),  # the place among others tells
        (("17", "gpt-18"), ("gpt", "other")),  # one that is hidden beside one that is not
    ],
)
def test_no_id_of_an_item_is_shown_and_the_seed_decides_what_stands_there(
    ids: tuple[str, ...], models: tuple[str, ...]
) -> None:
    examples = [
        Example(id, Source("S."), Response(f"By {n}.", model))
        for n, (id, model) in enumerate(zip(ids, models, strict=True))
    ]
    plan = make(examples, k=1)
    shown = {str(row["id"]) for row in plan.rows()}
    assert len(shown) == 2
    assert all(re.fullmatch("item[0-9]{16}", each) for each in shown)
    assert {row["id"]: row["example"] for row in plan.key()}.keys() == shown
    assert {row["example"] for row in plan.key()} == set(ids)
    assert shown.isdisjoint(str(row["id"]) for row in make(examples, k=1, seed=1).rows())


@pytest.mark.parametrize(
    ("ids", "is_shown"),
    [
        (("doc-1", "doc-2"), True),
        (("src-gpt-4o-0", "doc"), False),
        (("SRC_GPT4O", "doc"), False),
        (("news/sonnet", "doc"), False),
        (("20240620", "doc"), True),  # a number alone tells nothing
    ],
)
def test_ids_of_sources_stay_unless_one_tells_an_llm(
    ids: tuple[str, ...], *, is_shown: bool
) -> None:
    models = ("openai/gpt-4o", "Anthropic/claude-3-5-sonnet-20240620")
    examples = [
        Example(f"{id}/{n}", Source(f"S {id}.", id=id), Response("R.", model))
        for n, (id, model) in enumerate(zip(ids, models, strict=True))
    ]
    plan = make(examples, k=1)
    shown = {str(row["source_id"]) for row in plan.rows()}
    assert (shown == set(ids)) is is_shown
    assert shown.isdisjoint(ids) is not is_shown
    assert {row["source_id"] for row in plan.key()} == set(ids)
    assert {row["source_id"] for row in plan.rows(models=True)} == set(ids)


def test_responses_to_a_source_are_together_by_its_id() -> None:
    examples = [
        Example(f"{n}", Source(f"The{' ' * n} text.", id="doc"), Response(f"{n}.", f"m{n}"))
        for n in range(1, 4)
    ]
    assert {row["batch"] for row in make(examples, k=1, size=1).rows()} == {1}


def test_many_batches_are_looked_through_once() -> None:
    class Counted(tuple[Placed, ...]):
        looks = 0

        def __iter__(self) -> Iterator[Placed]:
            Counted.looks += 1
            return super().__iter__()

    examples = [Example(str(n), Source(f"S {n}."), Response("R.", "m")) for n in range(50)]
    plan = make(examples, k=1, size=1)
    batches = [row["batch"] for row in replace(plan, placed=Counted(plan.placed)).rows()]
    assert batches == sorted(batches)
    assert len(set(batches)) == 50
    assert Counted.looks <= 2


def test_responses_to_a_source_do_not_come_in_the_order_of_the_data() -> None:
    orders = set()
    for seed in range(20):
        rows = [row for row in make(seed=seed).rows() if row["source"] == "Source 0."]
        orders.add(tuple(row["response"] for row in rows[:3]))
    assert len(orders) > 1


def test_table_and_lines_have_the_same_rows_and_formulas_are_guarded(tmp_path: Path) -> None:
    plan = make([Example("=1+1", Source("@SUM(A1)"), Response("-2"), question="+3")], k=1)
    (plan_id,) = (row["id"] for row in plan.key())
    assert write_plan(plan, str(tmp_path / "plan.csv")) == 1
    with (tmp_path / "plan.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert [row[name] for name in ("id", "question", "source", "response")] == [
        plan_id,
        "'+3",
        "'@SUM(A1)",
        "'-2",
    ]
    assert write_plan(plan, str(tmp_path / "plan.jsonl")) == 1
    line = json.loads((tmp_path / "plan.jsonl").read_text(encoding="utf-8"))
    assert (line["batch"], line["id"], line["response"]) == (1, plan_id, "-2")
    write_key(plan, str(tmp_path / "key.csv"))
    assert (tmp_path / "key.csv").read_text(encoding="utf-8").splitlines() == [
        "id,example,source_id",
        f"{plan_id},'=1+1,",
    ]


@pytest.mark.parametrize(
    ("names", "k", "problem"),
    [
        (["ann", "ann"], 1, "'ann' is named twice"),
        (["ann"], 2, "2 people annotate each item, but only 1 named"),
        (["ann", ""], 1, "an annotator has no name"),
    ],
)
def test_wrong_annotators_are_told(names: list[str], k: int, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as error:
        plan_batches(EXAMPLES, names, BatchRule(5, k))
    assert error.value.field == "annotators"
