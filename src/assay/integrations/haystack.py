"""Haystack: an evaluator for its pipelines, and a guard around whatever answers."""

import asyncio
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, cast

from assay.app.answers import AnswerCheck, CheckedAnswer
from assay.app.api import DetectorArguments
from assay.app.guard import Guard, Guarded
from assay.core.errors import InputError, MissingExtraError

try:
    from haystack import Document, component, default_from_dict, default_to_dict
    from haystack.core.serialization import (
        component_from_dict,
        component_to_dict,
        import_class_by_name,
    )
except ModuleNotFoundError:
    raise MissingExtraError("assay.integrations.haystack", "haystack") from None

_PLAIN = (str, int, float, bool, type(None))


@component
class AssayFaithfulnessEvaluator:
    """Evaluates whether answers are faithful to their contexts, sentence by sentence.

    Inputs and outputs are those of Haystack's `FaithfulnessEvaluator`, and `n` beside the score:
    the number of answers that it is the mean of. An answer without a verdict has the status `error`
    and the score NaN, as there.
    """

    def __init__(
        self,
        detector: str = "auto",
        model: str | list[str] | None = None,
        *,
        threshold: float | None = None,
        device: str = "cpu",
        fail_on: str | list[str] = "unfaithful",
        language: str | None = None,
    ) -> None:
        how = {"detector": detector, "model": model, "threshold": threshold, "device": device}
        given = {name: value for name, value in how.items() if value not in (None, "", [], "cpu")}
        self._settings = {**how, "fail_on": fail_on, "language": language}
        _require_plain(self._settings)
        self._check = AnswerCheck.by(fail_on, cast(DetectorArguments, given), language)

    @component.output_types(
        score=float,
        n=int,
        individual_scores=list[float],
        results=list[dict[str, Any]],
    )
    def run(
        self, questions: list[str], contexts: list[list[Any]], predicted_answers: list[str]
    ) -> dict[str, Any]:
        """Checks all answers; contexts are texts or documents, one list for each answer."""
        rows = [self._check.read(each) for each in _rows(questions, contexts, predicted_answers)]
        return _figures(self._check.check_all(rows) if rows else [])

    @component.output_types(
        score=float,
        n=int,
        individual_scores=list[float],
        results=list[dict[str, Any]],
    )
    async def run_async(
        self, questions: list[str], contexts: list[list[Any]], predicted_answers: list[str]
    ) -> dict[str, Any]:
        """The same in an asynchronous pipeline."""
        rows = [self._check.read(each) for each in _rows(questions, contexts, predicted_answers)]
        return _figures(await self._check.acheck_all(rows) if rows else [])

    def to_dict(self) -> dict[str, Any]:
        """Its settings, for a pipeline that is saved."""
        return default_to_dict(self, **self._settings)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "AssayFaithfulnessEvaluator":
        """The evaluator of a saved pipeline."""
        return default_from_dict(cls, data)


def _rows(
    questions: Sequence[str], contexts: Sequence[Sequence[object]], answers: Sequence[str]
) -> list[dict[str, object]]:
    counts = (len(questions), len(contexts), len(answers))
    if len(set(counts)) > 1:
        raise InputError(
            "questions, contexts and predicted_answers belong together one by one, and there are "
            f"{counts[0]}, {counts[1]} and {counts[2]}"
        )
    return [
        {"question": question, "source": _with_text(found), "response": answer}
        for question, found, answer in zip(questions, contexts, answers, strict=True)
    ]


def _with_text(found: Sequence[object]) -> list[object]:
    """The documents that have a text; others, such as images, have nothing to check."""
    return [each for each in found if not isinstance(each, Document) or each.content is not None]


def _figures(checked: Sequence[CheckedAnswer]) -> dict[str, Any]:
    known = [each.score for each in checked if each.score is not None]
    return {
        "score": sum(known) / len(known) if known else nan,
        "n": len(known),
        "individual_scores": [_number(each.score) for each in checked],
        "results": list(map(_result, checked)),
    }


def _number(score: float | None) -> float:
    """A score as Haystack's reports want it, which have NaN where there is none."""
    return nan if score is None else score


