"""Who is let in: keys, requests a minute, room, and the end."""

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from assay.service.admission import Rates, ThrottledKeyError
from tests.service.serving import (
    GOOD,
    SOURCE,
    Held,
    ServedService,
    asked,
    client,
    keyed,
    posted,
    served,
    service_of,
    wait_until,
)

OPEN = ("/", "/healthz", "/readyz", "/openapi.json")
CLOSED = (
    ("POST", "/v1/check"),
    ("POST", "/v1/jobs"),
    ("GET", "/v1/jobs"),
    ("GET", "/v1/jobs/x"),
    ("GET", "/v1/jobs/x/events"),
    ("GET", "/v1/jobs/x/results"),
    ("POST", "/v1/jobs/x/cancel"),
    ("DELETE", "/v1/jobs/x"),
    ("GET", "/v1/detectors"),
    ("GET", "/v1/nothing"),
    ("GET", "/metrics"),
)


def test_with_keys_the_api_needs_one_and_the_rest_does_not(tmp_path: Path) -> None:
    keys, headers = keyed("ann")
    with client(asked(tmp_path), keys) as browser:
        assert {browser.get(path).status_code for path in OPEN} == {200}
        for method, path in CLOSED:
            for given in ({}, {"Authorization": "Bearer x"}, {"X-API-Key": "x"}):
                answer = browser.request(method, path, headers=given)
                assert (answer.status_code, answer.json()["error"]["code"]) == (401, "no-access")
                assert answer.headers["www-authenticate"] == "Bearer"
        bearer = headers["ann"]
        for given in ({"Authorization": bearer}, {"X-API-Key": bearer.partition(" ")[2]}):
            assert browser.post("/v1/check", json=GOOD, headers=given).status_code == 200


@pytest.mark.parametrize(
    "shown", ["", "Bearer", "Bearer ", "Basic {key}", "{key}", "Bearer {key}x", "bearer  {key} "]
)
def test_only_the_key_itself_opens(tmp_path: Path, shown: str) -> None:
    keys, headers = keyed("ann")
    key = headers["ann"].partition(" ")[2]
    given = {"Authorization": shown.format(key=key)}
    with client(asked(tmp_path), keys) as browser:
        status = browser.get("/v1/detectors", headers=given).status_code
    assert status == (200 if shown.startswith("bearer") else 401)


def test_jobs_of_one_key_are_unknown_to_another(tmp_path: Path) -> None:
    keys, headers = keyed("ann", "bob")
    ann, bob = ({"Authorization": each} for each in headers.values())
    with client(asked(tmp_path), keys) as browser:
        job = browser.post("/v1/jobs", json=GOOD, headers=ann).headers["location"]
        assert browser.get(job, headers=ann).status_code == 200
        assert browser.get("/v1/jobs", headers=bob).json() == {"jobs": []}
        for method, path in (
            ("GET", job),
            ("GET", f"{job}/events"),
            ("GET", f"{job}/results"),
            ("POST", f"{job}/cancel"),
            ("DELETE", job),
        ):
            answer = browser.request(method, path, headers=bob)
            assert (answer.status_code, answer.json()["error"]["code"]) == (404, "no-such-job")


def test_rate_is_that_of_each_key_and_says_when_to_come_again(tmp_path: Path) -> None:
    keys, headers = keyed("ann", "bob")
    ann, bob = ({"Authorization": each} for each in headers.values())
    with client(asked(tmp_path, rate=2), keys) as browser:
        assert [browser.get("/v1/detectors", headers=ann).status_code for _ in range(2)] == [
            200
        ] * 2
        refused = browser.get("/v1/detectors", headers=ann)
        assert (refused.status_code, refused.json()["error"]["code"]) == (429, "throttled")
        assert int(refused.headers["retry-after"]) in (29, 30)
        assert browser.get("/v1/detectors", headers=bob).status_code == 200
        assert browser.get("/healthz").status_code == 200


