"""The names that people have for the fields of a row."""

from typing import Any

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.datasets.fields import Columns
from tests.datasets.row_reading import read_row

# The names that PEERS.md says people bring with them.
SOURCES = [
    *("source", "document", "doc", "context", "contexts", "retrieved_contexts"),
    *("retrieval_context", "passages"),
]
RESPONSES = ["response", "answer", "output", "actual_output", "summary", "generated_answer"]
QUESTIONS = ["question", "query", "input", "user_input"]


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


def test_message_never_holds_what_cannot_be_printed() -> None:
    with pytest.raises(InputError) as caught:
        read(**{"r\udce9ponse": "a"})
    assert "r�ponse".encode() in str(caught.value).encode("utf-8")


@pytest.mark.parametrize("name", [" source", "Source ", "\tSOURCE"])
def test_spaces_around_a_name_do_not_matter(name: str) -> None:
    assert read(**{name: "a", "response": "b"}).source.text == "a"
    assert read(Columns(source="source"), **{name: "a", "response": "b"}).source.text == "a"


def test_name_in_two_spellings_is_not_guessed_about() -> None:
    with pytest.raises(InputError, match="both 'source' and 'Source' could be the source") as error:
        read(source="a", Source="b", response="c")
    assert error.value.code == "two-columns"
    assert read(Columns(source="Source"), source="a", Source="b", response="c").source.text == "b"
    assert read(source="a", Source="", response="c").source.text == "a"


def test_what_was_retrieved_comes_first_in_any_spelling() -> None:
    row = {"Context": "ideal", "Retrieval_Context": "a", "response": "b"}
    assert read(**row).source.text == "a"
