"""Scripted models for `discourse`: one answer for each of its three questions."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Finding, Judgement
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.discourse.decomposition import CLAIM
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.llm.client import Line, Request, Scripted
from tests.judging import judge_one

Claim = tuple[int, str, str] | tuple[int, str, str, str]  # sentence, claim, words, and its scope
Link = tuple[int, int, str, str]  # first, second, name, cue
Entries = list[dict[str, Any]] | tuple[dict[str, Any], ...]


def taken_apart(
    claims: Sequence[Claim], links: Sequence[Link] = (), nothing: Sequence[int] = ()
) -> str:
    """A reply to the first question."""
    return json.dumps(
        {
            "claims": [
                {"number": n, **dict(zip(CLAIM["required"][1:], (*each, "")[:4], strict=True))}
                for n, each in enumerate(claims, 1)
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


def open_discourse(client: Scripted, argument: str = "") -> Detector:
    """`discourse`, asking this client."""
    return open_detector(DetectorSpec(f"discourse:{argument}".rstrip(":")), [client])


def hear(model: Model, given: Example, argument: str = "") -> Judgement:
    """An example judged by `discourse` with this model."""
    return judge_one(open_discourse(Scripted(model), argument), given)


def of_kind(judgement: Judgement, kind: str) -> list[Finding]:
    """The findings about units of one kind, in order."""
    return [each for each in judgement.findings if each.kind == kind]


def verdict(finding: Finding) -> Verdict:
    assert finding.verdict, finding
    return finding.verdict


def failure(finding: Finding) -> Failure:
    assert finding.failure, finding
    return finding.failure


def hangs_under_its_sentence(unit: Unit, judgement: Judgement) -> bool:
    """Whether the parent of a part is the sentence in which it is.

    A relation is in the later of the sentences of what it links.
    """
    sentence = judgement.by_id[unit.parent]
    assert sentence.kind == "sentence"
    if unit.link is None:
        places = unit.spans
    else:
        ends = [judgement.by_id[end] for end in (unit.link.first, unit.link.second)]
        order = [each.id for each in judgement.units if each.kind == "sentence"]
        later = max((end.parent for end in ends), key=order.index)
        assert later == sentence.id
        places = max((end.spans for end in ends), default=())
    whole = sentence.spans[0]
    return all(whole.start <= span.start and span.end <= whole.end for span in places)
