"""Every failure as an answer: JSON for the API, a page for people."""

import logging
import secrets
from http import HTTPStatus
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from assay.core.errors import AssayError
from assay.studio.pages import page
from assay.studio.routing import ErrorRecord, answer

log = logging.getLogger("assay.studio")

# The status of an error: by its code, otherwise by the nearest class of it that is here.
STATUS_BY_CODE = {
    "signed-out": 401,
    "forbidden": 403,
    "token": 403,
    "not-found": 404,
    "conflict": 409,
    "too-large": 413,
    "throttled": 429,
    "missing-extra": 503,
    "service": 503,
    "budget": 503,
    "store": 503,
    "store-gone": 503,
    "disk-full": 507,
    "newer-studio": 503,
    "damaged": 500,
}
_INPUT = 422
# What their messages say of the database and its place is for whoever runs the studio.
_PRIVATE = frozenset({"store", "store-gone", "disk-full", "newer-studio", "damaged"})


def status_of(error: AssayError) -> int:
    """The HTTP status that stands for an error."""
    codes = [error.code, *(vars(each).get("code", "") for each in type(error).__mro__)]
    return next((STATUS_BY_CODE[code] for code in codes if code in STATUS_BY_CODE), _INPUT)


def add_handlers(app: FastAPI) -> None:
    """Makes every failure that a route raises an answer."""

    @app.exception_handler(AssayError)
    async def _(request: Request, error: AssayError) -> Response:
        status = status_of(error)
        if error.code in _PRIVATE:
            return accident(request, error, status)
        if status == 401 and request.method == "GET" and not is_api(request.url.path):
            return RedirectResponse(f"/login?next={quote(request.url.path)}", 303)
        waits = getattr(error, "retry_after", None)
        headers = {"Retry-After": str(waits)} if waits is not None else {}
        more: dict[str, Any] = getattr(error, "details", None) or {}
        told = ErrorRecord(error.code, error.message, error.field)
        return failure(request, status, told, headers=headers, more=more)

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        *_, field = ("", *(str(each) for each in first["loc"]))
        message = f"{'.'.join(map(str, first['loc'][1:])) or 'the body'}: {first['msg']}"
        return failure(request, _INPUT, ErrorRecord("input", message, field))

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> Response:
        code = HTTPStatus(error.status_code).name.lower().replace("_", "-")
        told = ErrorRecord(code, str(error.detail), "")
        headers = dict(error.headers or {})
        return failure(request, error.status_code, told, headers=headers)


def failure(
    request: Request,
    status: int,
    told: ErrorRecord,
    *,
    headers: dict[str, str] | None = None,
    more: dict[str, Any] | None = None,
) -> Response:
    """The answer to a request that failed; `more` stands beside the error."""
    if is_api(request.url.path):
        made: Response = answer({"error": told, **(more or {})}, status=status)
    else:
        session = getattr(request.state, "session", None)
        who = session.person if session else None
        made = page(request, "error.html", who, status=status, message=told.message)
    made.headers.update(headers or {})
    return made


def accident(request: Request, error: Exception, status: int = 500) -> Response:
    """The answer where the studio itself failed: a number to find the error in the log by."""
    path, incident = request.url.path, secrets.token_hex(4)
    log.error("incident %s at %s", incident, path, exc_info=error)
    message = f"the studio failed; whoever runs it finds the reason in its log as {incident}"
    if is_api(path):
        code = error.code if isinstance(error, AssayError) else "internal"
        return answer({"error": ErrorRecord(code, message, "")}, status=status)
    return PlainTextResponse(message, status)  # a page might fail too


def is_api(path: str) -> bool:
    """True if the path is of the API and not of a page."""
    return path.startswith("/api/")
