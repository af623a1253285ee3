"""Signing in and out, one's own account, and the description of the API."""

from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from assay.annotation.people.accounts import change_password, sign_in, sign_in_locally
from assay.annotation.people.sessions import BrowserSession, SignedOutError, sign_out
from assay.annotation.studio import Role
from assay.studio.application import description
from assay.studio.dependencies import (
    BEFORE_SIGN_IN,
    InSession,
    SignedIn,
    TheStudio,
    in_password_thread,
    page_token,
    session_of,
    the_cookies,
)
from assay.studio.pages import page
from assay.studio.routing import NOTHING, Body, Nothing, api, described
from assay.web.answers import answer
from assay.web.description import page_described

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody, as they are shown."""

    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class WhoAmI:
    """The person who is signed in, if anybody, and the token that the next change needs."""

    person: Named | None
    token: str


class Credentials(Body):
    """A name and its password."""

    name: str = Field(max_length=200)
    password: str = Field(max_length=2000)


class Key(Body):
    """The key that was printed when the studio was started."""

    key: str = Field(max_length=200)


class NewPassword(Body):
    """One's password, and the one that takes its place."""

    current: str = Field(max_length=2000)
    password: str = Field(max_length=2000)


@router.get("/api/session", responses=described(WhoAmI))
async def who_am_i(request: Request) -> Response:
    """Tells who is signed in, and the token for the next change."""
    session = await session_of(request)
    if session is None:
        return answer(WhoAmI(None, page_token(request)))
    return answer(_who(session))


@api(
    router,
    "POST",
    "/api/session",
    429,
    run=in_password_thread,
    dependencies=BEFORE_SIGN_IN,
)
def post_session(request: Request, studio: TheStudio, body: Credentials) -> WhoAmI:
    """Signs in with a name and a password."""
    address, earlier = request.client.host if request.client else "", earlier_token(request)
    session = sign_in(studio, body.name, body.password, address=address, instead=earlier)
    return begun(request, session)


@api(router, "POST", "/api/session/key", dependencies=BEFORE_SIGN_IN)
def post_key(request: Request, studio: TheStudio, body: Key) -> WhoAmI:
    """Signs in whoever runs the studio on their own computer, by the key that it printed."""
    if not request.app.state.key.open(body.key):
        message = "the key is wrong or has been used; start the studio again for another"
        raise SignedOutError(message, code="wrong-key")
    return begun(request, sign_in_locally(studio, instead=earlier_token(request)))


@api(router, "DELETE", "/api/session")
def delete_session(request: Request, studio: TheStudio, session: InSession) -> Nothing:
    """Signs out."""
    sign_out(studio, session.token)
    cookies = the_cookies(request)
    request.state.cookie = cookies.header(cookies.session, "")
    return NOTHING


@api(router, "PUT", "/api/account/password", 429, run=in_password_thread)
def put_password(studio: TheStudio, session: InSession, body: NewPassword) -> Nothing:
    """Changes one's own password; all other sessions end."""
    change_password(studio, session.person, body.current, body.password, token=session.token)
    return NOTHING


@api(router, "GET", "/api/openapi.json")
def get_openapi(request: Request, who: SignedIn) -> dict[str, Any]:
    """This description."""
    return description(request.app)


@router.get("/login", responses=page_described())
async def login_page(request: Request) -> Response:
    """The page to sign in at; whoever is signed in has no need of it."""
    if await session_of(request) is not None:
        return RedirectResponse("/", 303)
    return page(request, "login.html")


@router.get("/account", responses=page_described())
async def account_page(request: Request, who: SignedIn) -> Response:
    """One's own account."""
    return page(request, "account.html", who)


def begun(request: Request, session: BrowserSession) -> WhoAmI:
    """Signs a browser in."""
    cookies = the_cookies(request)
    request.state.cookie = cookies.header(cookies.session, session.token)
    return _who(session)


def _who(session: BrowserSession) -> WhoAmI:
    return WhoAmI(Named(session.person.name, session.person.role), session.csrf)


def earlier_token(request: Request) -> str:
    """The token of the session that a browser had before."""
    cookies = the_cookies(request)
    return cookies.token(cookies.session, request.headers)
