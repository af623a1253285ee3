"""Limits on what is read at once, so that one huge row cannot take all of the memory.

A row may have 64 MiB, and a file that is read as a whole (one JSON document, one text) as much,
after unpacking. Two environment variables set other limits, in MiB. Since an empty list takes three
bytes in JSON and seventy in memory, the values in JSON are limited too: one for every 16 bytes of
the limit.
"""

import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from assay.core.errors import InputError

_DIGITS = "integer string conversion"  # of the error about a number that is too long


def why_not_json(error: ValueError | RecursionError) -> str:
    """The fault of a text that should be JSON; Python's words for its limits say little.

    >>> why_not_json(RecursionError("maximum recursion depth exceeded"))
    'it is nested too deeply'
    """
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    most = sys.get_int_max_str_digits()
    return f"a number has more than {most:,} digits" if _DIGITS in str(error) else str(error)


MIB = 2**20
ROW_LIMIT = "ASSAY_ROW_MIB"
DOCUMENT_LIMIT = "ASSAY_DOCUMENT_MIB"
_USUAL = 64  # MiB
_BYTES_A_VALUE = 16
# How files begin that people take for texts.
_NO_TEXTS = {
    b"%PDF-": "a PDF",
    b"PK\x03\x04": "an Office document (.docx, .xlsx, .odt) or another zip archive",
    b"\xd0\xcf\x11\xe0": "an Office document (.doc, .xls)",
}
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*"?', re.DOTALL)


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was passed over because it is longer than the limit."""

    limit: int
    quotes: int  # quotation marks in it, by which a CSV reader knows where the row ends

    def __str__(self) -> str:
        return too_long(self.limit)


def row_limit() -> int:
    """The most bytes that a row may have."""
    return _limit(ROW_LIMIT)


def document_limit() -> int:
    """The most bytes that are read of a file that is read as a whole."""
    return _limit(DOCUMENT_LIMIT)


def too_long(limit: int) -> str:
    """The message about a row over the limit."""
    return f"longer than {limit // MIB:,} MiB, the limit for a row; set {ROW_LIMIT} to raise it"


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
        raise too_large(where)
    return raw


def too_large(where: str) -> InputError:
    """The error about a file over the limit."""
    return InputError(
        f"{where} has more than {document_limit() // MIB:,} MiB, the limit for what is read as a "
        f"whole: save it as JSON lines, which are read row by row, or set {DOCUMENT_LIMIT}",
        code="too-large",
    )


def refuse_crowded(text: str, variable: str) -> None:
    """Raises if JSON has more values than the limit of a row, or of a document, allows."""
    limit = _limit(variable)
    if has_more_values(text, limit):
        raise InputError(
            f"more than {limit // _BYTES_A_VALUE:,} values, the limit for JSON of up to "
            f"{limit // MIB:,} MiB; set {variable} to raise it",
            code="too-large",
        )


def has_more_values(text: str, limit: int) -> bool:
    """True if JSON has more values than such a limit allows, by the marks between them."""
    most = limit // _BYTES_A_VALUE
    if text.count(",") + text.count("[") + text.count("{") <= most:
        return False
    count = end = 0
    for number, string in enumerate(_STRING.finditer(text)):  # marks in a string are text
        count += _marks(text, end, string.start())
        end = string.end()
        if max(count, number // 2) > most:  # a mark has two strings at most: a name and its value
            return True
    return count + _marks(text, end, len(text)) > most


def _marks(text: str, start: int, end: int) -> int:
    return sum(text.count(mark, start, end) for mark in ",[{")


def _limit(variable: str) -> int:
    given = os.environ.get(variable, "")
    if not given:
        return _USUAL * MIB
    # Ten digits are more memory than any machine has.
    if not (given.isascii() and given.isdigit() and len(given) <= 10 and int(given)):
        raise InputError(f"{variable} must be a number of MiB, 1 or more, not {given!r}")
    return int(given) * MIB


def decode(raw: bytes, where: str) -> str:
    """Bytes as text, without a byte-order mark; anything but UTF-8 raises."""
    for beginning, kind in _NO_TEXTS.items():
        if raw.startswith(beginning):
            raise InputError(
                f"{where} is {kind}, which Assay does not read yet; convert it to text"
            )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = raw[error.start]
        raise InputError(
            f"{where} is not UTF-8: byte 0x{byte:02x} at position {error.start}; save it as UTF-8"
        ) from None
