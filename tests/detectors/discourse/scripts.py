"""Scripted models for `discourse`: one answer for each of its three questions."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.core.examples import Example, Judgement
from assay.core.texts import Response, Source
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.discourse.model import make_discourse
from assay.llm.client import Request
from assay.llm.scripted import Line, Scripted

Claim = tuple[int, str, str]  # sentence, claim, words
Link = tuple[int, int, str, str]  # first, second, name, cue
Entries = list[dict[str, Any]] | tuple[dict[str, Any], ...]


def taken_apart(
    claims: Sequence[Claim], links: Sequence[Link] = (), nothing: Sequence[int] = ()
) -> str:
    """A reply to the first question."""
    return json.dumps(
        {
            "claims": [
                {"number": n, "sentence": s, "claim": claim, "words": words}
                for n, (s, claim, words) in enumerate(claims, 1)
            ],
            "relations": [
                {"first": a, "second": b, "name": name, "cue": cue} for a, b, name, cue in links
            ],
            "nothing": list(nothing),
        }
    )


def entry(label: str = "explicitly-supported", error: str = "none", **more: Any) -> dict[str, Any]:
    """What is said of one claim or relation."""
    said = {"reason": f"I find it {label}.", "evidence": [], "error": error, "label": label}
    return {**said, **more}


GOOD = entry()


def said_of(key: str, entries: Entries) -> str:
    """A reply about claims or relations, numbered from 1 onwards."""
    return json.dumps({key: [{"number": n, **each} for n, each in enumerate(entries, 1)]})


@dataclass(frozen=True)
class Model:
    """What the model answers: to the decomposition, about the claims, about the relations."""

    split: Line
    claims: Entries | Line = ()
    relations: Entries | Line = ()
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: Request) -> Line:
        self.asked.append("\n".join(message.content for message in request.messages))
        return self.answer(request.messages[1].content)

    def answer(self, question: str) -> Line:
        """The reply to a question of the user."""
        if "The sentences to take apart" in question:
            return self.split
        if "The claims to check" in question:
            return _line("claims", self.claims)
        return _line("relations", self.relations)


def _line(key: str, answer: Entries | Line) -> Line:
    return said_of(key, answer) if isinstance(answer, list | tuple) else answer


def example(source: str, response: str) -> Example:
    return Example("1", Source(source), Response(response))


def hear(model: Model, given: Example, argument: str = "") -> Judgement:
    """An example judged by `discourse` with this model."""
    return asyncio.run(make_discourse(Scripted(model), argument).judge(given))


def of_kind(judgement: Judgement, kind: str) -> list[Outcome]:
    """The outcomes of one kind, in order."""
    return [each for each in judgement.outcomes if each.unit.kind == kind]


def verdict(outcome: Outcome) -> Verdict:
    assert isinstance(outcome, Verdict), outcome
    return outcome


def failure(outcome: Outcome) -> Failure:
    assert isinstance(outcome, Failure), outcome
    return outcome
