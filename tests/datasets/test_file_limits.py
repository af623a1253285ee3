"""Rows and documents over the limits: told, and the others are read."""

import gzip
import tracemalloc
from pathlib import Path

import pyarrow
import pytest
from pyarrow import parquet

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.datasets.files import count_rows, read_file
from tests.datasets.conftest import Write
from tests.datasets.test_files import GOOD, places, problem, read_stdin


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ROW_MIB", "1")
    monkeypatch.setenv("ASSAY_DOCUMENT_MIB", "2")


LONG = '{"source": "' + "a" * 3_000_000 + '", "response": "b"}'
LIMIT = "longer than 1 MiB, the limit for a row; set ASSAY_ROW_MIB to raise it"


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("packed", [False, True])
def test_line_over_the_limit_is_a_problem_and_the_others_are_read(
    packed: bool, write: Write
) -> None:
    content = f"{GOOD}\n{LONG}\n{GOOD}\n".encode()
    path = write("x.jsonl.gz", gzip.compress(content)) if packed else write("x.jsonl", content)
    assert places(path) == ["1", "line 2", "3"]
    assert problem(path) == f"{path} line 2: {LIMIT}"
    assert packed or count_rows(path) == 3


@pytest.mark.usefixtures("_small")
def test_line_of_standard_input_over_the_limit_is_a_problem(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first, second = read_stdin(f"{LONG}\n{GOOD}".encode(), monkeypatch)
    assert str(first) == f"standard input line 1: {LIMIT}"
    assert isinstance(second, Annotated)


@pytest.mark.usefixtures("_small")
def test_document_over_the_limit_raises(write: Write) -> None:
    path = write("x.json.gz", gzip.compress(LONG.encode()))
    with pytest.raises(InputError, match=r"has more than 2 MiB, .* JSON lines, .* ASSAY_DOC"):
        list(read_file(path))


@pytest.mark.usefixtures("_small")
@pytest.mark.parametrize("group", [1, 3])
def test_row_of_parquet_over_the_limit_is_a_problem(group: int, tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    rows = {"source": ["a", "a" * 3_000_000, "a"], "response": ["b", "b", "b"]}
    parquet.write_table(pyarrow.table(rows), path, row_group_size=group)
    found = list(read_file(str(path)))
    assert [isinstance(each, Problem) for each in found] == [False, True, False]
    assert str(found[1]) == f"{path} row 2: {LIMIT}"


@pytest.mark.usefixtures("_small")
def test_value_that_parquet_keeps_once_for_many_rows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    rows = {"source": ["a" * 500_000] * 500, "response": ["b"] * 500}
    parquet.write_table(pyarrow.table(rows), path)
    assert sum(isinstance(each, Annotated) for each in read_file(str(path))) == 500


CROWDED = '{"source": [' + "[]," * 100_000 + '"a"], "response": "b"}'


@pytest.mark.usefixtures("_small")
def test_row_of_too_many_values_is_a_problem_and_the_others_are_read(write: Write) -> None:
    path = write("x.jsonl.gz", gzip.compress(f"{CROWDED}\n{GOOD}\n".encode()))
    assert places(path) == ["line 1", "2"]
    assert problem(path) == (
        f"{path} line 1: more than 65,536 values, the limit for JSON of up to 1 MiB; set "
        "ASSAY_ROW_MIB to raise it"
    )


@pytest.mark.usefixtures("_small")
def test_document_of_too_many_values_raises(write: Write) -> None:
    path = write("x.json", CROWDED)
    with pytest.raises(InputError, match=r"x\.json: more than 131,072 values, .* ASSAY_DOC"):
        list(read_file(path))


@pytest.mark.usefixtures("_small")
def test_crowded_row_is_never_parsed(write: Write) -> None:
    path = write("x.jsonl", CROWDED)
    tracemalloc.start()
    try:
        list(read_file(path))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 3 * 2**20  # parsed, 100,000 empty lists take 6.4 MB
