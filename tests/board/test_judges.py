"""The same responses by several judges, and by their majority."""

import pytest

from assay.board.judges import VOTE, own_llms, vote, with_own
from assay.board.results import Judge
from assay.evaluation.levels import CLASSES
from tests.board.making import INVALID, F, U, annotated, board_of, ranking_of, response, standing_of

H, OK, BAD, FAIL, NONE = (
    CLASSES.index(name) for name in ("hallucinated", "faithful", "refused", "failed", "uncounted")
)


def test_a_tie_goes_to_the_less_faithful() -> None:
    import numpy as np

    columns = [(H, OK), (OK, OK), (H, H), (H, FAIL), (BAD, BAD), (NONE, NONE), (NONE, OK)]
    first, second = (np.array(each, dtype=np.int8) for each in zip(*columns, strict=True))
    assert vote([first, second]).tolist() == [H, OK, H, FAIL, BAD, NONE, FAIL]


def judged(model: str, source: str, *said: object) -> object:
    return annotated(response(model, source), dict(zip(("p", "q", "r"), said, strict=True)))


ROWS = [
    judged("a", "s0", U, F, F),
    judged("a", "s1", F, F, F),
    judged("a", "s2", U, U, F),
    judged("b", "s0", U, U, U),
    judged("b", "s1", F, U, U),
    judged("b", "s2", INVALID, U, U),  # not judged by all
]


def test_counts_are_of_the_responses_that_all_judged() -> None:
    board = board_of(ROWS)  # type: ignore[arg-type]
    (bias,) = board.bias
    assert bias.responses == 5
    cells = {
        (each.judge, each.model): (each.hallucinated, each.n, each.rank) for each in bias.cells
    }
    assert cells["p", "a"] == (2, 3, 2)
    assert cells["p", "b"] == (1, 2, 1)
    assert cells["q", "a"] == (1, 3, 1)
    assert cells["q", "b"] == (2, 2, 2)
    assert cells["r", "a"] == (0, 3, 1)
    assert cells[VOTE, "a"] == (1, 3, 1)  # two of three on the last one
    assert cells[VOTE, "b"] == (2, 2, 2)


def test_the_majority_is_a_judge_with_a_ranking_of_its_own() -> None:
    board = board_of(ROWS)  # type: ignore[arg-type]
    assert board.judges[-1] == Judge(VOTE, "p+q+r", "vote", ("binary",))
    assert [each.model for each in ranking_of(board, VOTE).standings] == ["a", "b"]
    assert standing_of(board, "b", VOTE).failed == 1


def test_people_have_no_vote() -> None:
    rows = [annotated(response("a", f"s{n}"), {"gold": U, "p": F}) for n in range(2)]
    board = board_of(rows)
    assert [each.name for each in board.judges] == ["gold", "p"]
    (bias,) = board.bias
    assert {each.judge for each in bias.cells} == {"gold", "p"}


def test_a_judge_of_few_responses_is_left_out_and_named() -> None:
    rows = [
        annotated(response("a", f"s{n}"), {"p": F, "q": U, "r": U if n == 0 else None})
        for n in range(5)
    ]
    board = board_of(rows)
    assert {each.judge for each in board.bias[0].cells} == {"p", "q", VOTE}
    assert any(each.endswith("and have no vote: r") for each in board.warnings)


@pytest.mark.parametrize(
    ("mine", "model", "same"),
    [
        ("openai/gpt-4o", "openai/gpt-4o", True),
        ("gpt-4o", "openai/GPT-4o", True),
        ("openai/gpt-4o", "gpt-4o", True),
        ("azure/gpt-4o", "openai/gpt-4o", False),
        ("gpt-4o", "gpt-4o-mini", False),
        ("openai/gpt-4-turbo", "openai/GPT-4-Turbo-2024-04-09", True),
        ("", "gpt-4o", False),
    ],
)
def test_an_llm_is_known_without_its_maker_date_or_effort(
    mine: str, model: str, same: bool
) -> None:
    assert own_llms(mine, [model]) == ((model,) if same else ())


LLMS = ("openai/gpt-4o", "openai/GPT-3.5-Turbo", "openai/o3-mini-high-2025-01-31", "x/gpt-4o-mini")


@pytest.mark.parametrize(
    ("model", "own", "by"),
    [
        ("openai/gpt-4o", LLMS[:1], "model"),
        ("gpt-3.5-turbo", LLMS[1:2], "model"),
        ("openai/o3-mini", LLMS[2:3], "version"),
        ("openai/gpt-4", (), ""),
        ("", (), ""),
    ],
)
def test_own_llms_are_those_that_a_judge_is_said_to_ask(
    model: str, own: tuple[str, ...], by: str
) -> None:
    found = with_own(Judge("d", "d", "detector", ("binary",), model), LLMS)
    assert (found.own, found.own_by) == (own, by)


@pytest.mark.parametrize("name", ["gpt-4o", "faithjudge-gpt-4o", "minicheck-gpt-4o-mini"])
def test_a_name_like_an_llms_says_nothing(name: str) -> None:
    assert with_own(Judge(name, name, "detector", ("binary",)), LLMS).own == ()


def test_self_preference_is_marked() -> None:
    judges = (
        Judge("p", "p", "detector", ("binary",), "b"),
        Judge("q", "q", "detector", ("binary",)),
    )
    board = board_of(ROWS, *judges)  # type: ignore[arg-type]
    assert {(e.judge, e.model) for e in board.bias[0].cells if e.is_own} == {("p", "b")}
