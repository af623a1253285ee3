"""The application: all routes behind one guard."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from assay.annotation.exchange.detector_jobs import Judging
from assay.annotation.items.related import Looking
from assay.annotation.people.sessions import secret
from assay.annotation.studio import Studio
from assay.studio.dependencies import in_thread
from assay.studio.errors import add_handlers
from assay.studio.guard import Guard, Limits
from assay.studio.routes import ROUTERS
from assay.studio.security import Cookies, OneTimeKey


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
    add_handlers(app)
    app.add_middleware(Guard, cookies=app.state.cookies, hosts=serving.hosts, limits=serving.limits)
    return app


@asynccontextmanager
async def _running(app: FastAPI) -> AsyncIterator[None]:
    """Ends what works in the background when the server ends."""
    yield
    for at_work in (app.state.looking, app.state.judging):
        await in_thread(at_work.close)
