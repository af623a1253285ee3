"""What a detector that asks a model can do beyond `detect`, and how it is driven."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future
from typing import Protocol, runtime_checkable

from assay.core.examples import Example, Judgement
from assay.detectors.protocol import Detector
from assay.llm.background import background
from assay.llm.client import Client

AHEAD = 256  # examples that may wait for one before them; the client bounds the calls themselves


@runtime_checkable
class Judge(Detector, Protocol):
    """A detector whose examples can be judged one by one, many at the same time."""

    @property
    def client(self) -> Client:
        """Who is asked; `async with` it around calls of `judge`."""
        ...

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts it asks with, by name."""
        ...

    async def judge(self, example: Example) -> Judgement:
        """All units of one example; what a call does not answer is a Failure."""
        ...


def detect_in_order(judge: Judge, examples: Iterable[Example]) -> Iterator[Judgement]:
    """Judgements in the order of the examples, however the replies come in."""
    thread = background()
    thread.run(judge.client.__aenter__())
    waiting: deque[Future[Judgement]] = deque()
    try:
        for example in examples:
            waiting.append(thread.submit(judge.judge(example)))
            if len(waiting) >= AHEAD or waiting[0].done():
                yield thread.result(waiting[0])
                waiting.popleft()
        while waiting:
            yield thread.result(waiting[0])
            waiting.popleft()
    finally:
        for future in waiting:
            future.cancel()
        thread.run(judge.client.__aexit__(None, None, None))
