"""How often each category is the reason for an error, and how far missed additions are believed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assay.core.labels import Label
from assay.core.verdicts import Failure
from assay.evaluation.errors.explanations import Explained
from assay.evaluation.errors.gathering import MENUS, SIDES, Side
from assay.metrics import Estimate, estimate_from_rows, proportion


@dataclass(frozen=True, slots=True)
class Share:
    """One category: how many errors have it, their share, and how many of them people decided."""

    category: Label
    count: int
    share: Estimate
    by_people: int


@dataclass(frozen=True, slots=True)
class Distribution:
    """The errors of one side by category; those without one are `open` or `failed`."""

    side: Side
    errors: int
    shares: tuple[Share, ...]
    decided_by: Counter[str]
    failures: Counter[str]

    @property
    def decided(self) -> int:
        """How many have a category."""
        return self.decided_by.total()

    @property
    def open(self) -> int:
        """How many wait for an answer."""
        return self.errors - self.decided - self.failures.total()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "errors": self.errors,
            "decided": self.decided,
            "decided_by": dict(self.decided_by),
            "open": self.open,
            "failures": dict(self.failures),
            "categories": {
                each.category.name: {
                    "count": each.count,
                    "share": asdict(each.share),
                    "by_people": each.by_people,
                }
                for each in self.shares
            },
        }


@dataclass(frozen=True, slots=True)
class Beliefs:
    """The mean P(True) of the claims of one category; n counts claims, resampled by source."""

    category: Label
    mean: Estimate
    failures: Counter[str]

    def to_dict(self) -> dict[str, Any]:
        """The mean and the failures as plain JSON values."""
        return {"mean": asdict(self.mean), "failures": dict(self.failures)}


def distributions(explained: Sequence[Explained]) -> tuple[Distribution, ...]:
    """One for each side; the interval of a share is Wilson's."""
    return tuple(
        _distribution(side, [e for e in explained if e.item.side == side]) for side in SIDES
    )


def beliefs(explained: Sequence[Explained]) -> tuple[Beliefs, ...]:
    """One for each category of which claims were asked about."""
    asked = [each for each in explained if each.belief]
    categories = dict.fromkeys(each.category for each in asked if each.category)
    return tuple(
        _beliefs(category, [each for each in asked if each.category == category])
        for category in categories
    )


def _distribution(side: Side, explained: Sequence[Explained]) -> Distribution:
    decided = [each for each in explained if each.category]
    waiting = [each for each in explained if not each.category]
    shares = []
    for label in MENUS[side]:
        own = [each for each in decided if each.category == label]
        by_people = sum(each.decided_by == "people" for each in own)
        shares.append(Share(label, len(own), proportion(len(own), len(decided)), by_people))
    return Distribution(
        side,
        len(explained),
        tuple(shares),
        Counter(each.decided_by for each in decided),
        Counter(each.failure.reason for each in waiting if each.failure),
    )


def _beliefs(category: Label, explained: Sequence[Explained]) -> Beliefs:
    said = [(each.item.example, each.belief.outcome) for each in explained if each.belief]
    told = [(example, each.score) for example, each in said if each.score is not None]
    values = np.array([score for _, score in told])
    groups = np.array([example.source.id or example.id for example, _ in told], dtype=np.str_)
    mean = Estimate(None, 0)
    if told:
        mean = estimate_from_rows(lambda rows: float(values[rows].mean()), len(told), groups=groups)
    failures = Counter[str](each.reason for _, each in said if isinstance(each, Failure))
    return Beliefs(category, mean, failures)
