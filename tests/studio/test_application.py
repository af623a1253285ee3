"""What every request has to get past, and what every answer carries."""

import logging
import urllib.request

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from assay.annotation.access import ForbiddenError, NotFoundError
from assay.annotation.people.sessions import SignedOutError, ThrottledError
from assay.annotation.studio import Studio
from assay.core.errors import (
    AssayError,
    InputError,
    MissingExtraError,
    ServiceError,
    SpanError,
)
from assay.studio.application import Serving, create_app
from assay.studio.guard import Limits
from assay.web.errors import status_of
from assay.web.guard import is_loopback
from tests.annotating import ORIGIN, Client, MakePerson
from tests.studio.serving import Served


def test_unknown_path_of_the_api_is_answered_in_json(client: Client) -> None:
    answer = client().get("/api/nowhere")
    assert answer.status_code == 404
    assert answer.json() == {"error": {"code": "not-found", "message": "Not Found", "field": ""}}


def test_unknown_page_is_answered_by_a_page(client: Client) -> None:
    answer = client().get("/nowhere")
    assert answer.status_code == 404
    assert answer.headers["content-type"].startswith("text/html")


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/api/nowhere", "no-store"),
        ("/api/session", "no-store"),
        ("/login", "no-store"),
        ("/nowhere", "no-store"),
        ("/static/studio.css", "no-cache"),
        ("/static/nothing.css", "no-cache"),
        ("/login?a=%00", "no-store"),
    ],
)
def test_every_answer_carries_the_policy(client: Client, path: str, kept: str) -> None:
    headers = client().get(path).headers
    assert headers["content-security-policy"] == (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; font-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cache-control"] == kept


def test_static_file_is_sent_once(client: Client) -> None:
    etag = client().get("/static/studio.css").headers["etag"]
    again = client().get("/static/studio.css", headers={"If-None-Match": etag})
    assert again.status_code == 304


@pytest.mark.parametrize("path", ["/static/../server.py", "/static/%2e%2e/server.py"])
def test_static_files_are_those_of_their_folder(client: Client, path: str) -> None:
    assert client().get(path).status_code == 404


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "a b", "[x"])
def test_studio_does_not_answer_to_other_names(client: Client, host: str) -> None:
    answer = client().get("/api/session", headers={"Host": host})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "host")


@pytest.mark.parametrize(
    "host", ["localhost:99", "127.0.0.1", "[::1]:80", "10.0.0.1", "Team.example"]
)
def test_studio_answers_to_numbers_and_its_names(studio: Studio, host: str) -> None:
    app = create_app(studio, Serving(hosts=("team.example",)))
    answer = TestClient(app, base_url=ORIGIN).get("/api/session", headers={"Host": host})
    assert answer.status_code == 200


@pytest.mark.parametrize("origin", ["", "null", "http://evil.example", "http://localhost:81"])
def test_change_comes_from_a_page_of_the_studio(
    client: Client, make_person: MakePerson, origin: str
) -> None:
    browser = client(make_person("ann", "administrator"))
    for method, path in (("DELETE", "/api/session"), ("POST", "/api/session"), ("POST", "/x")):
        answer = browser.request(method, path, headers={"Origin": origin}, json={})
        assert answer.status_code == 403
    assert browser.get("/api/people", headers={"Origin": origin}).status_code == 200


def test_body_that_is_too_large_is_refused(studio: Studio, make_person: MakePerson) -> None:
    app = create_app(studio, Serving(limits=Limits(upload=2000, body=1000)))
    browser = TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN})

    def streamed(size: int) -> object:
        return (b"x" * 100 for _ in range(size // 100))

    for content in (b"x" * 1100, streamed(1100)):
        answer = browser.post("/api/session", content=content)  # type: ignore[arg-type]
        assert answer.status_code == 413
        assert answer.json()["error"]["message"] == "the request is larger than 1000 bytes"
    assert browser.post("/api/projects/x/import", content=b"x" * 1100).status_code == 413


def test_larger_upload_is_for_whoever_is_signed_in(client: Client, make_person: MakePerson) -> None:
    large = {"file": ("a.jsonl", b"x" * (2**20 + 1))}
    assert client().post("/api/projects/x/import", files=large).status_code == 413
    admin = client(make_person("ann", "administrator"))
    assert admin.post("/api/projects/x/import", files=large).status_code == 404


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InputError("x"), 422),
        (SpanError("x"), 422),
        (InputError("x", code="too-large"), 413),
        (InputError("x", code="anything else"), 422),
        (SignedOutError("x"), 401),
        (SignedOutError("x", code="wrong-password"), 401),
        (ForbiddenError("x"), 403),
        (NotFoundError("x"), 404),
        (ThrottledError(1), 429),
        (ServiceError("x"), 503),
        (MissingExtraError("x", "y"), 503),
        (AssayError("x"), 422),
    ],
)
def test_error_has_a_status(error: AssayError, status: int) -> None:
    assert status_of(error) == status


@pytest.fixture
def broken(studio: Studio) -> FastAPI:
    """A studio with routes that fail."""
    app = create_app(studio)

    async def fail() -> None:
        raise RuntimeError("a secret of the server")

    async def unusable() -> None:
        raise InputError("cannot use the studio /secret/place: no disk", code="store")

    for path in ("/api/fail", "/fail"):
        app.add_api_route(path, fail)
    app.add_api_route("/api/unusable", unusable)
    return app


@pytest.mark.parametrize(
    ("path", "status"), [("/api/fail", 500), ("/fail", 500), ("/api/unusable", 503)]
)
def test_accident_is_logged_by_its_number_and_shows_nothing(
    broken: FastAPI, path: str, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, "assay.studio"):
        answer = TestClient(broken, base_url=ORIGIN).get(path)
    assert answer.status_code == status
    assert "secret" not in answer.text
    assert answer.headers["content-security-policy"]
    (record,) = caplog.records
    assert str(record.args[0]) in answer.text  # type: ignore[index]
    assert "secret" in caplog.text


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b'"x"', b'{"name": 1}', b"\xff", b'{"name":"a","password":"\\u0000"}'],
)
def test_body_that_cannot_be_read_is_refused(client: Client, content: bytes) -> None:
    browser = client()
    browser.headers["X-Assay-Token"] = browser.get("/api/session").json()["token"]
    headers = {"Content-Type": "application/json"}
    answer = browser.post("/api/session", content=content, headers=headers)
    assert answer.status_code in (400, 422)
    assert set(answer.json()["error"]) == {"code", "message", "field"}


def test_loopback_is_what_only_this_computer_reaches() -> None:
    assert all(map(is_loopback, ("127.0.0.1", "localhost", "::1", "127.8.8.8")))
    assert not any(map(is_loopback, ("0.0.0.0", "::", "192.168.0.1", "example.com", "")))


def test_real_server_answers(server: Served) -> None:
    with urllib.request.urlopen(f"{server.url}/static/studio.css") as answer:
        assert answer.status == 200
        assert answer.headers["Cache-Control"] == "no-cache"
        assert answer.headers["ETag"]
