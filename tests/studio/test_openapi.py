"""The description of the API, and requests made from it, which are answered as it says."""

import socket
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import FailureGroup
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from assay.annotation.studio import open_studio
from assay.studio.application import create_app, description
from tests.annotating import ORIGIN
from tests.studio.scene import DIGEST, ROLES, Scene, scene

__all__ = ["scene"]
OUTERMOST = ("anonymous", "administrator")  # what nobody may do, and what one may who may do all

CHECKS = [
    not_a_server_error,
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
]
EXAMPLES = 3  # of each operation, for each role, with good and with bad input


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Addresses that are made up are not looked up."""

    def lookup(*args: object, **kwargs: object) -> None:
        raise socket.gaierror("no such host")

    monkeypatch.setattr(socket, "getaddrinfo", lookup)


@pytest.fixture
def document(studio_at: str) -> Iterator[dict[str, Any]]:
    """The description of the API."""
    opened = open_studio(studio_at)
    yield description(create_app(opened))
    opened.close()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for path, item in document["paths"].items():
        for method, operation in item.items():
            yield f"{method.upper()} {path}", operation


def test_description_is_what_is_served(scene: Scene, document: dict[str, Any]) -> None:
    answer = scene.browsers["administrator"].get("/api/openapi.json")
    assert answer.json()["paths"].keys() == document["paths"].keys()
    assert answer.json()["openapi"].startswith("3.1")


def test_every_operation_says_what_it_does_answers_and_needs(document: dict[str, Any]) -> None:
    open_to_all = {"GET /api/session", "GET /api/invitations/{token}"}
    for name, operation in operations(document):
        assert operation["description"], name
        assert operation["operationId"], name
        statuses = operation["responses"].keys()
        assert {"400", "401", "403", "404", "413", "422"} <= statuses, name
        for status, response in operation["responses"].items():
            answer = response["content"].get("application/json", {})
            is_error = answer == {"schema": {"$ref": "#/components/schemas/ErrorAnswer"}}
            assert is_error is (int(status) >= 400), f"{name} {status}"
        assert bool(operation["security"]) is (name not in open_to_all), name
        if not name.startswith("GET") and operation["security"]:
            assert "token" in operation["security"][0], name


def test_every_reference_leads_somewhere(document: dict[str, Any]) -> None:
    wanted = set(_references(document))
    assert wanted
    assert wanted <= {f"#/components/schemas/{each}" for each in document["components"]["schemas"]}


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        for key, each in value.items():
            if key == "$ref" and isinstance(each, str):
                yield each
            else:
                yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


@pytest.mark.slow
@pytest.mark.parametrize(
    "role",
    [each if each in OUTERMOST else pytest.param(each, marks=pytest.mark.soak) for each in ROLES],
)
def test_made_up_requests_are_answered_as_described(
    role: str, scene: Scene, document: dict[str, Any]
) -> None:
    schema = schemathesis.openapi.from_dict(document)
    problems: dict[str, list[str]] = {}
    known = scene.values | {"position": 1, "digest": DIGEST}
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        names = {each.name for each in operation.path_parameters}
        real = {name: value for name, value in known.items() if name in names}
        cases = st.one_of(
            operation.as_strategy(GenerationMode.POSITIVE, path_parameters=real or None),
            operation.as_strategy(GenerationMode.POSITIVE),
            *([operation.as_strategy(GenerationMode.NEGATIVE)] if names or operation.body else []),
        )
        try:
            _try(role, scene, cases)
        except FailureGroup as failures:
            problems[operation.label] = [str(each) for each in failures.exceptions]
    assert problems == {}


def _try(role: str, scene: Scene, cases: st.SearchStrategy[Any]) -> None:
    health = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]

    @settings(
        max_examples=EXAMPLES, suppress_health_check=health, phases=[Phase.generate], deadline=None
    )
    @given(case=cases)
    def ask(case: Any) -> None:
        request = case.as_transport_kwargs(base_url=ORIGIN)
        browser = scene.browser(role)
        request.pop("cookies", None)
        if isinstance(request.get("data"), bytes | str):
            request["content"] = request.pop("data")
        if request.get("files"):
            request["files"] = [(name, _written(part)) for name, part in request["files"]]
        headers = {**dict(request.pop("headers", {})), **dict(browser.headers)}
        answer = browser.request(**request, headers=headers)
        answer.request.read()  # a file that was refused before it was read
        case.validate_response(answer, checks=CHECKS)

    ask()


def _written(part: Any) -> Any:
    """A part of a form as it is sent, where it was made up as a number or as nothing."""
    if not isinstance(part, tuple):
        return part
    name, content, *rest = part
    return name, content if isinstance(content, bytes | str) else str(content), *rest
