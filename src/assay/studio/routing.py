"""Routes of the API: functions whose result is answered as JSON."""

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, ParamSpec, TypeVar, get_type_hints

from fastapi import APIRouter, Path
from starlette.responses import Response

from assay.studio.answers import Failure, answer, described
from assay.studio.dependencies import in_thread

P = ParamSpec("P")
R = TypeVar("R")
LARGEST = 2**31 - 1  # of the numbers that every database keeps

Slug = Annotated[str, Path(max_length=200)]
Name = Annotated[str, Path(max_length=200)]
Number = Annotated[int, Path(ge=1, le=LARGEST)]
Digest = Annotated[str, Path(max_length=64)]


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
