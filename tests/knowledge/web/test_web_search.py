"""Brave Search and Tavily, played by a server that answers as they do."""

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from assay.core.errors import InputError, ServiceError
from assay.knowledge import FetchError, KnowledgePassage, KnowledgeSource
from assay.knowledge.web.fetching import Fetcher
from assay.knowledge.web.web_search import BRAVE, TAVILY, Service, WebSearch, WithPages
from tests.knowledge.conftest import Site

BRAVE_ANSWER = {
    "type": "search",
    "web": {
        "results": [
            {
                "title": "The <strong>ferry</strong>",
                "url": "https://x.org/ferry",
                "description": "It sank in <strong>1986</strong> &amp; was lost.",
                "page_age": "2023-02-01T00:00:00",
                "extra_snippets": ["Nobody drowned."],
            },
            {"title": "Empty", "url": "https://x.org/empty"},
        ]
    },
}
TAVILY_ANSWER = {
    "query": "ferry",
    "results": [
        {
            "title": "The ferry",
            "url": "https://x.org/ferry",
            "content": "It sank in 1986.",
            "score": 0.81,
            "published_date": "Tue, 04 Mar 2025 10:00:00 GMT",
        }
    ],
}


def search(source: KnowledgeSource, query: str = "ferry", most: int = 5) -> list[KnowledgePassage]:
    async def work() -> list[KnowledgePassage]:
        async with source:
            return list(await source.search(query, most))

    return asyncio.run(work())


def answers(site: Site, value: Any, status: int = 200) -> None:
    site.answers["/search"] = (status, "application/json", json.dumps(value))


def service(which: Service, site: Site, fetcher: Fetcher) -> WebSearch:
    return WebSearch(which, fetcher, address=f"{site.base}/search", key="sesame")


def test_brave_is_asked_and_read(site: Site, fetcher: Fetcher) -> None:
    answers(site, BRAVE_ANSWER)
    (found,) = search(service(BRAVE, site, fetcher), 'the "ferry" -x', 3)
    assert found.text == "It sank in 1986 & was lost. Nobody drowned."
    assert (found.title, found.address) == ("The ferry", "https://x.org/ferry")
    assert (found.time, found.score) == ("2023-02-01T00:00:00", None)
    asked = parse_qs(urlsplit(site.asked[0]).query)
    assert (asked["q"], asked["count"]) == (["the ferry x"], ["3"])
    assert site.headers[0]["X-Subscription-Token"] == "sesame"


def test_tavily_is_asked_and_read(site: Site, fetcher: Fetcher) -> None:
    answers(site, TAVILY_ANSWER)
    (found,) = search(service(TAVILY, site, fetcher), "ferry", 50)
    assert (found.text, found.score) == ("It sank in 1986.", 0.81)
    assert found.time == "2025-03-04T10:00:00Z"
    assert json.loads(site.bodies[0])["max_results"] == 20
    assert site.headers[0]["Authorization"] == "Bearer sesame"


@pytest.mark.parametrize("which", [BRAVE, TAVILY], ids=lambda s: s.name)
def test_a_wrong_key_is_said_without_showing_it(
    which: Service, site: Site, fetcher: Fetcher
) -> None:
    for body in ({"detail": {"error": "bad key"}}, {"error": {"code": "X", "detail": "bad key"}}):
        answers(site, body, 401)
        with pytest.raises(
            ServiceError, match=r"does not accept the key \(401: bad key\)"
        ) as caught:
            search(service(which, site, fetcher))
        assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("which", [BRAVE, TAVILY], ids=lambda s: s.name)
@pytest.mark.parametrize("status", [429, 432, 500])
@pytest.mark.usefixtures("short_rest")
def test_what_may_pass_is_an_error_of_this_search(
    which: Service, status: int, site: Site, fetcher: Fetcher
) -> None:
    answers(site, {"error": {"detail": "later " * 100}}, status)
    with pytest.raises(FetchError, match=f"answered with status {status}: later") as caught:
        search(service(which, site, fetcher))
    assert caught.value.status == status
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("which", [BRAVE, TAVILY], ids=lambda s: s.name)
@pytest.mark.parametrize(
    "value", [{}, {"web": None}, {"web": "x"}, {"web": {}}, {"web": {"results": [1, None]}},
              {"web": {"results": [{"a": 1}]}}, {"results": "x"}, {"results": None},
              {"web": {"results": [{"url": "https://x.org", "description": ["x"]}]}},
              {"results": [{"content": 5}]}, {"results": [{"a": 1}]}],
)  # fmt: skip
def test_answers_of_another_form_are_errors(
    which: Service, value: Any, site: Site, fetcher: Fetcher
) -> None:
    answers(site, value)
    with pytest.raises(FetchError) as caught:
        search(service(which, site, fetcher))
    assert caught.value.reason == "answer"


@pytest.mark.parametrize(
    ("which", "value"),
    [
        (BRAVE, {"type": "search", "query": {}}),
        (BRAVE, {"web": {"results": []}}),
        (TAVILY, {"results": []}),
    ],
)
def test_nothing_found_is_no_error(
    which: Service, value: Any, site: Site, fetcher: Fetcher
) -> None:
    answers(site, value)
    assert search(service(which, site, fetcher)) == []


