"""Whether a site wants its pages read by programs, as its robots.txt says.

Without a robots.txt (404 and the like) everything may be read. Where the site wants a password for
it, answers with an error of its own or does not answer, nothing may: what it would have said is not
known.
"""

from collections.abc import Awaitable, Callable

from yarl import URL

from assay.knowledge.sources import FetchError
from assay.knowledge.web.answers import Fetched
from assay.knowledge.web.robots_rules import NOTHING, Rules, read_rules

LONGEST_PAUSE = 30.0  # seconds between two pages; a site that wants more is left alone
_MANY = 1_000  # sites that are remembered


class Robots:
    """The rules of the sites that were asked; each is read once."""

    def __init__(self, fetch: Callable[[URL], Awaitable[Fetched]], agent: str) -> None:
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
            answer = await self._fetch(origin / "robots.txt")
        except FetchError as error:
            if error.reason in ("refused", "unreached"):  # as the page itself would be
                raise
            raise FetchError(
                "robots", f"the robots.txt of {origin.host} cannot be read, so nothing is: {error}"
            ) from None
        if answer.status in (401, 403):
            return NOTHING
        if answer.status >= 500 or answer.status == 429:
            said = f"the robots.txt of {origin.host} answers {answer.status}, so nothing is read"
            raise FetchError("robots", said)
        return read_rules(answer.text, self._agent) if answer.status == 200 else Rules()
