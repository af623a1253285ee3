"""A service that is away, busy, broken, or something else: one clear error, and no shorter answer.

A server of ours answers as the scripts here say, in turn; the last answer stays.
"""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiohttp import web

import assay.client.calls
import assay.client.jobs
from assay import BudgetError, Client, InputError, ServiceError
from assay.client.calls import ATTEMPTS, ServiceCalls
from assay.core.codec import encode
from assay.core.judgements import Author
from assay.core.wire import AcceptedRecord, JobRecord

GOOD = {"source": "Ada Lovelace was born in London.", "response": "Ada was born in London."}
RESULT = assay.check(GOOD, detector="overlap").results[0]


def result_line(id: str = "1") -> bytes:
    return replace(RESULT, judgement=replace(RESULT.judgement, example=id)).to_json() + b"\n"


def end_line(state: str = "complete", message: str = "", **more: Any) -> bytes:
    document = assay.check(GOOD, detector="overlap").to_dict()
    head = {name: document[name] for name in ("schema", "assay", "manifest")}
    rest = {"problems": [], "ending": {"state": state, "message": message}}
    counts = {"rows": 1, "judged": 1, "problems": 0}
    return encode({**head, **rest, "counts": counts, **more}) + b"\n"


def error(code: str, message: str = "It is so.", **more: str) -> bytes:
    return encode({"error": {"code": code, "message": message, "field": "", **more}})


@dataclass
class Answers:
    """What the server answers, and the requests that it got."""

    script: list[tuple[int, bytes, dict[str, str]]] = field(default_factory=list)
    breaks_off: bool = False
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    url: str = ""

    def add(self, status: int, body: bytes, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.script.append((status, body, named))

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path_qs)
        self.keys.append(request.headers.get("Authorization", ""))
        await request.read()
        status, body, headers = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        response = web.StreamResponse(status=status, headers=headers)
        await response.prepare(request)
        await response.write(body)
        if headers.get("Breaks-Off") and request.transport:
            request.transport.abort()
        await response.write_eof()
        return response


