"""The responses behind a board."""

import pytest

from assay import Annotated, InputError
from assay.board.building import BoardSettings, build
from assay.board.results import Judge
from assay.board.rows import Row, judged_rows
from assay.evaluation.responses import ResponseTable
from tests.board.making import F, U, annotated, response, table_of


def rows_of(rows: list[Annotated], again: list[Annotated] | None = None, **more: bool) -> list[Row]:
    table = ResponseTable("first")
    for each in rows:
        table.add(each.example, {one.author.name: one for one in each.judgements})
    responses = table.responses()
    judges = [Judge(name, name, "detector", ("binary",)) for name in responses.judged]
    made = build(responses, judges, BoardSettings(is_common=more.get("common", False)))
    given = (
        (each, {one.author.name: one for one in each.judgements})
        for each in (rows if again is None else again)
    )
    return list(judged_rows(made, responses, given))


def test_each_row_says_what_it_is_in_the_counts() -> None:
    found = rows_of(table_of({"a": "+.ixr"}))
    assert [each.classes[0][0] for each in found] == [
        "hallucinated",
        "faithful",
        "invalid",
        "failed",
        "refused",
    ]
    assert found[0].said[0] is not None
    assert found[0].example.response.model == "a"


def test_a_second_response_and_one_outside_the_common_subset_are_not_counted() -> None:
    rows = [*table_of({"a": "+.", "b": "+ "}), annotated(response("a", "s0", task=""), {"d": F})]
    found = rows_of(rows, common=True)
    assert [each.classes[0][0] for each in found] == [
        "hallucinated",
        "uncounted",
        "hallucinated",
        "uncounted",
    ]


def test_a_vote_has_a_class_and_says_nothing_itself() -> None:
    (row, _) = rows_of([annotated(response("a", f"s{n}"), {"p": U, "q": F}) for n in range(2)])
    assert row.said[2] is None
    assert row.classes == (("hallucinated",), ("faithful",), ("hallucinated",))


@pytest.mark.parametrize("change", [slice(0, 1), slice(1, 3)])
def test_data_that_changed_meanwhile_is_refused(change: slice) -> None:
    rows = table_of({"a": "+", "b": "."})
    other = table_of({"c": "...."})
    with pytest.raises(InputError, match="changed while it was read"):
        rows_of(rows, other[change])
