"""The bytes of a file that a user names: unpacked, and as UTF-8 whatever Unicode they are in."""

import codecs
import gzip
import io
import os
import select
import stat
import sys
from typing import TYPE_CHECKING, BinaryIO, cast

from assay.core.errors import InputError
from assay.core.system.notices import warn
from assay.core.system.object_stores import is_remote, open_object

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CHUNK = 2**16
_PATIENCE = 2_000  # milliseconds


def open_binary(path: str) -> BinaryIO:
    """The file's bytes, unpacked if its name ends in .gz; `-` is standard input."""
    if path == "-":
        return _as_utf8(sys.stdin.buffer, "standard input")
    try:
        if not path.endswith(".gz"):
            return _as_utf8(_opened(path), path)
        packed = gzip.open(open_object(path) if is_remote(path) else path)  # noqa: SIM115
        packed.peek(1)
        return _as_utf8(cast(BinaryIO, packed), path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def _opened(path: str) -> BinaryIO:
    """The file; of a pipe that nobody writes to yet, it is said that it is waited for."""
    if is_remote(path):
        return open_object(path)
    if not stat.S_ISFIFO(os.stat(path).st_mode):
        return open(path, "rb")
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        ready = select.poll()
        ready.register(number, select.POLLIN)
        if not ready.poll(_PATIENCE):
            warn(f"{path} is a pipe, and nothing has been written to it yet; waiting for that")
            ready.poll()
        os.set_blocking(number, True)
        return open(number, "rb")
    except BaseException:
        os.close(number)
        raise


def rejoined(begin: bytes, file: BinaryIO) -> BinaryIO:
    """A file of which the beginning was read, as if it were not."""
    return io.BufferedReader(_Rejoined(begin, file))


def with_line_feeds(file: BinaryIO) -> BinaryIO:
    """The file itself, or one in which every carriage return ends a line, if those end its first.

    That of a table, in which a carriage return may also stand in a quoted cell.
    """
    first = file.readline(_CHUNK)
    if first.endswith(b"\r"):
        first += file.read(1)  # perhaps the other half of a line break
    header, mark, rest = first.partition(b"\r")
    is_line_end = mark and not rest.startswith(b"\n") and header.count(b'"') % 2 == 0
    return io.BufferedReader(_Rejoined(first, file, returns=bool(is_line_end)))


def _as_utf8(file: BinaryIO, where: str) -> BinaryIO:
    """The file itself, unless it begins with the mark of UTF-16."""
    if not hasattr(file, "peek"):
        file = io.BufferedReader(cast(io.RawIOBase, file))
    if file.peek(2)[:2] not in _UTF16:
        return file
    return io.BufferedReader(_Recoded(file, where))


class _Rejoined(io.RawIOBase):
    """The beginning of a file and the rest of it, as soon as that comes."""

    def __init__(self, begin: bytes, file: BinaryIO, *, returns: bool = False) -> None:
        self._ready = begin
        self._file = file
        self._returns = returns

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        raw = self._ready or self._file.read1(_CHUNK)  # type: ignore[attr-defined]
        view = memoryview(buffer)
        count = min(len(view), len(raw))
        self._ready = raw[count:]
        view[:count] = raw[:count].replace(b"\r", b"\n") if self._returns else raw[:count]
        return count


class _Recoded(io.RawIOBase):
    """The bytes of a UTF-16 file as UTF-8, recoded as they are read."""

    def __init__(self, file: BinaryIO, where: str) -> None:
        self._file = file
        self._where = where
        self._decoder = codecs.getincrementaldecoder("utf-16")()
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "WriteableBuffer", /) -> int:
        while not self._ready:
            raw = self._file.read(_CHUNK)
            try:
                self._ready = self._decoder.decode(raw, final=not raw).encode()
            except UnicodeDecodeError as error:
                raise InputError(
                    f"{self._where} begins as UTF-16 and is not: {error.reason}; save it as UTF-8"
                ) from None
            if not raw:
                break
        view = memoryview(buffer)
        count = min(len(view), len(self._ready))
        view[:count], self._ready = self._ready[:count], self._ready[count:]
        return count

    def close(self) -> None:
        self._file.close()
        super().close()
