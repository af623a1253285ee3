"""A record of the data as first read, so that a row that has changed since is noticed."""

import hashlib
from dataclasses import dataclass, field, replace

from assay.core.codec import write_example
from assay.core.examples import Annotated, Example
from assay.core.problems import Problem, Unread

_MARK = 8  # bytes of the digest of a row


@dataclass(frozen=True, slots=True)
class Survey:
    """The number of examples, and a digest of all that a detector sees of them.

    `marks` has a short digest of each row, so that one that has changed is noticed before it is
    judged. Rows that cannot be read are no examples and have no position among these, but they are
    part of both digests. `chosen` are the ids of the sample or part; empty means all of the data.
    """

    examples: int
    digest: str
    marks: bytes = field(default=b"", repr=False)
    unread: Unread = field(default_factory=Unread)
    chosen: tuple[str, ...] = field(default=(), repr=False)

    @property
    def rows(self) -> int:
        """The number of rows, with those that cannot be read."""
        return len(self.marks) // _MARK

    def has(self, number: int, row: Annotated | Problem) -> bool:
        """True if a row, by its number from 0, is the one that was there."""
        start = number * _MARK
        return self.marks[start : start + _MARK] == mark_of(seen_of(row))


def content(example: Example) -> bytes:
    """All that a detector sees of an example, and nothing that anybody said about it."""
    seen = replace(example, original="") if example.original else example
    return write_example(Annotated(seen))


def seen_of(row: Annotated | Problem) -> bytes:
    """All that is seen of a row; of one that cannot be read, what is wrong, and what can be."""
    if isinstance(row, Annotated):
        return content(row.example)
    said = f"cannot be read: {row.message}\n".encode(errors="surrogatepass")
    return said + (content(row.example) if row.example else b"")


def mark_of(seen: bytes) -> bytes:
    """A short digest of what is seen of a row."""
    return hashlib.blake2b(seen, digest_size=_MARK).digest()
