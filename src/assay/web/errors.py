"""Every failure as an answer: its status, and what it may tell whoever asks."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Protocol

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Match

from assay.core.errors import AssayError
from assay.web.answers import ErrorRecord

# The status of an error: by its code, otherwise by the nearest class of it that is here.
STATUS_BY_CODE = {
    "unreadable": 400,
    "signed-out": 401,
    "no-access": 401,
    "forbidden": 403,
    "token": 403,
    "not-found": 404,
    "no-such-job": 404,
    "too-slow": 408,
    "conflict": 409,
    "job-running": 409,
    "too-large": 413,
    "media-type": 415,
    "throttled": 429,
    "missing-extra": 503,
    "service": 503,
    "budget": 503,
    "busy": 503,
    "closing": 503,
    "queue-full": 503,
    "store": 503,
    "store-gone": 503,
    "disk-full": 507,
    "newer-studio": 503,
    "newer-jobs": 503,
    "damaged": 500,
}
_INPUT = 422
# What their messages say of the database and its place is for whoever runs the server.
_PRIVATE = frozenset({"store", "store-gone", "disk-full", "newer-studio", "newer-jobs", "damaged"})


class Failures(Protocol):
    """The way an application answers a request that failed."""

    def failure(
        self,
        request: Request,
        status: int,
        told: ErrorRecord,
        *,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Response:
        """The answer; `more` stands beside the error."""
        ...

    def accident(self, request: Request, error: Exception, status: int = 500) -> Response:
        """The answer where the server itself failed: it is logged, and only its number is told."""
        ...


def status_of(error: AssayError) -> int:
    """The HTTP status that stands for an error."""
    codes = [error.code, *(vars(each).get("code", "") for each in type(error).__mro__)]
    return next((STATUS_BY_CODE[code] for code in codes if code in STATUS_BY_CODE), _INPUT)


def is_private(error: AssayError) -> bool:
    """True if the message is for whoever runs the server."""
    return error.code in _PRIVATE


def answer_error(failures: Failures, request: Request, error: AssayError) -> Response:
    """The answer to a request that raised an error of ours."""
    status = status_of(error)
    if is_private(error):
        return failures.accident(request, error, status)
    waits = getattr(error, "retry_after", None)
    headers = {"Retry-After": str(waits)} if waits is not None else {}
    more: dict[str, Any] = getattr(error, "details", None) or {}
    told = ErrorRecord(error.code, error.message, error.field)
    return failures.failure(request, status, told, headers=headers, more=more)


def add_handlers(app: FastAPI, failures: Failures) -> None:
    """Makes every failure that a route raises an answer."""

    @app.exception_handler(AssayError)
    async def _(request: Request, error: AssayError) -> Response:
        return answer_error(failures, request, error)

    @app.exception_handler(RequestValidationError)
    async def _(request: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        *_, field = ("", *(str(each) for each in first["loc"]))
        message = f"{'.'.join(map(str, first['loc'][1:])) or 'the body'}: {first['msg']}"
        return failures.failure(request, _INPUT, ErrorRecord("input", message, field))

    @app.exception_handler(HTTPException)
    async def _(request: Request, error: HTTPException) -> Response:
        code = HTTPStatus(error.status_code).name.lower().replace("_", "-")
        told = ErrorRecord(code, str(error.detail), "")
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(request))
        return failures.failure(request, error.status_code, told, headers=headers)


def _methods(request: Request) -> list[str]:
    """The methods of all routes that the path of a request fits."""
    routes: list[Any] = request.app.state.routes
    fitting = (each for each in routes if each.matches(request.scope)[0] != Match.NONE)
    return sorted({method for each in fitting for method in each.methods or ()})
