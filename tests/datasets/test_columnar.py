"""Parquet and Arrow: read like lines, only the columns that are wanted, and equal after writing."""

from dataclasses import replace
from pathlib import Path

import pyarrow
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import feather, ipc, parquet

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.datasets import columnar
from assay.datasets.columnar import ColumnFile, open_columns
from assay.datasets.example_columns import COLUMNS
from assay.datasets.example_files import write_example_file
from assay.datasets.fields import Columns
from assay.datasets.files import count_rows, read_file
from assay.datasets.formats.detection import read_annotated
from assay.datasets.selection import DataChoice
from tests.core.strategies import examples
from tests.datasets.test_conversion import FULL, PLAIN

ENDINGS = (".parquet", ".arrow", ".feather")


def no_label(_: Annotated) -> tuple[str, str]:
    return "", ""


@pytest.mark.parametrize("ending", ENDINGS)
def test_examples_are_equal_after_columns_and_back(ending: str, tmp_path: Path) -> None:
    path = str(tmp_path / f"x{ending}")
    stated = replace(PLAIN, example=replace(PLAIN.example, is_english_stated=True))
    assert write_example_file([FULL, PLAIN, stated], path, no_label) == 3
    assert list(read_annotated(path)) == [FULL, PLAIN, stated]


@pytest.mark.parametrize("ending", ENDINGS)
def test_no_examples_are_a_file_without_rows(ending: str, tmp_path: Path) -> None:
    path = str(tmp_path / f"x{ending}")
    assert write_example_file([], path, no_label) == 0
    assert list(read_annotated(path)) == []


def test_every_file_has_the_same_columns(tmp_path: Path) -> None:
    for name, rows in (("a", [PLAIN]), ("b", [FULL]), ("c", list[Annotated]())):
        write_example_file(rows, str(tmp_path / f"{name}.parquet"), no_label)
    schemas = [parquet.read_schema(tmp_path / f"{name}.parquet") for name in "abc"]
    assert schemas[0].equals(schemas[1])
    assert schemas[0].equals(schemas[2])
    assert tuple(schemas[0].names) == COLUMNS


def test_many_examples_are_written_in_groups_of_rows(tmp_path: Path) -> None:
    path = str(tmp_path / "x.parquet")
    rows = [replace(PLAIN, example=replace(PLAIN.example, id=str(n))) for n in range(2_500)]
    write_example_file(iter(rows), path, no_label)
    assert parquet.ParquetFile(path).num_row_groups == 3
    assert list(read_annotated(path)) == rows


def test_half_a_character_is_for_lines_only(tmp_path: Path) -> None:
    odd = replace(PLAIN, example=replace(PLAIN.example, question="\ud83d"))
    with pytest.raises(InputError, match=r"the question of '2' is not text; write it as \.jsonl"):
        write_example_file([odd], str(tmp_path / "x.parquet"), no_label)
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=50, deadline=None)
@given(said=st.lists(examples(), max_size=3))
def test_any_examples_are_equal_after_columns_and_back(
    said: list[Annotated], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = str(tmp_path_factory.mktemp("columns") / "x.parquet")
    try:
        write_example_file(said, path, no_label)
    except InputError as error:  # half a character outside of the judgements
        assert error.message.endswith("is not text; write it as .jsonl")  # noqa: PT017
        return
    assert list(read_annotated(path)) == said


def test_damaged_record_is_a_problem_and_the_next_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_example_file([FULL, PLAIN], str(path), no_label)
    table = parquet.read_table(path).to_pylist()
    table[0]["judgements"] = "[{"
    parquet.write_table(pyarrow.Table.from_pylist(table), path)
    first, second = read_annotated(str(path))
    assert isinstance(first, Problem)
    assert str(first).startswith(f"{path} record 1: the field 'judgements' is damaged")
    assert second == PLAIN


def test_another_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    write_example_file([PLAIN], str(path), no_label)
    row = {**parquet.read_table(path).to_pylist()[0], "schema": "urn:assay:example:9"}
    parquet.write_table(pyarrow.Table.from_pylist([row]), path)
    with pytest.raises(InputError, match=r"has the form 'urn:assay:example:9', and this version"):
        list(read_annotated(str(path)))


ROWS = pyarrow.table(
    {
        "context": ["A cat sat.", "A dog sat."],
        "answer": ["It sat.", "It ran."],
        "notes": ["long", "longer"],
    }
)


def write_rows(form: str, path: Path) -> str:
    """Plain rows in one of the forms that Arrow has."""
    if form == "parquet":
        parquet.write_table(ROWS, path / "x.parquet")
        return str(path / "x.parquet")
    if form == "feather":
        feather.write_feather(ROWS, str(path / "x.feather"))
        return str(path / "x.feather")
    with (path / "x.arrow").open("wb") as file, ipc.new_stream(file, ROWS.schema) as writer:
        writer.write_table(ROWS)
    return str(path / "x.arrow")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...] | None]:
    """The columns that are asked for, file by file."""
    asked: list[tuple[str, ...] | None] = []
    original = ColumnFile.read

    def noted(self: ColumnFile, columns: list[str] | None = None) -> object:
        asked.append(None if columns is None else tuple(columns))
        return original(self, columns)

    monkeypatch.setattr(columnar.ColumnFile, "read", noted)
    return asked


@pytest.mark.parametrize("form", ["parquet", "feather", "stream"])
def test_only_columns_that_are_fields_are_read(
    form: str, tmp_path: Path, read: list[tuple[str, ...] | None]
) -> None:
    path = write_rows(form, tmp_path)
    found = [each.example for each in read_file(path) if isinstance(each, Annotated)]
    assert [(each.source.text, each.response.text) for each in found] == [
        ("A cat sat.", "It sat."),
        ("A dog sat.", "It ran."),
    ]
    assert read == [("context", "answer")]


def test_all_columns_are_read_by_who_writes_the_rows_again(
    tmp_path: Path, read: list[tuple[str, ...] | None]
) -> None:
    path = write_rows("parquet", tmp_path)
    (first, _) = read_file(path, Columns(keeps_all=True))
    assert isinstance(first, Annotated)
    assert "longer" not in first.example.original
    assert "long" in first.example.original
    assert read == [None]


def test_missing_field_is_told_with_all_columns(tmp_path: Path) -> None:
    parquet.write_table(ROWS.drop_columns(["answer"]), tmp_path / "x.parquet")
    problem = next(read_file(str(tmp_path / "x.parquet")))
    assert isinstance(problem, Problem)
    assert "among the fields context, notes" in problem.message


def test_survey_does_not_read_what_was_said(
    tmp_path: Path, read: list[tuple[str, ...] | None]
) -> None:
    path = str(tmp_path / "x.parquet")
    write_example_file([FULL], path, no_label)
    surveyed = DataChoice(path).survey()
    assert all("judgements" not in (each or ()) for each in read)
    (example,) = DataChoice(path).read_again(surveyed)
    assert example.example == FULL.example
    assert list(DataChoice(path).read()) == [FULL]
    assert "judgements" in (read[-1] or ())


def test_rows_are_counted_where_the_file_says_so(tmp_path: Path) -> None:
    assert count_rows(write_rows("parquet", tmp_path)) == 2
    assert count_rows(write_rows("feather", tmp_path)) is None


@pytest.mark.parametrize("name", ["x.parquet", "x.arrow"])
@pytest.mark.parametrize("content", [b"", b"hello"])
def test_file_that_is_something_else_is_told(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=r"x\.\w+ is not (?:Parquet|Arrow)"):
        open_columns(str(tmp_path / name))
