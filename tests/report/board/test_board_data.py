"""The board as CSV, as JSON and for the page: each value under its name."""

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from assay.board.results import (
    Board,
    board_document,
)
from assay.report.board.views import board_csv
from assay.report.site.overview import BoardRecord
from assay.report.site.records import Recorder
from tests.reading_tables import csv_rows

STATEMENT = "gold: majority of 3 annotators (ties count as unfaithful)"


STATIC = files("assay.report") / "site" / "static"


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
    return BoardRecord(board, Recorder()).document([7, 8], "site")


def test_the_page_gets_each_value_under_its_name(page: dict[str, Any]) -> None:
    second = page["rankings"][1]
    assert second["standings"][0] == {
        "model": 1,
        "rank": {"rank": 2, "low": 0, "high": 23},
        "starred": False,
        "rate": {"value": 0.21, "n": 211, "low": 0.16, "high": 0.3},
        "corrected": {
            "rate": {"value": 0.321, "n": 77, "low": 0.222, "high": 0.444},
            "others": 88,
            "weight": 0.555,
        },
        "hallucinated": 212,
        "judged": 213,
        "refused": 215,
        "invalid": 216,
        "failed": 217,
        "missing": 218,
        "coverage": round(213 / (214 + 218), 5),
        "words": 219.4,
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
            "kendall": {"value": 0.61, "n": 9, "low": 0.5, "high": 0.7},
            "spearman": {"value": 0.81, "n": 9, "low": 0.75, "high": 0.9},
        }
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["Ranking", "BiasCell", "Judge"])
def test_the_page_reads_what_it_gets(page: dict[str, Any], name: str) -> None:
    given = {
        "Ranking": page["rankings"][0],
        "BiasCell": page["bias"][0]["cells"][0],
        "Judge": page["judges"][0],
    }
    assert typed(name) == set(given[name])


def test_every_column_of_the_page_has_a_head_a_meaning_and_a_drawing(page: dict[str, Any]) -> None:
    heads = {"model": "LLM", "rate": "Hallucination rate"}
    for column in page["columns"]:
        name, title = column["name"], column["title"].replace("\u00ad", "")
        assert title == heads.get(name, name.capitalize())
        assert column["meaning"]
        assert name in page["rankings"][0]["standings"][0]
    scripts = "".join((STATIC / each).read_text("utf-8") for each in ("ranking.js", "parts.js"))
    for format in {column["format"] for column in page["columns"]}:
        assert re.search(rf"^  {format}: ", scripts, re.M), format
    assert [column["name"] for column in page["columns"]][:3] == ["rank", "model", "rate"]


def test_detectors_on_the_page_stand_under_the_names_of_their_columns(page: dict[str, Any]) -> None:
    table = page["detectors"][0]
    names = [column["name"] for column in table["columns"]]
    assert names[:4] == ["judge", "n", "coverage", "balanced accuracy"]
    assert all(set(row) == set(names) for row in table["evaluations"])
