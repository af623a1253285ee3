"""Rows from what Python users have at hand."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import datasets
import numpy as np
import pandas as pd
import pytest

from assay.core import Example, InputError, Response, Source
from assay.datasets import Columns, read_rows

ROWS: list[dict[str, Any]] = [
    {"contexts": ["One.", "Two."], "answer": "b", "question": "Why?"},
    {"contexts": ["Three."], "answer": "c", "question": ""},
]
EXPECTED = [("1", "One.\n\nTwo.", "b", "Why?"), ("2", "Three.", "c", "")]


def read(data: object) -> list[tuple[str, str, str, str]]:
    return [
        (each.id, each.source.text, each.response.text, each.question) for each in read_rows(data)
    ]


class Row(NamedTuple):
    """A row as a named tuple."""

    source: str
    response: str


def test_list_of_dicts_is_read() -> None:
    assert read(ROWS) == EXPECTED


def test_generator_is_read() -> None:
    assert read(row for row in ROWS) == EXPECTED


def test_data_frame_is_read() -> None:
    assert read(pd.DataFrame(ROWS)) == EXPECTED


def test_rows_of_itertuples_are_read() -> None:
    assert read(pd.DataFrame(ROWS).itertuples()) == EXPECTED


def test_row_of_a_data_frame_is_one_example() -> None:
    assert read(pd.DataFrame(ROWS).iloc[0]) == EXPECTED[:1]


def test_hugging_face_data_set_is_read() -> None:
    assert read(datasets.Dataset.from_list(ROWS)) == EXPECTED


@pytest.mark.parametrize("row", [ROWS[0], Row("One.\n\nTwo.", "b")], ids=["dict", "named tuple"])
def test_single_row_is_one_example(row: object) -> None:
    assert [each[:3] for each in read(row)] == [("1", "One.\n\nTwo.", "b")]


def test_examples_are_given_back_as_they_are() -> None:
    example = Example("mine", Source("a"), Response("b"))
    assert list(read_rows([example])) == [example]
    assert list(read_rows(example)) == [example]


def test_numpy_arrays_in_cells_are_lists() -> None:
    frame = pd.DataFrame({"contexts": [np.array(["One.", "Two."])], "answer": ["b"]})
    assert read(frame) == [("1", "One.\n\nTwo.", "b", "")]


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_missing_cell_of_a_data_frame_is_no_question(missing: object) -> None:
    frame = pd.DataFrame({"source": ["a"], "response": ["b"], "question": [missing]}, dtype=object)
    assert read(frame) == [("1", "a", "b", "")]


def test_nullable_columns_of_a_data_frame_are_read() -> None:
    frame = pd.DataFrame({"source": ["a"], "response": ["b"], "id": [None]}).convert_dtypes()
    assert read(frame) == [("1", "a", "b", "")]


def test_columns_with_the_same_name_do_not_break_a_data_frame() -> None:
    frame = pd.DataFrame([["a", "x", "b"]], columns=["source", "other", "response"])
    frame.columns = pd.Index(["source", "other", "other"])
    with pytest.raises(InputError, match="row 1: no response"):
        read(frame)


def test_index_of_a_data_frame_does_not_matter() -> None:
    frame = pd.DataFrame(ROWS, index=["x", "y"])
    assert read(frame) == EXPECTED


def test_rows_are_read_one_at_a_time() -> None:
    def endless() -> Iterator[dict[str, str]]:
        while True:
            yield {"source": "a", "response": "b"}

    rows = read_rows(endless())
    assert [next(rows).id for _ in range(3)] == ["1", "2", "3"]


def test_bad_row_raises_with_its_number() -> None:
    rows = read_rows([ROWS[0], {"source": "a"}])
    assert next(rows).id == "1"
    with pytest.raises(InputError, match="row 2: no response: none of"):
        next(rows)


@pytest.mark.parametrize("data", [None, 5, "text", b"bytes", ["text"], [None], [["a", "b"]]])
def test_what_is_no_row_raises_with_what_to_give(data: object) -> None:
    with pytest.raises(InputError, match=r"cannot read a \w+ as an example; give source"):
        list(read_rows(data))


def test_columns_and_language_are_passed_on() -> None:
    rows = [{"article": "a", "response": "b"}]
    (example,) = read_rows(rows, Columns(source="article"), "de")
    assert (example.source.text, example.language) == ("a", "de")
