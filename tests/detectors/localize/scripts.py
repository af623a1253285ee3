"""A small example with two errors, localizers with a scripted model, and replies for them."""

import json
from collections.abc import Callable, Iterable
from typing import Any

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.texts import Response, Source
from assay.detectors.localize.making import STYLES
from assay.llm.client import Line, Request, Scripted
from tests.detectors.judges import scripts as judges
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
# As the paper asks: two wordings, where it has two.
PLAIN_NAMES = (
    *(f"{name}:definitions" for name in STYLES),
    *(f"{name}:b,definitions" for name in STYLES if name[9:] not in ("recall", "pipeline")),
)
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


def judge(name: str, script: Script, example: Example = BOAT) -> Judgement:
    """What the localizer of that name says of an example, with a model that follows the script."""
    return judge_one(judges.load(name, Scripted(script)), example)


def hear(name: str, script: Script, example: Example = BOAT) -> judges.Heard:
    """The same, with what was asked."""
    return judges.hear(name, script, example)


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
