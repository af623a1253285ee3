"""What frameworks hold answers in; our own classes have the same attributes as theirs."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.examples import Annotated, Example
from assay.core.problems import Problem
from assay.datasets.fields import Columns
from assay.datasets.shapes import read_list
from assay.datasets.tables import read_rows


class Model:
    """A pydantic model, as far as it is looked at: its class knows its fields, and it iterates."""

    model_fields: ClassVar[dict[str, object]] = {}

    def __init__(self, **values: object) -> None:
        for name in type(self).model_fields:
            setattr(self, name, values.get(name))

    def __iter__(self) -> Iterator[tuple[str, object]]:
        return iter((name, getattr(self, name)) for name in type(self).model_fields)


class Document(Model):
    """LangChain's."""

    model_fields = dict.fromkeys(("id", "metadata", "page_content", "type"))


class Message(Model):
    """LangChain's and Ragas's."""

    model_fields = dict.fromkeys(("content", "type"))


class TestCase(Model):
    """DeepEval's LLMTestCase."""

    __test__ = False
    model_fields = dict.fromkeys(
        ("input", "actual_output", "expected_output", "context", "retrieval_context")
    )


class Sample(Model):
    """Ragas's SingleTurnSample and MultiTurnSample."""

    model_fields = dict.fromkeys(
        ("user_input", "retrieved_contexts", "reference_contexts", "response", "reference")
    )


@dataclass
class Node:
    """LlamaIndex's NodeWithScore."""

    text: str
    score: float

    def get_content(self) -> str:
        return self.text


@dataclass
class LlamaResponse:
    """LlamaIndex's Response."""

    response: str | None
    source_nodes: list[Node]
    metadata: dict[str, object] | None = None


@dataclass
class Samples:
    """Ragas's EvaluationDataset: a dataclass that holds rows."""

    samples: list[Sample] = field(default_factory=list)

    def __iter__(self) -> Iterator[Sample]:
        return iter(self.samples)


@dataclass
class TestCases:
    """DeepEval's EvaluationDataset: it does not iterate."""

    __test__ = False
    test_cases: list[TestCase]


DOCUMENTS = [Document(page_content="One.", metadata={"page": 3}), Document(page_content="Two.")]


def one(data: object, columns: Columns | None = None) -> Example:
    (found,) = read_rows(data, columns)
    assert isinstance(found, Annotated), found
    return found.example


def said(data: object) -> tuple[str, str, str]:
    example = one(data)
    return example.source.text, example.response.text, example.question


def problem(row: object) -> str:
    (found,) = read_rows([row])
    assert isinstance(found, Problem)
    return str(found)


@pytest.mark.parametrize(
    "row",
    [
        {"query": "Q?", "result": "A.", "source_documents": DOCUMENTS},
        {"input": "Q?", "answer": "A.", "context": DOCUMENTS},
        {"question": "Q?", "chat_history": [], "answer": "A.", "source_documents": DOCUMENTS},
        {"query": "Q?", "result": "A.", "source_documents": [{"page_content": "One."}, "Two."]},
    ],
)
def test_results_of_langchain_are_read(row: dict[str, object]) -> None:
    assert said(row) == ("One.\n\nTwo.", "A.", "Q?")
    assert [each.name for each in one(row).source.passages] == ["passage 1", "passage 2"]


def test_fallback_names_count_only_without_a_usual_one() -> None:
    row = {"answer": "A.", "result": "pass", "context": "One.", "source_documents": ["Two."]}
    assert said(row) == ("One.", "A.", "")
    assert one(row, Columns(response="result")).response.text == "pass"


def test_response_of_llama_index_is_a_row() -> None:
    response = LlamaResponse("A.", [Node("One.", 0.9), Node("Two.", 0.5)])
    assert said(response) == ("One.\n\nTwo.", "A.", "")
    assert said([response])[0] == "One.\n\nTwo."
    saved = {"response": "A.", "source_nodes": [{"node": {"text": "One."}, "score": 0.9}]}
    assert said(saved) == ("One.", "A.", "")


def test_response_of_llama_index_may_stand_in_a_row_with_its_question() -> None:
    response = LlamaResponse("A.", [Node("One.", 0.9)])
    assert said({"question": "Q?", "response": response}) == ("One.", "A.", "Q?")
    assert said({"response": response, "context": "Mine."}) == ("Mine.", "A.", "")


