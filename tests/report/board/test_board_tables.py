"""Every cell of a board has another value, and stands under its own head in every form."""

import re
from dataclasses import replace

from rich.table import Table

from assay.board.results import (
    Board,
)
from assay.metrics import Estimate
from assay.report.board.tables import board_tables
from assay.report.board.views import board_markdown, board_view
from tests.reading_tables import Row, markdown_tables, terminal_tables


def tables(board: Board) -> dict[str, list[Row]]:
    """The tables of Markdown by their titles."""
    text = board_markdown(board)
    titles = re.findall(r"^## (.*)$", text, re.M)
    return dict(zip(titles, markdown_tables(text), strict=True))


def test_terminal_and_markdown_have_the_same_tables(board: Board) -> None:
    views = [
        each
        for each in board_view(board, 10_000)
        if not (isinstance(each, Table) and not each.show_header)  # facts have no heads
    ]
    assert terminal_tables(*views) == markdown_tables(board_markdown(board))
    assert list(tables(board)) == [each.title for each in board_tables(board)]


def test_the_ranking_has_each_value_under_its_head(board: Board) -> None:
    first, second = tables(board)["LLMs by hallucination rate"]
    assert first == {
        "LLM": "one*",
        "rank": "1 (5-22)",  # 110 % 11 + 1, 110 % 7, 110 % 9 + 20
        "rate %": "11.0 [6.0, 20.0]",
        "hallucinated": "112",
        "judged": "113",
        "refused": "115",
        "invalid": "116",
        "failed": "117",
        "missing": "118",
        "coverage": "48.7%",  # 113 / (114 + 118)
        "words": "119",
    }
    assert (second["LLM"], second["rank"]) == ("two", "9 (0-25)")


def test_rates_by_judge_stand_under_the_judge(board: Board) -> None:
    assert tables(board)["By judge"] == [
        {
            "LLM": "one",
            "gold": "11.0 [6.0, 20.0] n=113 (1)",
            "d": "24.0 [19.0, 33.0] n=243 (10)",
            "e": "31.0 [26.0, 40.0] n=313 (3)",
        },
        {
            "LLM": "two",
            "gold": "14.0 [9.0, 23.0] n=143 (9)",
            "d": "21.0 [16.0, 30.0] n=213 (2)°",
            "e": "34.0 [29.0, 43.0] n=343 (11)",
        },
        # (113 + 143) / (114 + 118 + 144 + 148), and so on.
        {"LLM": "coverage", "gold": "48.9%", "d": "49.4%", "e": "49.5%"},
    ]


def test_corrected_rates_stand_beside_those_they_correct(board: Board) -> None:
    assert tables(board)["Rates corrected by people's labels"] == [
        {
            "judge": "d",
            "LLM": "two",
            "rate %": "21.0 [16.0, 30.0]",
            "judged": "213",
            "corrected %": "32.1 [22.2, 44.4]",
            "labelled": "77",
            "weight": "0.56",
        }
    ]


def test_tasks_correlations_and_the_same_responses_stand_under_their_heads(board: Board) -> None:
    found = tables(board)
    assert found["By task"] == [
        {"LLM": "one", "all": "112/113", "qa": "412/413", "tale": "512/513"},
        {"LLM": "two", "all": "142/143", "qa": "442/443", "tale": "542/543"},
    ]
    assert found["Rank correlation between judges"] == [
        {
            "judge": "gold",
            "other judge": "e",
            "n": "9",
            "Kendall's tau-b": "0.610 [0.500, 0.700]",
            "Spearman's rho": "0.810 [0.750, 0.900]",
        }
    ]
    assert found["The same responses by each judge"] == [
        {"LLM": "one", "n": "41", "gold": "21 (1)", "d": "23 (3)"},
        {"LLM": "two", "n": "42", "gold": "22 (2)", "d": "24 (4)°"},
    ]


def test_labels_lengths_and_errors_stand_under_their_heads(board: Board) -> None:
    found = tables(board)
    assert found["Labels by gold"] == [
        {
            "LLM": "two",
            "n": "16",
            "fabricated": "3 (18.8)",
            "ambiguous": "5 (31.2)",
            "no-fact": "8 (50.0)",
            "parse": "4",
        }
    ]
    assert found["By length"] == [
        {
            "judge": "e",
            "length of": "source",
            "part 1": "up to 31: 17.0 (n=71)",
            "part 2": "up to 62: 19.0 (n=72)",
        }
    ]
    assert found["Errors of detectors by gold label, response level"] == [
        {"detector": "d", "fabricated": "21/23 (91.3)", "benign": "0/7 (0.0)"}
    ]
    assert found["Gold labels of the errors of detectors, response level"] == [
        {"detector": "d", "errors": "21", "fabricated": "21 (100.0)", "benign": "0 (0.0)"}
    ]
    assert found["Errors of detectors by gold label, sentence level"] == [
        {"detector": "e", "fabricated": "6/9 (66.7)"}
    ]


def test_figures_of_detectors_stand_under_their_heads(board: Board) -> None:
    assert board.detectors
    rows = tables(board)["Detectors against people, responses"]
    names = ("balanced accuracy", "precision", "recall", "specificity", "F1", "macro F1", "AUROC")
    given = []
    for place, each in enumerate(board.detectors.evaluations):
        figures = {
            name: Estimate((100 * place + at) / 1000, each.n, at / 1000, 0.9)
            for at, name in enumerate(names, start=5)
        }
        given.append(replace(each, figures={**each.figures, **figures}))
    told = replace(board, detectors=replace(board.detectors, evaluations=tuple(given)))
    for place, row in enumerate(tables(told)["Detectors against people, responses"]):
        assert set(row) == {"detector", "rank", "n", "coverage", "failures", *names}
        assert row["detector"].removesuffix("*") == given[place].detector
        assert (row["n"], row["coverage"]) == (
            f"{given[place].n:,}",
            f"{given[place].coverage:.1%}",
        )
        assert row["failures"] == str(given[place].failures.total())
        for at, name in enumerate(names, start=5):
            value = f"{(100 * place + at) / 1000:.3f}"
            assert row[name] == f"{value} [{at / 1000:.3f}, 0.900]"
    assert [row["rank"] for row in rows] == [
        "-" if rank is None else str(rank) for rank in board.detectors.ranks
    ]


def test_every_table_of_people_says_how_they_were_pooled(board: Board) -> None:
    notes = {each.title: each.whole_note for each in board_tables(board)}
    told = {
        title
        for title, note in notes.items()
        if "Gold: majority of 3 annotators (ties count as unfaithful)." in note
    }
    assert set(notes) - told == {"By length", "Detectors against people, responses"}
