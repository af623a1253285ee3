"""A wiki, played by a server that answers as MediaWiki does."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from assay.core.errors import InputError
from assay.knowledge import FetchError, KnowledgePassage
from assay.knowledge.web.fetching import Fetcher
from assay.knowledge.web.mediawiki import WIKIPEDIA, MediaWiki
from tests.knowledge.conftest import Site

FERRY = "The ferry Lindmoor sank in 1986. " + "It carried cars and people. " * 30
PAGES: dict[int, dict[str, Any]] = {
    7: {"title": "Lindmoor", "text": f"{FERRY}\n\n\nWreck\nDivers found the wreck in 1990."},
    8: {"title": "Vass", "text": "Vass is a town. The ferry of Vass is old."},
}


class Wiki:
    """A wiki whose search wants every word on one page, as that of Wikipedia does."""

    def __init__(self, *, extracts: bool = True) -> None:
        self.extracts = extracts
        self.searches: list[str] = []

    async def __call__(self, request: web.Request) -> web.StreamResponse:
        asked = request.query
        assert (asked["format"], asked["formatversion"]) == ("json", "2")
        answer = self._parse(asked) if asked["action"] == "parse" else self._query(asked)
        return web.json_response(answer)

    def _query(self, asked: Any) -> dict[str, Any]:
        if asked.get("list") == "search":
            return {"batchcomplete": True, "query": {"search": self._search(asked)}}
        number = int(asked["pageids"])
        page = {"pageid": number, "title": PAGES[number]["title"]}
        page["fullurl"] = f"https://wiki.example.org/wiki/{page['title']}"
        if self.extracts:
            page["extract"] = PAGES[number]["text"]
        return {"batchcomplete": True, "query": {"pages": [page]}}

    def _search(self, asked: Any) -> list[dict[str, Any]]:
        query = asked["srsearch"]
        self.searches.append(query)
        any_word = " OR " in query
        words = [word.casefold() for word in query.split() if word != "OR"]
        fits = any if any_word else all
        found = [
            {"ns": 0, "pageid": n, "title": p["title"], "timestamp": "2024-05-01T10:00:00Z"}
            for n, p in PAGES.items()
            if fits(word in p["text"].casefold() for word in words)
        ]
        return found[: int(asked["srlimit"])]

    def _parse(self, asked: Any) -> dict[str, Any]:
        page = PAGES[int(asked["pageid"])]
        return {"parse": {"title": page["title"], "text": f"<p>{page['text']}</p>"}}


def search(site: Site, fetcher: Fetcher, query: str, most: int = 3) -> list[KnowledgePassage]:
    async def work() -> list[KnowledgePassage]:
        async with MediaWiki(fetcher, site.base) as wiki:
            return list(await wiki.search(query, most))

    return asyncio.run(work())


def test_the_best_passages_of_the_pages_are_found(site: Site, fetcher: Fetcher) -> None:
    site.answers["/w/api.php"] = Wiki()
    best, *_ = search(site, fetcher, "When did divers find the wreck of the Lindmoor?")
    assert best.text.endswith("Divers found the wreck in 1990.")
    assert (best.title, best.address) == ("Lindmoor", "https://wiki.example.org/wiki/Lindmoor")
    assert (best.time, bool(best.retrieved)) == ("2024-05-01T10:00:00Z", True)
    assert best.start is not None
    assert PAGES[7]["text"][best.start : best.start + len(best.text)] == best.text


def test_any_word_will_do_where_no_page_has_all(site: Site, fetcher: Fetcher) -> None:
    site.answers["/w/api.php"] = wiki = Wiki()
    found = search(site, fetcher, "The ferry Lindmoor exploded")
    assert wiki.searches == ["ferry Lindmoor exploded", "ferry OR Lindmoor OR exploded"]
    assert found[0].title == "Lindmoor"


def test_signs_of_the_search_language_are_left_out(site: Site, fetcher: Fetcher) -> None:
    site.answers["/w/api.php"] = wiki = Wiki()
    search(site, fetcher, '-ferry insource:/x/ "Lindmoor" ~1986 incategory:Ships')
    assert wiki.searches[0] == "ferry insource x Lindmoor 1986 incategory Ships"


def test_long_sentences_become_short_queries(site: Site, fetcher: Fetcher) -> None:
    site.answers["/w/api.php"] = wiki = Wiki()
    search(site, fetcher, " ".join(f"extraordinarily{n}" for n in range(80)))
    assert all(len(query) < 300 for query in wiki.searches)


def test_a_wiki_without_extracts_is_read_as_html(site: Site, fetcher: Fetcher) -> None:
    site.answers["/w/api.php"] = Wiki(extracts=False)
    assert search(site, fetcher, "town of Vass")[0].text.startswith("Vass is a town.")


def test_nothing_found_is_no_error(site: Site, fetcher: Fetcher) -> None:
    site.answers["/w/api.php"] = Wiki()
    assert search(site, fetcher, "zebra") == []
    assert search(site, fetcher, "?!") == []


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ((200, "application/json", json.dumps({"error": {"info": "too busy"}})), "too busy"),
        ((200, "application/json", "{}"), "does not answer like the API of a MediaWiki"),
        ((200, "application/json", "[1]"), "JSON that is not an object"),
        ((200, "application/json", "{" * 100_000), "did not answer with JSON"),
        ((200, "text/html", "<p>Hello"), "did not answer with JSON"),
        (
            (429, "application/json", '{"message": "slow down"}'),
            "answered with status 429: slow down",
        ),
        ((404, "text/html", "no"), "answered with status 404"),
    ],
)
@pytest.mark.usefixtures("short_rest")
def test_what_a_wiki_answers_wrongly_is_said(
    answer: tuple[int, str, str], message: str, site: Site, fetcher: Fetcher
) -> None:
    site.answers["/w/api.php"] = (answer[0], answer[1], answer[2][:40_000])
    with pytest.raises(FetchError, match=message):
        search(site, fetcher, "ferry")


FOUND = {"search": [{"pageid": 7, "title": "Lindmoor"}]}


@pytest.mark.parametrize(
    "value",
    [
        {"searchinfo": {"totalhits": 1}},
        {"search": "nope", "pages": 5},
        {"search": [7]},
        {"search": [{"title": "Lindmoor"}]},
        {**FOUND, "pages": {"7": {"extract": "The ferry."}}},
        {**FOUND, "pages": [{"extract": ["The ferry."]}]},
    ],
)
def test_an_answer_of_another_form_is_an_error(value: Any, site: Site, fetcher: Fetcher) -> None:
    answer = {"query": value, "parse": {"text": ""}}
    site.answers["/w/api.php"] = (200, "application/json", json.dumps(answer))
    with pytest.raises(FetchError) as caught:
        search(site, fetcher, "ferry")
    assert caught.value.reason == "answer"


def test_a_wiki_is_known_by_its_address(fetcher: Fetcher) -> None:
    assert MediaWiki(fetcher).name == f"mediawiki:{WIKIPEDIA}"
    assert MediaWiki(fetcher, "https://x.org/api.php").name == "mediawiki:https://x.org/api.php"
    for address in ("x.org", "", "ftp://x.org", "http://x:99999"):
        with pytest.raises(InputError, match="the address of a wiki cannot be used"):
            MediaWiki(fetcher, address)
    with pytest.raises(InputError, match="pages must be 1 or more"):
        MediaWiki(fetcher, pages=0)
