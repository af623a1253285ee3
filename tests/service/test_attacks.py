"""Hostile requests: each gets one of the answers there are, and the service goes on."""

import contextlib
import gzip
import json
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.models import catalogue
from assay.models.cache import mark_as_checked
from tests.service.serving import (
    GOOD,
    SOURCE,
    ServedService,
    asked,
    client,
    keyed,
    served,
    service_of,
    wait_until,
)

JSON = {"Content-Type": "application/json"}
BODY = json.dumps(GOOD).encode()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client of a service that all these share: whatever one does, the next finds it well."""
    with client(asked(tmp_path_factory.mktemp("attacked"), body=1, job_body=2)) as made:
        yield made


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedService]:
    """A real server, for what a client of Python does not send."""
    with served(asked(tmp_path_factory.mktemp("real"), body=1, upload_seconds=1)) as made:
        yield made


@pytest.fixture(autouse=True)
def _goes_on(browser: TestClient) -> Iterator[None]:
    yield
    assert browser.post("/v1/check", json=GOOD).status_code == 200


def body(**fields: Any) -> bytes:
    return json.dumps({**GOOD, **fields}).encode()


DEEP = b"[" * 100_000
SENTENCE = "He ran home. "
TABLE: dict[str, tuple[bytes, dict[str, str], int, str]] = {
    # what is sent, with which headers, the status and the code
    "nothing": (b"", JSON, 400, "unreadable"),
    "no JSON": (b"{", JSON, 400, "unreadable"),
    "two values": (b"{}{}", JSON, 400, "unreadable"),
    "deep": (DEEP, JSON, 400, "unreadable"),
    "deep and closed": (DEEP + b"]" * 100_000, JSON, 400, "unreadable"),
    "deep source": (b'{"response":"x","source":' + b'{"a":' * 50_000, JSON, 400, "unreadable"),
    "number of many digits": (b'{"source":%s}' % (b"1" * 100_000), JSON, 400, "unreadable"),
    "number that is not finite": (b'{"source":1e999}', JSON, 400, "unreadable"),
    "not a number": (b'{"source":NaN}', JSON, 400, "unreadable"),
    "same name twice": (b'{"source":"a","source":"b","response":"c"}', JSON, 400, "unreadable"),
    "same name twice inside": (b'{"source":{"a":1,"a":2},"response":"c"}', JSON, 400, "unreadable"),
    "crowded": (b"[" + b"[]," * 300_000 + b"[]]", JSON, 413, "too-large"),
    "no UTF-8": (b'{"source":"\xff"}', JSON, 400, "unreadable"),
    "UTF-16": (BODY.decode().encode("utf-16"), JSON, 400, "unreadable"),
    "NUL byte": (BODY + b"\0", JSON, 400, "unreadable"),
    "NUL in a text": (body(response="a\0b"), JSON, 422, "input"),
    "half a character": (body(response="a\ud800b"), JSON, 422, "input"),
    "half a character as the id": (body(id="\ud800"), JSON, 422, "input"),
    "half a character as a name": (b'{"\\ud800":1,"source":"a","response":"b"}', JSON, 200, ""),
    "half a character as the detector": (body(detector="\ud800"), JSON, 422, "unknown-name"),
    "path as the detector": (body(detector="embedded:/etc/passwd"), JSON, 422, "unknown-name"),
    "long detector": (body(detector="x" * 900_000), JSON, 422, "unknown-name"),
    "list as the response": (body(response=["a", "b"]), JSON, 422, "not-text"),
    "number as the response": (body(response=7), JSON, 422, "not-text"),
    "too large": (b" " * (2**20 + 1), JSON, 413, "too-large"),
    "no type": (BODY, {"Content-Type": ""}, 415, "media-type"),
    "text": (BODY, {"Content-Type": "text/plain"}, 415, "media-type"),
    "form": (BODY, {"Content-Type": "application/x-www-form-urlencoded"}, 415, "media-type"),
    "lines for a check": (BODY, {"Content-Type": "application/x-ndjson"}, 415, "media-type"),
    "another character set": (
        BODY,
        {"Content-Type": "application/json; charset=utf-16"},
        415,
        "media-type",
    ),
    "UTF-8 by name": (BODY, {"Content-Type": 'Application/JSON; charset="UTF-8"'}, 200, ""),
    "packed": (gzip.compress(BODY), {**JSON, "Content-Encoding": "gzip"}, 415, "media-type"),
    "packed without saying so": (gzip.compress(BODY), JSON, 400, "unreadable"),
    "bomb": (
        gzip.compress(b" " * 50_000_000),
        {**JSON, "Content-Encoding": "gzip"},
        415,
        "media-type",
    ),
    "byte-order mark": (b"\xef\xbb\xbf" + BODY, JSON, 200, ""),
    "name of another site": (BODY, {**JSON, "Host": "evil.example"}, 400, "host"),
    "name like ours": (BODY, {**JSON, "Host": "localhost.evil.example"}, 400, "host"),
    "no name": (BODY, {**JSON, "Host": ""}, 400, "host"),
    "page of another site": (BODY, {**JSON, "Origin": "http://evil.example"}, 403, "origin"),
    "page of nowhere": (BODY, {**JSON, "Origin": "null"}, 403, "origin"),
    "page of another port": (BODY, {**JSON, "Origin": "http://localhost:9"}, 403, "origin"),
    "our page": (BODY, {**JSON, "Origin": "http://localhost"}, 200, ""),
}


@pytest.mark.parametrize("name", TABLE)
@pytest.mark.parametrize("path", ["/v1/check", "/v1/jobs"])
def test_request_is_answered_as_the_table_says(browser: TestClient, path: str, name: str) -> None:
    content, headers, status, code = TABLE[name]
    if path == "/v1/jobs":  # which also takes lines
        if name == "lines for a check":
            status, code = 202, ""
        status = 202 if status == 200 else status
    began = time.process_time()
    answer = browser.post(path, content=content, headers=headers)
    assert answer.status_code == status, answer.text[:500]
    assert answer.json()["error"]["code"] == code if status >= 400 else code == ""
    assert "Traceback" not in answer.text
    assert len(answer.text) < 3000
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/v1/check", 405),
        ("PUT", "/v1/check", 405),
        ("GET", "/v1/check/", 404),
        ("GET", "/v1/../etc/passwd", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", 404),
        ("GET", "/static/../server.py", 404),
        ("GET", "/v1/jobs/..%2f..%2fjobs.db", 404),
        ("GET", "/v1/jobs/%2e%2e", 404),
        ("GET", "/v1/jobs/%00", 400),
        ("GET", "/v1/jobs/a%0d%0aSet-Cookie:x=1", 404),
        ("GET", "/v1/jobs/' OR 1=1 --", 404),
        ("GET", "/v1/jobs/%C3%A9", 404),
        ("GET", "/v1/jobs/" + "x" * 65, 422),
        ("DELETE", "/v1/jobs/nothing", 404),
        ("POST", "/v1/jobs/nothing/cancel", 404),
        ("GET", "/v1/jobs?most=0", 422),
        ("GET", "/v1/jobs?most=" + "9" * 5000, 422),
        ("GET", "/v1/jobs?most=%00", 400),
        ("GET", "/v1/jobs/x/results?after=-2", 422),
        ("GET", "/docs", 404),
        ("TRACE", "/", 405),
    ],
)
def test_paths_lead_nowhere_else(browser: TestClient, method: str, path: str, status: int) -> None:
    answer = browser.request(method, path)
    assert answer.status_code == status
    assert set(answer.json()["error"]) == {"code", "message", "field", "request_id"}
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("given", ["a b", "", "x" * 65, "é", "<b>", '{"a":1}', "..\\..%0a"])
def test_request_id_that_is_not_well_formed_is_replaced(browser: TestClient, given: str) -> None:
    answer = browser.get("/healthz", headers={b"X-Request-Id": given.encode()})
    assert re.fullmatch("[0-9a-f]{16}", answer.headers["x-request-id"])


def test_request_id_of_the_client_is_kept(browser: TestClient) -> None:
    answer = browser.get("/v1/nothing", headers={"X-Request-Id": "abc-1.2_3"})
    assert answer.headers["x-request-id"] == "abc-1.2_3"
    assert answer.json()["error"]["request_id"] == "abc-1.2_3"


def test_too_large_a_stream_is_refused_while_it_comes(browser: TestClient) -> None:
    pieces = (b" " * 2**16 for _ in range(2**6))
    answer = browser.post("/v1/check", content=pieces, headers=JSON)
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too-large")


def test_lines_of_a_job_may_be_larger_than_its_json(browser: TestClient) -> None:
    lines = b"\n".join([BODY] * (2**20 // len(BODY) + 100))
    assert len(lines) > 2**20
    accepted = browser.post(
        "/v1/jobs", content=lines, headers={"Content-Type": "application/x-ndjson"}
    )
    assert accepted.status_code == 202
    refused = browser.post("/v1/jobs", content=lines, headers=JSON)
    assert refused.status_code == 413
    browser.post(f"{accepted.headers['location']}/cancel")


def test_bad_lines_of_a_job_are_told_and_the_others_are_kept(browser: TestClient) -> None:
    lines = [BODY, b"{", b"", b'{"source":"a"}', b"\xff", b'{"a":1,"a":2}', DEEP[:5000], BODY]
    answer = browser.post(
        "/v1/jobs", content=b"\n".join(lines), headers={"Content-Type": "application/x-ndjson"}
    )
    job = answer.json()
    assert (answer.status_code, job["examples"], job["unread_rows"]) == (202, 2, 5)
    assert [each["where"] for each in job["problems"]] == [f"row {n}" for n in (2, 3, 4, 5, 6)]
    assert job["problems"][0]["message"].startswith("the line is not JSON")


@pytest.mark.parametrize("detector", ["overlap", "embedded"])
def test_one_endless_sentence_keeps_nobody_waiting(tmp_path: Path, detector: str) -> None:
    digits = {"source": SOURCE, "response": "Ada was born in " + "1" * 100_000 + "."}
    with client(asked(tmp_path, detector)) as browser:
        browser.post("/v1/check", json=GOOD)
        began = time.process_time()
        document = browser.post("/v1/check", json=digits).json()
        assert time.process_time() - began < 20
    (unit,) = document["judgements"][0]["units"]
    if detector == "embedded":
        assert unit["failure"]["reason"] == "too_long"
    assert document["ending"] == {"state": "complete"}


@pytest.mark.slow
def test_many_long_sentences_keep_nobody_waiting(tmp_path: Path) -> None:
    sentences = " ".join(f"{'1' * 990}." for _ in range(190))
    endless = {"source": SOURCE, "response": sentences}  # several minutes of work
    with client(asked(tmp_path, "embedded", seconds=6)) as browser, ThreadPoolExecutor() as pool:
        stuck = pool.submit(browser.post, "/v1/check", json=endless)
        shared = service_of(browser).detectors.checkers["embedded"]._shared
        wait_until(lambda: shared._under_way)
        for _ in range(3):
            assert browser.post("/v1/check", json=GOOD).status_code == 200
        assert not stuck.done()
        assert stuck.result().status_code == 408
        wait_until(lambda: not shared._under_way)


def test_one_endless_sentence_keeps_nobody_waiting_for_the_large_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("gguf")
    folder = large_folder(tmp_path, monkeypatch)
    digits = {"source": SOURCE, "response": "Ada was born in " + "1" * 100_000 + "."}
    with client(asked(tmp_path, f"embedded-large:{folder}")) as browser:
        began = time.process_time()
        document = browser.post("/v1/check", json={"examples": [digits, GOOD]}).json()
        assert time.process_time() - began < 20
    assert document["manifest"]["author"]["name"] == "embedded-large"
    endless, good = (each["units"][0] for each in document["judgements"])
    assert endless["failure"]["reason"] == "too_long"
    assert good["verdict"]


def test_response_of_very_many_sentences_is_refused(tmp_path: Path) -> None:
    many = {"source": SOURCE, "response": SENTENCE * 100_000}
    for limits, said in (
        ({}, "1,300,000 characters"),
        ({"characters": 2**21}, "more than 200 sentences"),
    ):
        with client(asked(tmp_path, **limits)) as browser:
            began = time.process_time()
            error = browser.post("/v1/check", json=many).json()["error"]
            assert time.process_time() - began < 20
        assert (error["code"], error["field"]) == ("too-large", "response")
        assert f"the response has {said}" in error["message"]


def test_error_about_a_key_does_not_show_it(tmp_path: Path) -> None:
    keys, _ = keyed("ann")
    with client(asked(tmp_path), keys) as browser:
        answer = browser.get("/v1/jobs", headers={"Authorization": "Bearer a-secret"})
    assert "secret" not in answer.text


def large_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny model in the form of the large one, and its base in the folder of model files."""
    from tests.detectors.embedded.large.conftest import adapter_arrays, sha256, write_adapter
    from tests.detectors.embedded.large.tiny_base import write_base

    base = write_base(tmp_path / "base.gguf")
    usual = catalogue.MODELS["large"]
    size, digest = base.stat().st_size, sha256(base)
    model = replace(usual, file=base.name, size=size, sha256=digest)
    monkeypatch.setitem(catalogue.MODELS, "large", model)
    monkeypatch.setenv("ASSAY_MODELS", str(tmp_path))
    mark_as_checked(model, base, base.stat().st_mtime_ns)
    folder = write_adapter(tmp_path / "adapter", adapter_arrays((0.0, 0.0, 9.0)))
    card = folder / "model.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"base": {"sha256": digest}}))
    return folder