def test_documents_are_a_source_by_themselves() -> None:
    assert said({"source": DOCUMENTS[0], "response": "A."})[0] == "One."


def test_test_case_of_deepeval_is_checked_by_what_was_retrieved() -> None:
    case = TestCase(input="Q?", actual_output="A.", context=["Ideal."], retrieval_context=["One."])
    assert said(case) == ("One.", "A.", "Q?")
    assert said({name: getattr(case, name) for name in case.model_fields}) == ("One.", "A.", "Q?")
    assert said(TestCases([case])) == ("One.", "A.", "Q?")
    assert said(TestCase(input="Q?", actual_output="A.", context=["Ideal."]))[0] == "Ideal."


def test_samples_of_ragas_are_read() -> None:
    sample = Sample(
        user_input="Q?",
        retrieved_contexts=["One.", "Two."],
        reference_contexts=["Ideal."],
        response="A.",
        reference="Ideal.",
    )
    assert said(sample) == said(Samples([sample])) == ("One.\n\nTwo.", "A.", "Q?")


class Role(Enum):
    """Some frameworks have an enumeration of roles."""

    USER = "user"


CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You help."},
    {"role": "user", "content": "First?"},
    {"role": "assistant", "content": "Earlier."},
    {"role": Role.USER, "content": [{"type": "text", "text": "Q?"}, {"type": "image_url"}]},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]},
    {"role": "tool", "content": "One."},
    {"role": "assistant", "content": [{"type": "text", "text": "A."}]},
]


def test_last_reply_of_a_conversation_is_checked_by_what_tools_gave() -> None:
    assert said({"messages": CHAT}) == ("One.", "A.", "Q?")


def test_fields_beside_a_conversation_come_first() -> None:
    row = {"messages": CHAT, "context": "Mine.", "response": "B.", "id": "x"}
    assert (*said(row), one(row).id) == ("Mine.", "B.", "Q?", "x")


def test_reply_may_stand_beside_a_conversation_that_lacks_it() -> None:
    row = {"messages": CHAT[:2], "answer": "A.", "context": "One."}
    assert said(row) == ("One.", "A.", "First?")


def test_messages_may_be_objects() -> None:
    messages = [
        Message(type="human", content="Q?"),
        Message(type="tool", content="One."),
        Message(type="ai", content="A."),
    ]
    assert said(Sample(user_input=messages)) == ("One.", "A.", "Q?")
    assert said({"messages": messages}) == ("One.", "A.", "Q?")


def test_conversation_without_a_source_says_where_to_put_one() -> None:
    assert problem({"messages": CHAT[:3]}) == (
        "row 1: no source: the messages have no text from a tool, and the row has no source beside "
        "them, as in {'messages': [...], 'context': '...'}"
    )


def test_conversation_without_a_reply_says_so() -> None:
    row = {"messages": CHAT[:2], "context": "One."}
    assert "no response: the messages have no text from the assistant" in problem(row)


def test_messages_given_as_rows_are_told_what_to_be() -> None:
    assert "a conversation is one row, as in {'messages'" in problem(CHAT[1])


def test_list_that_is_no_conversation_is_left_alone() -> None:
    row = {"messages": ["a note"], "source": "One.", "response": "A."}
    assert said(row) == ("One.", "A.", "")


@pytest.mark.parametrize(
    "source",
    [
        [(DOCUMENTS[0], 0.8), (DOCUMENTS[1], np.float32(0.5))],
        [({"page_content": "One.", "metadata": {"page": 3}}, 0.8), "Two."],
        [[DOCUMENTS[0]], [DOCUMENTS[1]]],
        np.array(DOCUMENTS, dtype=object),
        [Node("One.", 0.9), Document(page_content="Two.")],
    ],
    ids=["scores", "scored JSON", "lists", "array", "mixed"],
)
def test_documents_are_read_in_lists_of_any_kind(source: object) -> None:
    assert said({"source_documents": source, "result": "A."})[0] == "One.\n\nTwo."


def test_number_beside_a_text_is_not_taken_for_a_score() -> None:
    assert said({"source": [("Seats", 12), ("Doors", 2)], "response": "A."})[0] == (
        "Seats\n\n12\n\nDoors\n\n2"
    )


