"""Texts that are nearly the same: the Jaccard similarity of their shingles of words.

Candidates are found with MinHash signatures in bands, so that a text is not compared with all
others, and every candidate is then compared exactly. Nothing depends on the order of a set or on
the process: the same texts give the same answer.
"""

import zlib
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.text.words import words

SHINGLE = 3  # words
_HASHES = 64
_FOUND = 0.98  # of the pairs at the threshold have a band in common
_BASE = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)

Shingles = NDArray[np.uint64]


@dataclass(slots=True)
class NearDuplicates:
    """Texts by group, and the first of those before that a text is nearly the same as."""

    threshold: float
    _rows: int = 1
    _kept: list[tuple[str, Shingles]] = field(default_factory=list)
    _bands: dict[tuple[str, int, bytes], list[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        require_similarity(self.threshold)
        self._rows = _rows_for(self.threshold)

    def first(self, group: str, name: str, text: str) -> tuple[str, float] | None:
        """The text of the group that it repeats, with the similarity; one that does not is kept."""
        found = shingles(text)
        if not len(found):
            return None
        keys = [(group, *each) for each in _bands(found, self._rows)]
        seen: set[int] = set()
        for key in keys:
            for place in self._bands.get(key, ()):
                if place not in seen:
                    seen.add(place)
                    other, theirs = self._kept[place]
                    similarity = jaccard(found, theirs)
                    if similarity >= self.threshold:
                        return other, similarity
        for key in keys:
            self._bands.setdefault(key, []).append(len(self._kept))
        self._kept.append((name, found))
        return None


def require_similarity(value: float) -> None:
    """Raises unless a value can be the similarity from which texts are nearly the same."""
    if not 0.1 <= value <= 1:
        raise InputError(f"a similarity lies between 0.1 and 1, not at {value:g}", code="range")


def shingles(text: str) -> Shingles:
    """Digests of all runs of three words, in order; of all words if they are fewer.

    >>> len(shingles("The ferry sank in May."))
    3
    """
    ids = np.fromiter((_word(each) for each in words(text.casefold())), dtype=np.uint64)
    if not len(ids):
        return ids
    size = min(SHINGLE, len(ids))
    count = len(ids) - size + 1
    found = np.zeros(count, dtype=np.uint64)
    for place in range(size):
        found = found * _BASE + ids[place : place + count]
    return _mixed(found)


def jaccard(one: Shingles, other: Shingles) -> float:
    """The share of shingles that two texts have in common, of all that either has.

    >>> jaccard(shingles("a b c d"), shingles("a b c e"))
    0.3333333333333333
    """
    ours, theirs = set(one.tolist()), set(other.tolist())
    common = len(ours & theirs)
    return common / (len(ours) + len(theirs) - common)


@lru_cache(maxsize=2**16)
def _word(word: str) -> int:
    return zlib.crc32(word.encode("utf-8", "surrogatepass")) + 1


def _mixed(values: Shingles) -> Shingles:
    """The bits of all values spread, so that their order is that of chance."""
    values = (values ^ (values >> np.uint64(30))) * _MIX
    return values ^ (values >> np.uint64(27))


@lru_cache(maxsize=1)
def _seeds() -> Shingles:
    odd = np.arange(1, 2 * _HASHES, 2, dtype=np.uint64)
    return _mixed(odd * _BASE) | np.uint64(1)


def _bands(found: Shingles, rows: int) -> list[tuple[int, bytes]]:
    signature = _mixed(found[:, None] * _seeds()[None, :]).min(axis=0)
    return [(start, signature[start : start + rows].tobytes()) for start in range(0, _HASHES, rows)]


def _rows_for(threshold: float) -> int:
    """The number of hashes in a band: the most that still finds pairs at the threshold."""
    for rows in (16, 8, 4, 2):
        if 1 - (1 - threshold**rows) ** (_HASHES // rows) >= _FOUND:
            return rows
    return 1
