"""Searches the web through a service that takes a key: Brave Search, or Tavily.

What comes back are the services' own snippets; `WithPages` reads the pages behind them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from yarl import URL

from assay.knowledge.html_text import read_html
from assay.knowledge.passages import KnowledgePassage, now, whole
from assay.knowledge.sources import Around, FetchError
from assay.knowledge.web.addresses import service_address
from assay.knowledge.web.fetching import Ask, Fetcher
from assay.knowledge.web.queries import short_query
from assay.knowledge.web.services import ask_service, key_from, objects, text_of

MOST = 20  # results that either service gives at once


@dataclass(frozen=True, slots=True)
class Service:
    """A web-search service: its address, where its key stands, how to ask, and how to read it."""

    name: str
    title: str
    address: str
    key_names: tuple[str, ...]
    ask: Callable[[URL, str, str, int], Ask]
    read: Callable[[dict[str, Any]], list[KnowledgePassage]]


class WebSearch(Around):
    """A web-search service, with the key from the environment unless one is given."""

    def __init__(
        self, service: Service, fetcher: Fetcher, *, address: str = "", key: str = ""
    ) -> None:
        super().__init__(fetcher)
        self._service = service
        self._fetcher = fetcher
        self._key = key or key_from(service.key_names, service.title)
        self._url = service_address(address or service.address, service.title, fetcher.allow)
        self.name = f"{service.name}:{self._url}" if address else service.name

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The snippets that the service finds, in its order."""
        short = short_query(query, 400, 50)
        if not short:
            return ()
        ask = self._service.ask(self._url, self._key, short, min(most, MOST))
        answer = await ask_service(self._fetcher, ask, self._service.title)
        return tuple(self._service.read(answer)[:most])


def _ask_brave(url: URL, key: str, query: str, most: int) -> Ask:
    asked = {"q": query, "count": str(most), "result_filter": "web", "text_decorations": "false"}
    return Ask(str(url.with_query(asked)), headers={"X-Subscription-Token": key})


def _read_brave(answer: dict[str, Any]) -> list[KnowledgePassage]:
    return [
        _passage(
            read_html(" ".join([text_of(each, "description"), *_more(each)])).text,
            each,
            text_of(each, "page_age"),
        )
        for each in _brave_results(answer)
        if text_of(each, "description")
    ]


def _brave_results(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The results; where none are of the web, an answer has no 'web', but says that it is one."""
    web = answer.get("web")
    if web is None and answer.get("type") == "search":
        return []
    if not isinstance(web, dict):
        raise FetchError("answer", "Brave Search answers without results of the web")
    results = objects(web, "results")
    for each in results:
        text_of(each, "url", needed=True)  # a description may be missing, an address never
    return results


def _more(result: dict[str, Any]) -> list[str]:
    more = result.get("extra_snippets")
    return [each for each in more if isinstance(each, str)] if isinstance(more, list) else []


def _ask_tavily(url: URL, key: str, query: str, most: int) -> Ask:
    asked = {"query": query, "max_results": most, "search_depth": "basic"}
    return Ask(str(url), asked, headers={"Authorization": f"Bearer {key}"})


def _read_tavily(answer: dict[str, Any]) -> list[KnowledgePassage]:
    return [
        _passage(text_of(each, "content"), each, text_of(each, "published_date"))
        for each in objects(answer, "results")
        if text_of(each, "content", needed=True)
    ]


def _passage(text: str, result: dict[str, Any], time: str) -> KnowledgePassage:
    score = result.get("score")
    return KnowledgePassage(
        whole(text),
        whole(read_html(text_of(result, "title")).text),
        whole(text_of(result, "url")),
        _time(time),
        now(),
        float(score) if isinstance(score, int | float) else None,
    )


def _time(stated: str) -> str:
    """A time as it is stated, or as all others are where it is that of a mail.

    >>> _time("Tue, 04 Mar 2025 10:00:00 GMT"), _time("2025-03-04")
    ('2025-03-04T10:00:00Z', '2025-03-04')
    """
    try:
        return parsedate_to_datetime(stated).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (ValueError, TypeError):
        return stated


BRAVE = Service(
    "brave",
    "Brave Search",
    "https://api.search.brave.com/res/v1/web/search",
    ("BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY"),
    _ask_brave,
    _read_brave,
)
TAVILY = Service(
    "tavily",
    "Tavily",
    "https://api.tavily.com/search",
    ("TAVILY_API_KEY",),
    _ask_tavily,
    _read_tavily,
)
