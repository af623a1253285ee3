"""Dependencies of routes: the studio, the person who is signed in, and a thread to work in."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import Annotated, ParamSpec, TypeVar, cast

from fastapi import Depends, Request

from assay.annotation.access import ForbiddenError
from assay.annotation.people.sessions import BrowserSession, SignedOutError, find
from assay.annotation.studio import Person, Studio
from assay.studio.security import TOKEN_HEADER, Cookies, is_same, new_token
from assay.web.guard import SAFE_METHODS

P = ParamSpec("P")
R = TypeVar("R")

# The database is synchronous; so many requests are worked on at once, and the others wait. Those
# that change something have threads of their own: while another process holds the lock of a SQLite
# file they all wait for it, and whoever only reads goes on.
_reading = ThreadPoolExecutor(12, "reading")
_changing = ThreadPoolExecutor(12, "changing")
_is_change: ContextVar[bool] = ContextVar("is_change", default=False)  # the request
# Hashing a password takes 64 MiB and all of a processor; signing in must not stop the others.
_few_threads = ThreadPoolExecutor(2, "passwords")


async def in_threads(
    threads: ThreadPoolExecutor, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """The result of a function, worked out in one of some threads."""
    loop = asyncio.get_running_loop()
    return await loop.run_in_executor(threads, partial(function, *args, **kwargs))


async def in_thread(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """The result of a use case, without keeping other requests waiting."""
    threads = _changing if _is_change.get() else _reading
    return await in_threads(threads, function, *args, **kwargs)


in_password_thread = partial(in_threads, _few_threads)


def the_studio(request: Request) -> Studio:
    """The studio that is served."""
    return cast(Studio, request.app.state.studio)


async def _served(request: Request) -> Studio:
    """The same for routes; what is not asynchronous would be sent through a thread."""
    return the_studio(request)


def the_cookies(request: Request) -> Cookies:
    """The signer and reader of cookies."""
    return cast(Cookies, request.app.state.cookies)


async def session_of(request: Request) -> BrowserSession | None:
    """The session of the browser that asks, or nothing."""
    cookies = the_cookies(request)
    token = cookies.token(cookies.session, request.headers)
    if not token:
        return None
    try:
        session = await in_thread(find, the_studio(request), token)
    except SignedOutError:
        return None
    if session.is_renewed:
        request.state.cookie = cookies.header(cookies.session, token)
    return session


async def signed_in_session(request: Request) -> BrowserSession:
    """The session of whoever asks; whatever changes something has to carry its token."""
    session = await session_of(request)
    if session is None:
        raise SignedOutError("you are not signed in")
    request.state.session = session
    shown = request.headers.get(TOKEN_HEADER, "")
    if request.method not in SAFE_METHODS:
        if not is_same(session.csrf, shown):
            raise ForbiddenError("the page is out of date; reload it", code="token")
        _is_change.set(True)
    return session


async def signed_in(session: Annotated[BrowserSession, Depends(signed_in_session)]) -> Person:
    """Whoever asks."""
    return session.person


def page_token(request: Request) -> str:
    """The token of a page's requests: of the session, or of this browser before there is one."""
    session = getattr(request.state, "session", None)
    if isinstance(session, BrowserSession):
        return session.csrf
    cookies = the_cookies(request)
    visit = cookies.token(cookies.form, request.headers)
    if not visit:
        visit = new_token()
        request.state.cookie = cookies.header(cookies.form, visit)
    return cookies.form_token(visit)


async def before_sign_in(request: Request) -> None:
    """Refuses a form that does not come from the page that this browser was given."""
    cookies = the_cookies(request)
    visit = cookies.token(cookies.form, request.headers)
    if not cookies.fits(visit, request.headers.get(TOKEN_HEADER, "")):
        raise ForbiddenError("the page is out of date; reload it", code="token")


TheStudio = Annotated[Studio, Depends(_served)]
SignedIn = Annotated[Person, Depends(signed_in)]
InSession = Annotated[BrowserSession, Depends(signed_in_session)]
BEFORE_SIGN_IN = (Depends(before_sign_in),)
