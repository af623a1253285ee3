"""Routes of the API: functions whose result is answered as JSON, as OpenAPI describes them.

The bodies of requests are of the class `Body`.
"""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, get_type_hints

import msgspec
from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, field_validator, model_validator
from starlette.responses import Response

from assay.studio.dependencies import in_thread
from assay.web.answers import answer
from assay.web.description import Descriptions

P = ParamSpec("P")
R = TypeVar("R")
LARGEST = 2**31 - 1  # of the numbers that every database keeps
Slug = Annotated[str, Path(max_length=200)]
Name = Annotated[str, Path(max_length=200)]
Number = Annotated[int, Path(ge=1, le=LARGEST)]
Digest = Annotated[str, Path(max_length=64)]


class Nothing(msgspec.Struct):
    """Nothing to tell: it was done."""


NOTHING = Nothing()
Failure = Literal[400, 401, 403, 404, 409, 413, 422, 429, 503]
DESCRIPTIONS = Descriptions(
    {
        400: "The request is not one that the studio reads",
        401: "Nobody is signed in",
        403: "The person may not do this, or the request lacks its token",
        404: "There is no such thing, or not for this person",
        413: "The request is too large",
        422: "The input cannot be used",
    },
    {
        409: "Something else happened meanwhile",
        429: "Too many attempts; Retry-After says when to try again",
        503: "An outside service cannot be used",
    },
)
described = DESCRIPTIONS.answers


class Body(BaseModel):
    """A JSON object of a request; what is unknown is refused, and so is what is no text.

    No database keeps half a pair of surrogates, nor PostgreSQL a zero character, and people write
    neither.
    """

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _plain_names(cls, value: Any) -> Any:
        if isinstance(value, dict):
            require_plain(list(value))
        return value

    @field_validator("*", mode="before")
    @classmethod
    def _plain_texts(cls, value: Any) -> Any:
        require_plain(value)
        return value


def api(
    router: APIRouter,
    method: str,
    path: str,
    *failures: Failure,
    status: int = 200,
    run: Callable[..., Any] = in_thread,
    **options: Any,
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes a function the answer to requests; it is called in a thread.

    What it is annotated to return is what OpenAPI says of the answer; `failures` are the statuses
    that it can have beside those that every request can, and `options` are FastAPI's.
    """

    def add(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        async def answering(*args: P.args, **kwargs: P.kwargs) -> Response:
            return answer(await run(function, *args, **kwargs), status=status)

        router.add_api_route(
            path,
            answering,
            methods=[method],
            responses=described(get_type_hints(function)["return"], *failures, status=status),
            response_model=None,
            status_code=status,
            **options,
        )
        return function

    return add


def require_plain(value: Any) -> None:
    """Raises where a text in some JSON is none; nesting was limited when it was read."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, str):
            if "\0" in each:
                raise ValueError("a text has a character U+0000")
            try:
                each.encode()
            except UnicodeEncodeError:
                message = "a text has a lone surrogate, which is half a character"
                raise ValueError(message) from None
        elif isinstance(each, dict):
            waiting += each.keys()
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
