"""What the judged model itself believes of the details that it let pass, as P(True)."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from assay.core.labels import Label
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import PromptTexts, ReplyFormat, failed, one_line
from assay.detectors.judges.options import load_prompt
from assay.detectors.protocol import Detector
from assay.evaluation.asking import Progress, ask_each, no_progress
from assay.evaluation.errors.explanations import PROMPTS, Explained, Stated, today
from assay.evaluation.errors.gathering import ErrorItem
from assay.llm.client import CallError, Client
from assay.llm.fences import Fences
from assay.llm.prompts import Prompt
from assay.llm.replies import UnreadableError
from assay.llm.schemas import object_of, read_json, text
from assay.metrics import Estimate, estimate_from_rows

CATEGORIES = ("extrinsic-correct", "extrinsic-wrong")  # details that the response adds
_SCHEMA = object_of(claim=text())


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The mean P(True) of the claims of one category; n counts claims, resampled by source."""

    category: Label
    mean: Estimate
    failures: Counter[str]

    def to_dict(self) -> dict[str, Any]:
        """The mean and the failures as plain JSON values."""
        return {"mean": asdict(self.mean), "failures": dict(self.failures)}


async def believe(
    client: Client,
    believer: Detector,
    explained: Sequence[Explained],
    progress: Progress = no_progress,
) -> list[Explained]:
    """The errors with the belief in each missed detail that the response adds.

    The client puts these details into claims, and `believer`, a `p-true` detector, scores them.
    """

    async def claim(each: Explained) -> Explained:
        return await _with_claim(client, each, believer)

    missed = (each for each in explained if each.item.side == "missed" and each.category)
    asked = [each for each in missed if each.category in CATEGORIES]
    told = await ask_each(asked, claim, client.concurrency)
    found = {each.item.key: each for each in told}
    waiting = {"/".join(each.item.key): each for each in told if not each.belief}
    alone = (  # each claim is the only unit of an example of its own
        replace(each.item.example, id=id, units=(each.claim,) if each.claim else ())
        for id, each in waiting.items()
    )
    async for judgement in believer.judge(alone):
        each = waiting[judgement.example]
        belief = Stated(judgement.author, judgement.outcomes[0], today())
        found[each.item.key] = replace(each, belief=belief)
        progress()
    return [found.get(each.item.key, each) for each in explained]


def beliefs(explained: Sequence[Explained]) -> tuple[Beliefs, ...]:
    """One for each category of which claims were asked about."""
    asked = [each for each in explained if each.belief]
    categories = dict.fromkeys(each.category for each in asked if each.category)
    return tuple(
        _beliefs(category, [each for each in asked if each.category == category])
        for category in categories
    )


async def write_claim(client: Client, item: ErrorItem) -> Unit:
    """The added detail as a claim that can be understood alone; raises `CallError` without one."""
    reply = ReplyFormat(_read, json.dumps({"claim": "The town lies at the sea."}), _SCHEMA)
    answer = await PromptTexts(item.example, error=item.in_words).ask(client, prompt(), reply)
    return Unit(unit_id("claim", 1, item.unit.id), "claim", answer.value, parent=item.unit.id)


@cache
def prompt() -> Prompt:
    """The prompt that asks for a claim."""
    return load_prompt("state-claim", needs=("error",), folder=PROMPTS)


async def _with_claim(client: Client, each: Explained, believer: Detector) -> Explained:
    """The error with a claim that has yet to be believed; without one, the belief is a failure."""
    fresh = replace(each, belief=None)
    if each.claim:
        return fresh
    try:
        return replace(fresh, claim=await write_claim(client, each.item))
    except CallError as error:
        lost = failed(each.item.unit, error)
        return replace(fresh, belief=Stated(believer.author, lost, today()))


def _read(reply: str, fences: Fences) -> str:
    claim = one_line(read_json(reply, _SCHEMA, fences)["claim"])
    if not claim:
        raise UnreadableError("the claim is empty")
    return claim


def _beliefs(category: Label, explained: Sequence[Explained]) -> Beliefs:
    said = [(each.item.example, each.belief.outcome) for each in explained if each.belief]
    told = [(example, each.score) for example, each in said if each.score is not None]
    values = np.array([score for _, score in told])
    groups = np.array([example.source.id or example.id for example, _ in told], dtype=np.str_)
    mean = Estimate(None, 0)
    if told:
        mean = estimate_from_rows(lambda rows: float(values[rows].mean()), len(told), groups=groups)
    failures = Counter[str](each.reason for _, each in said if isinstance(each, Failure))
    return Beliefs(category, mean, failures)
