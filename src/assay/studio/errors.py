"""Every failure as an answer: JSON for the API, a page for people."""

import logging
import secrets
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fastapi import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from assay.core.errors import AssayError
from assay.studio.pages import page
from assay.web.answers import ErrorRecord, answer

log = logging.getLogger("assay.studio")


class StudioFailures:
    """The answers of the studio to requests that failed."""

    def failure(
        self,
        request: Request,
        status: int,
        told: ErrorRecord,
        *,
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Response:
        """The answer to a request that failed; `more` stands beside the error."""
        path = request.url.path
        if is_api(path):
            made: Response = answer({"error": told, **(more or {})}, status=status)
        elif status == 401 and request.method == "GET":
            return RedirectResponse(f"/login?next={quote(path)}", 303)
        else:
            session = getattr(request.state, "session", None)
            who = session.person if session else None
            made = page(request, "error.html", who, status=status, message=told.message)
        made.headers.update(headers or {})
        return made

    def accident(self, request: Request, error: Exception, status: int = 500) -> Response:
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
