"""What Python programs hold rows in."""

import io
from collections.abc import Iterator
from typing import Any, NamedTuple

import datasets
import numpy as np
import pandas as pd
import pyarrow
import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.core.texts import Response, Source
from assay.datasets.fields import Columns
from assay.datasets.tables import read_rows
from tests.datasets.row_reading import read_row

ROWS: list[dict[str, Any]] = [
    {"contexts": ["One.", "Two."], "answer": "b", "question": "Why?"},
    {"contexts": ["Three."], "answer": "c", "question": ""},
]
EXPECTED = [("1", "One.\n\nTwo.", "b", "Why?"), ("2", "Three.", "c", "")]


def texts(data: object) -> list[tuple[str, str, str, str]]:
    """Id, source, response and question of each row; any problem fails."""
    found = []
    for each in read_rows(data):
        assert isinstance(each, Annotated), each
        example = each.example
        found.append((example.id, example.source.text, example.response.text, example.question))
    return found


def ids(data: object) -> list[str]:
    return [each[0] for each in texts(data)]


def problem(data: object) -> Problem:
    (found,) = [each for each in read_rows(data) if isinstance(each, Problem)]
    return found


class Row(NamedTuple):
    """A row as a named tuple."""

    source: str
    response: str


def test_list_of_dicts_is_read() -> None:
    assert texts(ROWS) == EXPECTED


def test_generator_is_read() -> None:
    assert texts(row for row in ROWS) == EXPECTED


def test_data_frame_is_read() -> None:
    assert texts(pd.DataFrame(ROWS)) == EXPECTED


def test_rows_of_itertuples_are_read() -> None:
    assert texts(pd.DataFrame(ROWS).itertuples()) == EXPECTED


def test_row_of_a_data_frame_is_one_example() -> None:
    assert texts(pd.DataFrame(ROWS).iloc[0]) == EXPECTED[:1]


def test_hugging_face_data_set_is_read() -> None:
    assert texts(datasets.Dataset.from_list(ROWS)) == EXPECTED


@pytest.mark.parametrize("row", [ROWS[0], Row("One.\n\nTwo.", "b")], ids=["dict", "named tuple"])
def test_single_row_is_one_example(row: object) -> None:
    assert [each[:3] for each in texts(row)] == [("1", "One.\n\nTwo.", "b")]


def test_examples_are_given_back_as_they_are() -> None:
    example = Example("mine", Source("a"), Response("b"))
    assert list(read_rows([example])) == [Annotated(example)]
    assert list(read_rows(example)) == [Annotated(example)]
    annotated = read_row({"source": "a", "response": "b", "label": 1}, 1, Columns(label="label"))
    assert list(read_rows([annotated])) == [annotated]


def test_numpy_arrays_in_cells_are_lists() -> None:
    frame = pd.DataFrame({"contexts": [np.array(["One.", "Two."])], "answer": ["b"]})
    assert texts(frame) == [("1", "One.\n\nTwo.", "b", "")]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_cell_of_a_data_frame_is_no_question(missing: object) -> None:
    frame = pd.DataFrame({"source": ["a"], "response": ["b"], "question": [missing]}, dtype=object)
    assert texts(frame) == [("1", "a", "b", "")]


def test_nullable_columns_of_a_data_frame_are_read() -> None:
    frame = pd.DataFrame({"source": ["a"], "response": ["b"], "id": [None]}).convert_dtypes()
    assert texts(frame) == [("1", "a", "b", "")]


def test_columns_with_the_same_name_do_not_break_a_data_frame() -> None:
    frame = pd.DataFrame([["a", "x", "b"]], columns=["source", "other", "response"])
    frame.columns = pd.Index(["source", "other", "other"])
    assert str(problem(frame)).startswith("row 1: no response")


@pytest.mark.parametrize(
    ("index", "expected"),
    [
        (["x", "y"], ["x", "y"]),
        ([7, 9], ["7", "9"]),
        (pd.MultiIndex.from_tuples([("en", 1), ("de", 2)]), ["en/1", "de/2"]),
        (pd.RangeIndex(2, name="row"), ["0", "1"]),
        (pd.RangeIndex(5, 7), ["5", "6"]),
        (pd.RangeIndex(2), ["1", "2"]),
        (pd.Index([0, 1]), ["1", "2"]),
        ([0, 0], ["1", "2"]),  # two frames put together: nothing that tells rows apart
    ],
)
def test_index_of_a_data_frame_names_its_rows_where_it_says_something(
    index: Any, expected: list[str]
) -> None:
    assert ids(pd.DataFrame(ROWS, index=index)) == expected


def test_column_that_became_the_index_is_still_a_field() -> None:
    frame = pd.DataFrame(ROWS).assign(question=["Why?", "How?"]).set_index("question")
    assert [(each[0], each[3]) for each in texts(frame)] == [("Why?", "Why?"), ("How?", "How?")]


def test_id_column_comes_before_the_index() -> None:
    assert ids(pd.DataFrame(ROWS, index=["x", "y"]).assign(id=["a", None])) == ["a", "y"]


def test_single_rows_of_a_data_frame_keep_their_labels() -> None:
    frame = pd.DataFrame(ROWS, index=["x", "y"])
    assert ids(frame.iloc[1]) == ["y"]
    assert ids(frame.itertuples()) == ["x", "y"]
    assert ids(frame.iterrows()) == ["x", "y"]


def test_rows_are_read_one_at_a_time() -> None:
    def endless() -> Iterator[dict[str, str]]:
        while True:
            yield {"source": "a", "response": "b"}

    rows = read_rows(endless())
    taken = [next(rows) for _ in range(3)]
    assert [each.id for each in taken if isinstance(each, Annotated)] == ["1", "2", "3"]


