"""The simplest table of annotations: names of columns, kinds of units, and bad rows."""

import json
from pathlib import Path

import pyarrow
import pytest
from pyarrow import feather, parquet

from assay.core.errors import InputError
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


ROWS: list[dict[str, object]] = [
    {"id": n, "annotator": who, "label": label, "source": f"S{n}."}
    for n, who, label in ((1, "ann", 1), (1, "bo", 0), (2, "ann", None), (2, "bo", 1))
]


def lines(rows: list[dict[str, object]]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def columns(path: Path, rows: list[dict[str, object]]) -> str:
    table = pyarrow.Table.from_pylist(rows)
    (parquet.write_table if path.suffix == ".parquet" else feather.write_feather)(table, str(path))
    return str(path)


@pytest.mark.parametrize("name", ["said.parquet", "said.feather"])
def test_columns_are_read_as_lines_are(name: str, tmp_path: Path) -> None:
    path = columns(tmp_path / name, ROWS)
    assert is_ballots(path)
    expected = list(read_ballots(write(tmp_path, lines(ROWS), "said.jsonl")))
    assert list(read_ballots(path)) == expected
    assert isinstance(expected[2], BallotRow)
    assert expected[2].label is None


def test_binary_labels_may_be_numbers_with_a_point(tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{**row, "label": float(n % 2)} for n, row in enumerate(ROWS)]
    found = read_ballots(columns(tmp_path / "said.parquet", rows))
    said = [str(each.label) for each in found if isinstance(each, BallotRow)]
    assert said == ["unfaithful", "faithful"] * 2


@pytest.mark.parametrize("pattern", ["", "*.parquet"])
def test_parts_are_one_table(pattern: str, tmp_path: Path) -> None:
    (tmp_path / "said").mkdir()
    for place in (0, 2):
        columns(tmp_path / "said" / f"part-{place}.parquet", ROWS[place : place + 2])
    path = f"{tmp_path}/said/{pattern}"
    assert is_ballots(path)
    expected = list(read_ballots(write(tmp_path, lines(ROWS), "said.jsonl")))
    assert list(read_ballots(path)) == expected


def test_folders_may_name_the_annotator(tmp_path: Path) -> None:
    for who in ("ann", "bo"):
        (tmp_path / f"annotator={who}").mkdir()
        write(tmp_path / f"annotator={who}", '{"id": 1, "label": 1}\n', "said.jsonl")
    assert is_ballots(str(tmp_path))
    found = list(read_ballots(str(tmp_path)))
    assert [each.annotator for each in found if isinstance(each, BallotRow)] == ["ann", "bo"]


def test_tables_in_parts_have_the_same_columns(tmp_path: Path) -> None:
    write(tmp_path, "id,annotator,label\n1,ann,1\n", "a.csv")
    write(tmp_path, "id,who,label\n1,bo,1\n", "b.csv")
    with pytest.raises(InputError, match=r"a\.csv has 'annotator' and .*b\.csv does not"):
        is_ballots(str(tmp_path))


def test_two_columns_of_one_name_are_not_guessed_about(tmp_path: Path) -> None:
    table = pyarrow.Table.from_arrays(
        [["1"], ["ann"], ["1"], ["0"]], ["id", "author", *["label"] * 2]
    )
    parquet.write_table(table, str(tmp_path / "said.parquet"))
    with pytest.raises(InputError, match="two columns 'label'"):
        list(read_ballots(str(tmp_path / "said.parquet")))