def _result(checked: CheckedAnswer) -> dict[str, Any]:
    findings = checked.result.counted if checked.result else ()
    return {
        "status": "error" if checked.passed is None else "evaluated",
        "score": _number(checked.score),
        "passed": checked.passed,
        "coarse": checked.result.coarse if checked.result else None,
        "statements": [each.text for each in findings],
        "statement_scores": [each.score for each in findings],
        "labels": [each.label.name if each.label else None for each in findings],
        "feedback": checked.feedback,
        "error": checked.unjudged,
    }


@component
class GuardedAnswerer:
    """A component that answers, such as a `SuperComponent` of a pipeline, behind a guard.

    It must take `question`, `documents` and `feedback`, and give an `answer` or `replies`; if it
    gives `documents` as well, these are what its answer is checked against. `settings` are the
    arguments of `assay.Guard`.
    """

    def __init__(self, answerer: Any, settings: dict[str, Any] | None = None) -> None:
        self._answerer = answerer
        self._settings = settings or {}
        _require_plain(self._settings)
        self._guard = Guard(**self._settings)

    def warm_up(self) -> None:
        """Prepares the component that answers."""
        if hasattr(self._answerer, "warm_up"):
            self._answerer.warm_up()

    @component.output_types(answer=str, abstained=bool, attempts=int, guarded=Guarded)
    def run(self, question: str, documents: list[Document] | None = None) -> dict[str, Any]:
        """Asks until an answer passes, or abstains."""

        def answer(question: str, source: object, feedback: str) -> dict[str, object]:
            return _said(self._answerer.run(**_inputs(question, documents, feedback)))

        return _outputs(self._guard.run(answer, question, _source(documents)))

    @component.output_types(answer=str, abstained=bool, attempts=int, guarded=Guarded)
    async def run_async(
        self, question: str, documents: list[Document] | None = None
    ) -> dict[str, Any]:
        """The same in an asynchronous pipeline."""

        async def answer(question: str, source: object, feedback: str) -> dict[str, object]:
            given = _inputs(question, documents, feedback)
            if hasattr(self._answerer, "run_async"):
                return _said(await self._answerer.run_async(**given))
            return _said(await asyncio.to_thread(self._answerer.run, **given))

        return _outputs(await self._guard.arun(answer, question, _source(documents)))

    def to_dict(self) -> dict[str, Any]:
        """Its settings and the component that answers, for a pipeline that is saved."""
        inner = component_to_dict(self._answerer, "answerer")
        return default_to_dict(self, answerer=inner, settings=self._settings)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "GuardedAnswerer":
        """The guard of a saved pipeline, around the component that was saved with it."""
        given = dict(data["init_parameters"])
        kind = import_class_by_name(given["answerer"]["type"])
        given["answerer"] = component_from_dict(kind, given["answerer"], "answerer")
        return default_from_dict(cls, {**data, "init_parameters": given})


def _source(documents: Sequence[object] | None) -> list[object] | None:
    return None if documents is None else _with_text(documents)


def _inputs(question: str, documents: object, feedback: str) -> dict[str, object]:
    given: dict[str, object] = {"question": question, "feedback": feedback}
    return given if documents is None else {**given, "documents": documents}


def _said(outputs: Mapping[str, Any]) -> dict[str, object]:
    """The answer, and the documents that came with it."""
    replies = outputs.get("answer", outputs.get("replies"))
    if replies is None:
        raise InputError(
            "the component that answers gives neither 'answer' nor 'replies', but "
            f"{', '.join(map(repr, outputs)) or 'nothing'}"
        )
    first = (replies[0] if replies else "") if isinstance(replies, list) else replies
    said: dict[str, object] = {"response": first if isinstance(first, str) else first.text}
    if outputs.get("documents") is not None:
        said["source"] = _with_text(outputs["documents"])
    return said


def _outputs(guarded: Guarded) -> dict[str, Any]:
    return {
        "answer": guarded.answer,
        "abstained": guarded.abstained,
        "attempts": guarded.attempts,
        "guarded": guarded,
    }


def _require_plain(settings: Mapping[str, object]) -> None:
    """Raises for what a saved pipeline could not hold."""
    for name, value in settings.items():
        parts = value if isinstance(value, list | tuple) else [value]
        if not all(isinstance(each, _PLAIN) for each in parts):
            raise InputError(
                f"{name} must be text or a number, so that the pipeline can be saved, "
                f"not {type(value).__name__}",
                field=name,
            )
