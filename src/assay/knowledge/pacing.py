"""How often one host may be asked."""

import asyncio

_MANY = 1_000  # hosts that are remembered before those are forgotten that have rested


class Pace:
    """Spreads requests so that each host gets no more than its share; in the order they came."""

    def __init__(self, per_second: float) -> None:
        self._pause = 1 / per_second
        self._pauses: dict[str, float] = {}
        self._next: dict[str, float] = {}

    def slow_down(self, host: str, pause: float) -> None:
        """A host wants at least so many seconds between requests."""
        if pause > self._pause:
            self._pauses[host] = pause

    async def turn(self, host: str) -> None:
        """Waits until the host may be asked."""
        now = asyncio.get_running_loop().time()
        if len(self._next) > _MANY:
            self._next = {name: when for name, when in self._next.items() if when > now}
        when = max(now, self._next.get(host, now))
        self._next[host] = when + self._pauses.get(host, self._pause)
        await asyncio.sleep(when - now)
