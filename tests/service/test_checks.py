"""Checks over HTTP: the document of the command line, line by line if wanted, and all refusals."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from fastapi.testclient import TestClient

from assay.app.served import DetectorChoice
from assay.cli.application import app
from assay.core import wire
from assay.core.codec import write_example
from assay.core.examples import Annotated, Example
from assay.core.texts import Response, Source
from assay.llm.settings.options import Options
from assay.text.sentences import sentence_units
from tests.cli.loopback import Loopback
from tests.service.serving import BAD, GOOD, SOURCE, asked, client

NDJSON = {"Accept": "application/x-ndjson"}
ROWS: list[dict[str, Any]] = [
    {"id": "a", **GOOD},
    {"id": "b", "context": ["Ada was born in 1815.", "She lived in London."], "answer": "1815."},
    {"id": "c", "document": {"name": "Spoon", "stars": 4}, "summary": "It has 4 stars."},
    {"id": "d", "source": SOURCE},
    {"id": "a", **BAD, "question": "When?", "language": "en"},
]


def without_times(document: dict[str, Any]) -> dict[str, Any]:
    for each in document["judgements"]:
        each.pop("at")
    return document


def test_document_is_that_of_the_command_line(browser: TestClient, tmp_path: Path) -> None:
    file = tmp_path / "rows.json"
    file.write_text(json.dumps(ROWS))
    command = ["check", str(file), "--detector", "overlap", "--json"]
    printed = without_times(json.loads(CliRunner().invoke(app, command).stdout))
    answer = browser.post("/v1/check", json={"examples": ROWS})
    assert (answer.status_code, answer.headers["content-type"]) == (200, "application/json")
    document = without_times(answer.json())
    assert [each["where"] for each in document["problems"]] == ["row 4"]
    (problem,) = printed["problems"]
    assert document.pop("problems")[0]["message"] == problem["message"]
    del printed["problems"]
    assert document == printed


def test_document_fits_the_schema(browser: TestClient) -> None:
    jsonschema.validate(browser.post("/v1/check", json={"examples": ROWS}).json(), wire.schema())


def test_one_example_may_stand_in_the_body_itself(browser: TestClient) -> None:
    document = browser.post("/v1/check", json={"id": "mine", **BAD}).json()
    (said,) = document["judgements"]
    assert said["example"] == "mine"
    assert [unit["text"] for unit in said["units"]] == [BAD["response"]]
    assert document["ending"] == {"state": "complete"}


def test_lines_come_in_order_and_the_last_one_is_the_rest_of_the_document(
    browser: TestClient,
) -> None:
    answer = browser.post("/v1/check", json={"examples": ROWS}, headers=NDJSON)
    assert answer.headers["content-type"] == "application/x-ndjson"
    *lines, end = map(json.loads, answer.text.splitlines())
    assert [each["example"] for each in lines] == ["a", "b", "c", "a"]
    assert end["counts"] == {"rows": 5, "judged": 4, "problems": 1}
    assert end["ending"] == {"state": "complete"}
    end.pop("counts")
    whole = browser.post("/v1/check", json={"examples": ROWS}).json()
    assert without_times({**end, "judgements": lines}) == without_times(whole)


def test_another_detector_is_one_of_those_served(tmp_path: Path) -> None:
    with client(asked(tmp_path, "overlap", "embedded")) as browser:
        first = browser.post("/v1/check", json=BAD).json()
        second = browser.post("/v1/check", json={**BAD, "detector": "embedded"}).json()
        other = browser.post("/v1/check", json={**BAD, "detector": "judge-gray7"})
    assert first["manifest"]["detector"] == "overlap"
    assert second["manifest"]["detector"] == "embedded"
    assert (other.status_code, other.json()["error"]["field"]) == (422, "detector")
    assert "Choices: embedded, overlap." in other.json()["error"]["message"]


def test_no_field_of_a_row_chooses_a_model_a_server_or_a_file(browser: TestClient) -> None:
    tricks = {
        "model": "openai/gpt-4.1",
        "models": ["x"],
        "base_url": "http://evil.example/v1",
        "key_env": "HOME",
        "peers": "/etc/passwd",
        "calibration": "/etc/passwd",
        "device": "cuda:7",
        "threshold": 0.99,
        "source_field": "/etc/passwd",
    }
    plain = without_times(browser.post("/v1/check", json=BAD).json())
    tricked = without_times(browser.post("/v1/check", json={**BAD, **tricks}).json())
    assert tricked == plain


@pytest.mark.parametrize(
    ("body", "status", "code", "field", "said"),
    [
        ({"source": SOURCE}, 422, "input", "response", "no response"),
        ({}, 422, "input", "source", "no source"),
        ({"source": "", "response": "x"}, 422, "input", "source", "the source is empty"),
        ({"source": "x", "response": " "}, 422, "no-answer", "response", "the response is empty"),
        (
            {"examples": [{**GOOD, "response": ""}] * 2},
            422,
            "no-answer",
            "response",
            "row 1: the resp",
        ),
        ({"examples": []}, 422, "input", "examples", "there are no examples"),
        ({"examples": {}}, 422, "input", "examples", "examples must be a list, not dict"),
        ({"examples": [1]}, 422, "input", "", "an example cannot be read from a value"),
        ({"examples": [GOOD], "x": 1}, 422, "input", "examples", "beside examples stands 'x'"),
        ({"examples": [GOOD] * 4}, 413, "too-large", "examples", "4 examples, of up to 3"),
        ({**GOOD, "source": "x" * 101}, 413, "too-large", "source", "101 characters; up to 100"),
        ({**GOOD, "detector": 1}, 422, "input", "detector", "detector must be text, not int"),
        ({**GOOD, "language": "Klingon!"}, 422, "input", "", "a language is given by its code"),
        ([GOOD], 400, "unreadable", "", "the body must be a JSON object, not list"),
        ("x", 400, "unreadable", "", "the body must be a JSON object, not str"),
    ],
)
def test_what_cannot_be_checked_is_refused_in_one_line(
    tmp_path: Path, body: object, status: int, code: str, field: str, said: str
) -> None:
    with client(asked(tmp_path, examples=3, characters=100)) as browser:
        answer = browser.post("/v1/check", json=body)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["field"]) == (status, code, field)
    assert said in error["message"]
    assert error["request_id"] == answer.headers["x-request-id"]
    assert "--" not in error["message"]
    assert "\n" not in error["message"]


def test_examples_in_our_own_form_are_read_as_such(browser: TestClient) -> None:
    example = Example("a", Source("Ada was born."), Response("She was. It is so."))
    unit = replace(sentence_units(example)[1], id="second")
    own = json.loads(write_example(Annotated(replace(example, units=(unit,)))))
    damaged = {**own, "units": [{"id": "u"}]}
    answer = browser.post("/v1/check", json={"examples": [own, damaged]}).json()
    assert [each["units"][0]["id"] for each in answer["judgements"]] == ["second"]
    (problem,) = answer["problems"]
    assert problem["where"] == "row 2"
    assert problem["message"].startswith("the example is damaged")


def test_rows_that_are_too_long_do_not_keep_the_others_from_being_judged(tmp_path: Path) -> None:
    rows = [GOOD, {**GOOD, "response": "x" * 101}, GOOD]
    with client(asked(tmp_path, characters=100)) as browser:
        document = browser.post("/v1/check", json={"examples": rows}).json()
    assert [each["example"] for each in document["judgements"]] == ["1", "3"]
    message = "the response has 101 characters; up to 100 are read"
    assert document["problems"] == [{"where": "row 2", "message": message}]


def test_budget_is_one_for_all_and_what_was_paid_for_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "a-key")
    model = Loopback()
    options = Options(base_url=model.url, budget_calls=2, concurrency=1)
    choice = DetectorChoice(("judge-simple",), models=("a-model",), options=options)
    with client(replace(asked(tmp_path), detectors=choice)) as browser:
        answer = browser.post("/v1/check", json={"examples": [GOOD, BAD, GOOD]})
        after = browser.post("/v1/check", json=GOOD)
    model.close()
    assert answer.json()["ending"]["state"] == "budget"
    assert len(answer.json()["judgements"]) == 2
    assert (after.status_code, after.json()["error"]["code"]) == (503, "budget")
    assert "--" not in after.json()["error"]["message"]
