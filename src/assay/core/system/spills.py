"""Records set aside on disk by their key, and taken up again a bucket at a time.

What has to be looked at together (all ids that are equal, all responses to one source) has one key
and is in one bucket, so that memory holds a bucket and not everything. Few records stay in memory.
"""

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO
from zlib import crc32

from assay.core.errors import InputError

BUCKETS = 256
_HELD = 2**24  # bytes that stay in memory, of all buckets together


class Buckets:
    """Bytes by bucket, in the order in which they came."""

    def __init__(self, held: int = _HELD) -> None:
        self._most = held
        self._held = [bytearray() for _ in range(BUCKETS)]
        self._size = 0
        self._begun = [0] * BUCKETS
        self._file: IO[bytes] | None = None  # as soon as it is needed
        self._pieces: list[list[tuple[int, int]]] = [[] for _ in range(BUCKETS)]

    def add(self, bucket: int, record: bytes) -> int:
        """Sets a record aside; gives the place in its bucket where it begins."""
        held = self._held[bucket]
        begin = self._begun[bucket]
        self._begun[bucket] += len(record)
        held += record
        self._size += len(record)
        if self._size > self._most:
            self._write()
        return begin

    def __iter__(self) -> Iterator[bytes]:
        """The contents of one bucket after the other."""
        for bucket in range(BUCKETS):
            yield self.read(bucket)

    def read(self, bucket: int) -> bytes:
        """All records of a bucket."""
        found = bytearray()
        if self._file:
            for begin, length in self._pieces[bucket]:
                self._file.seek(begin)
                found += self._file.read(length)
        return bytes(found + self._held[bucket])

    def close(self) -> None:
        """Forgets everything."""
        if self._file:
            self._file.close()

    def _write(self) -> None:
        try:
            self._file = self._file or TemporaryFile()  # noqa: SIM115 - till all is forgotten
            self._file.seek(0, 2)
            for held, pieces in zip(self._held, self._pieces, strict=True):
                if held:
                    pieces.append((self._file.tell(), len(held)))
                    self._file.write(held)
                    held.clear()
        except OSError as error:
            raise InputError(
                f"cannot set data aside in the folder for temporary files: {error.strerror}",
                code="disk-full",
            ) from None
        self._size = 0


def bucket_of(key: bytes) -> int:
    """The bucket of a key."""
    return crc32(key) % BUCKETS
