"""A small example with two errors, localizers with a scripted model, and replies for them."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Finding, Judgement
from assay.core.texts import Response, Source
from assay.core.verdicts import Failure, Verdict
from assay.detectors.localize.making import STYLES
from assay.detectors.protocol import Detector
from assay.detectors.registry import DetectorSpec, open_detector
from assay.llm.client import Request
from assay.llm.scripted import Line, Scripted
from tests.judging import judge_one

SOURCE = (
    "Runa Dahl, 38, and Otto Berg, 39, left the harbour of Skaw on 16 July. Four days later their "
    "boat reached the island, and Dahl was the first to step ashore."
)
RESPONSE = (
    "On 16 July Runa Dahl and Otto Berg, both 39, reached the island. Dahl went ashore first."
)
BOAT = Example("boat", Source(SOURCE), Response(RESPONSE))

NAMES = (*STYLES, *(f"{name}:b" for name in STYLES))
LISTS = tuple(name for name in NAMES if "pipeline" not in name)

AGE = {
    "quotes": ["both 39"],
    "evidence": ["Runa Dahl, 38"],
    "description": "The response says that both were 39, but in the source Dahl was 38.",
    "category": "intrinsic-alteration",
}
DAY = {
    "quotes": ["On 16 July", "reached the island"],
    "evidence": ["Four days later their boat reached the island"],
    "description": "The response has them arrive on 16 July, the day on which they left.",
    "category": "intrinsic-composition",
}

Script = Iterable[Line] | Callable[[Request], Line]


@dataclass(frozen=True)
class Heard:
    """What a localizer said of an example, and what it asked."""

    judgement: Judgement
    requests: list[Request]

    @property
    def findings(self) -> tuple[Finding, ...]:
        return self.judgement.findings

    @property
    def labels(self) -> list[str]:
        """The labels; a failure shows its reason."""
        return [
            f"failed: {each.failure.reason}" if each.failure else str(each.label)
            for each in self.findings
        ]

    def verdict(self, place: int = 0) -> Verdict:
        found = self.findings[place].verdict
        assert found
        return found

    def failure(self, place: int = 0) -> Failure:
        found = self.findings[place].failure
        assert found
        return found


def load(name: str, client: Any) -> Detector:
    """The localizer of that name."""
    return open_detector(DetectorSpec(name), [client])


def hear(name: str, script: Script, example: Example = BOAT) -> Heard:
    """An example judged by a localizer, with a model that follows the script."""
    client = Scripted(script)
    return Heard(judge_one(load(name, client), example), client.requests)


def listed(*entries: dict[str, Any], **more: Any) -> str:
    """A reply with these inconsistencies."""
    return json.dumps({**more, "inconsistencies": entries})


def facts(*pairs: tuple[object, str]) -> str:
    """A reply with facts, each with the number of its sentence."""
    return json.dumps({"facts": [{"sentence": n, "fact": fact} for n, fact in pairs]})


def checked(*found: list[dict[str, Any]], first: int = 1) -> str:
    """A reply about numbered facts: the inconsistencies of each."""
    entries = [{"number": n, "inconsistencies": each} for n, each in enumerate(found, first)]
    return json.dumps({"facts": entries})


def merged(*groups: list[object]) -> str:
    """A reply that names groups of duplicates."""
    return json.dumps({"duplicates": groups})
