"""A small example, judges with a scripted model, and replies for them."""

import asyncio
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

from assay.core.examples import Example
from assay.core.texts import Response, Source
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.protocol import Judge
from assay.detectors.registry import load_detector
from assay.llm.client import Request
from assay.llm.scripted import Line, Scripted

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

    outcomes: tuple[Outcome, ...]
    requests: list[Request]

    @property
    def labels(self) -> list[str]:
        """The labels; a failure shows its reason."""
        return [
            f"failed: {each.reason}" if isinstance(each, Failure) else str(each.label)
            for each in self.outcomes
        ]

    def verdict(self, place: int = 0) -> Verdict:
        found = self.outcomes[place]
        assert isinstance(found, Verdict)
        return found

    def failure(self, place: int = 0) -> Failure:
        found = self.outcomes[place]
        assert isinstance(found, Failure)
        return found


def hear(name: str, script: Script, example: Example = MILL) -> Heard:
    """An example judged by the judge of that name, with a model that follows the script."""
    client = Scripted(script)
    judge = cast(Judge, load_detector(name, client))
    return Heard(asyncio.run(judge.judge(example)).outcomes, client.requests)


def echo(request: Request) -> Line:
    """The reply of the wanted form that the request itself shows, as in a dry run."""
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
