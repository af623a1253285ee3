"""What views of a board make of odd names and empty places."""

from io import StringIO

from rich.console import Console

from assay.report.board_views import board_csv, board_markdown, board_view
from tests.board.making import F, U, annotated, board_of, response, table_of


def printed(board: object, width: int = 120) -> str:
    console = Console(width=width, record=True, file=StringIO())
    for part in board_view(board, width):  # type: ignore[arg-type]
        console.print(part)
    return console.export_text()


def test_the_best_and_what_does_not_differ_from_it_are_marked() -> None:
    board = board_of(table_of({"a": "." * 40, "b": "." * 39 + "+", "c": "+" * 40}))
    text = printed(board)
    assert "a*" in text
    assert "b*" in text
    assert "c*" not in text
    assert "2 of 3 pairs differ." in text


def test_a_wide_table_comes_in_parts_that_all_name_the_llm() -> None:
    said = {f"judge-{n}": U for n in range(12)}
    board = board_of([annotated(response("the-llm", f"s{n}"), said) for n in range(2)])
    text = printed(board, 80)
    # 13 columns with the majority, four at once.
    assert [line.strip() for line in text.splitlines()].count("By judge") == 4
    assert all(f"judge-{n} " in text for n in range(12))


def test_markdown_is_not_broken_by_names() -> None:
    board = board_of([annotated(response("a|b<i>`", f"s{n}"), {"d": F}) for n in range(2)])
    assert "| a\\|b\\<i>\\`* |" in board_markdown(board)


def test_csv_guards_formulas_and_leaves_undefined_cells_empty() -> None:
    board = board_of([annotated(response("=1+1", "s"), {"d": F})])
    line = board_csv(board).splitlines()[1]
    assert ",'=1+1,1,,,0.0,,,0,1," in line  # rank 1 without a range, rate 0 without an interval


def test_an_llm_without_a_verdict_is_shown_without_a_rate() -> None:
    text = printed(board_of(table_of({"a": "xx", "b": ".+"})))
    row = next(line for line in text.splitlines() if line.split()[:1] == ["a"])
    assert row.split()[:3] == ["a", "-", "-"]
