"""Searches the web through a service with a key: Brave Search or Tavily.

The results are the service's own snippets; `WithPages` reads the pages behind them.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any

from yarl import URL

from assay.knowledge.ranking import TermTokenizer, cut_passages, rank
from assay.knowledge.sources import (
    FetchError,
    KnowledgePassage,
    KnowledgeSource,
    SourceWrapper,
    encodable,
    utc_now,
)
from assay.knowledge.web.addresses import service_address
from assay.knowledge.web.fetching import Fetcher, WebRequest
from assay.knowledge.web.services import ask_service, key_from, objects, short_query, text_of
from assay.text.html import Page, readable_page

MOST = 20  # results that either service returns at once


@dataclass(frozen=True, slots=True)
class Service:
    """A web-search service: its address, the variables with its key, its requests and answers."""

    name: str
    title: str
    address: str
    key_names: tuple[str, ...]
    request: Callable[[URL, str, str, int], WebRequest]
    read: Callable[[dict[str, Any]], list[KnowledgePassage]]


class WebSearch(SourceWrapper):
    """A web-search service; the key comes from the environment unless one is given."""

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
        """The snippets that the service finds, in its own order."""
        short = short_query(query, 400, 50)
        if not short:
            return ()
        request = self._service.request(self._url, self._key, short, min(most, MOST))
        answer = await ask_service(self._fetcher, request, self._service.title)
        return tuple(self._service.read(answer)[:most])


def _brave_request(url: URL, key: str, query: str, most: int) -> WebRequest:
    asked = {"q": query, "count": str(most), "result_filter": "web", "text_decorations": "false"}
    return WebRequest(str(url.with_query(asked)), headers={"X-Subscription-Token": key})


def _read_brave(answer: dict[str, Any]) -> list[KnowledgePassage]:
    return [
        _passage(
            readable_page(" ".join([text_of(each, "description"), *_more(each)])).text,
            each,
            text_of(each, "page_age"),
        )
        for each in _brave_results(answer)
        if text_of(each, "description")
    ]


def _brave_results(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The web results; an answer without any has no 'web', but does say that it is a search."""
    web = answer.get("web")
    if web is None and answer.get("type") == "search":
        return []
    if not isinstance(web, dict):
        raise FetchError("answer", "Brave Search answered without web results")
    results = objects(web, "results")
    for each in results:
        text_of(each, "url", needed=True)  # a description may be missing, an address may not
    return results


def _more(result: dict[str, Any]) -> list[str]:
    more = result.get("extra_snippets")
    return [each for each in more if isinstance(each, str)] if isinstance(more, list) else []


def _tavily_request(url: URL, key: str, query: str, most: int) -> WebRequest:
    asked = {"query": query, "max_results": most, "search_depth": "basic"}
    return WebRequest(str(url), asked, headers={"Authorization": f"Bearer {key}"})


def _read_tavily(answer: dict[str, Any]) -> list[KnowledgePassage]:
    return [
        _passage(text_of(each, "content"), each, text_of(each, "published_date"))
        for each in objects(answer, "results")
        if text_of(each, "content", needed=True)
    ]


def _passage(text: str, result: dict[str, Any], time: str) -> KnowledgePassage:
    score = result.get("score")
    return KnowledgePassage(
        encodable(text),
        encodable(readable_page(text_of(result, "title")).text),
        encodable(text_of(result, "url")),
        _time(time),
        utc_now(),
        float(score) if isinstance(score, int | float) else None,
    )


def _time(stated: str) -> str:
    """A time as stated; one in the form of a mail header is converted to ours.

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
    _brave_request,
    _read_brave,
)
TAVILY = Service(
    "tavily",
    "Tavily",
    "https://api.tavily.com/search",
    ("TAVILY_API_KEY",),
    _tavily_request,
    _read_tavily,
)
SERVICES = {service.name: service for service in (BRAVE, TAVILY)}


async def read_page(fetcher: Fetcher, address: str) -> tuple[KnowledgePassage, ...]:
    """The passages of a page, if its site lets programs read it."""
    answer = await fetcher.page(address)
    page = readable_page(answer.text) if answer.type == "text/html" else Page("", answer.text)
    text = encodable(page.text)
    return tuple(
        KnowledgePassage(
            text[each.start : each.end],
            encodable(page.title),
            answer.address,
            retrieved=answer.retrieved,
            start=each.start,
        )
        for each in cut_passages(text)
    )


class WithPages(SourceWrapper):
    """A source whose findings are replaced by the best passages of the pages they come from.

    If a page cannot be read, the snippet of the source is used instead.
    """

    def __init__(self, source: KnowledgeSource, fetcher: Fetcher) -> None:
        super().__init__(source)
        self._source = source
        self._fetcher = fetcher
        self._words = TermTokenizer()

    @property
    def name(self) -> str:
        """The name of the wrapped source, marked as reading pages."""
        return f"{self._source.name}+pages"

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The best passages of the pages that the wrapped source finds."""
        found = await self._source.search(query, most)
        async with self._fetcher:
            read = await asyncio.gather(*map(self._read, found))
        passages = [passage for passages in read for passage in passages]
        return rank(query, passages, most, self._words)

    async def _read(self, found: KnowledgePassage) -> tuple[KnowledgePassage, ...]:
        try:
            passages = await read_page(self._fetcher, found.address)
        except FetchError:
            return (found,)
        return tuple(
            replace(each, title=each.title or found.title, time=found.time) for each in passages
        ) or (found,)

    def close(self) -> None:
        """Frees the memory used for ranking."""
        self._words.close()
