"""Results as JSON, and how OpenAPI describes them."""

from typing import Any, Literal

import msgspec
from starlette.responses import Response

from assay.core.codec import encode

_COMPONENTS = "#/components/schemas/{name}"
_described: dict[str, Any] = {}  # the types of all answers, by how they are shown


class ErrorRecord(msgspec.Struct):
    """An error: `code` for programs, `message` for people, `field` if one is to blame."""

    code: str
    message: str
    field: str


class ErrorAnswer(msgspec.Struct):
    """The answer to a request that failed; more fields say more, where there is more to say."""

    error: ErrorRecord


class Nothing(msgspec.Struct):
    """Nothing to tell: it was done."""


NOTHING = Nothing()
_FAILURES = {
    400: "The request is not one that the studio reads",
    401: "Nobody is signed in",
    403: "The person may not do this, or the request lacks its token",
    404: "There is no such thing, or not for this person",
    413: "The request is too large",
    422: "The input cannot be used",
}
Failure = Literal[400, 401, 403, 404, 409, 413, 422, 429, 503]
_MORE = {
    409: "Something else happened meanwhile",
    429: "Too many attempts; Retry-After says when to try again",
    503: "An outside service cannot be used",
}


def answer(result: Any, *, status: int = 200) -> Response:
    """A result as JSON."""
    return Response(encode(result), status_code=status, media_type="application/json")


def described(result: Any, *more: Failure, status: int = 200) -> dict[int | str, dict[str, Any]]:
    """The answers of a route for OpenAPI: its result, and the failures that are always possible.

    `more` names the statuses of further failures.
    """
    failures = _FAILURES | {each: _MORE[each] for each in more if each in _MORE}
    return {
        status: {"description": "It worked", "content": _content(result)},
        **{
            each: {"description": text, "content": _content(ErrorAnswer)}
            for each, text in sorted(failures.items())
        },
    }


def page_described() -> dict[int | str, dict[str, Any]]:
    """The answers of a page for OpenAPI."""
    return {200: {"description": "The page", "content": {"text/html": {}}}}


def components() -> dict[str, Any]:
    """The schemas of everything that `described` has named."""
    types = tuple(_described.values())
    return msgspec.json.schema_components(types, ref_template=_COMPONENTS)[1]


def _content(kind: Any) -> dict[str, Any]:
    _described[str(kind)] = kind
    (schema,), _ = msgspec.json.schema_components((kind,), ref_template=_COMPONENTS)
    return {"application/json": {"schema": schema}}
