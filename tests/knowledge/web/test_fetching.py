"""The fetcher against a real server: limits, redirects, robots, pace."""

import asyncio
import gzip
from collections.abc import Coroutine
from typing import Any

import pytest
from aiohttp import web

from assay.core.errors import InputError
from assay.knowledge import FetchError
from assay.knowledge.web.fetching import Fetcher, FetchLimits, WebAnswer, WebRequest
from assay.knowledge.web.politeness import HostPace
from tests.knowledge.conftest import Site

QUICK = FetchLimits(seconds=0.5, bytes=50_000, per_second=1000)


class NotedPace(HostPace):
    """Notes what it is told, and never waits."""

    def __init__(self) -> None:
        super().__init__(per_second=1)
        self.noted: list[str] = []

    def slow_down(self, host: str, pause: float) -> None:
        if pause:
            self.noted.append(f"slow down to {pause:g} s")

    def rest(self, host: str, seconds: float) -> None:
        self.noted.append(f"rest for {seconds:g} s")

    async def turn(self, host: str) -> None:
        self.noted.append("turn")


def only_first(number: str) -> bool:
    """Allows 127.0.0.1 and no other address, as if it were the only public one."""
    return number == "127.0.0.1"


def failure(work: Coroutine[Any, Any, object]) -> FetchError:
    with pytest.raises(FetchError) as caught:
        asyncio.run(work)
    assert "\n" not in str(caught.value)
    return caught.value


def test_an_answer_says_where_and_when_it_came_from(site: Site, fetcher: Fetcher) -> None:
    site.answers["/a"] = (200, "text/plain; charset=latin-1", "Café".encode("latin-1"))
    answer = asyncio.run(fetcher.page(f"{site.base}/a#part"))
    assert (answer.text, answer.address, answer.type) == ("Café", f"{site.base}/a", "text/plain")
    assert answer.retrieved.endswith("Z")


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/html", b"<meta charset=latin-1><p>Caf\xe9", "Café"),
        ("text/html; charset=nonsense", "<p>Café".encode(), "Café"),
        ("text/html; charset=hex", "<p>Café".encode(), "Café"),
        ("text/html; charset=punycode", "<p>Café".encode(), "Café"),
        ("text/plain", b"\xef\xbb\xbfCaf\xc3\xa9 \xff", "Café \ufffd"),
    ],
)
def test_bytes_are_read_as_the_page_says(kind: str, body: bytes, text: str) -> None:
    name, _, charset = kind.partition("; charset=")
    assert WebAnswer("a", 200, name, charset, body, "").text.endswith(text)


def test_private_servers_are_refused_by_default(site: Site) -> None:
    for host in ("127.0.0.1", "localhost"):
        error = failure(Fetcher(QUICK).page(f"http://{host}:{site.port}/"))
        assert (error.reason, site.asked) == ("refused", [])


def test_redirects_are_followed(site: Site, fetcher: Fetcher) -> None:
    site.sends_on("/a", "/b")
    site.sends_on("/b", f"{site.base}/c", 308)
    site.answers["/c"] = (200, "text/plain", "there")
    assert asyncio.run(fetcher.fetch(WebRequest(f"{site.base}/a"))).address == f"{site.base}/c"


def test_a_redirect_to_an_address_that_is_not_allowed_is_refused(site: Site) -> None:
    site.sends_on("/a", f"http://127.0.0.2:{site.port}/b")
    fetcher = Fetcher(QUICK, allow=only_first)
    error = failure(fetcher.fetch(WebRequest(f"{site.base}/a")))
    assert (error.reason, site.asked) == ("refused", ["/a"])
    site.sends_on("/a", f"http://localhost.localdomain.invalid:{site.port}/")
    assert failure(fetcher.fetch(WebRequest(f"{site.base}/a"))).reason == "unreached"


def test_redirects_without_end_are_left(site: Site, fetcher: Fetcher) -> None:
    site.sends_on("/a", "/a")
    error = failure(fetcher.fetch(WebRequest(f"{site.base}/a")))
    assert str(error).endswith("redirects more than 5 times")
    assert len(site.asked) == 6


