"""Pipelines of the real Haystack, with a generator that reads its answers from a list."""

import asyncio
import math
from typing import Any

import pytest
from haystack import Document, Pipeline, SuperComponent, component
from haystack.components.builders import PromptBuilder
from haystack.dataclasses import ChatMessage
from haystack.evaluation import EvaluationRunResult

from assay import DetectorSpec, InputError
from assay.integrations.haystack import AssayFaithfulnessEvaluator, GuardedAnswerer

SOURCE = "Ada was born in London in 1815."
DOCUMENTS = [
    Document(content=SOURCE, meta={"file_path": "ada.pdf"}),
    Document(content="Bob was born in Rome in 1820.", meta={"url": "https://bob.example"}),
    Document(content=None),
]
QUESTION = "When was Ada born?"
WRONG, RIGHT = "Ada was born in London in 1852.", SOURCE
FOREIGN = "Die Fähre überquert seit 1986 jeden Abend die Meerenge."
TEMPLATE = "{% for each in documents %}{{ each.content }}{% endfor %}{{ question }}{{ feedback }}"
OURS: dict[str, Any] = {"allowed_modules": ["assay.*", "tests.*"]}


@component
class ScriptedWriter:
    """Gives its answers one after the other, and keeps the prompts."""

    def __init__(self, answers: list[str]) -> None:
        self.answers = answers
        self.prompts: list[str] = []

    @component.output_types(replies=list[str])
    def run(self, prompt: str) -> dict[str, list[str]]:
        """The next answer."""
        self.prompts.append(prompt)
        return {"replies": [self.answers.pop(0)]}


@component
class MessageWriter:
    """Answers as chat generators do, and gives its documents."""

    @component.output_types(replies=list[ChatMessage], documents=list[Document])
    def run(self, question: str, feedback: str = "") -> dict[str, Any]:
        """An answer that depends on whether it was told what is wrong."""
        said = ChatMessage.from_assistant(RIGHT if feedback else WRONG)
        return {"replies": [said], "documents": DOCUMENTS}


@component
class Reader:
    """Brings the documents that its answer rests on."""

    @component.output_types(answer=str, documents=list[Document])
    async def run_async(self, question: str, feedback: str = "") -> dict[str, object]:
        """Waits, as a program that asks a server does."""
        await asyncio.sleep(0)
        return self.run(question, feedback)

    @component.output_types(answer=str, documents=list[Document])
    def run(self, question: str, feedback: str = "") -> dict[str, object]:
        """Always the same."""
        return {"answer": RIGHT, "documents": DOCUMENTS}


@component
class Finder:
    """Answers nothing."""

    @component.output_types(documents=list[Document])
    def run(self, question: str, feedback: str = "") -> dict[str, Any]:
        """Documents only."""
        return {"documents": DOCUMENTS}


def evaluator(**settings: Any) -> AssayFaithfulnessEvaluator:
    return AssayFaithfulnessEvaluator(detector="embedded", **settings)


def evaluate(*answers: str, contexts: Any = None, **settings: Any) -> dict[str, Any]:
    count = len(answers)
    given = [DOCUMENTS] * count if contexts is None else contexts
    found: dict[str, Any] = evaluator(**settings).run([QUESTION] * count, given, list(answers))
    return found


def test_answers_are_evaluated_and_evidence_names_the_documents() -> None:
    found = evaluate(WRONG, RIGHT)
    wrong, right = found["results"]
    assert [each["passed"] for each in found["results"]] == [False, True]
    assert found["individual_scores"] == [wrong["score"], right["score"]]
    assert found["score"] == pytest.approx((wrong["score"] + right["score"]) / 2)
    assert found["n"] == 2
    assert (wrong["statements"], wrong["labels"]) == ([WRONG], ["contradicting"])
    assert f"“{SOURCE}” (ada.pdf)" in wrong["feedback"]


def test_answer_without_a_verdict_is_an_error_and_counts_in_no_mean() -> None:
    found = evaluate(RIGHT, "", FOREIGN)
    assert [each["status"] for each in found["results"]] == ["evaluated", "error", "error"]
    assert [math.isnan(each) for each in found["individual_scores"]] == [False, True, True]
    assert (found["n"], found["score"]) == (1, found["individual_scores"][0])
    assert [bool(each["error"]) for each in found["results"]] == [False, True, True]


@pytest.mark.parametrize("contexts", [[], [DOCUMENTS[2]], [""]])
def test_answer_from_no_text_has_no_verdict(contexts: list[object]) -> None:
    found = evaluate(RIGHT, contexts=[contexts])
    assert (found["n"], math.isnan(found["score"])) == (0, True)
    assert "the source is empty" in found["results"][0]["error"]


def test_no_answers_have_no_score() -> None:
    found = evaluate()
    assert (found["n"], found["individual_scores"], math.isnan(found["score"])) == (0, [], True)


def test_lists_that_do_not_belong_together_are_refused() -> None:
    with pytest.raises(InputError, match="and there are 1, 2 and 1"):
        evaluator().run([QUESTION], [DOCUMENTS, DOCUMENTS], [RIGHT])


