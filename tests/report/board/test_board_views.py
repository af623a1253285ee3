"""What views of a board make of odd names and empty places."""

from io import StringIO

from rich.console import Console

from assay.board.results import Judge
from assay.core.taxonomies import GRAY7
from assay.report.board.views import board_csv, board_markdown, board_view
from tests.board.making import F, U, annotated, board_of, response, table_of


def printed(board: object, width: int = 120) -> str:
    console = Console(width=width, record=True, file=StringIO())
    for part in board_view(board, width):  # type: ignore[arg-type]
        console.print(part)
    return console.export_text()


def test_the_best_and_what_does_not_differ_from_it_are_marked() -> None:
    board = board_of(table_of({"a": "." * 40, "b": "." * 39 + "+", "c": "+" * 40}))
    text = " ".join(printed(board).split())
    assert "a*" in text
    assert "b*" in text
    assert "c*" not in text
    assert "* not distinguishable from the lowest rate (paired, p ≥ 0.05 after Holm" in text
    assert "2 of 3 pairs differ (Holm over all pairs), each on 40 sources." in text


def test_an_llm_that_cannot_be_compared_with_the_best_is_not_marked() -> None:
    text = board_markdown(board_of(table_of({"a": "...   ", "b": "   +..", "c": "+....."})))
    assert "a*" in text
    assert "b*" not in text
    assert "1 of 3 pairs share fewer than two judged sources and cannot be compared." in text


def test_levels_that_are_the_same_share_a_table() -> None:
    same = [annotated(response(m, f"s{n}"), {"d": GRAY7["fabricated"]}) for m in "ab" for n in "12"]
    text = board_markdown(board_of(same))
    assert text.count("## LLMs by hallucination rate") == 1
    assert "The same at every level." in text
    other = [*same, *(annotated(response("c", n), {"d": GRAY7["out-dependent"]}) for n in "12")]
    text = board_markdown(board_of(other))
    assert "## LLMs by hallucination rate: unfaithful; unfaithful + ambiguous\n" in text
    assert "## LLMs by hallucination rate: unfaithful + ambiguous + out-dependent\n" in text


def test_every_rate_by_a_judge_has_its_interval_n_and_coverage() -> None:
    rows = [annotated(response("a", f"s{n}"), {"p": F, "q": U if n else None}) for n in range(4)]
    text = board_markdown(board_of(rows))
    assert "| a | 0.0 [0.0, 49.0] n=4 (1) | 100.0 [43.9, 100.0] n=3 (1) |" in text
    assert "| coverage | 100.0% | 100.0% |" in text


def test_parts_by_length_say_how_long_and_how_many() -> None:
    texts = ("one two three four five six", "one two three four five six seven")
    rows = [annotated(response("a", f"s{n}", text), {"d": U}) for n, text in enumerate(texts)]
    text = board_markdown(board_of(rows))
    assert "| d | response | up to 6: 100.0 (n=1) | up to 7: 100.0 (n=1) |" in text
    assert "quintile" not in text


def test_what_a_judge_says_of_its_own_llm_is_marked_in_every_table_of_judges() -> None:
    rows = [annotated(response("o/gpt-4o", f"s{n}"), {"d": F, "e": F}) for n in range(2)]
    judges = (Judge("d", "d", "detector", ("binary",)), Judge("e", "e", "detector", (), "gpt-4o"))
    text = board_markdown(board_of(rows, *judges))
    assert "| o/gpt-4o | 0.0 [0.0, 65.8] n=2 (1) | 0.0 [0.0, 65.8] n=2 (1)° |" in text
    assert "| o/gpt-4o | 2 | 0 (1) | 0 (1)° |" in text


def test_the_own_llm_of_the_only_judge_is_marked_in_the_ranking() -> None:
    rows = [annotated(response("o/gpt-4o", f"s{n}"), {"e": F}) for n in range(2)]
    text = board_markdown(board_of(rows, Judge("e", "e", "detector", ("binary",), "gpt-4o")))
    assert "e (binary, model gpt-4o)" in text
    assert "| o/gpt-4o*° | 1 (1-1) |" in text
    assert "° the judge's own LLM, or another version of it." in text


def test_two_llms_are_too_few_for_a_correlation() -> None:
    rows = [
        annotated(response(m, f"s{n}"), {"p": F, "q": U if m == "a" else F})
        for m in "ab"
        for n in "12"
    ]
    assert "Fewer than 5 LLMs are too few to conclude from" in printed(board_of(rows))


def test_a_wide_table_comes_in_parts_that_all_name_the_llm() -> None:
    said = {f"judge-{n}": U for n in range(12)}
    board = board_of([annotated(response("the-llm", f"s{n}"), said) for n in range(2)])
    text = printed(board, 80)
    # 13 columns with the majority, two at once.
    assert [line.strip() for line in text.splitlines()].count("By judge") == 7
    assert max(map(len, text.splitlines())) <= 80
    assert all(f"judge-{n} " in text for n in range(12))


def test_markdown_is_not_broken_by_names() -> None:
    board = board_of([annotated(response("a|b<i>`", f"s{n}"), {"d": F}) for n in range(2)])
    assert "| a\\|b\\<i>\\`* |" in board_markdown(board)


def test_scores_that_were_read_as_labels_and_what_intervals_leave_out_are_told() -> None:
    rows = [annotated(response("a", f"s{n}"), {"d": 0.4, "e": F}) for n in range(2)]
    text = board_markdown(board_of(rows))
    assert "- scores: faithful from 0.5 upwards (d)\n" in text
    assert "errors of judges and labels are not included\n" in text


def test_csv_guards_formulas_and_leaves_undefined_cells_empty() -> None:
    board = board_of([annotated(response("=1+1", "s"), {"d": F})])
    line = board_csv(board).splitlines()[1]
    assert (
        ",'=1+1,1,,,0,0.0,,,,,,,,0,1," in line
    )  # rank 1 without a range, rate 0 without an interval


def test_an_llm_without_a_verdict_is_shown_without_a_rate() -> None:
    text = printed(board_of(table_of({"a": "xx", "b": ".+"})))
    row = next(line for line in text.splitlines() if line.split()[:1] == ["a"])
    assert row.split()[:3] == ["a", "-", "-"]
