"""Ids that appear twice, found without holding all of them in memory."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from assay.core.system.spills import Buckets, bucket_of

_HEAD = struct.Struct("<QI")  # the number of a row, and the bytes of its id


@dataclass(frozen=True, slots=True)
class Repeat:
    """An id that was met before, and the numbers of both rows."""

    id: str
    first: int
    number: int


class SeenIds:
    """The ids of rows, as they come; which of them repeat is known at the end."""

    def __init__(self) -> None:
        self._buckets = Buckets()

    def close(self) -> None:
        """Forgets all ids."""
        self._buckets.close()

    def add(self, number: int, id: str) -> None:
        """Notes the id of a row."""
        raw = id.encode(errors="surrogatepass")
        self._buckets.add(bucket_of(raw), _HEAD.pack(number, len(raw)) + raw)

    def repeats(self) -> list[Repeat]:
        """All rows whose id an earlier one has, in their order."""
        found = [each for bucket in self._buckets for each in _repeats(bucket)]
        return sorted(found, key=lambda each: each.number)


def _repeats(bucket: bytes) -> Iterator[Repeat]:
    seen: dict[bytes, int] = {}
    for number, raw in _entries(bucket):
        first = seen.setdefault(raw, number)
        if first != number:
            yield Repeat(raw.decode(errors="surrogatepass"), first, number)


def _entries(bucket: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place < len(bucket):
        number, length = _HEAD.unpack_from(bucket, place)
        place += _HEAD.size
        yield number, bucket[place : place + length]
        place += length
