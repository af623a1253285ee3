"""One error of a judge: something wrong that it missed, or something right that it called wrong."""

import hashlib
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from assay.core.examples import Example
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import FALSEALARM5, FINAL4
from assay.core.units import Unit

Side = Literal["missed", "invented"]
SIDES: tuple[Side, ...] = get_args(Side)
MENUS: dict[Side, Taxonomy] = {"missed": FINAL4, "invented": FALSEALARM5}


@dataclass(frozen=True, slots=True)
class ErrorItem:
    """The text of `unit` says what is wrong, or what the judge took for wrong, and where.

    `given` is the category that the gold has for it, `said` what the judge said of it. The `id`
    follows from these texts, so that an answer never ends up at another error.
    """

    side: Side
    example: Example
    unit: Unit
    given: Label | None = None
    said: str = ""
    id: str = ""

    @property
    def menu(self) -> Taxonomy:
        """The categories to choose from."""
        return MENUS[self.side]

    @property
    def in_words(self) -> str:
        """The error with the words that it is about, as a model is shown it."""
        words = " ... ".join(span.text for span in self.unit.spans)
        about = f'About the words "{words}" of the response.\n' if words else ""
        said = f"\nThe judge's own words: {self.said}" if self.said else ""
        return f"{about}{self.unit.text}{said}"


def identified(items: Iterable[ErrorItem]) -> list[ErrorItem]:
    """The items with their ids; equal ones are numbered."""
    given = list(items)
    ids = numbered(f"{e.example.id}:{e.side}:{text_digest(e.example, e.unit)}" for e in given)
    return [replace(item, id=key) for item, key in zip(given, ids, strict=True)]


def numbered(keys: Iterable[str]) -> Iterator[str]:
    """The keys, of which one that comes again has a number.

    >>> list(numbered(["a", "b", "a"]))
    ['a', 'b', 'a-2']
    """
    seen: Counter[str] = Counter()
    for key in keys:
        seen[key] += 1
        yield key if seen[key] == 1 else f"{key}-{seen[key]}"


def text_digest(example: Example, unit: Unit) -> str:
    """A short digest of a unit and of the texts that it is about."""
    places = [(span.start, span.end) for span in unit.spans]
    parts = [example.source.text, example.response.text, unit.text, places]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:10]


def choose_items(items: Sequence[ErrorItem], sample: int | None, seed: int) -> list[ErrorItem]:
    """So many of each side, in their order; the same seed chooses the same."""
    if sample is None:
        return list(items)
    chosen: set[str] = set()
    for side in SIDES:
        ids = [item.id for item in items if item.side == side]
        chosen.update(random.Random(seed).sample(ids, min(sample, len(ids))))
    return [item for item in items if item.id in chosen]
