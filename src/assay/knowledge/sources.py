"""What every place to search can do, and what goes wrong there."""

from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from assay.core.errors import AssayError
from assay.knowledge.passages import KnowledgePassage

FetchReason = Literal[
    "refused",  # our own rules: a private address, a wrong scheme, a redirect too many
    "robots",  # the site does not want programs there
    "too_large",
    "type",  # neither a page nor text nor JSON
    "timeout",
    "unreached",  # no such host, no connection, or one that broke off
    "status",  # the server says no
    "answer",  # an answer that cannot be read
]


class FetchError(AssayError):
    """One request that brought nothing; others may. `reason` is its kind, `status` the server's.

    What no other request could mend, such as a wrong key, is a `ServiceError` instead.
    """

    def __init__(self, reason: FetchReason, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.reason: FetchReason = reason
        self.status = status


class KnowledgeSource(Protocol):
    """A place to search; `async with` holds its connections open."""

    @property
    def name(self) -> str:
        """What snapshots and runs call it; the same name means the same place."""
        ...

    @property
    def digest(self) -> str:
        """Changes with what it holds; empty where that cannot be told, as of the web."""
        ...

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The passages that fit the query best, best first; none if nothing fits.

        The query is plain text. Raises `FetchError` where this search failed, and `ServiceError`
        where every search would.
        """
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class Around:
    """A source that is held open together with what is inside it; `close` frees its own part."""

    def __init__(self, inside: AbstractAsyncContextManager[Any]) -> None:
        self._inside = inside

    @property
    def digest(self) -> str:
        """Nothing: what is outside this machine changes when it likes."""
        return ""

    def close(self) -> None:
        """Frees what it holds beside; the next search takes it again."""

    async def __aenter__(self) -> Self:
        await self._inside.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        await self._inside.__aexit__(kind, error, trace)
