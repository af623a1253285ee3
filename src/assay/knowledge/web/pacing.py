"""How often one host may be asked, and when it wants to be left alone."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from assay.knowledge.sources import FetchError

LONGEST_REST = 60.0  # seconds that are waited for a host that has had enough; then it is given up
_USUAL_REST = 5.0  # seconds, where it does not say how long
_MANY = 1_000  # hosts that are remembered before those are forgotten that have rested


class Pace:
    """Spreads requests so that each host gets no more than its share; in the order they came."""

    def __init__(self, per_second: float) -> None:
        self._pause = 1 / per_second
        self._pauses: dict[str, float] = {}
        self._next: dict[str, float] = {}
        self._rests: dict[str, float] = {}  # until when a host wants to be left alone

    def slow_down(self, host: str, pause: float) -> None:
        """A host wants at least so many seconds between requests."""
        if pause > self._pause:
            self._pauses[host] = pause

    def rest(self, host: str, seconds: float) -> None:
        """A host wants to be left alone for so many seconds."""
        until = asyncio.get_running_loop().time() + seconds
        self._rests[host] = max(until, self._rests.get(host, 0.0))

    async def turn(self, host: str) -> None:
        """Waits until the host may be asked; raises where that would take too long."""
        clock = asyncio.get_running_loop().time
        is_resting = True
        while is_resting:
            now, rested = clock(), self._rests.get(host, 0.0)
            if rested - now > LONGEST_REST:
                said = f"{host} wants to be left alone for {rested - now:,.0f} s"
                raise FetchError("status", said, status=429)
            if len(self._next) > _MANY:
                self._next = {name: when for name, when in self._next.items() if when > now}
            when = max(now, rested, self._next.get(host, now))
            self._next[host] = when + self._pauses.get(host, self._pause)
            await asyncio.sleep(when - now)
            is_resting = self._rests.get(host, 0.0) > clock()


def rest_wanted(status: int, headers: Mapping[str, str]) -> float:
    """How many seconds a server wants to be left alone, by its answer; 0 if it does not say so.

    >>> rest_wanted(429, {"Retry-After": "7"}), rest_wanted(429, {}), rest_wanted(200, {})
    (7.0, 5.0, 0.0)
    """
    stated = headers.get("Retry-After", "").strip()
    if status not in (429, 503) or (status == 503 and not stated):
        return 0.0
    if stated.isascii() and stated.isdigit():
        return float(stated[:9])
    try:
        until = parsedate_to_datetime(stated)
    except (ValueError, TypeError, IndexError):
        return _USUAL_REST
    left = until.replace(tzinfo=until.tzinfo or UTC) - datetime.now(UTC)
    return max(left.total_seconds(), _USUAL_REST)
