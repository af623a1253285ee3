"""LangSmith's runs and evaluators, without its service."""

from collections.abc import Callable
from typing import Any

import pytest
from langsmith import traceable
from langsmith.evaluation import run_evaluator
from langsmith.run_helpers import tracing_context
from langsmith.run_trees import RunTree

from assay import InputError
from assay.integrations.langsmith import faithfulness_evaluator

SOURCE = "Ada was born in London in 1815."
WRONG = "Ada was born in London in 1852."
FOREIGN = "Die Fähre überquert seit 1986 jeden Abend die Meerenge."
FOUND = [
    {"page_content": SOURCE, "type": "Document", "metadata": {"source": "ada.pdf"}},
    {"page_content": "Bob was born in Rome.", "type": "Document", "metadata": {}},
]
EVALUATE = faithfulness_evaluator(detector="embedded")


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANGSMITH_ENDPOINT", "http://localhost:9")


def recorded(program: Callable[..., Any], **inputs: object) -> RunTree:
    """The run of a program, as an experiment gives it to its evaluators."""
    runs: list[RunTree] = []
    with tracing_context(enabled="local"):
        traceable(program)(**inputs, langsmith_extra={"on_end": runs.append})
    return runs[0]


@traceable(run_type="retriever")
def find(question: str) -> list[dict[str, Any]]:
    return FOUND


@traceable
def prepare(question: str) -> list[dict[str, Any]]:
    return find(question)


def answer(question: str) -> dict[str, str]:
    prepare(question)
    return {"answer": WRONG}


def test_answer_is_checked_by_what_retrievers_found() -> None:
    found = EVALUATE(recorded(answer, question="When was Ada born?"), None)
    assert (found["key"], found["value"]) == ("faithfulness", "unfaithful")
    assert found["score"] < 0.1
    assert f"“{SOURCE}” (ada.pdf)" in found["comment"]


def test_langsmith_takes_it_as_an_evaluator() -> None:
    run = recorded(answer, question="When was Ada born?")
    with tracing_context(enabled=False):
        found: Any = run_evaluator(EVALUATE).evaluate_run(run)
    assert (found.key, found.value, found.score < 0.1) == ("faithfulness", "unfaithful", True)


def test_documents_of_the_outputs_are_what_counts() -> None:
    def program(question: str) -> dict[str, object]:
        find(question)
        return {"answer": WRONG, "context": [WRONG]}

    assert EVALUATE(recorded(program, question="When?"), None)["value"] == "faithful"


@pytest.mark.parametrize("said", ["", FOREIGN])
def test_no_verdict_is_no_score(said: str) -> None:
    found = EVALUATE(recorded(lambda context: {"answer": said}, context=SOURCE), None)
    assert (found["score"], found["value"], bool(found["comment"])) == (None, "no-verdict", True)


def test_run_without_documents_says_so() -> None:
    with pytest.raises(InputError, match="no source"):
        EVALUATE(recorded(lambda question: {"answer": WRONG}, question="When?"), None)
