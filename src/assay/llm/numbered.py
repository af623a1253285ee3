"""A client that asks the same question as if it were another one: for samples and new attempts."""

from dataclasses import replace

from assay.llm.client import Client, Wrapper
from assay.llm.requests import Reply, Request


class Numbered(Wrapper):
    """Marks each request with the number of a sample or of an attempt."""

    def __init__(self, client: Client, *, sample: int = 0, attempt: int = 0) -> None:
        super().__init__(client)
        self._sample = sample
        self._attempt = attempt

    async def ask(self, request: Request) -> Reply:
        """Asks under these numbers; those that a wrapper further out gave are kept."""
        return await self.client.ask(
            replace(
                request,
                sample=request.sample or self._sample,
                attempt=request.attempt or self._attempt,
            )
        )
