"""The guard that the studio and the service share, where they differ in what they let in."""

from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse, Response

from assay.web.answers import ErrorRecord, answer
from assay.web.errors import add_handlers
from assay.web.guard import Entrance, RequestGuard


class Plain:
    """Errors as they are."""

    def failure(self, request: Request, status: int, told: ErrorRecord, **more: Any) -> Response:
        made = answer({"error": told}, status=status)
        made.headers.update(more.get("headers") or {})
        return made

    def accident(self, request: Request, error: Exception, status: int = 500) -> Response:
        return PlainTextResponse("accident", status)


def guarded(*, needs_origin: bool) -> TestClient:
    app = FastAPI()
    entrance = Entrance(
        "this", ("ours.example",), "default-src 'none'", lambda path, headers: 10, Plain(),
        needs_origin=needs_origin,
    )  # fmt: skip

    async def echo(request: Request) -> Response:
        body = (await request.body()).decode()
        return PlainTextResponse(body, headers={"Content-Security-Policy": "own"} if body else {})

    app.add_api_route("/", echo, methods=["GET", "POST"])
    app.state.routes = app.routes
    add_handlers(app, entrance.failures)
    app.add_middleware(RequestGuard, entrance=entrance)
    return TestClient(app, base_url="http://localhost")


@pytest.mark.parametrize(
    ("method", "origin", "for_browsers", "for_programs"),
    [
        ("POST", None, 403, 200),
        ("POST", "http://localhost", 200, 200),
        ("POST", "http://LOCALHOST", 200, 200),
        ("POST", "http://localhost:1", 403, 403),
        ("POST", "null", 403, 403),
        ("POST", "", 403, 403),
        ("GET", None, 200, 200),
        ("GET", "http://evil.example", 200, 403),
    ],
)
def test_origin_is_ours_where_there_is_one_or_where_one_is_needed(
    method: str, origin: str | None, for_browsers: int, for_programs: int
) -> None:
    headers = {} if origin is None else {"Origin": origin}
    for needs_origin, status in ((True, for_browsers), (False, for_programs)):
        browser = guarded(needs_origin=needs_origin)
        assert browser.request(method, "/", headers=headers).status_code == status


def test_answer_may_have_a_policy_of_its_own() -> None:
    browser = guarded(needs_origin=False)
    assert browser.get("/").headers["content-security-policy"] == "default-src 'none'"
    assert browser.post("/", content=b"x").headers["content-security-policy"] == "own"


def test_method_that_no_route_has_names_those_that_there_are() -> None:
    answer = guarded(needs_origin=False).delete("/")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, POST")


def test_body_over_the_limit_is_refused_whether_it_says_so_or_not() -> None:
    browser = guarded(needs_origin=False)
    assert browser.post("/", content=b"x" * 10).status_code == 200
    assert browser.post("/", content=b"x" * 11).status_code == 413
    assert browser.post("/", content=iter([b"x" * 6, b"x" * 6])).status_code == 413