def test_bad_row_is_a_problem_with_its_number_and_the_others_are_read() -> None:
    first, second, third = read_rows([ROWS[0], {"id": "x", "source": "a"}, ROWS[1]])
    assert isinstance(first, Annotated)
    assert isinstance(third, Annotated)
    assert isinstance(second, Problem)
    assert str(second).startswith("row 2: no response: none of")
    assert second.field == "response_field"
    assert second.example == Example("x", Source("a"), Response(""))


class Lazy(dict[str, object]):
    """A row that fails where it is looked at."""

    def __getitem__(self, name: str) -> object:
        if name == "contexts":
            raise ZeroDivisionError("no page 0")
        return super().__getitem__(name)


def test_exception_of_a_lazy_row_is_a_problem() -> None:
    found = problem([ROWS[0], Lazy(ROWS[1])])
    assert str(found) == "row 2: ZeroDivisionError: no page 0"
    assert found.example == Example("2", Source(""), Response("c"))


def test_exception_of_the_rows_themselves_is_raised() -> None:
    def broken() -> Iterator[dict[str, Any]]:
        yield ROWS[0]
        raise ConnectionError("gone")

    rows = read_rows(broken())
    assert isinstance(next(rows), Annotated)
    with pytest.raises(ConnectionError):
        next(rows)


@pytest.mark.parametrize("data", [None, 5, "text", b"bytes"])
def test_what_holds_no_rows_raises_with_what_to_give(data: object) -> None:
    with pytest.raises(InputError, match=r"cannot be read from a value of type \w+; give source"):
        list(read_rows(data))


@pytest.mark.parametrize("row", ["text", None, ["a", "b"]])
def test_what_is_no_row_is_a_problem_that_says_what_to_give(row: object) -> None:
    assert "cannot be read from a value of type" in problem([ROWS[0], row]).message


def test_columns_and_language_are_passed_on() -> None:
    rows = [{"article": "a", "response": "b"}]
    (read,) = read_rows(rows, Columns(source="article"), "de")
    assert isinstance(read, Annotated)
    assert (read.example.source.text, read.example.language) == ("a", "de")


def test_data_set_of_one_split_is_read_and_of_several_nothing_is_guessed() -> None:
    rows = datasets.Dataset.from_list(ROWS)
    assert texts(datasets.DatasetDict(train=rows)) == EXPECTED
    with pytest.raises(InputError, match=r"2 splits \(train, test\); give one .* data\['test'\]"):
        texts(datasets.DatasetDict(train=rows, test=rows))
    with pytest.raises(InputError, match="2 splits"):
        texts({"a": pd.DataFrame(ROWS), "b": pd.DataFrame(ROWS)})


def test_arrow_tables_are_read() -> None:
    table = pyarrow.Table.from_pylist(ROWS * 100)
    assert texts(table)[:2] == EXPECTED
    assert len(texts(table)) == 200
    assert texts(table.to_batches()[0].slice(0, 2)) == EXPECTED


class Polars:
    """A data frame whose iteration gives columns, as polars's does."""

    columns = ("contexts", "answer", "question")

    def iter_rows(self, named: bool) -> Iterator[dict[str, Any]]:
        assert named
        return iter(ROWS)

    def __iter__(self) -> Iterator[list[object]]:
        return iter([["columns"]])


def test_polars_data_frame_is_read() -> None:
    assert texts(Polars()) == EXPECTED


def test_list_in_a_cell_that_a_csv_reader_left_as_text_is_read() -> None:
    frame = pd.DataFrame(ROWS)
    stream = io.StringIO(frame.to_csv(index=False))
    assert texts(pd.read_csv(stream)) == EXPECTED


@pytest.mark.parametrize("kept", [[2, 3, 5], [5, 6], [1, 3, 5], [7]])
def test_rows_of_a_part_of_a_data_frame_keep_their_labels(kept: list[int]) -> None:
    frame = pd.DataFrame([{"source": "a", "response": "b", "k": k} for k in range(8)])
    part = frame[frame.k.isin(kept)]
    expected = list(map(str, kept))
    assert ids(part) == expected
    assert ids(part.iterrows()) == expected
    assert ids(part.itertuples()) == expected
    assert ids(frame.iloc[7]) == ["7"]


def test_two_columns_of_a_field_are_not_guessed_about() -> None:
    frame = pd.DataFrame([["a", "b", "c"]], columns=["source", "source", "response"])
    with pytest.raises(InputError, match="2 columns are called 'source'; keep the one") as caught:
        list(read_rows(frame))
    assert (caught.value.code, caught.value.field) == ("two-columns", "source_field")
    table = pyarrow.Table.from_arrays([["a"], ["b"], ["c"]], ["source", "response", "response"])
    with pytest.raises(InputError, match="2 columns are called 'response'"):
        list(read_rows(table))
    other = pd.DataFrame([["a", "b", 1, 2]], columns=["source", "response", "id", "id"])
    assert ids(other) == ["1"]


def test_data_frames_in_place_of_rows_are_problems() -> None:
    frame = pd.DataFrame({"source": ["a", "b"], "response": ["c", "d"]})
    found = list(read_rows(frame.groupby("source")))
    assert [str(each).partition(";")[0] for each in found] == [
        f"row {number}: an example cannot be read from a value of type tuple" for number in (1, 2)
    ]


class Evil:
    """An object that fails wherever it is looked at."""

    def __getattr__(self, name: str) -> object:
        raise RuntimeError("no such connection")


def test_object_that_fails_where_it_is_looked_at_is_a_problem() -> None:
    found = problem([ROWS[0], Evil(), ROWS[1]])
    assert str(found) == "row 2: RuntimeError: no such connection"
    assert problem([ROWS[0], (1, Evil())]).where == "row 2"
