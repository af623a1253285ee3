"""Answers as JSON, and the one form that every error has."""

from typing import Any

import msgspec
from msgspec import UNSET, UnsetType
from starlette.responses import Response

from assay.core.codec import encode


class ErrorRecord(msgspec.Struct):
    """An error: `code` for programs, `message` for people, `field` if one is to blame.

    `request_id` names the request in the log, where requests have names.
    """

    code: str
    message: str
    field: str
    request_id: str | UnsetType = UNSET


class ErrorAnswer(msgspec.Struct):
    """The answer to a request that failed; more fields say more, where there is more to say."""

    error: ErrorRecord


def answer(result: Any, *, status: int = 200) -> Response:
    """A result as JSON."""
    return Response(encode(result), status_code=status, media_type="application/json")