def test_long_sentences_are_cut_to_their_key_words(site: Site, fetcher: Fetcher) -> None:
    answers(site, TAVILY_ANSWER)
    search(service(TAVILY, site, fetcher), "The ferry was in the harbour. " * 40)
    assert json.loads(site.bodies[0])["query"] == "ferry harbour"


def test_a_query_without_words_is_not_sent(site: Site, fetcher: Fetcher) -> None:
    assert search(service(BRAVE, site, fetcher), "?!") == []
    assert site.asked == []


def test_keys_come_from_the_environment(fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*BRAVE.key_names, *TAVILY.key_names):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(InputError, match="set the environment variable BRAVE_API_KEY"):
        WebSearch(BRAVE, fetcher)
    monkeypatch.setenv("BRAVE_SEARCH_API_KEY", "sesame")
    assert WebSearch(BRAVE, fetcher).name == "brave"
    monkeypatch.setenv("TAVILY_API_KEY", "two words")
    with pytest.raises(InputError, match="the key in TAVILY_API_KEY contains a space"):
        WebSearch(TAVILY, fetcher)


def test_pages_behind_the_findings_are_read(site: Site, fetcher: Fetcher) -> None:
    page = "<title>All about it</title><p>Home.</p>" + "<p>Filling words here.</p>" * 60
    site.answers["/ferry"] = (200, "text/html", f"{page}<p>The ferry sank near Vass.</p>")
    result = {**TAVILY_ANSWER["results"][0], "url": f"{site.base}/ferry"}  # type: ignore[dict-item]
    answers(site, {"results": [result]})
    source = WithPages(service(TAVILY, site, fetcher), fetcher)
    found = search(source, "near which town did the ferry sink, Vass?")
    assert source.name == f"tavily:{site.base}/search+pages"
    assert found[0].text.endswith("The ferry sank near Vass.")
    assert (found[0].title, found[0].time) == ("All about it", "2025-03-04T10:00:00Z")


def test_a_page_that_cannot_be_read_leaves_its_snippet(site: Site, fetcher: Fetcher) -> None:
    results = [
        {"title": "t", "url": url, "content": f"The ferry {n}."}
        for n, url in enumerate((f"{site.base}/gone", "ftp://x.org", "", f"{site.base}/pdf"))
    ]
    site.answers["/pdf"] = (200, "application/pdf", "x")
    answers(site, {"results": results})
    found = search(WithPages(service(TAVILY, site, fetcher), fetcher), "ferry")
    assert sorted(each.text for each in found) == [f"The ferry {n}." for n in range(4)]


@pytest.mark.parametrize("which", [BRAVE, TAVILY])
@pytest.mark.parametrize("status", [400, 401])
def test_a_key_that_a_service_repeats_is_not_shown(
    which: Service, status: int, site: Site, fetcher: Fetcher
) -> None:
    source = WebSearch(which, fetcher, address=f"{site.base}/search", key="open-sesame-123")
    answers(site, {"error": "the key open-sesame-123 is not known"}, status)
    with pytest.raises((FetchError, ServiceError), match=r"the key \*\*\* is not known") as caught:
        search(source)
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be", "utf-32"])
def test_a_key_in_another_encoding_is_not_shown_either(
    encoding: str, site: Site, fetcher: Fetcher
) -> None:
    source = WebSearch(BRAVE, fetcher, address=f"{site.base}/search", key="open-sesame-123")
    body = json.dumps({"error": "the key open-sesame-123 is not known"}).encode(encoding)
    site.answers["/search"] = (401, "application/json", body)
    with pytest.raises(ServiceError, match="does not accept the key") as caught:
        search(source)
    assert "sesame" not in str(caught.value)


@pytest.mark.parametrize("which", [BRAVE, TAVILY])
def test_a_key_that_a_service_repeats_is_not_in_what_was_found(
    which: Service, site: Site, fetcher: Fetcher
) -> None:
    source = WebSearch(which, fetcher, address=f"{site.base}/search", key="open-sesame-123")
    found = {"url": "https://a.example/?k=open%2Dsesame%2D123", "title": "open-sesame-123"}
    result = {**found, "description": "say open-sesame-123", "content": "say open-sesame-123"}
    answers(site, {"type": "search", "web": {"results": [result]}, "results": [result]})
    (passage,) = search(source)
    assert (passage.text, passage.title) == ("say ***", "***")
    assert passage.address == "https://a.example/?k=***"


def test_a_key_in_a_redirect_is_not_shown(site: Site, fetcher: Fetcher) -> None:
    source = WebSearch(TAVILY, fetcher, address=f"{site.base}/search", key="open-sesame-123")
    site.sends_on("/search", "https://other.example/open-sesame-123")
    with pytest.raises(FetchError, match=r"redirects to https://other\.example/\*\*\*, which"):
        search(source)


def test_the_server_of_a_search_is_named_once(
    site: Site, fetcher: Fetcher, caplog: pytest.LogCaptureFixture
) -> None:
    source = WebSearch(TAVILY, fetcher, address=f"{site.base}/search", key="open-sesame-123")
    answers(site, {"results": []})
    with caplog.at_level("INFO", "assay"):
        search(source)
        search(source)
    assert caplog.messages == [f"searches go to {site.base}"]