def test_wrong_keys_are_counted_by_address(tmp_path: Path) -> None:
    keys, headers = keyed("ann")
    with client(asked(tmp_path, rate=2), keys) as browser:
        wrong = [browser.get("/v1/jobs", headers={"X-API-Key": each}) for each in "abc"]
        assert [each.status_code for each in wrong] == [401, 401, 429]
        assert int(wrong[-1].headers["retry-after"]) in (29, 30)
        good = browser.get("/v1/jobs", headers={"Authorization": headers["ann"]})
        assert good.status_code == 200


def test_bucket_fills_evenly() -> None:
    rates = Rates(60)
    for _ in range(60):
        rates.count("ann", now=0.0)
    with pytest.raises(ThrottledKeyError) as caught:
        rates.count("ann", now=0.5)  # half a token has come back: the other half takes 0.5 s
    assert caught.value.retry_after == 1
    rates.count("ann", now=1.0)
    with pytest.raises(ThrottledKeyError):
        rates.count("ann", now=1.0)
    for _ in range(60):
        rates.count("ann", now=1000.0)  # never more than a minute's worth


def test_client_that_asked_the_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.service.admission._MOST_BUCKETS", 3)
    rates = Rates(1)
    for number in range(3):
        rates.count(f"10.0.0.{number}", now=float(number))
    with pytest.raises(ThrottledKeyError):
        rates.count("10.0.0.0", now=3.0)
    rates.count("10.0.0.9", now=4.0)  # none is full again, and there is room all the same
    assert list(rates._buckets) == ["10.0.0.2", "10.0.0.0", "10.0.0.9"]
    with pytest.raises(ThrottledKeyError):
        rates.count("10.0.0.0", now=5.0)


def test_only_so_many_requests_are_worked_on(tmp_path: Path, held: Held) -> None:
    with client(asked(tmp_path, "held", requests=1)) as browser, ThreadPoolExecutor(1) as thread:
        first = thread.submit(browser.post, "/v1/check", json=GOOD)
        wait_until(lambda: held.begun)
        second = browser.post("/v1/check", json=GOOD)
        assert (second.status_code, second.json()["error"]["code"]) == (503, "busy")
        assert second.headers["retry-after"] == "1"
        assert browser.get("/readyz").status_code == 503
        assert browser.get("/healthz").status_code == 200
        assert "assay_requests_under_way 1.0" in browser.get("/metrics").text
        held.go.set()
        assert first.result().status_code == 200
        assert browser.get("/readyz").status_code == 200
        assert browser.post("/v1/check", json=GOOD).status_code == 200


def test_service_that_is_being_stopped_takes_nothing_new(browser: TestClient) -> None:
    service_of(browser).admission.is_closing = True
    for path in ("/v1/check", "/v1/jobs", "/"):
        answer = browser.post(path, json=GOOD)
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "5"
    assert browser.get("/readyz").json()["error"]["code"] == "closing"
    assert browser.get("/healthz").status_code == 200


def test_check_takes_no_longer_than_it_may(tmp_path: Path, held: Held) -> None:
    with client(asked(tmp_path, "held", seconds=1)) as browser:
        answer = browser.post("/v1/check", json=GOOD)
        lines = browser.post("/v1/check", json=GOOD, headers={"Accept": "application/x-ndjson"})
        held.go.set()
        after = browser.post("/v1/check", json=GOOD)
    for each in (answer, lines):
        assert (each.status_code, each.json()["error"]["code"]) == (408, "too-slow")
        assert "send it as a job" in each.json()["error"]["message"]
    assert after.status_code == 200


def test_client_that_leaves_takes_its_work_along(tmp_path: Path, held: Held) -> None:
    rows = ", ".join(['{"source": "a", "response": "b"}'] * 90)
    body = f'{{"examples": [{rows}]}}'.encode()
    with served(asked(tmp_path, "held")) as real:
        for accept in (b"application/json", b"application/x-ndjson"):
            begun = held.begun
            head = b"POST /v1/check HTTP/1.1\r\nHost: localhost\r\nAccept: %s\r\n" % accept
            head += b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
            with pytest.raises(TimeoutError):
                real.send(head + body, patience=0.5)  # and is gone
            wait_until(lambda: real.service.admission.under_way == 0)
            held.go.set()
            wait_until(lambda seen=begun: held.begun > seen)
            held.go.clear()
        threading.Event().wait(0.1)
        held.go.set()
        threading.Event().wait(0.2)
        # Of 90 examples each time, those of the batch under way were judged, up to 32.
        assert held.begun <= 64


