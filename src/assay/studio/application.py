"""The application: all routes behind one guard, and their description by OpenAPI."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from starlette.staticfiles import StaticFiles

from assay.annotation.exchange.detector_jobs import Judging
from assay.annotation.items.related import Looking
from assay.annotation.people.sessions import secret
from assay.annotation.studio import Studio
from assay.studio.dependencies import before_sign_in, in_thread, signed_in_session
from assay.studio.errors import is_api
from assay.studio.guard import Limits, studio_entrance
from assay.studio.routes import ROUTERS
from assay.studio.routing import DESCRIPTIONS
from assay.studio.security import TOKEN_HEADER, Cookies, OneTimeKey
from assay.web.errors import add_handlers
from assay.web.guard import SAFE_METHODS, RequestGuard

_ABOUT = """\
Everything that the pages of the studio show and do. Offsets in texts are counted in code points.
Each request but GET carries the token of the session, which `GET /api/session` tells, and a header
`Origin` with the address of the studio. A failure is answered with `{"error": {...}}`."""


@dataclass(frozen=True, slots=True)
class Serving:
    """The way a studio is served.

    `hosts` are the names that it answers to beside those of this computer; `is_secure` where
    browsers reach it by https, and `is_proxied` where another server in front of it says so and
    tells who asks; `key` signs in whoever runs it on their own computer, once.
    """

    hosts: tuple[str, ...] = ()
    is_secure: bool = False
    is_proxied: bool = False
    key: str = ""
    limits: Limits = field(default_factory=Limits)


def create_app(studio: Studio, serving: Serving | None = None) -> FastAPI:
    """The web application of a studio."""
    serving = serving or Serving()
    app = FastAPI(
        title="Assay studio", openapi_url=None, docs_url=None, redoc_url=None, lifespan=_running
    )
    app.state.studio = studio
    app.state.cookies = Cookies(secret(studio), is_secure=serving.is_secure)
    app.state.key = OneTimeKey(serving.key)
    app.state.looking, app.state.judging = Looking(studio), Judging(studio)
    routers = [import_module(f"assay.studio.routes.{name}").router for name in ROUTERS]
    for router in routers:
        app.include_router(router)
    app.state.routes = [route for router in routers for route in router.routes]
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"), name="static")
    entrance = studio_entrance(app.state.cookies, serving.hosts, serving.limits)
    add_handlers(app, entrance.failures)
    app.add_middleware(RequestGuard, entrance=entrance)
    return app


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    """Ends what works in the background when the server ends."""
    yield
    for at_work in (app.state.looking, app.state.judging):
        await in_thread(at_work.close)


def description(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of an application; pages are no part of it."""
    known: list[APIRoute] = app.state.routes
    routes = [each for each in known if is_api(each.path)]
    made = DESCRIPTIONS.document(app, _ABOUT, routes)
    made["components"]["securitySchemes"] = _schemes(app.state.cookies)
    for route in routes:
        for method in route.methods or ():
            operation = made["paths"][route.path_format][method.lower()]
            operation["security"] = _needs(route.dependant, method)
    return made


def _schemes(cookies: Cookies) -> dict[str, Any]:
    return {
        "session": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookies.session,
            "description": "Set by signing in",
        },
        "form": {
            "type": "apiKey",
            "in": "cookie",
            "name": cookies.form,
            "description": "Set by GET /api/session before anybody is signed in",
        },
        "token": {
            "type": "apiKey",
            "in": "header",
            "name": TOKEN_HEADER,
            "description": "The token that GET /api/session tells",
        },
    }


def _needs(dependant: Dependant, method: str) -> list[dict[str, list[str]]]:
    """The credentials that a request of a route has to carry."""
    used = set(_calls(dependant))
    if before_sign_in in used:
        return [{"form": [], "token": []}]
    if signed_in_session not in used:
        return []
    return [{"session": []} if method in SAFE_METHODS else {"session": [], "token": []}]


def _calls(dependant: Dependant) -> list[object]:
    found: list[object] = [dependant.call]
    for each in dependant.dependencies:
        found += _calls(each)
    return found
