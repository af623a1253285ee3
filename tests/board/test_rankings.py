"""Rates of a judge corrected by people's labels, where these cover a part of the responses."""

import pytest

from assay import Annotated
from assay.board.rankings import FEWEST_LABELLED
from assay.board.results import Board
from tests.board.making import F, U, annotated, board_of, ranking_of, response, standing_of


def rows_of(model: str, labelled: int, false_alarms: int, task: str = "") -> list[Annotated]:
    """60 responses: the judge finds every third one wrong, people none of the first false alarms.

    What is labelled comes first, and people agree with the judge on the rest of it.
    """
    found = []
    for n in range(60):
        said = n % 3 == 0
        gold = said and n >= 3 * false_alarms
        given = {"d": U if said else F, "gold": (U if gold else F) if n < labelled else None}
        found.append(annotated(response(model, f"s{n}", task=task), given))
    return found


def test_rates_are_corrected_by_labels_of_the_same_llm() -> None:
    board = board_of([*rows_of("a", 30, 5), *rows_of("b", 30, 0)])
    first, second = (standing_of(board, model).corrected for model in "ab")
    assert first
    assert second
    # All: cov = (15 x 1 - 15 x 20 / 60) / 60 = 1/6, variance 2/9: slope 3/4; w = 3/4 / (1 + 30/30).
    assert first.weight == pytest.approx(0.375)
    assert first.rate.value == pytest.approx(0.375 / 3 + 5 / 30 - 0.375 / 3)
    assert second.rate.value == pytest.approx(0.375 / 3 + 10 / 30 - 0.375 / 3)
    assert (first.rate.n, first.others) == (30, 30)
    assert standing_of(board, "a").rate.value == pytest.approx(1 / 3)  # as it was


def test_few_labels_none_or_all_correct_nothing() -> None:
    rows = [
        *rows_of("few", FEWEST_LABELLED - 1, 0),
        *rows_of("enough", FEWEST_LABELLED, 0),
        *rows_of("all", 60, 0),
    ]
    board = board_of(rows)
    has = {each.model: each.corrected is not None for each in ranking_of(board).standings}
    assert has == {"few": False, "enough": True, "all": False}


def test_labels_of_few_sources_correct_nothing() -> None:
    # 24 labelled responses of 60, but to six sources.
    rows = [
        annotated(
            response("a", f"s{n // 4}", question=f"q{n % 4}"),
            {"d": U if n % 3 else F, "gold": (U if n % 2 else F) if n < 24 else None},
        )
        for n in range(60)
    ]
    assert standing_of(board_of(rows), "a").corrected is None


def test_people_are_not_corrected() -> None:
    board = board_of(rows_of("a", 30, 5))
    assert all(each.corrected is None for each in ranking_of(board, "gold").standings)


def has_corrections(board: Board) -> bool:
    return any(each.corrected for ranking in board.rankings for each in ranking.standings)


def test_a_board_without_people_has_no_corrections() -> None:
    board = board_of(rows_of("a", 30, 5))
    assert has_corrections(board)
    alone = board_of(rows_of("a", 30, 5), *(j for j in board.judges if j.kind == "detector"))
    assert not has_corrections(alone)


def test_each_task_is_corrected_by_its_own_labels() -> None:
    rows = [*rows_of("a", 30, 5, task="qa"), *rows_of("a", 0, 0, task="summary")]
    board = board_of(rows, by_task=True)
    found = {task: standing_of(board, "a", "d", "", task).corrected for task in ("qa", "summary")}
    assert found["qa"]
    assert (found["qa"].rate.n, found["qa"].others) == (30, 30)
    assert found["summary"] is None
    whole = standing_of(board, "a").corrected
    assert whole
    assert (whole.rate.n, whole.others) == (30, 90)