def test_report_of_haystack_takes_what_the_evaluator_gives() -> None:
    found = evaluate(RIGHT, "")
    metric = {name: found[name] for name in ("score", "individual_scores")}
    report = EvaluationRunResult("mine", {"question": ["a", "b"]}, {"faithfulness": metric})
    assert report.aggregated_report() == {"metrics": ["faithfulness"], "score": [found["score"]]}
    detailed: Any = report.detailed_report()
    assert [math.isnan(each) for each in detailed["faithfulness"]] == [False, True]


def test_evaluator_of_a_saved_pipeline_is_the_same() -> None:
    pipeline = Pipeline()
    pipeline.add_component("check", evaluator(fail_on=["unfaithful", "not-sure"], threshold=0.4))
    loaded = Pipeline.loads(pipeline.dumps(), **OURS)
    given = {"questions": [QUESTION], "contexts": [DOCUMENTS], "predicted_answers": [WRONG]}
    assert loaded.to_dict() == pipeline.to_dict()
    assert loaded.run({"check": given}) == pipeline.run({"check": given})


def test_asynchronous_pipeline_gives_the_same() -> None:
    given: dict[str, Any] = {
        "questions": [QUESTION],
        "contexts": [DOCUMENTS],
        "predicted_answers": [WRONG],
    }
    pipeline = Pipeline()
    pipeline.add_component("check", evaluator())
    found = asyncio.run(pipeline.run_async({"check": given}))
    assert found["check"] == evaluator().run(**given)


def test_setting_that_a_saved_pipeline_could_not_hold_is_refused() -> None:
    with pytest.raises(InputError, match="detector must be text or a number"):
        AssayFaithfulnessEvaluator(detector=DetectorSpec("embedded"))  # type: ignore[arg-type]
    with pytest.raises(InputError, match="unknown detector 'embeded'"):
        AssayFaithfulnessEvaluator(detector="embeded")


def answerer(*answers: str) -> SuperComponent:
    """A pipeline with a prompt that has a place for feedback."""
    pipeline = Pipeline()
    required = ["documents", "question"]
    pipeline.add_component("prompt", PromptBuilder(TEMPLATE, required_variables=required))
    pipeline.add_component("writer", ScriptedWriter(list(answers)))
    pipeline.connect("prompt", "writer")
    names = ("question", "documents", "feedback")
    return SuperComponent(
        pipeline,
        input_mapping={name: [f"prompt.{name}"] for name in names},
        output_mapping={"writer.replies": "replies"},
    )


SETTINGS = {"detector": "embedded"}


def test_guarded_pipeline_is_asked_again_with_feedback() -> None:
    inner = answerer(WRONG, RIGHT)
    found = GuardedAnswerer(inner, SETTINGS).run(QUESTION, DOCUMENTS)
    assert (found["answer"], found["attempts"], found["abstained"]) == (RIGHT, 2, False)
    writer: Any = inner.pipeline.get_component("writer")
    assert [f"“{SOURCE}” (ada.pdf)" in each for each in writer.prompts] == [False, True]


def test_guarded_pipeline_abstains() -> None:
    found = GuardedAnswerer(answerer(WRONG), {**SETTINGS, "attempts": 1}).run(QUESTION, DOCUMENTS)
    assert (found["abstained"], found["guarded"].reason) == (True, "unfaithful")


def test_guard_stands_in_a_pipeline_that_is_run_or_awaited() -> None:
    pipeline = Pipeline()
    pipeline.add_component("safe", GuardedAnswerer(Reader(), SETTINGS))
    given = {"safe": {"question": QUESTION}}
    assert pipeline.run(given)["safe"]["answer"] == RIGHT
    assert asyncio.run(pipeline.run_async(given))["safe"]["answer"] == RIGHT


def test_messages_are_answers() -> None:
    found = GuardedAnswerer(MessageWriter(), SETTINGS).run(QUESTION)
    assert (found["answer"], found["attempts"]) == (RIGHT, 2)


def test_component_that_can_be_awaited_is() -> None:
    found = asyncio.run(GuardedAnswerer(Reader(), SETTINGS).run_async(QUESTION))
    assert (found["answer"], found["attempts"]) == (RIGHT, 1)


def test_component_without_an_answer_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(InputError, match="neither 'answer' nor 'replies', but 'documents'"):
        GuardedAnswerer(Finder(), SETTINGS).run(QUESTION)


def test_guard_of_a_saved_pipeline_is_the_same() -> None:
    pipeline = Pipeline()
    settings = {**SETTINGS, "attempts": 1, "otherwise": "Ask a person."}
    pipeline.add_component("safe", GuardedAnswerer(answerer(WRONG), settings))
    loaded = Pipeline.loads(pipeline.dumps(), **OURS)
    given = {"safe": {"question": QUESTION, "documents": DOCUMENTS}}
    assert loaded.run(given)["safe"]["answer"] == "Ask a person."