HEAD = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400),  # no Host
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400),
        (b"GET /\xff HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        (b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n", 400),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400),  # a greeting of TLS
        (HEAD + b"Content-Length: -1\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        (HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nx", 400),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (b"GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n", 400),
        (HEAD + b"X-Request-Id: a\r\n b\r\nContent-Length: 0\r\n\r\n", 400),
    ],
)
def test_bytes_that_are_no_good_request_are_refused(
    real: ServedService, sent: bytes, status: int
) -> None:
    assert real.send(sent).startswith(b"HTTP/1.1 %d " % status)


def test_body_that_does_not_come_is_not_waited_for(real: ServedService) -> None:
    began = time.monotonic()
    came = real.send(HEAD + b"Content-Length: 100\r\n\r\n", b'{"sour', pause=0.2)
    assert came.startswith(b"HTTP/1.1 408 ")
    assert b'"code":"too-slow"' in came
    assert time.monotonic() - began < 15


def test_head_that_does_not_end_is_not_waited_for(
    real: ServedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.service.connections.SLOWEST_HEAD", 0.3)
    for sent in (b"", b"GET / HTTP/1.1\r\nHost: local"):
        assert real.send(sent) == b""


def test_head_without_end_takes_no_memory(real: ServedService) -> None:
    with pytest.raises((ConnectionError, TimeoutError)):
        real.send(b"GET / HTTP/1.1\r\n", *[b"X: " + b"x" * 60_000 + b"\r\n"] * 1000)
    trailers = [b"X: " + b"x" * 60_000 + b"\r\n"] * 1000
    with pytest.raises((ConnectionError, TimeoutError)):
        real.send(HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n", *trailers)


@pytest.mark.parametrize(
    "head",
    [
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 100_000 + b"\r\n\r\n",
        b"GET /healthz?" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + b"X: xxxxxx\r\n" * 15_000 + b"\r\n",
    ],
    ids=["header", "path", "headers"],
)
def test_head_that_is_too_long_is_not_answered_although_it_ends(
    real: ServedService, head: bytes
) -> None:
    with contextlib.suppress(ConnectionError):
        assert real.send(head) == b""


def test_rest_of_a_body_that_nobody_reads_is_not_waited_for(
    real: ServedService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.service.connections.LINGER", 0.3)
    began = time.monotonic()
    came = real.send(HEAD + b"Content-Length: 99999999\r\n\r\n", b"x" * 1000)
    assert came.startswith(b"HTTP/1.1 413 ")
    assert time.monotonic() - began < 15
