"""Jobs over HTTP: accepted, watched to their end, read in pieces, cancelled, removed."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from fastapi.testclient import TestClient

from assay.app.jobs import Job, Jobs
from assay.core import wire
from assay.core.examples import Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.detectors.registry import DetectorSpec
from assay.engine.check import CheckRequest
from assay.service.detectors import BusyError
from assay.service.jobs import ServedJobs
from tests.service.serving import BAD, GOOD, Held, asked, client, served, wait_until

LINES = {"Content-Type": "application/x-ndjson"}
DOCUMENT = {"Accept": "application/json"}


def submit(browser: TestClient, *rows: object, **more: Any) -> str:
    answer = browser.post("/v1/jobs", json={"examples": rows, **more})
    assert answer.status_code == 202, answer.text
    place: str = answer.headers["location"]
    assert place == f"/v1/jobs/{answer.json()['id']}"
    return place


def events(browser: TestClient, place: str) -> list[tuple[str, Any]]:
    answer = browser.get(f"{place}/events", headers={"Last-Event-ID": "7"})
    assert answer.headers["content-type"].startswith("text/event-stream")
    told = [each.split("\n") for each in answer.text.strip().split("\n\n")]
    return [(name.removeprefix("event: "), json.loads(data[6:])) for name, data in told]


def test_job_is_judged_to_its_end(browser: TestClient) -> None:
    place = submit(browser, {"id": "a", **GOOD}, {"id": "b", **BAD})
    *_, (name, job) = events(browser, place)
    assert (name, job["state"], job["done"], job["examples"]) == ("end", "done", 2, 2)
    assert browser.get(place).json() == job
    assert browser.get("/v1/jobs").json() == {"jobs": [job]}
    *lines, end = map(json.loads, browser.get(f"{place}/results").text.splitlines())
    assert [each["example"] for each in lines] == ["a", "b"]
    assert (end["counts"]["judged"], end["after"], end["ending"]["state"]) == (2, 1, "complete")


def test_results_are_those_of_a_check(browser: TestClient) -> None:
    place = submit(browser, GOOD, BAD)
    events(browser, place)
    kept = browser.get(f"{place}/results", headers=DOCUMENT).json()
    jsonschema.validate(kept, wire.schema())
    checked = browser.post("/v1/check", json={"examples": [GOOD, BAD]}).json()
    for each in (*kept["judgements"], *checked["judgements"]):
        each.pop("at")
    assert kept["judgements"] == checked["judgements"]
    assert kept["ending"] == {"state": "complete"}


def test_results_come_in_pieces_that_follow_each_other(browser: TestClient) -> None:
    place = submit(browser, *({"id": str(number), **GOOD} for number in range(5)))
    events(browser, place)
    seen, after = [], -1
    for _ in range(3):
        answer = browser.get(f"{place}/results", params={"after": after, "most": 2})
        *lines, end = map(json.loads, answer.text.splitlines())
        seen.append([each["example"] for each in lines])
        after = end["after"]
    assert seen == [["0", "1"], ["2", "3"], ["4"]]
    assert browser.get(f"{place}/results", params={"after": 4}).text.count("\n") == 1


def test_lines_name_their_detector_and_language_in_the_address(tmp_path: Path) -> None:
    body = b"\n".join(json.dumps(each).encode() for each in (GOOD, BAD))
    with client(asked(tmp_path, "overlap", "embedded")) as browser:
        path = "/v1/jobs?detector=embedded&language=en"
        job = browser.post(path, content=body, headers=LINES).json()
        assert (job["detector"], job["examples"], job["unread_rows"]) == ("embedded", 2, 0)
        wrong = browser.post("/v1/jobs?detector=x", content=body, headers=LINES)
        assert (wrong.status_code, wrong.json()["error"]["code"]) == (422, "unknown-name")
        browser.post(f"/v1/jobs/{job['id']}/cancel")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "a job needs at least one example"),
        (b"\n \n", "a job needs at least one example"),
        (b"{}\n[]", "row 1: no source"),
    ],
)
def test_lines_without_an_example_make_no_job(browser: TestClient, body: bytes, said: str) -> None:
    answer = browser.post("/v1/jobs", content=body, headers=LINES)
    assert answer.status_code == 422
    assert said in answer.json()["error"]["message"]
    assert browser.get("/v1/jobs").json() == {"jobs": []}


def test_job_that_runs_is_cancelled_before_it_is_removed(tmp_path: Path, held: Held) -> None:
    with client(asked(tmp_path, "held")) as browser:
        place = submit(browser, GOOD)
        wait_until(lambda: browser.get(place).json()["state"] == "running")
        early = browser.get(f"{place}/results").text.splitlines()
        assert json.loads(early[-1])["ending"]["state"] == "running"
        assert len(early) == 1
        refused = browser.delete(place)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "job-running")
        assert browser.post(f"{place}/cancel").status_code == 200
        held.go.set()
        wait_until(lambda: browser.get(place).json()["state"] in ("cancelled", "done"))
        assert browser.delete(place).status_code == 204
        assert browser.get(place).status_code == 404


def test_only_so_many_jobs_wait(tmp_path: Path, held: Held) -> None:
    with client(asked(tmp_path, "held", queue=2)) as browser:
        places = [submit(browser, GOOD) for _ in range(2)]
        refused = browser.post("/v1/jobs", json=GOOD)
        assert (refused.status_code, refused.json()["error"]["code"]) == (503, "queue-full")
        assert int(refused.headers["retry-after"]) > 0
        counted = re.findall(
            r'assay_jobs{state="(?:queued|running)"} (\d)', browser.get("/metrics").text
        )
        assert sum(map(int, counted)) == 2
        for place in places:
            browser.post(f"{place}/cancel")
        held.go.set()


def test_queue_that_filled_up_while_rows_arrived_refuses_them(tmp_path: Path) -> None:
    detectors = {"overlap": CheckRequest(DetectorSpec("overlap"))}
    jobs = Jobs(str(tmp_path / "jobs"), detectors, workers=0)
    served_jobs = ServedJobs(jobs, most=1, keep_days=1)
    row = Example("a", read_source("A cat."), Response("A cat."))

    def arriving() -> Iterator[Example]:
        jobs.submit([row], "overlap", "other")
        yield row

    with pytest.raises(BusyError, match="as many jobs are waiting as may wait"):
        asyncio.run(served_jobs.submit(arriving(), "overlap", "me"))
    assert [each.owner for each in jobs.list()] == ["other"]
    jobs.close(0)


def test_watching_ends_with_the_service_and_tells_of_every_step(tmp_path: Path, held: Held) -> None:
    with served(asked(tmp_path, "held")) as real:
        body = json.dumps(GOOD).encode()
        head = b"Host: localhost\r\nConnection: close\r\n"
        posted = real.send(
            b"POST /v1/jobs HTTP/1.1\r\n%sContent-Type: application/json\r\nContent-Length: %d"
            b"\r\n\r\n%s" % (head, len(body), body)
        )
        id = json.loads(posted.partition(b"\r\n\r\n")[2])["id"].encode()
        watched: list[bytes] = []
        request = b"GET /v1/jobs/%s/events HTTP/1.1\r\n%s\r\n" % (id, head)
        watching = threading.Thread(target=lambda: watched.append(real.send(request)))
        watching.start()
        wait_until(lambda: real.service.admission.under_way)
        real.service.stop()
        watching.join(10)
        assert not watching.is_alive()
        held.go.set()
    assert b"event: progress\n" in watched[0]
    assert b"event: end" not in watched[0]


def test_rows_that_were_left_out_are_told_with_the_job_and_its_results(browser: TestClient) -> None:
    place = submit(browser, GOOD, {"source": "A source."})
    assert browser.get(place).json()["unread_rows"] == 1
    last = json.loads(browser.get(f"{place}/results").text.splitlines()[-1])
    assert (last["counts"]["rows"], last["counts"]["problems"]) == (2, 1)
    document = browser.get(f"{place}/results", headers={"Accept": "application/json"}).json()
    for told in (last, document):
        (problem,) = told["problems"]
        assert problem["where"] == "row 2"
        assert problem["message"].startswith("no response: ")


def test_database_is_never_asked_on_the_thread_that_answers(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[str] = []
    find = Jobs.find

    def watched(jobs: Jobs, id: str, owner: str | None = None) -> Job:
        threads.append(threading.current_thread().name)
        return find(jobs, id, owner)

    place = submit(browser, GOOD)
    events(browser, place)
    monkeypatch.setattr(Jobs, "find", watched)
    assert browser.get(f"{place}/results").status_code == 200
    assert threads
    assert all(each.startswith("jobs") for each in threads)


def test_job_that_is_removed_while_it_is_watched_ends_the_events(tmp_path: Path) -> None:
    with client(asked(tmp_path)) as browser:
        place = submit(browser, GOOD)
        events(browser, place)
        browser.delete(place)
        assert browser.get(f"{place}/events").status_code == 404