def test_request_that_takes_too_long_at_the_end_is_told_so(tmp_path: Path, held: Held) -> None:
    with served(asked(tmp_path, "held")) as real:
        with ThreadPoolExecutor() as threads:
            sent = threads.submit(real.send, posted("/v1/check", GOOD))
            wait_until(lambda: real.service.admission.under_way)
            real.service.stop(0.2)
            head, _, body = sent.result().partition(b"\r\n\r\n")
        held.go.set()
    assert status_of(head) == 503
    assert b"retry-after: 5" in head.lower()
    error = json.loads(body)["error"]
    assert (error["code"], error["message"]) == ("closing", "the service is being stopped")


def test_lines_that_have_begun_are_cut_off_at_the_end(tmp_path: Path, held: Held) -> None:
    two = posted("/v1/check", {"examples": [{**GOOD, "source": f"The bridge of {SOURCE}"}, GOOD]})
    asking = two.replace(b"\r\n\r\n", b"\r\nAccept: application/x-ndjson\r\n\r\n", 1)
    with served(asked(tmp_path, "held")) as real:
        with ThreadPoolExecutor() as threads:
            sent = threads.submit(real.send, asking)
            wait_until(lambda: held.begun)
            real.service.stop(0.2)
            answer = sent.result()
        held.go.set()
    assert status_of(answer) == 200
    assert b'"no-fact"' in answer
    assert b'"ending"' not in answer


FORM_HEAD = (
    b"POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 100\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
)


@contextmanager
def opened(real: ServedService, sent: bytes) -> Iterator[None]:
    with socket.create_connection(("127.0.0.1", real.port), timeout=20) as made:
        before = real.service.admission.under_way
        made.sendall(sent)
        wait_until(lambda: real.service.admission.under_way > before)
        yield


def status_of(answer: bytes) -> int:
    return int(answer.split()[1])


def test_forms_that_arrive_take_no_room_from_those_who_have_a_key(tmp_path: Path) -> None:
    keys, headers = keyed("ann")
    with served(asked(tmp_path, requests=1, streams=2), keys) as real:
        with opened(real, FORM_HEAD), opened(real, FORM_HEAD):
            assert status_of(real.send(posted("/v1/check", GOOD, headers["ann"]))) == 200
            third = real.send(FORM_HEAD)
            assert status_of(third) == 429
            assert b"retry-after: 5" in third.lower()
        wait_until(lambda: real.service.admission.under_way == 0)
        with opened(real, FORM_HEAD):
            pass


def test_streams_take_no_room_and_each_key_has_only_so_many(tmp_path: Path, held: Held) -> None:
    keys, headers = keyed("ann", "bob")
    ann, bob = (f"Authorization: {each}\r\n".encode() for each in headers.values())
    with served(asked(tmp_path, "overlap", "held", requests=1, streams=1), keys) as real:
        job = real.send(posted("/v1/jobs", {**GOOD, "detector": "held"}, headers["ann"]))
        id = json.loads(job.partition(b"\r\n\r\n")[2])["id"]
        path = f"/v1/jobs/{id}/events".encode()
        watch = b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n" % path
        with opened(real, watch + ann + b"\r\n"):
            second = real.send(watch + ann + b"\r\n")
            assert status_of(second) == 429
            assert b"retry-after: 5" in second.lower()
            assert status_of(real.send(watch + bob + b"\r\n")) == 404
            assert status_of(real.send(posted("/v1/check", GOOD, headers["ann"]))) == 200
        held.go.set()
        wait_until(lambda: real.service.admission.under_way == 0)
        assert b"event: end" in real.send(watch + ann + b"\r\n")
