"""A detector for many callers; each call is a check of its own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Self

from assay.app.rows import refuse
from assay.core.examples import Example
from assay.core.judgements import Manifest
from assay.core.results import Result
from assay.engine.check import CheckRequest, start_check


class Checker:
    """Checks what callers give, with one detector."""

    def __init__(self, request: CheckRequest) -> None:
        self._request = request
        self.manifest: Manifest = start_check([], request, journal=False).manifest
        self.usage = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *about: object) -> None:
        """Nothing is open between calls."""

    async def check(self, examples: Sequence[Example]) -> AsyncIterator[Result]:
        """The results, in order."""
        checking = await asyncio.to_thread(start_check, examples, self._request, journal=False)
        for result in await checking.collect(refuse):
            yield result
