"""The errors of the service: one form for all, with the id of the request."""

import logging
from collections.abc import Mapping
from typing import Any

from fastapi import Request
from starlette.responses import Response

from assay.core.errors import AssayError
from assay.service.logs import tell
from assay.web.answers import ErrorRecord, answer

_STATUS_NAMES = {"request-timeout": "too-slow", "request-entity-too-large": "too-large"}


class ServiceFailures:
    """The answers of the service to requests that failed."""

    def failure(
        self,
        request: Request,
        status: int,
        told: ErrorRecord,
        *,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Response:
        """The answer to a request that failed."""
        code = _STATUS_NAMES.get(told.code, told.code)
        field = told.field.removesuffix("_field")  # options name the fields of rows so
        record = ErrorRecord(code, told.message, field, request_id(request))
        request.state.error = code
        made = answer({"error": record, **(more or {})}, status=status)
        made.headers.update(headers or {})
        if status == 401:
            made.headers["WWW-Authenticate"] = "Bearer"
        return made

    def accident(self, request: Request, error: Exception, status: int = 500) -> Response:
        """The answer where the service itself failed; the log has the reason under the id."""
        named = request_id(request)
        tell("accident", logging.ERROR, request_id=named, error=repr(error)[:500])
        logging.getLogger("assay.service").error("trace of %s", named, exc_info=error)
        message = "the service failed; its log has the reason under the id of this request"
        code = error.code if isinstance(error, AssayError) else "internal"
        return self.failure(request, status, ErrorRecord(code, message, ""))


def request_id(request: Request) -> str:
    """The id of a request, in its answer and in the log."""
    return str(getattr(request.state, "request_id", ""))
