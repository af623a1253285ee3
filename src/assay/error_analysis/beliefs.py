"""The judged model's own belief in the details that it let pass, as P(True)."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from assay.core.examples import Example
from assay.core.judgements import Author
from assay.core.labels import Label
from assay.core.texts import Response
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed, one_line
from assay.detectors.judges.options import load_prompt
from assay.detectors.protocol import Detector, Progress, ask_each, no_progress
from assay.error_analysis.error_items import ErrorItem
from assay.error_analysis.explanations import PROMPTS, Explained, Question, Statement, today
from assay.llm.client import CallError, ModelClient
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies.schemas import object_of, read_json, text
from assay.llm.replies.texts import UnreadableError
from assay.metrics import Estimate, estimate_from_rows

_KINDS = {"person": "people", "detector": "model"}
_SCHEMA = object_of(question=text(), answer=text())


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The mean P(True) of the details of one category; n counts details, resampled by source.

    `scores` are all that were measured, from the lowest, and `written_by` counts the questions of
    people and of models.
    """

    category: Label
    mean: Estimate
    scores: tuple[float, ...]
    written_by: Counter[str]
    failures: Counter[str]

    def to_dict(self) -> dict[str, Any]:
        """The mean, all scores and the failures as plain JSON values."""
        return {
            "mean": asdict(self.mean),
            "scores": list(self.scores),
            "questions_by": dict(self.written_by),
            "failures": dict(self.failures),
        }


async def believe(
    client: ModelClient,
    believer: Detector,
    explained: Sequence[Explained],
    progress: Progress = no_progress,
) -> list[Explained]:
    """The errors with the belief in each missed detail that the response adds.

    The client writes the questions that nobody has written, and `believer`, a `p-true` detector,
    says how likely it finds the answers.
    """

    async def prepare(each: Explained) -> Explained:
        return await _with_question(client, each, believer)

    told = await ask_each(
        [each for each in explained if each.is_missed_addition], prepare, client.concurrency
    )
    found = {each.item.key: each for each in told}
    waiting = {"/".join(each.item.key): each for each in told if not each.belief}
    examples = [
        _alone(id, each.item.example, each.question)
        for id, each in waiting.items()
        if each.question
    ]
    async for judgement in believer.judge(examples):
        each = waiting[judgement.example]
        outcome = replace(judgement.outcomes[0], unit=each.answer_id)
        belief = Statement(judgement.author, outcome, today())
        found[each.item.key] = replace(each, belief=belief)
        progress()
    return [found.get(each.item.key, each) for each in explained]


def beliefs(explained: Sequence[Explained]) -> tuple[Beliefs, ...]:
    """One for each category of which details were asked about."""
    asked = [each for each in explained if each.belief]
    categories = dict.fromkeys(each.category for each in asked if each.category)
    return tuple(
        _beliefs(category, [each for each in asked if each.category == category])
        for category in categories
    )


async def write_question(client: ModelClient, item: ErrorItem) -> Question:
    """A question whose answer is the added detail; raises `CallError` without one."""
    example = {"question": "Where does the town lie?", "answer": "At the sea."}
    reply = ReplyFormat(_read, json.dumps(example), _SCHEMA)
    answer = await PromptTexts(item.example, error=item.in_words).ask(client, prompt(), reply)
    question, detail = answer.value
    return Question(question, detail, Author(client.model, version=prompt().digest))


@cache
def prompt() -> Prompt:
    """The prompt that asks for a question."""
    return load_prompt("write-question", needs=("error",), folder=PROMPTS)


async def _with_question(client: ModelClient, each: Explained, believer: Detector) -> Explained:
    """The error with a question; without one, the belief is a failure. Beliefs are asked anew."""
    fresh = replace(each, belief=None)
    if each.question:
        return fresh
    try:
        return replace(fresh, question=await write_question(client, each.item))
    except CallError as error:
        lost = failed(each.item.unit, error)
        return replace(fresh, belief=Statement(believer.author, lost, today()))


def _alone(id: str, example: Example, question: Question) -> Example:
    """An example of its own, whose response answers the question."""
    response = Response(question.answer, example.response.model)
    return replace(example, id=id, question=question.text, response=response, units=())


def _read(reply: str, fences: Fences) -> tuple[str, str]:
    value = read_json(reply, _SCHEMA, fences)
    question, answer = one_line(value["question"]), one_line(value["answer"])
    if not question or not answer:
        raise UnreadableError(f"the {'answer' if question else 'question'} is empty")
    if answer.rstrip(".").casefold() in question.casefold():
        raise UnreadableError("the question gives the answer away")
    return question, answer


def _beliefs(category: Label, explained: Sequence[Explained]) -> Beliefs:
    said = [(each.item.example, each.belief.outcome) for each in explained if each.belief]
    told = [(example, each.score) for example, each in said if each.score is not None]
    values = np.array([score for _, score in told])
    groups = np.array([example.source.id or example.id for example, _ in told], dtype=np.str_)
    mean = Estimate(None, 0)
    if told:
        mean = estimate_from_rows(lambda rows: float(values[rows].mean()), len(told), groups=groups)
    return Beliefs(
        category,
        mean,
        tuple(sorted(score for _, score in told)),
        Counter(_KINDS[each.question.author.kind] for each in explained if each.question),
        Counter[str](each.reason for _, each in said if isinstance(each, Failure)),
    )
