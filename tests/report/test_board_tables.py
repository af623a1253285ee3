"""Every cell of a board has another value, and stands under its own head in every form."""

import json
import re
from collections import Counter
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from rich.table import Table

from assay.board.document import board_document
from assay.board.results import (
    Bias,
    BiasCell,
    Board,
    Distribution,
    ErrorDistribution,
    Judge,
    Lengths,
    RankCorrelation,
    Ranking,
    Standing,
)
from assay.core.pooling import GoldBasis, Voices
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.length_rates import LengthRates
from assay.evaluation.levels import Level
from assay.metrics import CorrectedRate, Estimate
from assay.report.board_sections import sections
from assay.report.board_views import board_csv, board_markdown, board_view
from assay.report.site.overview import Overview
from assay.report.site.records import Recorder
from tests.reading_tables import Row, csv_rows, markdown_tables, terminal_tables

STATEMENT = "gold: majority of 3 annotators (ties count as unfaithful)"
STATIC = files("assay.report") / "site" / "static"


def standing(model: str, start: int, **more: Any) -> Standing:
    """An LLM of which every number is its own; they need not agree with each other."""
    return Standing(
        model,
        start % 11 + 1,
        (start % 7, start % 9 + 20),
        Estimate(start / 1000, start + 1, (start - 50) / 1000, (start + 90) / 1000),
        hallucinated=start + 2,
        judged=start + 3,
        responses=start + 4,
        refused=start + 5,
        invalid=start + 6,
        failed=start + 7,
        missing=start + 8,
        words=start + 9.4,
        **more,
    )


def ranking(judge: str, task: str, *standings: Standing) -> Ranking:
    start = standings[0].hallucinated
    p_values = ((None, 0.5), (0.5, None))
    differs = ((False, True), (True, False))
    return Ranking(judge, "strict", task, start + 30, standings, p_values, differs, differs, (5, 6))


@pytest.fixture
def board(small_report: EvaluationReport) -> Board:
    """People and two detectors on two LLMs in two tasks."""
    corrected = CorrectedRate(Estimate(0.321, 77, 0.222, 0.444), 88, 0.555)
    found = {
        ("gold", ""): [standing("one", 110, is_starred=True), standing("two", 140)],
        ("d", ""): [standing("two", 210, corrected=corrected), standing("one", 240)],
        ("e", ""): [standing("one", 310), standing("two", 340)],
        ("gold", "qa"): [standing("one", 410), standing("two", 440)],
        ("gold", "tale"): [standing("one", 510), standing("two", 540)],
    }
    lengths = LengthRates("source", (31, 62), (Estimate(0.17, 71), Estimate(0.19, 72)), {}, {})
    return Board(
        title="Two LLMs",
        dataset="toy",
        digest="abc",
        models=("one", "two"),
        tasks=("qa", "tale"),
        judges=(
            Judge("gold", "gold", "person", ("gray7",)),
            Judge("d", "run:d", "detector", ("binary",), "m/two", ("two",), "model"),
            Judge("e", "e@toy", "detector", ("binary",), is_scored=True),
        ),
        levels=(Level("strict", "unfaithful", {"gray7": "from-ambiguous"}),),
        rankings=tuple(ranking(*key, *given) for key, given in found.items()),
        distributions=(
            Distribution(
                "gold", "two", {"fabricated": 3, "ambiguous": 5, "no-fact": 8}, {"parse": 4}
            ),
        ),
        lengths=(Lengths("e", "strict", (lengths,)),),
        correlations=(
            RankCorrelation(
                "gold", "e", "strict", Estimate(0.61, 9, 0.5, 0.7), Estimate(0.81, 9, 0.75, 0.9)
            ),
        ),
        bias=(
            Bias(
                "strict",
                87,
                (
                    BiasCell("gold", "one", 21, 41, 1, is_own=False),
                    BiasCell("gold", "two", 22, 42, 2, is_own=False),
                    BiasCell("d", "one", 23, 43, 3, is_own=False),
                    BiasCell("d", "two", 24, 44, 4, is_own=True),
                ),
            ),
        ),
        detectors=small_report,
        errors=(
            ErrorDistribution("d", "response", {"fabricated": 21}, {"fabricated": 23, "benign": 7}),
            ErrorDistribution("e", "sentence", {"benign": 2, "fabricated": 6}, {"fabricated": 9}),
        ),
        warnings=("look out",),
        gold=GoldBasis("majority", Counter({Voices(3): 12})),
        replicates=321,
        seed=45,
        version="9.8",
    )


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
    assert list(tables(board)) == [each.title for each in sections(board)]


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
    notes = {each.title: each.note for each in sections(board)}
    told = {
        title
        for title, note in notes.items()
        if "Gold: majority of 3 annotators (ties count as unfaithful)." in note
    }
    assert set(notes) - told == {"By length", "Detectors against people, responses"}


