"""Detectors on the same items: which are best, where two differ, and whether that is chance."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import ceil, isclose
from typing import Any

import numpy as np

from assay import __version__
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Manifest
from assay.core.pooling import GoldBasis
from assay.core.problems import Unread
from assay.evaluation.concordance import Concordance, concordances
from assay.evaluation.evaluate import Evaluation, Predictions, Settings, evaluate_each, sampled
from assay.evaluation.figures import groups_of, truths_of
from assay.evaluation.items import Judged, basis_of, describe_gold, find_items
from assay.metrics import (
    Comparison,
    McNemar,
    Resampling,
    balanced_accuracy,
    compare_tables,
    holm,
    mcnemar,
    rates,
    run_tables,
)
from assay.metrics.arrays import Floats

NO_MODEL = "no model named"


@dataclass(frozen=True, slots=True)
class ModelRank:
    """The place of a detector among those that ask the same model.

    `is_best` marks the best of them and those that are not significantly worse. The model is the
    one that the manifest names; it is empty for a detector that asks none, and for one recorded
    with the data, of which only the name is known.
    """

    model: str
    detector: str
    rank: int | None
    is_best: bool


def places(
    values: Sequence[float | None], groups: Sequence[Hashable] = ()
) -> tuple[int | None, ...]:
    """The place of each value in its group, the highest first; equal ones share a place.

    >>> places([0.7, 0.9, None, 0.7])
    (2, 1, None, 2)
    >>> places([0.7, 0.9, 0.8], ["m", "n", "m"])
    (2, 1, 1)
    """
    own = groups or [""] * len(values)
    known = [(group, value) for group, value in zip(own, values, strict=True) if value is not None]
    return tuple(
        None if value is None else 1 + sum(g == group and other > value for g, other in known)
        for group, value in zip(own, values, strict=True)
    )


SIGNIFICANT = 0.05
ASKS_ACCURACY = (
    "whether one would keep the higher balanced accuracy, in which both classes weigh the same, "
    "with other sources (paired bootstrap over sources)"
)
ASKS_RIGHT = (
    "whether one is right about more items, however many of a class there are (McNemar's test, "
    "which takes items as independent, also those of one source)"
)


@dataclass(frozen=True, slots=True)
class Difference:
    """An item that one detector reads as faithful and the other not."""

    first: Judged
    second: Judged


@dataclass(frozen=True, slots=True)
class PairComparison:
    """Two detectors on the items that both judged, in each run where there are several.

    The balanced accuracies are averages over runs. Where single items are counted, a detector
    says what most of its runs say, and unfaithful where these are split.
    """

    first: str
    second: str
    n: int
    balanced_accuracy: Comparison
    right: McNemar
    differences: tuple[Difference, ...]
    errors_by_gold: dict[str, dict[str, int]]
    manifests: tuple[Manifest | None, Manifest | None] = (None, None)
    runs: tuple[int, int] = (1, 1)  # of each that are averaged

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values, with every item where the two differ."""
        return {
            "assay": __version__,
            "first": self.first,
            "second": self.second,
            "runs": list(self.runs),
            "manifests": [asdict(each) if each else None for each in self.manifests],
            "n": self.n,
            "balanced_accuracy": {"asks": ASKS_ACCURACY, **asdict(self.balanced_accuracy)},
            "mcnemar": {
                "asks": ASKS_RIGHT,
                "only_first_right": self.right.only_first,
                "only_second_right": self.right.only_second,
                "p_value": self.right.p_value,
                "test": self.right.test,
            },
            "errors_by_gold": self.errors_by_gold,
            "differences": [
                {
                    "example": each.first.item.example,
                    "unit": each.first.item.unit.id,
                    "text": each.first.item.unit.text,
                    "gold": each.first.item.gold.name,
                    "first_says_faithful": each.first.faithful,
                    "second_says_faithful": each.second.faithful,
                }
                for each in self.differences
            ],
        }


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """Evaluations of several detectors, and which of them may be called the best."""

    dataset: str
    reading: str
    repairs: str
    evaluations: tuple[Evaluation, ...]
    best: tuple[str, ...]
    examples: dict[str, Example]
    labels: str = ""  # how the corpus's labels came about, in the words of its card
    protocol: str = ""  # whether this is how the paper evaluates, and which one
    task: str = ""  # the only one that is evaluated, if one was chosen
    split: str = ""
    by_model: tuple[ModelRank, ...] = ()  # where detectors are ranked within models, too
    gold: GoldBasis | None = None  # what the gold labels rest on
    unread: Unread = field(default_factory=Unread)  # rows of the data, which are left out

    @property
    def ranks(self) -> tuple[int | None, ...]:
        """The place of each detector by balanced accuracy; equal ones share a place."""
        return places([each.figures["balanced accuracy"].value for each in self.evaluations])

    @property
    def concordances(self) -> tuple[Concordance, ...]:
        """Each detector that was run beside each that is recorded with the data."""
        return tuple(concordances(self.evaluations))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values, but for the examples."""
        return {
            "assay": __version__,
            "dataset": self.dataset,
            "task": self.task,
            "split": self.split,
            "reading": self.reading,
            "gold": self.gold.to_dict() if self.gold else None,
            "protocol": self.protocol,
            "labels": self.labels,
            "repairs": self.repairs,
            **self.unread.to_dict(),
            "best": list(self.best),
            "by_model": [asdict(each) for each in self.by_model],
            "beside_recorded": [each.to_dict() for each in self.concordances],
            "detectors": [
                {**each.to_dict(), "rank": rank}
                for each, rank in zip(self.evaluations, self.ranks, strict=True)
            ],
        }


def make_report(
    dataset: str,
    annotated: Sequence[Annotated],
    predictions: Sequence[Predictions],
    settings: Settings,
    *,
    repairs: str = "",
    labels: str = "",
) -> EvaluationReport:
    """All that a page or table about an evaluation shows."""
    evaluations = evaluate_each(dataset, annotated, predictions, settings)
    kept = sampled(annotated, predictions, settings.entries)
    items = evaluations[0].items
    reading = [describe_gold(items, settings.policy), settings.describe()]
    judged = {each.id for each in kept}
    others = [each for each in annotated if each.id not in judged]
    counted = len(annotated)
    if find_items(others, settings.policy):  # a run need not judge what has no gold
        counted = len(kept)
        reading.append(f"only the {counted:,} of {len(annotated):,} examples of the run's sample")
    without = counted - len({item.example for item in items})
    if without:
        reading.append(f"{without:,} of {counted:,} examples have no gold label")
    return EvaluationReport(
        dataset=dataset,
        reading="; ".join(reading),
        repairs=repairs,
        evaluations=evaluations,
        best=tuple(not_significantly_worse(evaluations, settings.resampling)),
        examples={each.id: each.example for each in kept},
        labels=labels,
        protocol=settings.protocol,
        task=settings.task,
        split=settings.split,
        by_model=rank_by_model(evaluations, settings.resampling) if settings.by_model else (),
        gold=basis_of(items, settings.policy),
    )


def rank_by_model(
    evaluations: Sequence[Evaluation], resampling: Resampling | None = None
) -> tuple[ModelRank, ...]:
    """The places of detectors among those that ask the same model, model after model."""
    groups = group_by_model(evaluations)
    found: list[ModelRank] = []
    for model, inside in groups.items():
        best = not_significantly_worse(inside, resampling)
        ranks = places([each.figures["balanced accuracy"].value for each in inside])
        ranked = [
            ModelRank(model, each.detector, rank, each.detector in best)
            for each, rank in zip(inside, ranks, strict=True)
        ]
        found += sorted(ranked, key=lambda each: (each.rank is None, each.rank or 0))
    return tuple(found)


def group_by_model(evaluations: Iterable[Evaluation]) -> dict[str, list[Evaluation]]:
    """The detectors that ask each model, in their order; raises where none says which it asks."""
    groups: dict[str, list[Evaluation]] = {}
    for each in evaluations:
        groups.setdefault(each.model, []).append(each)
    if not any(groups):
        raise InputError(
            "none of these detectors says which model it asks; runs and files of judgements do",
            field="by_model",
        )
    return groups


def compare(
    first: Evaluation, second: Evaluation, resampling: Resampling | None = None
) -> PairComparison:
    """Compares two evaluations of the same items; only items that both judged are used."""
    runs = _common(first, second)
    count = len(first.by_run)
    pairs = list(zip(map(_vote, *runs[:count]), map(_vote, *runs[count:]), strict=True))
    gold, said_first, said_second = (
        truths_of(truths)
        for truths in (
            (a.item.faithful for a, _ in pairs),
            (a.faithful for a, _ in pairs),
            (b.faithful for _, b in pairs),
        )
    )
    said = np.array([truths_of(each.faithful for each in run) for run in runs], dtype=np.int64)
    cells = 2 * gold.astype(np.int64) + said
    detectors = (count, len(runs) - count)
    tables = run_tables(cells, groups=groups_of(runs[0]), detectors=detectors)
    return PairComparison(
        first=first.detector,
        second=second.detector,
        n=len(pairs),
        balanced_accuracy=compare_tables(
            _of_two(rates.balanced_accuracy, count), tables, resampling=resampling or Resampling()
        ),
        right=mcnemar(said_first == gold, said_second == gold),
        differences=tuple(Difference(a, b) for a, b in pairs if a.faithful != b.faithful),
        errors_by_gold=_errors_by_gold(pairs),
        manifests=(first.manifest, second.manifest),
        runs=(count, len(second.by_run)),
    )


def _of_two(rate: rates.Rate, first: int) -> rates.Rate:
    """The rate of two detectors, each averaged over its runs, of which the first has so many."""
    mean = rates.averaged(rate)

    def both(counts: Floats) -> Floats:
        return np.stack([mean(counts[..., :first, :, :]), mean(counts[..., first:, :, :])], -1)

    return both


def _vote(*runs: Judged) -> Judged:
    """The verdict of most runs on an item; unfaithful where they are split."""
    return replace(runs[0], faithful=2 * sum(bool(each.faithful) for each in runs) > len(runs))


def not_significantly_worse(
    evaluations: Sequence[Evaluation], resampling: Resampling | None = None
) -> list[str]:
    """The best balanced accuracy on the items that all judged, and those as good by chance.

    Each is compared with the best only, and Holm's correction is for these comparisons. A detector
    by itself is the best of nothing.
    """
    accuracies = _accuracies_on_common_items(evaluations)
    if not accuracies or len(evaluations) < 2:
        return []
    best = max(accuracies, key=lambda number: accuracies[number])
    others = [n for n in accuracies if not isclose(accuracies[n], accuracies[best])]
    drawn = _enough(resampling or Resampling(), len(others))
    p_values = [
        compare(evaluations[best], evaluations[n], drawn).balanced_accuracy.p_value for n in others
    ]
    worse = holm([np.nan if p is None else p for p in p_values], level=SIGNIFICANT)
    beaten = {
        n for n, p, is_worse in zip(others, p_values, worse, strict=True) if is_worse or p is None
    }
    marked = [n for n in accuracies if n not in beaten]
    return [evaluations[n].detector for n in sorted(marked, key=lambda n: n != best)]


def _enough(resampling: Resampling, tests: int) -> Resampling:
    """As many replicates as let one of so many tests be significant: p is at least 2 of them."""
    return replace(resampling, replicates=max(resampling.replicates, ceil(2 * tests / SIGNIFICANT)))


def _accuracies_on_common_items(evaluations: Sequence[Evaluation]) -> dict[int, float]:
    """Balanced accuracy by number of the detector; items that one of them failed on do not count.

    A detector whose own is undefined is left out, so that it does not take all items away; where
    the items left lack a class, each detector counts with its own.
    """
    own = {n: e.figures["balanced accuracy"].value for n, e in enumerate(evaluations)}
    judges = [n for n, value in own.items() if value is not None]
    every = [run for n in judges for run in evaluations[n].by_run]
    common = _judged_by_all(every)
    gold = truths_of(every[0][at].item.faithful for at in common) if every else truths_of(())
    shared: dict[int, float | None] = {}
    for n in judges:
        runs = evaluations[n].by_run
        found = [balanced_accuracy(gold, truths_of(r[at].faithful for at in common)) for r in runs]
        known = [value for value in found if value is not None]
        shared[n] = sum(known) / len(found) if len(known) == len(found) else None
    values = shared if None not in shared.values() else own
    return {n: value for n in judges if (value := values[n]) is not None}


def _common(first: Evaluation, second: Evaluation) -> list[list[Judged]]:
    """The verdicts of each run of the two on the items that all judged and the reading counts."""
    if first.items != second.items:
        raise InputError(
            "only detectors on the same items, under the same reading, can be compared"
        )
    runs = (*first.by_run, *second.by_run)
    common = _judged_by_all(runs)
    return [[run[at] for at in common] for run in runs]


def _judged_by_all(runs: Sequence[Sequence[Judged]]) -> list[int]:
    return [
        at
        for at, row in enumerate(zip(*runs, strict=True))
        if row[0].item.faithful is not None and all(each.faithful is not None for each in row)
    ]


def _errors_by_gold(pairs: Sequence[tuple[Judged, Judged]]) -> dict[str, dict[str, int]]:
    """For every gold label: how many both, only one, or neither got wrong."""
    counts: dict[str, Counter[str]] = {}
    for a, b in pairs:
        kind = {
            (True, True): "both wrong",
            (True, False): "first wrong",
            (False, True): "second wrong",
        }
        name = kind.get((a.is_error, b.is_error), "both right")
        counts.setdefault(a.item.gold.name, Counter())[name] += 1
    return {name: dict(counter) for name, counter in counts.items()}
