"""A small example, judges with a scripted model, and replies for them."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from assay.core.examples import Annotated, Example
from assay.core.judgements import GOLD, Author, Finding
from assay.core.labels import Label
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.protocol import Detector, judgement_of
from assay.detectors.registry import Annotations, DetectorSpec, open_detector
from assay.llm.client import Line, ModelClient, Request, Scripted
from tests.judging import judge_one

SOURCE = "The old mill in Vejby burned down in 1987. Nobody was hurt. The cause is not known."
RESPONSE = "The mill burned down in 1987. It was arson. Would you like to know more?"
MILL = Example("mill", Source(SOURCE), Response(RESPONSE))

JUDGES = (
    "judge-gray7",
    "judge-gray7:batch",
    "judge-simple",
    "judge-grounding",
    "judge-grounding:json",
    "judge-claims",
    "judge-fewshot",
    "judge-finesure",
)

Script = Iterable[Line] | Callable[[Request], Line]


@dataclass(frozen=True)
class Heard:
    """What a judge said of an example, and what it asked."""

    findings: tuple[Finding, ...]
    requests: list[Request]

    @property
    def labels(self) -> list[str]:
        """The labels; a failure shows its reason."""
        return [
            f"failed: {each.failure.reason}" if each.failure else str(each.label)
            for each in self.findings
        ]

    def verdict(self, place: int = 0) -> Verdict:
        found = self.findings[place].verdict
        assert found is not None
        return found

    def failure(self, place: int = 0) -> Failure:
        found = self.findings[place].failure
        assert found is not None
        return found


def load(name: str, client: ModelClient, annotations: Annotations | None = None) -> Detector:
    """The judge of that name, which asks the client."""
    return open_detector(DetectorSpec(name), [client], annotations)


def hear(
    name: str,
    script: Script,
    example: Example = MILL,
    peers: Iterable[Annotated] | None = None,
) -> Heard:
    """An example judged by the judge of that name, with a model that follows the script."""
    client = Scripted(script)
    judge = load(name, client, None if peers is None else lambda: peers)
    return Heard(judge_one(judge, example).findings, client.requests)


def echo(request: Request) -> Line:
    """The example of a reply that the request itself shows, as in a dry run."""
    return request.example


def opinion(label: str, **more: Any) -> str:
    """A reply about one unit."""
    return json.dumps({"reason": f"I find it {label}.", **more, "label": label})


def entries(*labels: str, key: str = "sentences", **more: Any) -> str:
    """A reply about numbered units, from 1 onwards."""
    numbered = [
        {"number": number, "reason": f"Entry {number}.", **more, "label": label}
        for number, label in enumerate(labels, 1)
    ]
    return json.dumps({key: numbered})


def asked(request: Request) -> str:
    """All that the model was told."""
    return "\n\n".join(f"# {each.role}\n{each.content}" for each in request.messages)


def annotate(example: Example, **said: Iterable[Finding]) -> Annotated:
    """The example with what people said of it, by their names; `gold` is what was settled on."""
    authors = {name: GOLD if name == GOLD.name else Author(name, "person") for name in said}
    judgements = (judgement_of(example, authors[name], said[name]) for name in said)
    return Annotated(example, tuple(judgements))


def whole(text: str, label: Label, note: str = "") -> Finding:
    """A person's label for a whole response."""
    return Finding(Unit.response(text), Verdict("response", label, note=note))


def mark(text: str, start: int, end: int, label: Label, **more: Any) -> Finding:
    """A person's label for a part of a response."""
    unit = Unit.at("span", Span.cut(text, start, end, "response"), f"p{start}")
    return Finding(unit, Verdict(unit.id, label, **more))
