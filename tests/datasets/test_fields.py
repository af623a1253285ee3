"""From anybody's rows to examples."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import datasets
import numpy as np
import pandas as pd
import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD
from assay.core.texts import Response, Source
from assay.datasets.fields import Columns, read_row, read_rows

# The names that PEERS.md says people bring with them.
SOURCES = [
    *("source", "document", "doc", "context", "contexts", "retrieved_contexts"),
    *("retrieval_context", "passages"),
]
RESPONSES = ["response", "answer", "output", "actual_output", "summary", "generated_answer"]
QUESTIONS = ["question", "query", "input", "user_input"]


ROWS: list[dict[str, Any]] = [
    {"contexts": ["One.", "Two."], "answer": "b", "question": "Why?"},
    {"contexts": ["Three."], "answer": "c", "question": ""},
]
EXPECTED = [("1", "One.\n\nTwo.", "b", "Why?"), ("2", "Three.", "c", "")]


def read(columns: Columns | None = None, /, **row: Any) -> Example:
    return read_row(row, 7, columns).example


@pytest.mark.parametrize("name", SOURCES)
def test_source_is_found_by_each_of_its_names(name: str) -> None:
    assert read(**{name: "The cat sat.", "response": "It sat."}).source.text == "The cat sat."


@pytest.mark.parametrize("name", RESPONSES)
def test_response_is_found_by_each_of_its_names(name: str) -> None:
    assert read(**{name: "It sat.", "source": "The cat sat."}).response.text == "It sat."


@pytest.mark.parametrize("name", QUESTIONS)
def test_question_is_found_by_each_of_its_names(name: str) -> None:
    assert read(**{name: "Who sat?"}, source="a", response="b").question == "Who sat?"


def test_other_fields_are_taken_where_they_are_given() -> None:
    example = read(source="a", response="b", example_id=3, generator="gpt", lang="de")
    assert (example.id, example.response.model, example.language) == ("3", "gpt", "de")


def test_row_without_an_id_is_named_by_its_number() -> None:
    example = read(source="a", response="b")
    assert (example.id, example.language, example.question) == ("7", "en", "")


def test_texts_are_left_as_they_are() -> None:
    example = read(source=" a\r\n", response="\tb 😀 ")
    assert (example.source.text, example.response.text) == (" a\r\n", "\tb 😀 ")


@pytest.mark.parametrize(
    ("field", "row"),
    [
        ("source", {"document": "a", "context": "b", "response": "c"}),
        ("response", {"source": "a", "answer": "b", "summary": "c"}),
        ("question", {"source": "a", "response": "b", "query": "c", "input": "d"}),
    ],
)
def test_two_names_for_one_field_are_not_guessed_about(field: str, row: dict[str, str]) -> None:
    with pytest.raises(InputError, match=f"could be the {field}; name the one to read") as caught:
        read(**row)
    assert caught.value.field == f"{field}_field"


def test_two_names_are_settled_by_the_users_choice() -> None:
    row = {"document": "a", "context": "b", "response": "c"}
    assert read(Columns(source="context"), **row).source.text == "b"


def test_name_without_a_value_does_not_count_as_a_second_one() -> None:
    assert read(document="a", context="", doc=None, response="c").source.text == "a"


def test_two_names_for_the_id_or_the_model_take_the_first() -> None:
    example = read(source="a", response="b", id=1, example_id=2, model="x", generator="y")
    assert (example.id, example.response.model) == ("1", "x")


def test_chosen_field_that_is_not_there_raises_with_the_fields() -> None:
    message = "no field 'text'; the fields are: source, response"
    with pytest.raises(InputError, match=message) as caught:
        read(Columns(source="text"), source="a", response="b")
    assert caught.value.field == "source_field"


def test_missing_field_raises_with_the_names_that_would_do() -> None:
    message = r"no response: none of response, answer.* fields source; name the one to read"
    with pytest.raises(InputError, match=message) as caught:
        read(source="a")
    assert caught.value.field == "response_field"


@pytest.mark.parametrize("empty", ["", " \n", None, float("nan"), [], np.array([])])
def test_empty_field_raises(empty: object) -> None:
    with pytest.raises(InputError, match=r"the source is empty \(field 'source'\)"):
        read(source=empty, response="b")


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
        ("ok\x00", "a NUL byte at character 2"),
        ("\udce9", "bytes that are not UTF-8 at character 0"),
    ],
)
def test_what_is_not_text_is_named_in_every_field(field: str, bad: str, message: str) -> None:
    row = {"source": "a", "response": "b"} | {field: bad}
    with pytest.raises(InputError, match=f"the {field} contains {message}"):
        read(**row)


def test_message_never_holds_what_cannot_be_printed() -> None:
    with pytest.raises(InputError) as caught:
        read(**{"r\udce9ponse": "a"})
    assert "r�ponse".encode() in str(caught.value).encode("utf-8")


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


def texts(data: object) -> list[tuple[str, str, str, str]]:
    examples = (each.example for each in read_rows(data))
    return [(each.id, each.source.text, each.response.text, each.question) for each in examples]


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
    with pytest.raises(InputError, match="row 1: no response"):
        texts(frame)


def test_index_of_a_data_frame_does_not_matter() -> None:
    frame = pd.DataFrame(ROWS, index=["x", "y"])
    assert texts(frame) == EXPECTED


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
    with pytest.raises(InputError, match=r"cannot be read from a value of type \w+; give source"):
        list(read_rows(data))


def test_columns_and_language_are_passed_on() -> None:
    rows = [{"article": "a", "response": "b"}]
    (read,) = read_rows(rows, Columns(source="article"), "de")
    assert (read.example.source.text, read.example.language) == ("a", "de")
