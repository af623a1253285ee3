"""The description of the API, and requests made from it, which are answered as it says."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi.testclient import TestClient
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import validate
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.service.serving import GOOD, ORIGIN, asked, client, keyed

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
EXAMPLES = 20  # of each operation
PATHS = {
    "/healthz",
    "/metrics",
    "/openapi.json",
    "/readyz",
    "/v1/check",
    "/v1/detectors",
    "/v1/jobs",
    "/v1/jobs/{id}",
    "/v1/jobs/{id}/cancel",
    "/v1/jobs/{id}/events",
    "/v1/jobs/{id}/results",
}


@pytest.fixture
def document(browser: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = browser.get("/openapi.json").json()
    return found


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield f"{method.upper()} {path}", operation


def test_description_is_good_openapi_of_all_routes_but_pages(document: dict[str, Any]) -> None:
    validate(document)
    assert set(document["paths"]) == PATHS
    assert document["openapi"].startswith("3.1")


def test_every_operation_says_what_it_does_and_how_it_fails(document: dict[str, Any]) -> None:
    for name, operation in operations(document):
        assert operation["description"], name
        for status, response in operation["responses"].items():
            if int(status) >= 400:
                schema = response["content"]["application/json"]["schema"]
                assert schema == {"$ref": "#/components/schemas/ErrorAnswer"}, (name, status)


def test_description_says_which_operations_need_a_key(
    document: dict[str, Any], tmp_path: Path
) -> None:
    assert not any(operation["security"] for _, operation in operations(document))
    with client(asked(tmp_path / "keyed"), keyed("ann")[0]) as browser:
        closed = browser.get("/openapi.json").json()
    for name, operation in operations(closed):
        schemes = [next(iter(each)) for each in operation["security"]]
        is_closed = "/v1" in name or "/metrics" in name
        assert schemes == (["bearer", "header"] if is_closed else []), name


@pytest.mark.slow
def test_made_up_requests_are_answered_as_described(
    browser: TestClient, document: dict[str, Any]
) -> None:
    schema = schemathesis.openapi.from_dict(document)
    job = browser.post("/v1/jobs", json=GOOD).json()["id"]
    problems: dict[str, list[str]] = {}
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        real = {"id": job} if "{id}" in operation.path else None
        cases = [operation.as_strategy(GenerationMode.POSITIVE, path_parameters=real)]
        if real or operation.body or operation.query:
            cases.append(operation.as_strategy(GenerationMode.NEGATIVE))
        try:
            _try(browser, st.one_of(cases))
        except FailureGroup as failures:
            problems[operation.label] = [str(each) for each in failures.exceptions]
    assert problems == {}


def _try(browser: TestClient, cases: st.SearchStrategy[Any]) -> None:
    health = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

    @settings(
        max_examples=EXAMPLES, suppress_health_check=health, phases=[Phase.generate], deadline=None
    )
    @given(case=cases)
    def ask(case: Any) -> None:
        request = case.as_transport_kwargs(base_url=ORIGIN)
        request.pop("cookies", None)
        if isinstance(request.get("data"), bytes | str):
            request["content"] = request.pop("data")
        answer = browser.request(**request)
        answer.request.read()
        case.validate_response(answer, checks=CHECKS)

    ask()
