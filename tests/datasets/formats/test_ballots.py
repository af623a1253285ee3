"""The simplest table of annotations: names of columns, kinds of units, and bad rows."""

import json
from pathlib import Path

import pytest

from assay.core.problems import Problem
from assay.datasets.formats.ballots import BallotRow, is_ballots, read_ballots


def write(folder: Path, text: str, name: str = "said.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_rows_of_a_table(tmp_path: Path) -> None:
    path = write(tmp_path, "id,annotator,source,label\n1,ann,S.,1\n1,bo,S.,unfaithful\n2,bo,T.,\n")
    first, second, blank = read_ballots(path)
    assert isinstance(first, BallotRow)
    assert isinstance(second, BallotRow)
    assert blank == BallotRow("2", "", "response", "T.", "bo", None)
    assert (first.item, first.kind, first.source, first.annotator) == ("1", "response", "S.", "ann")
    assert [str(first.label), str(second.label)] == ["faithful", "unfaithful"]


def test_lines_of_json_with_sentences_and_a_label_of_another_name(tmp_path: Path) -> None:
    row = {"example": 7, "author": "ann", "sentence": "s2", "class": "Fabricated"}
    path = write(tmp_path, json.dumps(row), "said.jsonl")
    assert is_ballots(path, "class")
    (found,) = read_ballots(path, "gray7", "class")
    assert isinstance(found, BallotRow)
    assert (found.item, found.unit, found.kind, found.source) == ("7", "s2", "sentence", "7")
    assert found.label == "fabricated"


def test_guarded_cells_are_read_as_they_were(tmp_path: Path) -> None:
    (found,) = read_ballots(write(tmp_path, "id,annotator,label\n'=1,'@bo,faithful\n"))
    assert isinstance(found, BallotRow)
    assert (found.item, found.annotator) == ("=1", "@bo")


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.csv", "id,annotator,label\n", True),
        ("a.csv", "\ufeffexample,author,label,more\n", True),
        ("a.csv", "id,label\n", False),
        ("a.csv", "", False),
        ("a.jsonl", '{"id": 1, "annotator": "a", "label": 1}', True),
        (
            "a.jsonl",
            '{"schema": "urn:assay:example:1", "id": 1, "annotator": "", "label": 1}',
            False,
        ),
        ("a.jsonl", "[1]", False),
        ("a.txt", "id,annotator,label\n", False),
    ],
)
def test_tables_are_known_by_their_columns(
    tmp_path: Path, name: str, text: str, expected: bool
) -> None:
    assert is_ballots(write(tmp_path, text, name)) is expected


def test_bad_rows_are_problems_with_their_place(tmp_path: Path) -> None:
    path = write(tmp_path, "id,annotator,label\n1,ann,odd\n,ann,1\n1,2\n3,ann,1\n")
    *bad, good = read_ballots(path)
    assert [isinstance(each, Problem) and each.where.rpartition(" ")[2] for each in bad] == [
        "1",
        "2",
        "3",
    ]
    assert isinstance(good, BallotRow)
