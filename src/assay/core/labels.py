"""Closed menus of labels with an order and a coarse reading."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from assay.core.errors import InputError, UnknownNameError

Coarse = Literal["faithful", "not-sure", "no-fact", "unfaithful"]
COARSE: tuple[Coarse, ...] = ("faithful", "not-sure", "no-fact", "unfaithful")
_WORST_FIRST: tuple[Coarse | None, ...] = ("unfaithful", "not-sure", None, "faithful", "no-fact")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Label:
    """One entry of a menu; a higher rank is more faithful, equal ranks are not ordered.

    It equals the label of the same name and taxonomy, and its own name as text:

    >>> label = Label("binary", "faithful", "", rank=1, coarse="faithful")
    >>> label == "faithful", label in {"faithful", "no-fact"}
    (True, True)
    """

    taxonomy: str
    name: str
    meaning: str
    rank: int
    coarse: Coarse
    parent: str = ""
    aliases: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"<{self.taxonomy} {self.name}>"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Label):
            return self.name == other.name and self.taxonomy == other.taxonomy
        return self.name == other if isinstance(other, str) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A menu of labels, from the least to the most faithful."""

    name: str
    title: str
    labels: tuple[Label, ...]

    def __getitem__(self, name: str) -> Label:
        """The label of that name or alias, in any case; an unknown one raises."""
        for label in self.labels:  # nearly always its very name
            if label.name == name:
                return label
        wanted = _fold(name)
        for label in self.labels:
            if wanted in (_fold(label.name), *map(_fold, label.aliases)):
                return label
        raise UnknownNameError(f"{self.name} label", name, self.names)

    def __iter__(self) -> Iterator[Label]:
        return iter(self.labels)

    @property
    def names(self) -> tuple[str, ...]:
        """The labels' names in order."""
        return tuple(label.name for label in self.labels)


def _fold(name: str) -> str:
    return name.strip().casefold().replace("_", "-").replace(" ", "-")


def worst(labels: Iterable[Label]) -> Label:
    """The least faithful of some labels of one taxonomy; of equal ranks the first by name."""
    return min(_same_menu(labels), key=lambda label: (label.rank, label.name))


def best(labels: Iterable[Label]) -> Label:
    """The most faithful of some labels of one taxonomy; of equal ranks the first by name."""
    return min(_same_menu(labels), key=lambda label: (-label.rank, label.name))


def worst_coarse(readings: Iterable[Coarse | None]) -> Coarse | None:
    """The verdict on several units together, as rules for failing a check count them.

    One that is unfaithful decides, then one that is not sure, then one without a verdict (None).

    >>> worst_coarse(["faithful", "not-sure", None]), worst_coarse(["no-fact", "faithful"])
    ('not-sure', 'faithful')
    """
    return min(readings, key=_WORST_FIRST.index, default=None)


def majority(labels: Iterable[Label]) -> Label:
    """The most frequent label, kinds counted with their parent; a tie goes to the less faithful."""
    given = _same_menu(labels)
    counts = Counter(label.parent or label.name for label in given)
    most = max(counts.values())
    winners = [each for each in given if counts[each.parent or each.name] == most]
    lowest = worst(winners)
    kind = lowest.parent or lowest.name
    return worst(label for label in winners if kind in (label.name, label.parent))


def _same_menu(labels: Iterable[Label]) -> list[Label]:
    given = list(labels)
    menus = sorted({label.taxonomy for label in given})
    if len(menus) != 1:
        raise InputError(
            f"cannot pool labels of {' and '.join(menus)}; map them to one taxonomy first"
            if menus
            else "cannot pool an empty list of labels"
        )
    return given