class Unknown:
    """Has no text."""


@pytest.mark.parametrize("source", [[Unknown(), "One."], [(Unknown(), 0.8)], {"a": DOCUMENTS[0]}])
def test_object_without_a_text_is_no_source(source: object) -> None:
    assert "the source holds a value of type" in problem({"source": source, "response": "A."})


def test_source_that_holds_itself_is_a_problem() -> None:
    endless: list[object] = ["One."]
    endless.append(endless)
    assert "nested too deeply" in problem({"source": endless, "response": "A."})


@pytest.mark.parametrize(
    "source",
    [
        {"page_content": "One.", "metadata": {"a": 1}},
        {"text": "One.", "metadata": {"a": 1}, "id_": "x"},
        {"node": {"text": "One.", "metadata": {"a": 1}}, "score": 0.4},
        [{"page_content": "One.", "metadata": {"a": 1}}],
    ],
)
def test_document_by_itself_is_its_text(source: object) -> None:
    assert said({"source": source, "response": "A."})[0] == "One."


def test_missing_passages_are_no_evidence() -> None:
    source = ["One.", None, float("nan"), DOCUMENTS[1]]
    assert said({"source": source, "response": "A."})[0] == "One.\n\nTwo."


@pytest.mark.parametrize(
    "answer",
    [
        Message(content="A.", type="ai"),
        Message(content=[{"type": "text", "text": "A."}], type="ai"),
        {"role": "assistant", "content": "A."},
    ],
)
def test_answer_may_be_a_message(answer: object) -> None:
    row = {"source": "One.", "response": answer, "question": Message(content="Q?", type="human")}
    assert said(row) == ("One.", "A.", "Q?")


@pytest.mark.parametrize("written", [json.dumps, str])
def test_conversation_may_be_written_into_a_cell(written: Callable[[object], str]) -> None:
    chat = [{**each, "role": getattr(each["role"], "value", each["role"])} for each in CHAT]
    assert said({"messages": written(chat)}) == ("One.", "A.", "Q?")
    row = {"messages": "[a note]", "source": "One.", "response": "A."}
    assert said(row) == ("One.", "A.", "")


PASSAGES = ['It\'s "one", [1].', 'Two\nlines, \\ and "so".', "é 😀", ""]


@given(st.lists(st.text(), min_size=1))
def test_lists_of_texts_are_read_as_python_and_json_write_them(texts: list[str]) -> None:
    assert read_list(str(texts)) == texts
    assert read_list(json.dumps(texts)) == texts
    assert read_list(f" {json.dumps(texts, ensure_ascii=False)}\n") == texts


def test_lists_are_read_as_numpy_writes_them() -> None:
    assert read_list(str(np.array(PASSAGES, dtype=object))) == PASSAGES


def test_objects_are_read_as_python_writes_them() -> None:
    rows = [{"page_content": "One.", "score": 0.3, "metadata": None}]
    assert read_list(str(rows)) == rows


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[2020]",
        "[1] see below [2]",
        "['One.', 2]",
        "['One.' or 'Two.']",
        "['not closed]",
        "[__import__('os')]",
        "['a', ['b']]",
        "plain text",
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert read_list(text) is None


@pytest.mark.parametrize("text", ["[" * 100_000 + "]", "[" + "'\\" * 100_000 + "]", "[1" * 10**5])
def test_hostile_text_is_left_alone(text: str) -> None:
    assert read_list(text) is None


def test_long_list_of_texts_is_read() -> None:
    texts = ["It's a passage. " * 1_000] * 100
    assert read_list(str(texts)) == texts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[]", []),
        ("[ ]", []),
        ("[None]", [None]),
        ("[nan]", [None]),
        ("[NaN, null]", [None, None]),
        ("['One.' nan]", ["One.", None]),
        ("[<NA>, 'One.']", [None, "One."]),
        ('["One.", null]', ["One.", None]),
        ("[{'text': 'One.'}, None]", [{"text": "One."}, None]),
    ],
)
def test_empty_lists_and_missing_values_are_read(text: str, expected: list[object]) -> None:
    assert read_list(text) == expected


def test_cell_with_too_many_values_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_ROW_MIB", "1")
    assert read_list("[" + "{}," * 400_000 + "{}]") is None