@pytest.fixture
def server() -> Iterator[Answers]:
    """A server whose answers are still to be added."""
    answers, loop = Answers(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    async def start() -> web.AppRunner:
        application = web.Application()
        application.router.add_route("*", "/{path:.*}", answers.answer)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        answers.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        return runner

    runner = asyncio.run_coroutine_threadsafe(start(), loop).result(10)
    yield answers
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between attempts, which are only noted."""
    made: list[float] = []

    async def note(seconds: float) -> None:
        made.append(seconds)

    monkeypatch.setattr(assay.client.calls, "pause", note)
    return made


def test_a_busy_service_is_asked_again_when_it_says(server: Answers, pauses: list[float]) -> None:
    server.add(503, error("busy"), Retry_After="7")
    server.add(429, error("throttled"), Retry_After="3")
    server.add(200, result_line() + end_line())
    assert Client(server.url).check(GOOD).coarse == RESULT.coarse
    assert [int(each) for each in pauses] == [7, 3]


def test_attempts_are_bounded(server: Answers, pauses: list[float]) -> None:
    server.add(503, error("busy", "Come again.", request_id="abc"))
    with pytest.raises(ServiceError, match=r"Come again. \(request abc\)") as caught:
        Client(server.url).check(GOOD)
    assert (caught.value.code, len(server.paths), len(pauses)) == ("busy", 4, 3)


def test_who_would_have_to_wait_for_long_is_told_at_once(server: Answers) -> None:
    server.add(429, error("throttled"), Retry_After="3600")
    with pytest.raises(ServiceError, match="It is so"):
        Client(server.url).check(GOOD)
    assert len(server.paths) == 1


@pytest.mark.parametrize(
    ("code", "kind"),
    [("budget", BudgetError), ("service", ServiceError), ("damaged", ServiceError)],
)
def test_what_would_only_repeat_is_not_asked_again(
    server: Answers, code: str, kind: type[Exception]
) -> None:
    server.add(503, error(code))
    with pytest.raises(kind, match="It is so"):
        Client(server.url).check(GOOD)
    assert len(server.paths) == 1


def test_a_check_is_sent_again_after_an_accident_and_a_job_is_not(server: Answers) -> None:
    server.add(500, error("internal"))
    for ask, times in ((Client(server.url).check, 4), (Client(server.url).submit, 1)):
        server.paths.clear()
        with pytest.raises(ServiceError):
            ask(GOOD)
        assert len(server.paths) == times


def test_a_job_that_was_refused_is_sent_again(server: Answers) -> None:
    server.add(503, error("queue-full"))
    server.add(202, encode(AcceptedRecord("abc", "a b", "queued", examples=1, done=0, failures=0)))
    assert Client(server.url).submit(GOOD, detector="a b").id == "abc"
    assert server.paths == ["/v1/jobs?detector=a+b"] * 2


@pytest.mark.parametrize("lines", [b"", result_line(), result_line()[:40], end_line()[:-1]])
def test_an_answer_that_ends_early_is_an_error(server: Answers, lines: bytes) -> None:
    server.add(200, lines)
    with pytest.raises(ServiceError, match="broke off before its answer was complete") as caught:
        Client(server.url).check(GOOD)
    assert len(caught.value.results) == (lines == result_line())


def test_a_connection_that_breaks_off_is_an_error(server: Answers) -> None:
    server.add(200, result_line(), Breaks_Off="yes")
    with pytest.raises(ServiceError, match="broke off"):
        Client(server.url).check(GOOD)


def test_a_check_that_was_cut_off_there_is_an_error_here(server: Answers) -> None:
    server.add(200, result_line() + end_line("budget", "no money is left"))
    with pytest.raises(BudgetError, match="not complete: no money is left") as caught:
        Client(server.url).check([GOOD, GOOD])
    assert len(caught.value.results) == 1


@pytest.mark.parametrize(
    "lines", [result_line("2"), result_line() * 2, result_line().replace(b'"Ada', b'"Eva')]
)
def test_what_is_not_about_the_texts_is_refused(server: Answers, lines: bytes) -> None:
    server.add(200, lines + end_line())
    with pytest.raises(ServiceError) as caught:
        Client(server.url).check(GOOD)
    assert caught.value.code == "mismatch"


@pytest.mark.parametrize(("status", "body"), [(404, b"<html>"), (302, b""), (200, b"<html>\n")])
def test_another_server_is_told_from_a_service(server: Answers, status: int, body: bytes) -> None:
    server.add(status, body, Location="http://elsewhere.invalid/")
    with pytest.raises(assay.AssayError, match=r"does not answer as Assay does|is damaged"):
        Client(server.url).check(GOOD)
    assert len(server.paths) == 1


def test_results_of_a_job_go_on_where_a_connection_broke_off(server: Answers) -> None:
    server.add(200, result_line("a") + end_line("running", after=0))
    server.add(200, result_line("b"), Breaks_Off="yes")
    server.add(200, result_line("b") + end_line("running", after=1))
    server.add(200, end_line("complete", after=1))
    found = Client(server.url).job("abc").judgements()
    assert [each.example for each in found] == ["a", "b"]
    assert [each.partition("after=")[2][:2] for each in server.paths] == ["-1", "0&", "0&", "1&"]


def test_a_job_is_waited_for_while_its_service_is_started_again(
    server: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(assay.client.jobs, "LONGEST_LOOK", 0.01)
    for _ in range(2 * ATTEMPTS):
        server.add(503, error("closing"))
        server.add(502, b"<html>a proxy")
    server.add(200, encode(JobRecord("abc", "a", "done", 1, 1, 0)))
    assert Client(server.url).job("abc").wait().state == "done"
    assert len(server.paths) == 4 * ATTEMPTS + 1


def test_results_of_a_job_that_began_anew_are_never_mixed(server: Answers) -> None:
    newer = replace(RESULT.judgement, example="b", author=Author("overlap", version="newer"))
    server.add(200, result_line("a") + end_line("running", after=0))
    line = replace(RESULT, judgement=newer).to_json() + b"\n"
    server.add(200, line + end_line("complete", after=1))
    found = Client(server.url).job("abc").judgements()
    assert next(found).example == "a"
    with pytest.raises(ServiceError, match="job abc began anew with another version"):
        next(found)


@pytest.mark.parametrize("ask", ["wait", "judgements"])
def test_who_waits_for_a_job_gives_up_after_the_timeout_and_says_what_it_is_about(ask: str) -> None:
    job = Client("http://127.0.0.1:9", timeout=0.01).job("abc")
    with pytest.raises(ServiceError, match=r"refused; waited 0.01 s for job abc, which goes on"):
        list(job.judgements()) if ask == "judgements" else job.wait()


def test_a_service_that_is_away_is_named(pauses: list[float]) -> None:
    with pytest.raises(ServiceError, match=r"http://127.0.0.1:9 cannot be reached: .*refused"):
        Client("http://127.0.0.1:9").check(GOOD)
    assert len(pauses) == 3


def test_a_silent_service_is_left_after_the_timeout_and_asked_once(pauses: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(ServiceError, match=r"did not answer within 0.05 s"):
            Client(url, timeout=0.05).check(GOOD)
    assert pauses == []


def test_what_changes_nothing_is_asked_again_after_a_timeout(pauses: list[float]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(ServiceError, match=r"did not answer within 0.05 s"):
            Client(url, timeout=0.05).detectors()
    assert len(pauses) == 3


def test_lines_are_those_that_were_sent(server: Answers) -> None:
    long = b"x" * 3_000_000
    server.add(200, b"a\n\n" + long + b"\nb\n")

    async def read() -> list[bytes]:
        return [each async for each in ServiceCalls(server.url, None, 20.0).lines("GET", "/")]

    assert asyncio.run(read()) == [b"a", b"", long, b"b"]


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/"])
def test_address_may_be_given_with_the_beginning_of_its_paths(server: Answers, end: str) -> None:
    server.add(200, result_line() + end_line())
    assert Client(server.url + end).check(GOOD).coarse == RESULT.coarse
    assert server.paths == ["/v1/check"]


@pytest.mark.parametrize("url", ["http://u:secret@a", "http://:secret@a", "ftp://u:secret@a"])
def test_address_with_a_password_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(InputError, match="no user name and no password") as caught:
        Client(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["localhost:8766", "ftp://a", "http://", "http://a/?b", "http://a:x"]
)
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="is no address of a service"):
        Client(url)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"key": "a\nb"}, "the key has spaces, or characters"),
        ({"timeout": 0}, "timeout must be more than 0"),
    ],
)
def test_wrong_values_are_refused(given: dict[str, Any], message: str) -> None:
    make: Callable[..., Client] = Client
    with pytest.raises(InputError, match=message):
        make("http://localhost", **given)


def test_white_space_around_a_key_is_none_of_it(server: Answers) -> None:
    server.add(200, result_line() + end_line())
    assert Client(server.url, key="abc\n").check(GOOD).coarse == RESULT.coarse
    assert server.keys == ["Bearer abc"]


def test_advice_about_a_row_is_for_who_asks_a_service(server: Answers) -> None:
    for ask in (Client(server.url).check, Client(server.url).submit):
        with pytest.raises(InputError, match=r"row 1: no response.*; correct it, or leave it out$"):
            ask([{"source": "Ada was born in London."}])


@pytest.mark.parametrize("method", ["check", "check_each", "acheck_each", "submit"])
def test_argument_that_a_method_does_not_take_is_named_with_it(method: str) -> None:
    ask = getattr(Client("http://127.0.0.1:9"), method)
    with pytest.raises(TypeError, match=rf"^Client.{method}\(\) got .* 'on_error'; .* detector, "):
        ask([GOOD], on_error="keep")
