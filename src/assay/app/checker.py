"""A detector that stays open, shared by many callers: what a service checks with."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import Self

from assay.app.rows import refuse
from assay.core.examples import Example
from assay.core.judgements import Manifest
from assay.core.results import Result
from assay.core.texts import Response, Source
from assay.detectors.protocol import closing
from assay.detectors.sharing import SharedDetector
from assay.engine.check import CheckRequest
from assay.engine.prepared import PreparedDetector, in_order

# Read once before anybody waits: the first texts take longer, as what they need is loaded.
_FIRST = tuple(
    Example(
        str(number),
        Source(f"The bridge of {year} is 1.2 km long. Ann Lee opened it on 3 May {year}."),
        Response(f"Ann Lee opened the bridge in {year}. It is 1,200 metres long."),
    )
    for number, year in enumerate((1987, 1994))
)


class Checker:
    """Checks for many callers at the same time, with one detector and one budget for them all.

    A detector that computes reads what several callers give in common batches. One that asks a
    model asks for all of them at the same time, as many questions as its options allow.
    """

    def __init__(
        self, request: CheckRequest, on_batch: Callable[[int], None] = lambda examples: None
    ) -> None:
        """Makes the detector; whatever is wrong with the request is raised.

        `on_batch` is told the number of examples in each batch of a detector that computes.
        """
        self._prepared = PreparedDetector.of(request)
        self.manifest: Manifest = self._prepared.manifest
        self._opened = AsyncExitStack()
        detector = self._prepared.detector
        self._asks_model = detector.capabilities.asks_model
        shared = SharedDetector(detector, on_batch)
        self._shared = shared
        self._judge = detector.judge if self._asks_model else shared.judge

    @property
    def usage(self) -> str:
        """All calls so far and their cost, in words; empty where no model was asked."""
        return self._prepared.usage

    async def __aenter__(self) -> Self:
        await self._opened.enter_async_context(self._prepared.connected())
        self._opened.push_async_callback(self._shared.close)
        if not self._asks_model:
            async for _ in self._shared.judge(_FIRST):
                pass
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._opened.aclose()

    async def check(self, examples: Sequence[Example]) -> AsyncIterator[Result]:
        """The results in the order of the examples, whose ids may repeat.

        A caller that stops leaves no work behind, but for a batch that others have a part in.
        """
        async with closing(in_order(self._judge, self.manifest, examples, refuse)) as results:
            async for result in results:
                yield result
