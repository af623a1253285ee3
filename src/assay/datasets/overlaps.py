"""Sources that corpora share, by hashes of the beginnings of sources.

`h80` is taken over the first 80 ASCII letters and digits of a source, which tokenisation leaves as
they are; `h200` over those among its first 200 characters. Letters are lower-cased, and a hash is
the first 16 hex digits of md5. Of fewer than 40 letters and digits no hash is taken.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import md5
from itertools import islice
from pathlib import Path
from string import ascii_letters, digits

from assay.core.errors import InputError
from assay.datasets.corpus import corpus_names, find_card, load_corpus
from assay.datasets.download import presence

_KEPT = frozenset(ascii_letters + digits)
_FEWEST = 40


def h80(text: str) -> str | None:
    """The hash of the first 80 letters and digits; None for a very short text.

    >>> h80("The ferry has crossed the strait of Otranto since the year 1986.")
    '526c4a12cee7b7df'
    """
    return _digest("".join(islice(filter(_KEPT.__contains__, text), 80)))


def h200(text: str) -> str | None:
    """The hash of the letters and digits among the first 200 characters; None for very few."""
    return _digest("".join(filter(_KEPT.__contains__, text[:200])))


def _digest(letters: str) -> str | None:
    if len(letters) < _FEWEST:
        return None
    return md5(letters.lower().encode(), usedforsecurity=False).hexdigest()[:16]


class SourcePrints:
    """The hashes of the sources of a corpus; a source that is met again changes nothing."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self.h80: set[str] = set()
        self.h200: set[str] = set()
        self.short = 0
        self._seen: set[int] = set()
        for text in texts:
            self.add(text)

    def add(self, text: str) -> bool:
        """Takes in a source; whether it is a new one."""
        if (key := hash(text)) in self._seen:
            return False
        self._seen.add(key)
        first, second = h80(text), h200(text)
        self.short += first is None
        self.h80 |= {first} if first else set()
        self.h200 |= {second} if second else set()
        return True

    def __len__(self) -> int:
        return len(self._seen)


@dataclass(frozen=True, slots=True)
class Overlap:
    """The number of sources that two corpora share, by either hash, and that of the other one."""

    corpus: str
    h80: int
    h200: int
    sources: int


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The corpora that were compared; `shared` names those that have sources in common.

    `h80` and `h200` are how many hashes there are to be shared; `short` sources have none.
    """

    h80: int
    h200: int
    short: int
    compared: tuple[str, ...]
    shared: tuple[Overlap, ...]
    unread: dict[str, str]


def find_overlaps(prints: SourcePrints, root: str | Path | None = None, skip: str = "") -> Overlaps:
    """Compares with every corpus whose files are here; one that cannot be read is named."""
    found: list[Overlap] = []
    unread: dict[str, str] = {}
    for name in corpus_names():
        if name == skip or presence(find_card(name), root) != "here":
            continue
        try:
            found.append(_compare(name, prints, SourcePrints(_sources(name, root))))
        except InputError as error:
            unread[name] = str(error)
    shared = sorted((each for each in found if each.h80 or each.h200), key=lambda each: -each.h80)
    return Overlaps(
        h80=len(prints.h80),
        h200=len(prints.h200),
        short=prints.short,
        compared=tuple(each.corpus for each in found),
        shared=tuple(shared),
        unread=unread,
    )


def _sources(name: str, root: str | Path | None) -> Iterator[str]:
    return (each.example.source.text for each in load_corpus(name, root))


def _compare(name: str, prints: SourcePrints, other: SourcePrints) -> Overlap:
    return Overlap(name, len(prints.h80 & other.h80), len(prints.h200 & other.h200), len(other))
