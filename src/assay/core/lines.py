"""Limits on what is read at once, so that one huge row cannot take all of the memory.

A row may have 64 MiB, and a file that is read as a whole (one JSON document, one text) 256 MiB,
after unpacking. Two environment variables set other limits, in MiB.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from assay.core.errors import InputError

MIB = 2**20
_ROW = ("ASSAY_ROW_MIB", 64)
_DOCUMENT = ("ASSAY_DOCUMENT_MIB", 256)


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was passed over because it is longer than the limit."""

    limit: int
    quotes: int  # quotation marks in it, by which a CSV reader knows where the row ends

    def __str__(self) -> str:
        return too_long(self.limit)


def row_limit() -> int:
    """The most bytes that a row may have."""
    return _limit(*_ROW)


def document_limit() -> int:
    """The most bytes that are read of a file that is read as a whole."""
    return _limit(*_DOCUMENT)


def too_long(limit: int) -> str:
    """What is said of a row over the limit."""
    return f"longer than {limit // MIB:,} MiB, the limit for a row; set {_ROW[0]} to raise it"


def limited_lines(file: BinaryIO, limit: int) -> Iterator[bytes | TooLong]:
    """The lines of a file; of one over the limit, no more than that is ever held."""
    while line := file.readline(limit + 1):
        if len(line) <= limit or line.endswith(b"\n"):
            yield line
            continue
        quotes = line.count(b'"')
        del line
        while piece := file.readline(MIB):
            quotes += piece.count(b'"')
            if piece.endswith(b"\n"):
                break
        yield TooLong(limit, quotes)


def read_whole(file: BinaryIO, where: str) -> bytes:
    """All of a file; one over the limit raises."""
    limit = document_limit()
    raw = file.read(limit + 1)
    if len(raw) > limit:
        raise InputError(
            f"{where} has more than {limit // MIB:,} MiB, the limit for what is read as a whole: "
            f"save it as JSON lines, which are read row by row, or set {_DOCUMENT[0]}",
            code="too-large",
        )
    return raw


def _limit(variable: str, usual: int) -> int:
    given = os.environ.get(variable, "")
    if not given:
        return usual * MIB
    # Ten digits are more memory than any machine has.
    if not (given.isascii() and given.isdigit() and len(given) <= 10 and int(given)):
        raise InputError(f"{variable} must be a number of MiB, 1 or more, not {given!r}")
    return int(given) * MIB
