"""Detectors driven from synchronous tests."""

import asyncio
from collections.abc import Iterable

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.results import Result
from assay.detectors.protocol import Detector


def judge_all(detector: Detector, examples: Iterable[Example]) -> list[Judgement]:
    """What a detector says of some examples, in their order."""
    given = list(examples)

    async def work() -> dict[str, Judgement]:
        return {each.example: each async for each in detector.judge(given)}

    found = asyncio.run(work())
    return [found[example.id] for example in given]


def judge_one(detector: Detector, example: Example) -> Judgement:
    """What a detector says of one example."""
    return judge_all(detector, [example])[0]


def result_of(detector: Detector, example: Example) -> Result:
    """An example with what a detector says of it."""
    return Result(example, judge_one(detector, example))
