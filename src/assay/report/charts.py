"""What all charts are made of: linked counts, parts, bars and classes in their order."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from assay.core.taxonomies import BINARY, TAXONOMIES
from assay.core.verdicts import Failure
from assay.evaluate.judged import Judged
from assay.metrics import Estimate
from assay.report.badges import NO_VERDICT, Badge, label_badge
from assay.report.views import REASONS

MOST_LISTED = 200

Key = TypeVar("Key", bound=Hashable)

# From unfaithful to faithful; of what has no verdict nothing is known, so it comes last.
ORDER = {
    label_badge(label): (label.coarse == "faithful", label.rank)
    for menu in TAXONOMIES.values()
    for label in menu
}
_LAST = (2, 0)


@dataclass(frozen=True, slots=True)
class Link:
    """A number of items, what they are in words, and the rows of the page that show them."""

    count: int
    words: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose items are counted, and the row of each item that the page carries."""

    name: str
    rows: Mapping[int, int]

    def link(self, items: Sequence[int], words: str) -> Link:
        """The link of some items, given by their positions."""
        listed = [self.rows[at] for at in items if at in self.rows]
        return Link(len(items), f"{self.name}: {words}", tuple(listed[:MOST_LISTED]))


@dataclass(frozen=True, slots=True)
class Part:
    """A class as a part of all items; `start` and `share` are shares of the whole."""

    badge: Badge
    start: float
    share: float
    link: Link


@dataclass(frozen=True, slots=True)
class Bar:
    """A share with its interval, what it is the share of, and the items that it counts."""

    name: str
    estimate: Estimate
    link: Link | None = None


def positions(keys: Iterable[Key]) -> dict[Key, list[int]]:
    """Where each key stands."""
    found: dict[Key, list[int]] = defaultdict(list)
    for at, key in enumerate(keys):
        found[key].append(at)
    return dict(found)


def in_order(badges: Iterable[Badge]) -> tuple[Badge, ...]:
    """Each badge once, from the least to the most faithful class."""
    return tuple(sorted(dict.fromkeys(badges), key=lambda badge: ORDER.get(badge, _LAST)))


def gold_badge(each: Judged) -> Badge:
    """The class that people chose."""
    return label_badge(each.item.gold)


def said_badge(each: Judged) -> Badge:
    """The class that a detector chose: a lone score is read, and a failure has its reason."""
    if isinstance(each.outcome, Failure):
        reason = each.outcome.reason
        return replace(NO_VERDICT, name=f"no verdict: {reason}", meaning=REASONS[reason])
    return label_badge(each.outcome.label or BINARY["faithful" if each.faithful else "unfaithful"])


def stack(badges: Sequence[Badge], scope: Scope, what: str) -> tuple[Part, ...]:
    """How items divide into classes; `what` says whose classes these are."""
    classes, start, parts = positions(badges), 0, []
    for badge in in_order(classes):
        link = scope.link(classes[badge], f"{what} {badge.name}")
        parts.append(Part(badge, start / len(badges), link.count / len(badges), link))
        start += link.count
    return tuple(parts)
