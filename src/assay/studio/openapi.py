"""The description of the API by OpenAPI."""

from typing import Any

from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from assay.studio.answers import components
from assay.studio.dependencies import before_sign_in, signed_in_session
from assay.studio.errors import is_api
from assay.studio.security import SAFE_METHODS, TOKEN_HEADER, Cookies

_ABOUT = """\
Everything that the pages of the studio show and do. Offsets in texts are counted in code points.
Each request but GET carries the token of the session, which `GET /api/session` tells, and a header
`Origin` with the address of the studio. A failure is answered with `{"error": {...}}`."""


def description(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of an application; pages are no part of it."""
    known: list[APIRoute] = app.state.routes
    routes = [each for each in known if is_api(each.path)]
    made = get_openapi(title=app.title, version="1", description=_ABOUT, routes=routes)
    schemas = made.setdefault("components", {}).setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for name, schema in components().items():
        if schemas.setdefault(name, schema) != schema:
            raise ValueError(f"two schemas of the API are both named {name}")
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
