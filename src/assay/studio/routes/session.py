"""Signing in and out, one's own account, and the description of the API."""

from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from pydantic import Field
from starlette.responses import RedirectResponse, Response

from assay.app.annotation.people.accounts import change_password
from assay.app.annotation.people.sessions import Session, SignedOutError, sign_out
from assay.app.annotation.people.signing_in import sign_in, sign_in_locally
from assay.app.annotation.studio import Person, Role
from assay.studio.answers import NOTHING, Nothing, answer, described, page_described
from assay.studio.bodies import Body
from assay.studio.dependencies import (
    SignedIn,
    TheStudio,
    before_sign_in,
    in_password_thread,
    in_thread,
    page_token,
    session_of,
    signed_in_session,
    the_cookies,
)
from assay.studio.openapi import description
from assay.studio.pages import page

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Named:
    """Somebody, as they are shown."""

    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class WhoAmI:
    """Who is signed in, if anybody, and the token that the next change needs."""

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
    """Who is signed in, and the token for what comes next."""
    session = await session_of(request)
    if session is None:
        return answer(WhoAmI(None, page_token(request)))
    return answer(_who(session))


@router.post(
    "/api/session", responses=described(WhoAmI, 429), dependencies=[Depends(before_sign_in)]
)
async def post_session(request: Request, studio: TheStudio, body: Credentials) -> Response:
    """Signs in with a name and a password."""
    address = request.client.host if request.client else ""
    session = await in_password_thread(
        sign_in, studio, body.name, body.password, address=address, instead=_earlier(request)
    )
    return begun(request, session)


@router.post(
    "/api/session/key", responses=described(WhoAmI), dependencies=[Depends(before_sign_in)]
)
async def post_key(request: Request, studio: TheStudio, body: Key) -> Response:
    """Signs in whoever runs the studio on their own computer, by the key that it printed."""
    if not request.app.state.key.open(body.key):
        message = "the key is wrong or has been used; start the studio again for another"
        raise SignedOutError(message, code="wrong-key")
    return begun(request, await in_thread(sign_in_locally, studio, instead=_earlier(request)))


@router.delete("/api/session", responses=described(Nothing))
async def delete_session(
    request: Request,
    studio: TheStudio,
    session: Annotated[Session, Depends(signed_in_session)],
) -> Response:
    """Signs out."""
    await in_thread(sign_out, studio, session.token)
    cookies = the_cookies(request)
    request.state.cookie = cookies.header(cookies.session, "")
    return answer(NOTHING)


@router.put("/api/account/password", responses=described(Nothing, 429))
async def put_password(
    studio: TheStudio,
    session: Annotated[Session, Depends(signed_in_session)],
    body: NewPassword,
) -> Response:
    """Changes one's own password; all other sessions end."""
    await in_password_thread(
        change_password,
        studio,
        session.person,
        body.current,
        body.password,
        token=session.token,
    )
    return answer(NOTHING)


@router.get("/api/openapi.json", responses=described(dict[str, Any]))
async def get_openapi(request: Request, who: SignedIn) -> Response:
    """This description."""
    return answer(description(request.app))


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


def begun(request: Request, session: Session) -> Response:
    """The answer that signs a browser in."""
    cookies = the_cookies(request)
    request.state.cookie = cookies.header(cookies.session, session.token)
    return answer(_who(session))


def _who(session: Session) -> WhoAmI:
    person: Person = session.person
    return WhoAmI(Named(person.name, person.role), session.csrf)


def _earlier(request: Request) -> str:
    cookies = the_cookies(request)
    return cookies.token(cookies.session, request.headers)
