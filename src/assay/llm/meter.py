"""What was asked of a model and what it cost."""

from dataclasses import dataclass

from assay.llm.client import CallError, Client, Wrapper
from assay.llm.prices import Price
from assay.llm.requests import Reply, Request


@dataclass(slots=True)
class Meter:
    """Counts that grow: `calls` were paid for, `cached` were not, `failed` brought no reply.

    `estimated` counts the calls whose tokens the server did not count. `cost` is in US dollars,
    and None as soon as a call was paid whose price is not known. Several clients may share one.
    """

    calls: int = 0
    cached: int = 0
    failed: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: int = 0
    cost: float | None = 0.0

    def add(self, reply: Reply, price: Price | None) -> None:
        """Counts a reply."""
        if reply.cached:
            self.cached += 1
            return
        self.calls += 1
        self.prompt_tokens += reply.usage.prompt
        self.completion_tokens += reply.usage.completion
        self.estimated += reply.usage.estimated
        if price is None or self.cost is None:
            self.cost = None
        else:
            self.cost += price.of(reply.usage)


class Metered(Wrapper):
    """Counts in a meter what the client inside answers."""

    def __init__(self, client: Client, meter: Meter, price: Price | None) -> None:
        super().__init__(client)
        self.meter = meter
        self._price = price

    async def ask(self, request: Request) -> Reply:
        """Asks and counts."""
        try:
            reply = await self.client.ask(request)
        except CallError as error:
            self.meter.failed += error.reason != "budget"  # such a call was not made
            raise
        self.meter.add(reply, self._price)
        return reply
