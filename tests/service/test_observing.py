"""The log, the figures and the traces of requests: what they tell, and what they do not."""

import json
import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from assay.core.errors import ServiceError
from assay.core.system.notices import LOGGER, warn
from assay.service.logs import NAME, JsonLines, log_to_stderr, tell
from tests.service.serving import (
    BAD,
    GOOD,
    Held,
    asked,
    client,
    keyed,
    posted,
    served,
    service_of,
    wait_until,
)
from tests.tracing import Spans


def said(caplog: pytest.LogCaptureFixture) -> list[dict[str, Any]]:
    return [json.loads(JsonLines().format(record)) for record in caplog.records]


@pytest.fixture
def log(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, NAME)
    return caplog


def test_request_is_a_line_without_its_texts(tmp_path: Path, log: pytest.LogCaptureFixture) -> None:
    keys, headers = keyed("ann")
    with client(asked(tmp_path), keys) as browser:
        browser.post(
            "/v1/check",
            json={"examples": [GOOD, BAD, {}]},
            headers={"Authorization": headers["ann"], "X-Request-Id": "mine"},
        )
    (line,) = [each for each in said(log) if each["event"] == "request"]
    assert line.pop("ms") > 0
    assert line.pop("at").endswith("+00:00")
    assert line == {
        "level": "info",
        "event": "request",
        "request_id": "mine",
        "method": "POST",
        "path": "/v1/check",
        "status": 200,
        "client": "testclient",
        "owner": "ann",
        "detector": "overlap",
        "examples": 3,
        "problems": 1,
    }
    assert "Lovelace" not in log.text
    assert headers["ann"] not in log.text


def test_texts_are_logged_where_that_is_wanted(
    tmp_path: Path, log: pytest.LogCaptureFixture
) -> None:
    with client(replace(asked(tmp_path), log_texts=True)) as browser:
        browser.post("/v1/check", json=GOOD)
    (line,) = [each for each in said(log) if each["event"] == "request"]
    assert line["texts"] == [GOOD]


def test_error_is_in_the_log_under_the_id_that_the_client_was_told(
    browser: TestClient, log: pytest.LogCaptureFixture
) -> None:
    answer = browser.post("/v1/check", json={})
    (line,) = said(log)
    assert line["error"] == "input"
    assert line["request_id"] == answer.json()["error"]["request_id"]


def test_accident_tells_the_client_nothing_but_its_id(
    tmp_path: Path, log: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*given: object) -> None:
        raise RuntimeError("a secret of the server")

    monkeypatch.setattr("assay.service.routes.checks.read_body", fail)
    with client(asked(tmp_path)) as browser:
        answer = browser.post("/v1/check", json=GOOD)
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert "secret" not in answer.text
    traced = next(each for each in said(log) if "trace" in each)
    assert "a secret of the server" in traced["trace"]
    assert answer.headers["x-request-id"] in traced["event"]


def test_client_that_leaves_is_a_line_with_499_and_no_fault(
    tmp_path: Path, log: pytest.LogCaptureFixture, held: Held
) -> None:
    with served(asked(tmp_path, "held")) as real:
        with pytest.raises(TimeoutError):
            real.send(posted("/v1/check", GOOD), patience=0.3)  # and is gone
        wait_until(lambda: real.service.admission.under_way == 0)
        held.go.set()
        figures = real.service.metrics.text().decode()
    assert 'assay_requests_total{method="POST",route="/v1/check",status="499"} 1.0' in figures
    (line,) = [each for each in said(log) if each["event"] not in ("ready", "stopped")]
    assert (line["status"], line["level"], "error" in line) == (499, "info", False)


def test_line_of_the_log_is_one_line(log: pytest.LogCaptureFixture, browser: TestClient) -> None:
    browser.get("/a%0ab%0d%1b[31m")
    assert all("\n" not in JsonLines().format(record) for record in log.records)
    assert said(log)[-1]["path"] == "/a\nb\r\x1b[31m"


def test_health_is_not_logged(log: pytest.LogCaptureFixture, browser: TestClient) -> None:
    for path in ("/healthz", "/readyz", "/metrics"):
        browser.get(path)
    assert [each for each in said(log) if each["event"] == "request"] == []


def test_figures_count_what_happened(tmp_path: Path) -> None:
    keys, headers = keyed("ann")
    ann = {"Authorization": headers["ann"]}
    with client(asked(tmp_path), keys) as browser:
        browser.post("/v1/check", json={"examples": [GOOD, BAD, {}]}, headers=ann)
        browser.post("/v1/check", json=GOOD)
        browser.get("/nothing", headers=ann)
        figures = browser.get("/metrics", headers=ann).text.splitlines()
    for line in (
        'assay_requests_total{method="POST",route="/v1/check",status="200"} 1.0',
        'assay_requests_total{method="",route="other",status="401"} 1.0',
        'assay_requests_total{method="",route="other",status="404"} 1.0',
        'assay_examples_total{detector="overlap"} 2.0',
        'assay_sentences_total{coarse="unfaithful",detector="overlap",label="fabricated"} 1.0',
        'assay_unreadable_rows_total{detector="overlap"} 1.0',
        'assay_refused_requests_total{reason="no-access"} 1.0',
        'assay_request_seconds_count{route="/v1/check"} 1.0',
        'assay_jobs{state="queued"} 0.0',
        "assay_requests_under_way 0.0",
    ):
        assert line in figures
    # Two examples to warm up, in one batch, and the two of the request in one or two.
    (batches,) = [each for each in figures if each.startswith("assay_batch_examples_count")]
    assert batches.rpartition(" ")[2] in ("2.0", "3.0")


def test_place_of_jobs_that_is_out_of_reach_makes_the_service_unready(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise ServiceError("postgresql://user:secret@host is gone", code="store")

    monkeypatch.setattr(service_of(browser).jobs._jobs, "counts", fail)
    answer = browser.get("/readyz")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "busy")
    assert "secret" not in answer.text
    assert browser.get("/metrics").status_code == 200


def test_check_belongs_to_the_trace_of_its_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spans = Spans(monkeypatch)
    trace, parent = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
    with client(asked(tmp_path)) as browser:
        browser.post("/v1/check", json=GOOD, headers={"traceparent": f"00-{trace}-{parent}-01"})
        browser.post("/v1/check", json=GOOD, headers={"traceparent": "nonsense"})
    first, second = spans.named("check overlap")
    assert first.parent is not None
    assert (first.parent.trace_id, first.parent.span_id) == (int(trace, 16), int(parent, 16))
    assert second.parent is None


def test_every_logger_of_the_program_writes_lines_of_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    names = ("assay", "assay.service", "uvicorn")
    loggers = [logging.getLogger(each) for each in names]
    before = [(each.handlers, each.propagate, each.level) for each in loggers]
    try:
        log_to_stderr()
        tell("ready")
        warn("the disk is slow")
        try:
            raise ValueError("on\ntwo lines")
        except ValueError:
            logging.getLogger(LOGGER).exception("the job %s failed", "abc")
    finally:
        for each, (handlers, propagate, level) in zip(loggers, before, strict=True):
            each.handlers, each.propagate = handlers, propagate
            each.setLevel(level)
    lines = [json.loads(each) for each in capsys.readouterr().err.splitlines()]
    assert [each["event"] for each in lines] == ["ready", "the disk is slow", "the job abc failed"]
    assert "ValueError: on" in lines[-1]["trace"]
