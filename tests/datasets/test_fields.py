"""From a row of anybody's data to an example."""

from typing import Any

import numpy as np
import pytest

from assay.core import Example, InputError
from assay.datasets import Columns
from assay.datasets.fields import read_example

# The names that PEERS.md says people bring with them.
SOURCES = [
    *("source", "document", "doc", "context", "contexts", "retrieved_contexts"),
    *("retrieval_context", "passages"),
]
RESPONSES = ["response", "answer", "output", "actual_output", "summary", "generated_answer"]
QUESTIONS = ["question", "query", "input", "user_input"]


def read(columns: Columns | None = None, /, **row: Any) -> Example:
    return read_example(row, 7, columns)


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
    with pytest.raises(InputError, match=f"could be the {field}; choose with --{field}-field"):
        read(**row)


def test_two_names_are_settled_by_the_users_choice() -> None:
    row = {"document": "a", "context": "b", "response": "c"}
    assert read(Columns(source="context"), **row).source.text == "b"


def test_name_without_a_value_does_not_count_as_a_second_one() -> None:
    assert read(document="a", context="", doc=None, response="c").source.text == "a"


def test_two_names_for_the_id_or_the_model_take_the_first() -> None:
    example = read(source="a", response="b", id=1, example_id=2, model="x", generator="y")
    assert (example.id, example.response.model) == ("1", "x")


def test_chosen_field_that_is_not_there_raises_with_the_fields() -> None:
    with pytest.raises(InputError, match="no field 'text'; the fields are: source, response"):
        read(Columns(source="text"), source="a", response="b")


def test_missing_field_raises_with_the_names_that_would_do() -> None:
    with pytest.raises(InputError, match=r"no response: none of response, answer.* fields source"):
        read(source="a")


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
    assert str(caught.value).encode("utf-8").endswith("r�ponse".encode())


def test_numpy_array_of_contexts_is_a_list_of_passages() -> None:
    example = read(contexts=np.array(["One.", "Two."], dtype=object), answer="b")
    assert [passage.name for passage in example.source.passages] == ["passage 1", "passage 2"]


def test_structured_source_is_rendered() -> None:
    example = read(source={"name": "Blue Door", "stars": 4}, response="b")
    assert example.source.text == "name: Blue Door\nstars: 4"