def test_redirects_share_one_time_limit(site: Site) -> None:
    async def slow(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(0.2)
        return web.Response(status=302, headers={"Location": "/a"})

    site.answers["/a"] = slow
    assert (
        failure(Fetcher(QUICK, allow=only_first).fetch(WebRequest(f"{site.base}/a"))).reason
        == "timeout"
    )
    assert len(site.asked) < 5


def test_a_key_is_never_sent_on(site: Site, fetcher: Fetcher) -> None:
    site.sends_on("/a", "/b")
    error = failure(fetcher.fetch(WebRequest(f"{site.base}/a", headers={"X-Key": "secret"})))
    assert (error.reason, site.asked) == ("refused", ["/a"])
    assert "secret" not in str(error)


def test_a_body_without_end_is_left(site: Site, fetcher: Fetcher) -> None:
    async def endless(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        await response.prepare(request)
        while True:
            await response.write(b"more " * 1000)

    site.answers["/a"] = endless
    assert failure(fetcher.fetch(WebRequest(f"{site.base}/a"))).reason == "too_large"


def test_a_long_body_is_left_before_it_is_read(site: Site, fetcher: Fetcher) -> None:
    site.answers["/a"] = (200, "text/plain", b"x" * 50_001)
    assert failure(fetcher.fetch(WebRequest(f"{site.base}/a"))).reason == "too_large"
    site.answers["/a"] = (200, "text/plain", b"x" * 50_000)
    assert len(asyncio.run(fetcher.fetch(WebRequest(f"{site.base}/a"))).body) == 50_000


def test_a_packed_body_is_measured_unpacked(site: Site, fetcher: Fetcher) -> None:
    packed = gzip.compress(b"x" * 30_000_000)

    async def bomb(_: web.Request) -> web.StreamResponse:
        headers = {"Content-Type": "text/plain", "Content-Encoding": "gzip"}
        return web.Response(body=packed, headers=headers)

    assert len(packed) < 50_000
    site.answers["/a"] = bomb
    assert failure(fetcher.fetch(WebRequest(f"{site.base}/a"))).reason == "too_large"


@pytest.mark.parametrize("first", [b"", b"a little"])
def test_a_slow_server_is_left(first: bytes, site: Site) -> None:
    async def slow(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        if first:
            await response.prepare(request)
            await response.write(first)
        await asyncio.sleep(30)
        return response

    site.answers["/a"] = slow
    error = failure(Fetcher(QUICK, allow=only_first).fetch(WebRequest(f"{site.base}/a")))
    assert error.reason == "timeout"


@pytest.mark.parametrize("kind", ["application/pdf", "image/png", "text/javascript", ""])
def test_other_types_are_not_read(kind: str, site: Site, fetcher: Fetcher) -> None:
    site.answers["/a"] = (200, kind, b"x")
    assert failure(fetcher.fetch(WebRequest(f"{site.base}/a"))).reason == "type"


def test_a_page_that_is_not_there_raises(site: Site, fetcher: Fetcher) -> None:
    error = failure(fetcher.page(f"{site.base}/a"))
    assert (error.reason, error.status) == ("status", 404)


def test_a_connection_that_breaks_off_is_said(site: Site, fetcher: Fetcher) -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/plain"})
        response.content_length = 1000
        await response.prepare(request)
        await response.write(b"begin")
        assert request.transport is not None
        request.transport.abort()
        return response

    site.answers["/a"] = broken
    assert failure(fetcher.fetch(WebRequest(f"{site.base}/a"))).reason == "unreached"


def test_a_closed_port_and_an_unknown_host_are_said(fetcher: Fetcher) -> None:
    error = failure(fetcher.fetch(WebRequest("http://127.0.0.1:9/")))
    assert (error.reason, "cannot reach 127.0.0.1" in str(error)) == ("unreached", True)
    assert "cannot resolve nowhere.invalid" in str(
        failure(fetcher.fetch(WebRequest("http://nowhere.invalid/")))
    )


def test_every_request_waits_for_its_turn(site: Site) -> None:
    site.sends_on("/a", "/b")
    pace = NotedPace()
    asyncio.run(Fetcher(QUICK, only_first, pace).fetch(WebRequest(f"{site.base}/a")))
    assert pace.noted == ["turn", "turn"]  # one for the redirect


def test_servers_learn_who_asks(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CONTACT", "me@example.org\nX-Evil: 1")
    asyncio.run(Fetcher(QUICK, allow=only_first).fetch(WebRequest(f"{site.base}/a")))
    assert site.headers[0]["User-Agent"].startswith("assay/")
    assert site.headers[0]["User-Agent"].endswith(" (me@example.org X-Evil: 1)")
    assert "X-Evil" not in site.headers[0]


@pytest.mark.parametrize("limits", [{"seconds": 0}, {"bytes": -1}, {"per_second": float("nan")}])
def test_limits_of_nothing_are_refused(limits: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be more than 0"):
        FetchLimits(**limits)


def test_robots_keep_programs_from_pages_but_not_from_services(
    site: Site, fetcher: Fetcher
) -> None:
    site.answers["/robots.txt"] = (200, "text/plain", "User-agent: *\nDisallow: /private")
    site.answers["/private/a"] = site.answers["/b"] = (200, "text/plain", "x")
    assert failure(fetcher.page(f"{site.base}/private/a")).reason == "robots"
    assert asyncio.run(fetcher.page(f"{site.base}/b")).text == "x"
    assert asyncio.run(fetcher.fetch(WebRequest(f"{site.base}/private/a"))).text == "x"
    assert site.asked.count("/robots.txt") == 1


def test_a_page_is_checked_where_it_sends_on_to(site: Site, fetcher: Fetcher) -> None:
    site.answers["/robots.txt"] = (200, "text/plain", "User-agent: assay\nDisallow: /private")
    site.sends_on("/a", "/private/a")
    assert failure(fetcher.page(f"{site.base}/a")).reason == "robots"


@pytest.mark.parametrize(
    ("status", "may_read"), [(404, True), (410, True), (401, False), (403, False), (503, False)]
)
def test_robots_that_cannot_be_had(
    status: int, may_read: bool, site: Site, fetcher: Fetcher
) -> None:
    site.answers["/robots.txt"] = (status, "text/html", "x")
    site.answers["/a"] = (200, "text/plain", "x")
    if may_read:
        assert asyncio.run(fetcher.page(f"{site.base}/a")).text == "x"
    else:
        assert failure(fetcher.page(f"{site.base}/a")).reason == "robots"


def test_robots_that_never_come_keep_us_away(site: Site) -> None:
    async def slow(_: web.Request) -> web.StreamResponse:
        await asyncio.sleep(30)
        return web.Response()

    site.answers["/robots.txt"] = slow
    error = failure(Fetcher(QUICK, allow=only_first).page(f"{site.base}/a"))
    assert (error.reason, site.asked) == ("robots", ["/robots.txt"])


def test_the_pause_that_a_site_asks_for_is_kept(site: Site) -> None:
    site.answers["/robots.txt"] = (200, "text/plain", "User-agent: *\nCrawl-delay: 1.5")
    site.answers["/a"] = (200, "text/plain", "x")
    pace = NotedPace()
    asyncio.run(Fetcher(QUICK, only_first, pace).page(f"{site.base}/a"))
    assert pace.noted == ["turn", "slow down to 1.5 s", "turn"]  # robots.txt, then the page


def test_a_site_that_wants_very_long_pauses_is_left_alone(site: Site, fetcher: Fetcher) -> None:
    site.answers["/robots.txt"] = (200, "text/plain", "User-agent: *\nCrawl-delay: 3600")
    assert "asks for 3600 s between pages" in str(failure(fetcher.page(f"{site.base}/a")))


def tired(site: Site, times: int, wait: str | None) -> None:
    """Makes a path answer 429 so many times, and then as it should."""
    left = [times]

    async def answer(_: web.Request) -> web.StreamResponse:
        left[0] -= 1
        headers = {} if wait is None else {"Retry-After": wait}
        return web.Response(status=200 if left[0] < 0 else 429, text="x", headers=headers)

    site.answers["/a"] = answer


def test_a_server_that_asks_for_a_pause_gets_it_and_is_contacted_again(site: Site) -> None:
    tired(site, 1, "7")
    pace = NotedPace()
    answer = asyncio.run(Fetcher(QUICK, only_first, pace).fetch(WebRequest(f"{site.base}/a")))
    assert answer.status == 200
    assert pace.noted == ["turn", "rest for 7 s", "turn"]


def test_a_server_that_wants_long_to_be_left_alone_is_not_waited_for(
    site: Site, fetcher: Fetcher
) -> None:
    tired(site, 9, "3600")
    answer = asyncio.run(fetcher.fetch(WebRequest(f"{site.base}/a")))
    assert (answer.status, answer.rest, len(site.asked)) == (429, 3600, 1)


def test_a_server_that_stays_tired_is_given_up(site: Site, fetcher: Fetcher) -> None:
    tired(site, 9, "0")
    assert asyncio.run(fetcher.fetch(WebRequest(f"{site.base}/a"))).status == 429


def test_proxies_of_the_environment_are_not_used(
    site: Site, fetcher: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.answers["/a"] = (200, "text/plain", "x")
    assert asyncio.run(fetcher.fetch(WebRequest(f"{site.base}/a"))).text == "x"
