"""Plans as plain files: blind, balanced, the same for the same seed, and safe in a spreadsheet."""

import csv
import json
from collections import Counter
from pathlib import Path

import pytest

from assay import Example, Response, Source
from assay.bench.plans import Plan, plan_batches, write_key, write_plan
from assay.core.errors import InputError

EXAMPLES = [
    Example(f"s{source}/{model}", Source(f"Source {source}."), Response(f"By {model[-1]}.", model))
    for model in ("lab/m-1", "lab/m-2", "lab/m-3")
    for source in range(4)
]


def make(examples: list[Example] = EXAMPLES, k: int = 2, size: int = 6, seed: int = 0) -> Plan:
    return plan_batches(examples, ["ann", "bo", "cy"], size=size, k=k, seed=seed)


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
    assert sorted(plan.key().values()) == sorted(each.id for each in EXAMPLES)
    assert {row["id"] for row in plan.rows()} == set(plan.key())
    shown = list(plan.rows(models=True))
    assert {(row["id"], row["model"]) for row in shown} == {
        (each.id, each.response.model) for each in EXAMPLES
    }


def test_ids_that_tell_nothing_stay() -> None:
    plan = make([Example("17", Source("S."), Response("R.", "gpt"))], k=1)
    assert plan.key() == {"17": "17"}


def test_responses_to_a_source_do_not_come_in_the_order_of_the_data() -> None:
    orders = set()
    for seed in range(20):
        rows = [row for row in make(seed=seed).rows() if row["source"] == "Source 0."]
        orders.add(tuple(row["response"] for row in rows[:3]))
    assert len(orders) > 1


def test_table_and_lines_have_the_same_rows_and_formulas_are_guarded(tmp_path: Path) -> None:
    plan = make([Example("=1+1", Source("@SUM(A1)"), Response("-2"), question="+3")], k=1)
    assert write_plan(plan, str(tmp_path / "plan.csv")) == 1
    with (tmp_path / "plan.csv").open(encoding="utf-8", newline="") as file:
        (row,) = csv.DictReader(file)
    assert [row[name] for name in ("id", "question", "source", "response")] == [
        "'=1+1",
        "'+3",
        "'@SUM(A1)",
        "'-2",
    ]
    assert write_plan(plan, str(tmp_path / "plan.jsonl")) == 1
    line = json.loads((tmp_path / "plan.jsonl").read_text(encoding="utf-8"))
    assert (line["batch"], line["id"], line["response"]) == (1, "=1+1", "-2")
    write_key({"a": "=b"}, str(tmp_path / "key.csv"))
    assert (tmp_path / "key.csv").read_text(encoding="utf-8").splitlines() == [
        "id,example",
        "a,'=b",
    ]


@pytest.mark.parametrize(
    ("names", "k", "problem"),
    [
        (["ann", "ann"], 1, "'ann' is named twice"),
        (["ann"], 2, "2 people annotate each item, but there are only 1"),
        (["ann", ""], 1, "an annotator has no name"),
    ],
)
def test_wrong_annotators_are_told(names: list[str], k: int, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as error:
        plan_batches(EXAMPLES, names, size=5, k=k, seed=0)
    assert error.value.field == "annotators"
