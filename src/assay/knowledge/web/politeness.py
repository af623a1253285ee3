"""Politeness towards hosts: how often they are contacted, and which pages their robots.txt allows.

Without a robots.txt (404 and the like) every page may be read. If the site asks for a password for
it, answers with a server error or does not answer at all, none may: what it would have said is
unknown. The rules are read as RFC 9309 says: the longest matching rule wins, and `*` and `$` have
their meaning. Python's own reader is older: it takes the first rule that matches, and reads `*` as
a star.
"""

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

LONGEST_REST = 60.0  # seconds to wait for a host that asks for a pause; beyond that it is given up
LONGEST_PAUSE = 30.0  # seconds between two pages; a site that asks for more is not read
_USUAL_REST = 5.0  # seconds, if it does not say how long
_MANY = 1_000  # hosts or sites to remember before forgetting some


class HostPace:
    """Spaces out the requests to each host, in the order they came."""

    def __init__(self, per_second: float) -> None:
        self._pause = 1 / per_second
        self._pauses: dict[str, float] = {}
        self._next: dict[str, float] = {}
        self._rests: dict[str, float] = {}  # until when a host asks not to be contacted

    def slow_down(self, host: str, pause: float) -> None:
        """Leaves at least this many seconds between requests to a host."""
        if pause > self._pause:
            self._pauses[host] = pause

    def rest(self, host: str, seconds: float) -> None:
        """Leaves a host alone for this many seconds."""
        until = asyncio.get_running_loop().time() + seconds
        self._rests[host] = max(until, self._rests.get(host, 0.0))

    async def turn(self, host: str) -> None:
        """Waits until the host may be contacted; raises if that would take too long."""
        clock = asyncio.get_running_loop().time
        is_resting = True
        while is_resting:
            now, rested = clock(), self._rests.get(host, 0.0)
            if rested - now > LONGEST_REST:
                said = f"{host} asks not to be contacted for {rested - now:,.0f} s"
                raise FetchError("status", said, status=429)
            if len(self._next) > _MANY:
                self._next = {name: when for name, when in self._next.items() if when > now}
            when = max(now, rested, self._next.get(host, now))
            self._next[host] = when + self._pauses.get(host, self._pause)
            await asyncio.sleep(when - now)
            is_resting = self._rests.get(host, 0.0) > clock()


def rest_wanted(status: int, headers: Mapping[str, str]) -> float:
    """For how many seconds an answer asks not to be contacted; 0 if it does not.

    >>> rest_wanted(429, {"Retry-After": "7"}), rest_wanted(429, {}), rest_wanted(200, {})
    (7.0, 5.0, 0.0)
    """
    stated = headers.get("Retry-After", "").strip()
    if status not in (429, 503) or (status == 503 and not stated):
        return 0.0
    if stated.isascii() and stated.isdigit():
        return float(stated[:9])
    until, now = _moment(stated), _moment(headers.get("Date", ""))  # both by the server's clock
    left = (until - (now or datetime.now(UTC))).total_seconds() if until else 0.0
    return max(left, _USUAL_REST)


def _moment(date: str) -> datetime | None:
    """The date of a header; None if it is not one."""
    try:
        moment = parsedate_to_datetime(date)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return moment.replace(tzinfo=moment.tzinfo or UTC)


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """Patterns of paths with whether they may be read, and the seconds to leave between pages."""

    lines: tuple[tuple[str, bool], ...] = ()
    pause: float = 0.0

    def allows(self, path: str) -> bool:
        """True if a path, with its query, may be read; of equally long rules, the permission wins.

        >>> rules = RobotsRules((("/", False), ("/open", True), ("/*.pdf$", False)))
        >>> [rules.allows(path) for path in ("/a", "/open/a", "/open/a.pdf", "/open/a.pdf?b")]
        [False, True, False, True]
        """
        path = unquote(path)
        matching = [(len(line), allowed) for line, allowed in self.lines if _matches(line, path)]
        return max(matching)[1] if matching else True


NOTHING = RobotsRules((("/", False),))


class Robots:
    """The rules of each site, read once."""

    def __init__(self, fetch: Callable[[URL], Awaitable[tuple[int, str]]], agent: str) -> None:
        self._fetch = fetch
        self._agent = agent
        self._rules: dict[URL, RobotsRules] = {}

    async def pause(self, url: URL) -> float:
        """The seconds to leave between pages of this site; raises if this page may not be read."""
        origin = url.origin()
        rules = self._rules.get(origin)
        if rules is None:
            if len(self._rules) >= _MANY:
                self._rules.clear()
            rules = self._rules[origin] = await self._read(origin)
        if not rules.allows(url.raw_path_qs):
            raise FetchError(
                "robots", f"the robots.txt of {url.host} does not allow programs to read {url}"
            )
        if rules.pause > LONGEST_PAUSE:
            wanted = f"{rules.pause:g} s between pages"
            raise FetchError("robots", f"the robots.txt of {url.host} asks for {wanted}: not read")
        return rules.pause

    async def _read(self, origin: URL) -> RobotsRules:
        try:
            status, text = await self._fetch(origin / "robots.txt")
        except FetchError as error:
            if error.reason in ("refused", "unreached"):  # as the page itself would be
                raise
            raise FetchError(
                "robots",
                f"cannot read the robots.txt of {origin.host}, so no page is read: {error}",
            ) from None
        if status in (401, 403):
            return NOTHING
        if status >= 500 or status == 429:
            said = f"the robots.txt of {origin.host} has status {status}, so no page is read"
            raise FetchError("robots", said)
        return read_rules(text, self._agent) if status == 200 else RobotsRules()


def read_rules(text: str, agent: str) -> RobotsRules:
    """The rules for a program, or those for all programs if none name it."""
    lines: dict[str, list[tuple[str, bool]]] = defaultdict(list)
    pauses: dict[str, float] = {}
    agents: list[str] = []
    is_head = False  # whether the previous line named a program too
    for line in text.splitlines():
        name, colon, value = (part.strip() for part in line.partition("#")[0].partition(":"))
        name = name.lower()
        if colon and name == "user-agent":
            agents = [*agents, value.lower()] if is_head else [value.lower()]
            lines[value.lower()]  # a program may be named without rules
        elif name in ("allow", "disallow") and value:
            for each in agents:
                lines[each].append((unquote(value), name == "allow"))
        elif name == "crawl-delay":
            pauses |= dict.fromkeys(agents, _seconds(value))
        is_head = name == "user-agent" or (is_head and not name)
    ours = agent.lower() if agent.lower() in lines else "*"
    return RobotsRules(tuple(lines.get(ours, ())), pauses.get(ours, 0.0))


def _matches(pattern: str, path: str) -> bool:
    """True if a path starts with the pattern, or equals it if the pattern ends in `$`."""
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
