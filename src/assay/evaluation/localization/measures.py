"""Precision, recall and F1 of a localizer, with intervals by source; and of two, compared."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from assay.evaluation.localization.matching import Case, count_failures
from assay.metrics import (
    Comparison,
    Estimate,
    Hits,
    Resampling,
    add_hits,
    compare_tables,
    estimate_from_tables,
    hit_tables,
    paired_hit_tables,
    rates,
)

RATES = {"precision": rates.hit_precision, "recall": rates.hit_recall, "F1": rates.hit_f1}


@dataclass(frozen=True, slots=True)
class Localization:
    """Figures of what a detector says is wrong; each estimate counts the examples behind it.

    `by_kind` is the recall of each kind of gold error, by what its annotators call it and by its
    final4 category where that is known; `by_category` the precision of each predicted category.
    """

    detector: str
    matcher: str
    cases: tuple[Case, ...]
    hits: Hits
    figures: dict[str, Estimate]
    by_kind: dict[str, Estimate] = field(default_factory=dict)
    by_category: dict[str, Estimate] = field(default_factory=dict)

    @property
    def failures(self) -> Counter[str]:
        """The reasons why examples have no list of inconsistencies that could be measured."""
        return count_failures(self.cases)[0]

    @property
    def matcher_failures(self) -> Counter[str]:
        """The reasons why lists could not be matched; these examples are not measured, either."""
        return count_failures(self.cases)[1]

    @property
    def coverage(self) -> float | None:
        """The share of the examples that is measured."""
        measured = sum(case.matches is not None for case in self.cases)
        return measured / len(self.cases) if self.cases else None

    @property
    def unchecked(self) -> int:
        """Facts and sentences without a verdict in examples that are measured all the same."""
        return sum(case.unchecked for case in self.cases)

    @property
    def is_complete(self) -> bool:
        """True if all examples are measured, with all their parts."""
        return not (any(case.failure for case in self.cases) or self.unchecked)

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain JSON values; the examples themselves are left out."""
        return {
            "detector": self.detector,
            "matcher": self.matcher,
            "examples": len(self.cases),
            "coverage": self.coverage,
            "failures": dict(self.failures),
            "matcher_failures": dict(self.matcher_failures),
            "unchecked": self.unchecked,
            "hits": asdict(self.hits),
            "figures": {name: asdict(each) for name, each in self.figures.items()},
            "recall_by_kind": {name: asdict(each) for name, each in self.by_kind.items()},
            "precision_by_category": {
                name: asdict(each) for name, each in self.by_category.items()
            },
        }


def measure(
    detector: str, matcher: str, cases: Sequence[Case], resampling: Resampling | None = None
) -> Localization:
    """The figures of one detector over all cases, errors added up before they are divided."""
    how = resampling or Resampling()
    measured = [case for case in cases if case.matches is not None]
    hits = [case.hits for case in measured if case.hits]
    if not _could_match(cases):
        nothing = {name: Estimate(None, len(measured)) for name in RATES}
        return Localization(detector, matcher, tuple(cases), add_hits(hits), nothing)
    tables = hit_tables(hits, groups=groups_of(measured))
    return Localization(
        detector,
        matcher,
        tuple(cases),
        add_hits(hits),
        {name: estimate_from_tables(rate, tables, resampling=how) for name, rate in RATES.items()},
        _shares(measured, _gold_kinds, how),
        _shares(measured, _predicted_categories, how),
    )


def compare_f1(first: Localization, second: Localization, resampling: Resampling) -> Comparison:
    """The F1 of two localizers on the examples that both are measured on, and the difference."""
    pairs = zip(first.cases, second.cases, strict=True)
    is_measured = all(each.figures["F1"].value is not None for each in (first, second))
    both = [pair for pair in pairs if is_measured and all(case.hits for case in pair)]
    groups = groups_of([one for one, _ in both])
    hits = ([hits for pair in both if (hits := pair[side].hits)] for side in (0, 1))
    paired = paired_hit_tables(*hits, groups=groups)
    return compare_tables(rates.hit_f1, paired, resampling=resampling)


def _could_match(cases: Sequence[Case]) -> bool:
    """False if the matcher failed wherever there was something to match.

    What is left then has no gold errors or no predictions: figures of it are 0 whatever was found.
    """
    asked = [case for case in cases if case.gold and case.predicted]
    return not asked or any(case.matches is not None for case in asked)


def groups_of(cases: Sequence[Case]) -> list[str]:
    """The groups that are resampled together: the examples of one source."""
    return [case.example.source.id or case.example.id for case in cases]


Named = Iterable[tuple[str, bool]]  # kinds, and whether each was found or was right


def _gold_kinds(case: Case) -> Named:
    found = set(case.matches or ())
    for place, error in enumerate(case.gold):
        category = error.category.name if error.category else ""
        for name in dict.fromkeys(filter(None, (error.kind, category))):
            yield name, place in found


def _predicted_categories(case: Case) -> Named:
    seen: set[int | None] = {None}
    for prediction, match in zip(case.predicted, case.matches or (), strict=True):
        if prediction.category:
            yield prediction.category.name, match not in seen  # a repetition finds nothing
        seen.add(match)


def _shares(
    cases: Sequence[Case], named: Callable[[Case], Named], resampling: Resampling
) -> dict[str, Estimate]:
    """The share that is found, or right, of each kind; n counts what is of this kind."""
    pairs = zip(groups_of(cases), cases, strict=True)
    said = [(group, *each) for group, case in pairs for each in named(case)]
    shares = {}
    for name in sorted({kind for _, kind, _ in said}):
        of_kind = [(group, is_hit) for group, kind, is_hit in said if kind == name]
        hits = [Hits(int(is_hit), 1, 1) for _, is_hit in of_kind]
        tables = hit_tables(hits, groups=np.array([group for group, _ in of_kind], dtype=np.str_))
        shares[name] = estimate_from_tables(rates.hit_recall, tables, resampling=resampling)
    return shares
