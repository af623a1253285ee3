"""From a row with anybody's field names to an example."""

import datetime
import json
from typing import Any

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import GOLD
from assay.core.problems import Problem
from assay.core.taxonomies import BINARY
from assay.core.texts import Response, Source
from assay.datasets.fields import Columns
from assay.datasets.rows import try_row
from tests.datasets.row_reading import read_row


def read(columns: Columns | None = None, /, **row: Any) -> Example:
    return read_row(row, 7, columns).example


def test_row_without_an_id_is_named_by_its_number() -> None:
    example = read(source="a", response="b")
    assert (example.id, example.language, example.question) == ("7", "en", "")


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ("en-GB", "en"),
        ("eng", "en"),
        ("English", "en"),
        ("ger", "de"),
        ("GERMAN", "de"),
        ("gsw", "gsw"),
    ],
)
def test_languages_are_known_by_code_and_name(given: str, code: str) -> None:
    example = read(source="a", response="b", language=given)
    assert (example.language, example.is_english_stated) == (code, code == "en")


def test_english_is_stated_only_where_somebody_said_so() -> None:
    assert not read(source="a", response="b").is_english_stated
    assert read_row({"source": "a", "response": "b"}, 1, language="en").example.is_english_stated
    row = {"source": "a", "response": "b", "language": "de"}
    assert read_row(row, 1, language="en").example.language == "de"


def test_texts_are_left_as_they_are() -> None:
    example = read(source=" a\r\n", response="\tb 😀 ")
    assert (example.source.text, example.response.text) == (" a\r\n", "\tb 😀 ")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"source": "a", "response": 5}, "the response must be text, not int"),
        ({"source": "a", "response": ["b"]}, "the response must be text, not list"),
        ({"source": 5, "response": "b"}, "a source must be text, a list or an object, not int"),
        ({"source": b"a", "response": "b"}, "must be text, a list or an object, not bytes"),
        ({"source": ["", " "], "response": "b"}, "the source is empty"),
    ],
)
def test_value_of_the_wrong_type_raises(row: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(**row)


@pytest.mark.parametrize("field", ["source", "response", "question", "id", "model"])
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("ok\x00", "a NUL byte at character 2; remove it, or save"),
        ("\udce9", "bytes that are not UTF-8 at character 0"),
    ],
)
def test_what_is_not_text_is_named_in_every_field(field: str, bad: str, message: str) -> None:
    row = {"source": "a", "response": "b"} | {field: bad}
    with pytest.raises(InputError, match=f"the {field} contains {message}"):
        read(**row)


def test_numpy_array_of_contexts_is_a_list_of_passages() -> None:
    example = read(contexts=np.array(["One.", "Two."], dtype=object), answer="b")
    assert [passage.name for passage in example.source.passages] == ["passage 1", "passage 2"]


def test_structured_source_is_rendered() -> None:
    example = read(source={"name": "Blue Door", "stars": 4}, response="b")
    assert example.source.text == "name: Blue Door\nstars: 4"


@pytest.mark.parametrize(
    ("value", "name"),
    [(1, "faithful"), (0.0, "unfaithful"), (True, "faithful"), ("0", "unfaithful")],
)
def test_label_of_a_row_is_the_gold_of_its_response(value: object, name: str) -> None:
    row = {"source": "a", "response": "b", "verdict": value}
    annotated = read_row(row, 1, Columns(label="verdict"))
    (gold,) = annotated.gold
    assert (gold.author, gold.example) == (GOLD, "1")
    (finding,) = gold.findings
    assert (finding.id, finding.text, str(finding.label)) == ("response", "b", name)


def test_label_is_read_only_where_its_field_is_named() -> None:
    row = {"source": "a", "response": "b", "label": "fabricated"}
    assert read_row(row, 1).judgements == ()
    (gold,) = read_row(row, 1, Columns(label="label", taxonomy="gray7")).gold
    assert gold.verdicts[0].label == "fabricated"
    with pytest.raises(InputError, match="unknown binary label 'fabricated'"):
        read_row(row, 1, Columns(label="label"))


def test_row_with_an_empty_label_has_no_gold() -> None:
    row = {"source": "a", "response": "b", "label": None}
    assert read_row(row, 1, Columns(label="label")).gold == ()


@pytest.mark.parametrize("field", ["question", "id", "model", "language"])
@pytest.mark.parametrize("value", [["x", "y"], ("x",), {"x": 1}, np.array(["x"]), b"x", object()])
def test_field_that_is_no_text_raises(field: str, value: object) -> None:
    with pytest.raises(InputError, match=f"the {field} must be text, not "):
        read(source="a", response="b", **{field: value})


@pytest.mark.parametrize(
    ("value", "expected"),
    [(5, "5"), (np.int64(5), "5"), (2.5, "2.5"), (datetime.date(2020, 1, 2), "2020-01-02")],
)
def test_id_may_be_a_number_or_a_date(value: object, expected: str) -> None:
    assert read(source="a", response="b", id=value).id == expected


@pytest.mark.parametrize("cell", ["[]", "[None]", "[nan]", "[NaN]", "[null, null]"])
def test_cell_of_an_empty_retrieval_is_an_empty_source(cell: str) -> None:
    with pytest.raises(InputError, match="the source is empty"):
        read(contexts=cell, response="b")


class Failing(dict[str, object]):
    """A source that counts how often it is read, and cannot be."""

    count = 0

    def items(self) -> Any:
        self.count += 1
        raise InputError("the source is broken")


def test_source_that_cannot_be_read_is_read_once() -> None:
    source = Failing(a="b")
    found = try_row({"source": source, "response": "b", "id": "x"}, "here", 1)
    assert isinstance(found, Problem)
    assert (str(found), source.count) == ("here: the source is broken", 1)
    assert found.example == Example("x", Source(""), Response("b"))


@pytest.mark.parametrize(
    ("given", "id"),
    [("doc", "doc"), (7, "7"), (np.int64(7), "7"), ("", ""), (None, ""), (["a"], ""), ({}, "")],
)
def test_id_of_the_source(given: object, id: str) -> None:
    read = read_row({"source": "a", "response": "b", "source_id": given}, 1)
    assert (read.id, read.example.source.id) == ("1", id)


def test_all_fields_are_kept_where_they_are_wanted() -> None:
    row = {
        "source": "a",
        "answer": "b",
        "model": "m",
        "Label": "0",
        "score": np.float64(0.5),
        "when": datetime.date(2026, 1, 2),
        "nan": float("nan"),
        "inner": {"x": [float("inf")]},
    }
    read = read_row(row, 1, Columns(keeps_all=True))
    assert read.gold[0].verdicts[0].label == BINARY["unfaithful"]
    assert json.loads(read.example.original) == {
        "row": {"score": 0.5, "when": "2026-01-02", "inner": "{'x': [inf]}"}
    }
    bare = read_row(row, 1)
    assert (bare.gold, bare.example.original) == ((), "")
    talk = [{"role": "user", "content": "q"}, {"role": "assistant", "content": "b"}]
    kept = read_row({"messages": talk, "context": "a", "n": 1}, 1, Columns(keeps_all=True))
    assert json.loads(kept.example.original) == {"row": {"n": 1}}