EXPECTED = {
    "judge": "d",
    "level": "strict",
    "task": "",
    "model": "two",
    "rank": "2",
    "rank_low": "0",
    "rank_high": "23",
    "starred": "0",
    "rate": "0.21",
    "low": "0.16",
    "high": "0.3",
    "corrected": "0.321",
    "corrected_low": "0.222",
    "corrected_high": "0.444",
    "labelled": "77",
    "weight": "0.555",
    "hallucinated": "212",
    "judged": "213",
    "responses": "214",
    "refused": "215",
    "invalid": "216",
    "failed": "217",
    "missing": "218",
    "coverage": str(213 / (214 + 218)),
    "words": "219.4",
    "sources": "242",
    "gold": STATEMENT,
}


def test_csv_has_each_value_under_its_head(board: Board) -> None:
    rows = csv_rows(board_csv(board))
    row = next(row for row in rows if (row["judge"], row["model"]) == ("d", "two"))
    assert row == {"title": "Two LLMs", "dataset": "toy", **EXPECTED, "assay": "9.8"}
    other = next(row for row in rows if (row["judge"], row["model"]) == ("e", "one"))
    assert (other["gold"], other["corrected"], other["labelled"]) == ("", "", "")
    assert [row["starred"] for row in rows if row["judge"] == "gold" and not row["task"]] == [
        "1",
        "0",
    ]


def test_json_has_each_value_under_its_name(board: Board) -> None:
    document = json.loads(json.dumps(board_document(board)))
    assert set(document) == {
        "schema_version", "assay", "title", "dataset", "digest", "replicates", "seed", "counting",
        "is_common", "gold", "warnings", "models", "tasks", "judges", "levels", "rankings",
        "distributions", "lengths", "correlations", "bias", "detectors", "sentence_detectors",
        "measured_at", "errors",
    }  # fmt: skip
    second = document["rankings"][1]
    assert {name: each for name, each in second.items() if name != "standings"} == {
        "judge": "d",
        "level": "strict",
        "task": "",
        "sources": 242,
        "p_values": [[None, 0.5], [0.5, None]],
        "differs": [[False, True], [True, False]],
        "differs_from": [[False, True], [True, False]],
        "shared": [5, 6],
    }
    assert second["standings"][0] == {
        "model": "two",
        "rank": 2,
        "ranks": [0, 23],
        "is_starred": False,
        "rate": {"value": 0.21, "n": 211, "low": 0.16, "high": 0.3},
        "corrected": {
            "rate": {"value": 0.321, "n": 77, "low": 0.222, "high": 0.444},
            "others": 88,
            "weight": 0.555,
        },
        "hallucinated": 212,
        "judged": 213,
        "responses": 214,
        "refused": 215,
        "invalid": 216,
        "failed": 217,
        "missing": 218,
        "coverage": 213 / (214 + 218),
        "words": 219.4,
    }
    assert document["judges"][1] == {
        "name": "d",
        "reference": "run:d",
        "kind": "detector",
        "taxonomies": ["binary"],
        "model": "m/two",
        "own": ["two"],
        "own_by": "model",
        "is_scored": False,
    }
    assert document["gold"]["statement"] == STATEMENT
    assert (document["replicates"], document["seed"], document["assay"]) == (321, 45, "9.8")
    assert document["bias"][0]["cells"][3] == {
        "judge": "d", "model": "two", "hallucinated": 24, "n": 44, "rank": 4, "is_own": True,
    }  # fmt: skip
    assert document["errors"][0] == {
        "detector": "d",
        "unit": "response",
        "errors": {"fabricated": 21},
        "gold": {"fabricated": 23, "benign": 7},
    }


