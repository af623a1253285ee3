"""Signing in over HTTP: cookies, tokens, keys, invitations."""

import re
from dataclasses import replace

import pytest
from fastapi.testclient import TestClient

from assay.annotation.people.accounts import create_first, local_administrator
from assay.annotation.people.sessions import BY_NAME
from assay.annotation.studio import Studio, utc_now
from assay.studio.application import Serving, create_app
from assay.studio.security import TOKEN_HEADER
from tests.annotating import ORIGIN, Client, MakePerson

PASSWORD = "correct horse"
LOGIN = {"name": "ann", "password": PASSWORD}


def visit(client: TestClient) -> TestClient:
    """A browser with the token of the page that it was given."""
    client.headers[TOKEN_HEADER] = client.get("/api/session").json()["token"]
    return client


def test_signing_in_and_out(studio: Studio, client: Client) -> None:
    create_first(studio, "ann", PASSWORD)
    browser = visit(client())
    answer = browser.post("/api/session", json=LOGIN)
    assert answer.status_code == 200
    assert answer.json()["person"] == {"name": "ann", "role": "administrator"}
    browser.headers[TOKEN_HEADER] = answer.json()["token"]
    assert browser.get("/api/session").json() == answer.json()
    assert browser.get("/api/people").status_code == 200
    assert browser.get("/login").headers["location"] == "/"
    assert browser.delete("/api/session").status_code == 200
    assert browser.get("/api/people").status_code == 401
    assert browser.get("/api/session").json()["person"] is None


def test_cookie_is_for_the_browser_only(studio: Studio, client: Client) -> None:
    create_first(studio, "ann", PASSWORD)
    cookie = visit(client()).post("/api/session", json=LOGIN).headers["set-cookie"]
    assert re.search(r"; Path=/; Max-Age=1209600; HttpOnly; SameSite=Strict$", cookie)


def test_cookie_stays_with_https(studio: Studio) -> None:
    create_first(studio, "ann", PASSWORD)
    app = create_app(studio, Serving(hosts=("studio.example",), is_secure=True))
    there = "https://studio.example"
    browser = visit(TestClient(app, base_url=there, headers={"Origin": there}))
    cookie = browser.post("/api/session", json=LOGIN).headers["set-cookie"]
    assert cookie.startswith("__Host-assay-")
    assert cookie.endswith("; Secure")


@pytest.mark.parametrize("forged", ["", "x", "eyJ4IjoxfQ.x", '"\\""', "\x80"])
def test_cookie_that_was_not_signed_here_is_nobodys(
    client: Client, make_person: MakePerson, forged: str
) -> None:
    browser = client(make_person())
    (name,) = browser.cookies.keys()
    browser.cookies.clear()
    answer = browser.get("/api/people", headers={b"Cookie": f"{name}={forged}".encode("latin-1")})
    assert answer.status_code == 401


def test_signing_in_gives_another_cookie_and_ends_the_one_before(
    studio: Studio, client: Client, make_person: MakePerson
) -> None:
    create_first(studio, "ann", PASSWORD)
    planted = dict(client(make_person("planted")).cookies)
    browser = client_with(visit(client()), planted)
    before = set(browser.cookies.items())
    assert browser.post("/api/session", json=LOGIN).status_code == 200
    assert set(browser.cookies.items()) != before
    assert browser.get("/api/session").json()["person"]["name"] == "ann"
    assert client_with(client(), planted).get("/api/session").json()["person"] is None


def client_with(browser: TestClient, cookies: dict[str, str]) -> TestClient:
    for name, value in cookies.items():
        browser.cookies.set(name, value, domain="localhost.local", path="/")
    return browser


def test_change_needs_the_token_of_the_session(client: Client, make_person: MakePerson) -> None:
    ann, other = make_person("ann", "administrator"), make_person("other", "administrator")
    browser = client(ann)
    for token in ("", "x", client(other).headers[TOKEN_HEADER]):
        answer = browser.delete("/api/session", headers={TOKEN_HEADER: token})
        assert (answer.status_code, answer.json()["error"]["code"]) == (403, "token")
    assert browser.get("/api/people").status_code == 200


