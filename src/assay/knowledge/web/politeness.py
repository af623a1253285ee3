"""How often a host may be asked, and which of its pages programs may read."""

import asyncio
import math
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import unquote

from yarl import URL

from assay.knowledge.sources import FetchError

LONGEST_REST = 60.0  # seconds that are waited for a host that has had enough; then it is given up
_USUAL_REST = 5.0  # seconds, where it does not say how long
_MANY = 1_000  # hosts that are remembered before those are forgotten that have rested


class HostPace:
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


LONGEST_PAUSE = 30.0  # seconds between two pages; a site that wants more is left alone
_MANY = 1_000  # sites that are remembered


@dataclass(frozen=True, slots=True)
class Rules:
    """Patterns of paths with whether they may be read, and the seconds wanted between two pages."""

    lines: tuple[tuple[str, bool], ...] = ()
    pause: float = 0.0

    def allows(self, path: str) -> bool:
        """Whether a path, with its query, may be read; of rules of equal length the kinder wins.

        >>> rules = Rules((("/", False), ("/open", True), ("/*.pdf$", False)))
        >>> [rules.allows(path) for path in ("/a", "/open/a", "/open/a.pdf", "/open/a.pdf?b")]
        [False, True, False, True]
        """
        path = unquote(path)
        fitting = [(len(line), allowed) for line, allowed in self.lines if _fits(line, path)]
        return max(fitting)[1] if fitting else True


NOTHING = Rules((("/", False),))


class Robots:
    """The rules of the sites that were asked; each is read once."""

    def __init__(self, fetch: Callable[[URL], Awaitable[tuple[int, str]]], agent: str) -> None:
        self._fetch = fetch
        self._agent = agent
        self._rules: dict[URL, Rules] = {}

    async def pause(self, url: URL) -> float:
        """How many seconds the site wants between two pages; raises if this one is not for us."""
        origin = url.origin()
        rules = self._rules.get(origin)
        if rules is None:
            if len(self._rules) >= _MANY:
                self._rules.clear()
            rules = self._rules[origin] = await self._read(origin)
        if not rules.allows(url.raw_path_qs):
            raise FetchError("robots", f"the robots.txt of {url.host} keeps programs from {url}")
        if rules.pause > LONGEST_PAUSE:
            wanted = f"{rules.pause:g} s between pages"
            raise FetchError("robots", f"{url.host} wants {wanted}: left alone")
        return rules.pause

    async def _read(self, origin: URL) -> Rules:
        try:
            status, text = await self._fetch(origin / "robots.txt")
        except FetchError as error:
            if error.reason in ("refused", "unreached"):  # as the page itself would be
                raise
            raise FetchError(
                "robots", f"the robots.txt of {origin.host} cannot be read, so nothing is: {error}"
            ) from None
        if status in (401, 403):
            return NOTHING
        if status >= 500 or status == 429:
            said = f"the robots.txt of {origin.host} answers {status}, so nothing is read"
            raise FetchError("robots", said)
        return read_rules(text, self._agent) if status == 200 else Rules()


def read_rules(text: str, agent: str) -> Rules:
    """The rules for a program, or for all where none are for it alone."""
    lines: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    pauses: dict[str, float] = {}
    agents: list[str] = []
    is_head = False  # whether the line before named a program too
    for line in text.splitlines():
        name, colon, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        name = name.lower()
        if colon and name == "user-agent":
            agents = [*agents, value.lower()] if is_head else [value.lower()]
            lines[value.lower()]  # a program may be named without a rule
        elif name in ("allow", "disallow") and value:
            for each in agents:
                lines[each].append((unquote(value), name == "allow"))
        elif name == "crawl-delay":
            pauses |= dict.fromkeys(agents, _seconds(value))
        is_head = name == "user-agent" or (is_head and not name)
    ours = agent.lower() if agent.lower() in lines else "*"
    return Rules(tuple(lines.get(ours, ())), pauses.get(ours, 0.0))


def _fits(pattern: str, path: str) -> bool:
    """Whether a path begins as the pattern says, or is the pattern where that ends in `$`."""
    is_whole = pattern.endswith("$")
    first, *others = pattern.removesuffix("$").split("*")
    if not path.startswith(first):
        return False
    position = len(first)
    last = others.pop() if others and is_whole else None
    for part in others:
        position = path.find(part, position)
        if position < 0:
            return False
        position += len(part)
    if last is not None:
        return path.endswith(last) and len(path) - len(last) >= position
    return not is_whole or position == len(path)


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0