def typed(name: str) -> set[str]:
    """The names of the fields of an object that the page reads."""
    text = (STATIC / "state.js").read_text(encoding="utf-8").replace("\n *", "")
    end = text.index(f"}}}} {name} */")
    fields = text[text.rindex("@typedef {{", 0, end) + len("@typedef {{") : end]
    while fields != (outside := re.sub(r"\{[^{}]*\}|\[[^\[\]]*\]", "", fields)):
        fields = outside
    return {field.partition(":")[0].strip() for field in fields.split(",")}


@pytest.fixture
def page(board: Board) -> dict[str, Any]:
    """The board as the page reads it."""
    return Overview(board, Recorder()).document([7, 8], "site")


def test_the_page_gets_each_value_under_its_name(page: dict[str, Any]) -> None:
    second = page["rankings"][1]
    assert second["standings"][0] == {
        "model": 1,
        "rank": 2,
        "ranks": [0, 23],
        "starred": False,
        "rate": [0.21, 211, 0.16, 0.3],
        "corrected": [0.321, 77, 0.222, 0.444],
        "weight": 0.555,
        "hallucinated": 212,
        "judged": 213,
        "refused": 215,
        "invalid": 216,
        "failed": 217,
        "missing": 218,
        "coverage": round(213 / (214 + 218), 5),
        "words": 219,
    }
    assert {name: each for name, each in second.items() if name != "standings"} == {
        "judge": 1,
        "level": 0,
        "task": "",
        "sources": 242,
        "differs": ["01", "10"],
        "pairs": {"all": 1, "compared": 1, "differ": 1},
        "shared": [5, 6],
    }
    assert page["bias"][0]["cells"][3] == {
        "judge": "d", "model": 1, "hallucinated": 24, "n": 44, "rank": 4, "own": True,
    }  # fmt: skip
    assert page["judges"][1] == {
        "name": "d",
        "reference": "run:d",
        "kind": "detector",
        "taxonomies": ["binary"],
        "model": "m/two",
        "own": ["two"],
        "own_by": "model",
        "scored": False,
    }
    assert page["judges"][2]["scored"]
    assert page["gold"] == STATEMENT
    assert page["detectors"][0]["errors"][0]["labels"][0] == {"badge": 0, "judged": 23, "wrong": 21}
    assert page["correlations"] == [
        {
            "first": 0, "second": 2, "level": 0,
            "kendall": [0.61, 9, 0.5, 0.7], "spearman": [0.81, 9, 0.75, 0.9],
        }
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["Standing", "Ranking", "BiasCell", "Judge"])
def test_the_page_reads_what_it_gets(page: dict[str, Any], name: str) -> None:
    given = {
        "Standing": page["rankings"][0]["standings"][0],
        "Ranking": page["rankings"][0],
        "BiasCell": page["bias"][0]["cells"][0],
        "Judge": page["judges"][0],
    }
    assert typed(name) == set(given[name])


def test_every_column_of_the_page_shows_what_its_head_says() -> None:
    text = (STATIC / "ranking.js").read_text(encoding="utf-8")
    lines = text[text.index("const COLUMNS") : text.index("];")].splitlines()[1:]
    heads = {"model": "LLM", "rate": "Hallucination rate"}
    for line in lines:
        id, title = re.findall(r'id: "(\w+)", title: "([^"]+)"', line)[0]
        assert title.replace("\\u00ad", "") == heads.get(id, id.capitalize())
        assert set(re.findall(r"\brow\.(\w+)", line)) == {id}
        assert re.findall(r'linked\("(\w+)"\)', line) in ([], [id])
        assert re.findall(r"cell: (\w+)Cell", line) in ([], ["name" if id == "model" else id])