def test_signing_in_needs_the_token_of_the_page(studio: Studio, client: Client) -> None:
    create_first(studio, "ann", PASSWORD)
    other = visit(client()).headers[TOKEN_HEADER]
    for path in ("/api/session", "/api/session/key", "/api/invitations/x"):
        for browser in (client(), visit(client())):
            browser.headers[TOKEN_HEADER] = other
            answer = browser.post(path, json=LOGIN)
            assert (answer.status_code, answer.json()["error"]["code"]) == (403, "token")


def test_wrong_password_and_unknown_name_look_alike(studio: Studio, client: Client) -> None:
    create_first(studio, "ann", PASSWORD)
    browser = visit(client())
    answers = [
        browser.post("/api/session", json={"name": name, "password": "wrong horse"})
        for name in ("ann", "nobody")
    ]
    assert {each.status_code for each in answers} == {401}
    assert answers[0].content == answers[1].content


def test_answer_says_when_to_try_again(studio: Studio) -> None:
    now = utc_now()
    app = create_app(replace(studio, clock=lambda: now))
    browser = visit(TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN}))
    for _ in range(BY_NAME.free):
        browser.post("/api/session", json=LOGIN)
    answer = browser.post("/api/session", json=LOGIN)
    assert answer.status_code == 429
    assert answer.headers["retry-after"] == "1"
    assert answer.json()["error"]["code"] == "throttled"


def test_key_opens_once(studio: Studio) -> None:
    app = create_app(studio, Serving(key="the key"))
    browsers = [
        visit(TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN})) for _ in range(2)
    ]
    assert browsers[0].get("/api/people").status_code == 401
    assert browsers[0].post("/api/session/key", json={"key": "a key"}).status_code == 401
    assert browsers[0].post("/api/session/key", json={"key": "the key"}).status_code == 200
    assert browsers[0].get("/api/people").status_code == 200
    assert browsers[1].post("/api/session/key", json={"key": "the key"}).status_code == 401
    assert local_administrator(studio).name == "local"


def test_studio_without_a_key_is_opened_by_none(client: Client) -> None:
    assert visit(client()).post("/api/session/key", json={"key": ""}).status_code == 401


def test_invitation_from_link_to_account(client: Client, make_person: MakePerson) -> None:
    admin = client(make_person("ann", "administrator"))
    made = admin.post("/api/invitations", json={"role": "annotator", "note": "<b>for</b> Bob"})
    assert made.status_code == 201
    token = made.json()["token"]
    assert "&lt;b&gt;for&lt;/b&gt; Bob" in admin.get("/people").text
    browser = visit(client())
    page = browser.get(f"/invitation/{token}")
    assert page.status_code == 200
    assert "annotator" in page.text
    answer = browser.post(f"/api/invitations/{token}", json={"name": "bob", "password": PASSWORD})
    assert answer.json()["person"] == {"name": "bob", "role": "annotator"}
    assert browser.get(f"/invitation/{token}").status_code == 404


def test_page_sends_whoever_is_not_signed_in_to_sign_in_and_back(client: Client) -> None:
    answer = client().get("/people")
    assert (answer.status_code, answer.headers["location"]) == (303, "/login?next=/people")
    assert client().get("/login?next=/people").status_code == 200


def test_own_password_is_changed_and_this_browser_stays(studio: Studio, client: Client) -> None:
    browser = client(create_first(studio, "ann", PASSWORD))
    wrong = browser.put("/api/account/password", json={"current": "x", "password": PASSWORD})
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (422, "current")
    new = {"current": PASSWORD, "password": "another horse"}
    assert browser.put("/api/account/password", json=new).status_code == 200
    assert browser.get("/account").status_code == 200
