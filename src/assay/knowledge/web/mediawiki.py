"""Searches a wiki that runs MediaWiki, such as Wikipedia, through its API.

The pages that the wiki finds are read in full, cut into passages and ranked by the query. On a wiki
without the TextExtracts extension, the pages are read as HTML instead.
"""

from typing import Any

from yarl import URL

from assay.core.errors import InputError
from assay.knowledge.ranking import TermTokenizer, cut_passages, rank
from assay.knowledge.sources import FetchError, KnowledgePassage, SourceWrapper, encodable, utc_now
from assay.knowledge.web.addresses import Allow, service_address
from assay.knowledge.web.fetching import Fetcher, WebRequest
from assay.knowledge.web.services import ask_service, fit, key_words, objects, text_of
from assay.text.html import readable_page

WIKIPEDIA = "https://en.wikipedia.org/w/api.php"
_LONGEST_QUERY = 290  # characters; Wikipedia's search takes 300
_MOST_WORDS = 12  # a page must contain all words of a query, so few are better


class MediaWiki(SourceWrapper):
    """A wiki, given the address of its `api.php`; `/w/api.php` is appended to any other.

    `pages` is how many of the pages found are read; each takes one request.
    """

    def __init__(self, fetcher: Fetcher, address: str = WIKIPEDIA, *, pages: int = 3) -> None:
        if pages < 1:
            raise InputError(f"pages must be 1 or more, not {pages}", field="pages")
        super().__init__(fetcher)
        self._fetcher = fetcher
        self._pages = pages
        self._words = TermTokenizer()
        self._api = _api(address, fetcher.allow)

    @property
    def name(self) -> str:
        """The name of the wiki, after its address."""
        return f"mediawiki:{self._api}"

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The best passages of the pages that contain all key words, or else any of them."""
        words = key_words(query)[:_MOST_WORDS]
        if not words:
            return ()
        found = await self._find(fit(words, _LONGEST_QUERY, _MOST_WORDS))
        if not found and len(words) > 1:
            found = await self._find(fit(words, _LONGEST_QUERY, _MOST_WORDS, " OR "))
        passages: list[KnowledgePassage] = []
        for page in found:
            passages += await self._read(page)
        return rank(query, passages, most, self._words)

    async def _find(self, query: str) -> list[dict[str, Any]]:
        """The pages that the wiki's own search finds, best first."""
        answer = await self._ask(
            action="query",
            list="search",
            srsearch=query,
            srlimit=str(self._pages),
            srprop="timestamp",
        )
        pages = objects(answer, "search") if answer else []
        if not all(type(page.get("pageid")) is int for page in pages):
            raise FetchError("answer", f"{self._api.host} returned pages without a 'pageid'")
        return pages

    async def _read(self, found: dict[str, Any]) -> list[KnowledgePassage]:
        """The passages of a page."""
        answer = await self._ask(
            action="query",
            prop="extracts|info",
            pageids=str(found["pageid"]),
            explaintext="1",
            exsectionformat="plain",
            exlimit="1",
            inprop="url",
        )
        page = next(iter(objects(answer, "pages")), {}) if answer else {}
        text = text_of(page, "extract") or await self._read_html(found["pageid"])
        title = text_of(page, "title") or text_of(found, "title")
        address = text_of(page, "fullurl") or str(self._api.with_query(curid=found["pageid"]))
        about = (title, address, text_of(found, "timestamp"), utc_now())
        text = encodable(text)
        return [
            KnowledgePassage(text[each.start : each.end], *about, start=each.start)
            for each in cut_passages(text)
        ]

    async def _read_html(self, page: int) -> str:
        answer = await self._ask(
            action="parse", pageid=str(page), prop="text", disableeditsection="1", disabletoc="1"
        )
        return readable_page(text_of(answer, "text", needed=True)).text

    async def _ask(self, **parameters: str) -> dict[str, Any]:
        """The part of the answer that is named after the action."""
        form = {"format": "json", "formatversion": "2"}
        url = self._api.with_query({**parameters, **form})
        answer = await ask_service(self._fetcher, WebRequest(str(url)), str(self._api.host))
        if isinstance(error := answer.get("error"), dict):
            said = text_of(error, "info") or text_of(error, "code")
            raise FetchError("answer", f"{self._api.host} reports an error: {said[:200]}")
        value = answer.get(parameters["action"])
        if isinstance(value, dict):
            return value
        if answer.get("batchcomplete") is not None:  # without results there is no 'query'
            return {}
        raise FetchError("answer", f"{self._api} does not answer like the API of a MediaWiki")

    def close(self) -> None:
        """Frees the memory used for ranking."""
        self._words.close()


def _api(address: str, allow: Allow) -> URL:
    url = service_address(address, "a wiki", allow)
    return url if url.path.endswith(".php") else url / "w" / "api.php"
