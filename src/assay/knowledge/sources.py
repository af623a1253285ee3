"""Passages of outside knowledge, and what every source of them can do."""

import re
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from assay.core.errors import AssayError, InputError
from assay.core.verdicts import ExternalEvidence
from assay.core.wire import LARGEST

FetchReason = Literal[
    "refused",  # by our own rules: a private address, a wrong scheme, too many redirects
    "robots",  # the site does not allow programs to read the page
    "too_large",
    "type",  # neither a web page nor plain text nor JSON
    "timeout",
    "unreached",  # unknown host, no connection, or a connection that broke off
    "status",  # the server reports an error
    "answer",  # an answer that cannot be read
]
_SURROGATE = re.compile("[\ud800-\udfff]")
_TEXTS = ("text", "title", "address", "time", "retrieved")


@dataclass(frozen=True, slots=True)
class KnowledgePassage:
    """A short piece of a page or document, with where and when it was found.

    `time` is when the page was written or last changed, empty if unknown; `retrieved` is when it
    was read. `start` is the offset of the text in its document, where that is known. `score` says
    how well it matches the query: higher is better, and comparable only within one search.
    """

    text: str
    title: str = ""
    address: str = ""
    time: str = ""
    retrieved: str = ""
    score: float | None = None
    start: int | None = None

    @property
    def digest(self) -> str:
        """The sha256 of the text, by which a verdict names the words it rests on.

        >>> KnowledgePassage("The ferry sank in 1986.").digest[:12]
        '06a041287b63'
        """
        return sha256(encodable(self.text).encode()).hexdigest()

    @property
    def evidence(self) -> ExternalEvidence:
        """The passage as a verdict cites it."""
        return ExternalEvidence(self.address, self.text, self.title, self.time, self.digest)

    def scored(self, score: float) -> "KnowledgePassage":
        """The same passage with another score."""
        return replace(self, score=score)

    def to_dict(self) -> dict[str, Any]:
        """The passage as a JSON object, with its digest."""
        return {
            "digest": self.digest,
            "title": self.title,
            "address": self.address,
            "time": self.time,
            "retrieved": self.retrieved,
            "score": self.score,
            "start": self.start,
            "text": self.text,
        }

    @classmethod
    def from_dict(cls, record: object) -> "KnowledgePassage":
        """The passage of a JSON object; a text that does not match its digest raises.

        >>> passage = KnowledgePassage("The ferry sank in 1986.", "Ferry")
        >>> KnowledgePassage.from_dict(passage.to_dict()) == passage
        True
        """
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            raise InputError("a snapshot must be a JSON object with a 'text'")
        texts = {name: record.get(name) or "" for name in _TEXTS}
        if wrong := [name for name, value in texts.items() if not isinstance(value, str)]:
            value = texts[wrong[0]]
            raise InputError(f"the '{wrong[0]}' of a snapshot must be a string, not {value!r}")
        score, start = record.get("score"), record.get("start")
        passage = cls(
            **texts,
            score=float(score) if isinstance(score, int | float) else None,
            start=start if isinstance(start, int) and 0 <= start <= LARGEST else None,
        )
        given = record.get("digest")
        if given is not None and given != passage.digest:
            raise InputError(f"the text does not match its digest {given}: it has been changed")
        return passage


class FetchError(AssayError):
    """A single request that failed; others may succeed.

    `reason` says what kind of failure it is, `status` is the server's HTTP status, if there is one.
    What would fail every request, such as a wrong key, is a `ServiceError` instead.
    """

    code = "fetch"

    def __init__(
        self,
        reason: FetchReason,
        message: str,
        *,
        status: int = 0,
        code: str = "",
        field: str = "",
    ) -> None:
        super().__init__(message, code=code, field=field)
        self.reason: FetchReason = reason
        self.status = status


class KnowledgeSource(Protocol):
    """A place to search; `async with` keeps its connections open."""

    @property
    def name(self) -> str:
        """The name in snapshots and runs; the same name means the same place."""
        ...

    @property
    def digest(self) -> str:
        """Changes with the content of the source; empty where that is unknowable, as on the web."""
        ...

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The passages that match the query best, best first; empty if nothing matches.

        The query is plain text. Raises `FetchError` if this search failed, and `ServiceError` if
        every search would.
        """
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


class SourceWrapper:
    """A source that opens and closes together with what it wraps; `close` frees its own part."""

    def __init__(self, wrapped: AbstractAsyncContextManager[Any]) -> None:
        self._wrapped = wrapped

    @property
    def digest(self) -> str:
        """Empty: what lies outside this machine may change at any time."""
        return ""

    def close(self) -> None:
        """Frees what it holds itself; the next search acquires it again."""

    async def __aenter__(self) -> Self:
        await self._wrapped.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
        await self._wrapped.__aexit__(kind, error, trace)


def encodable(text: str) -> str:
    """The text with each lone surrogate replaced, so that UTF-8 can encode it; of equal length.

    >>> encodable("a\\ud83d b")
    'a\\ufffd b'
    """
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def utc_now() -> str:
    """The current time as snapshots state it.

    >>> len(utc_now())
    20
    """
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
