"""Examples in windows: those that follow one another go through a part together.

Responses to one source that stand together stay together, so that a part which reads it once for
all of them can do so.
"""

import time
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.detectors.combinators.combining import StageMeter
from assay.detectors.protocol import Detector, closing

USUAL = 32  # examples of a window, unless more of the last source follow
MOST = 2 * USUAL


def windows(examples: Iterable[Example]) -> Iterator[list[Example]]:
    """The examples in their order, many at a time: of a stream one at first, then more and more.

    A model that is expanded for each batch costs least where batches are large. But a stream may be
    slow, so what follows a window is looked at only once windows have their usual size.
    """
    window: list[Example] = []
    ids: set[str] = set()
    size = USUAL if isinstance(examples, Sequence) else 1
    for example in examples:
        is_full = len(window) >= size and example.source != window[-1].source
        if is_full or len(window) == MOST or example.id in ids:
            yield window
            window, ids = [], set()
        window.append(example)
        ids.add(example.id)
        if len(window) == size < USUAL:
            yield window
            window, ids, size = [], set(), 2 * size
    if window:
        yield window


async def judge_window(
    detector: Detector, window: Sequence[Example], meter: StageMeter
) -> AsyncIterator[Judgement]:
    """The judgements of all examples of a window as they are ready; the time is measured."""
    left = {example.id for example in window}
    began = time.perf_counter()
    async with closing(detector.judge(window)) as judgements:
        async for judgement in judgements:
            meter.seconds += time.perf_counter() - began
            left.remove(judgement.example)
            yield judgement
            began = time.perf_counter()
    if left:
        raise RuntimeError(f"{detector.author.name} left an example out")
