"""Detectors on the same items: which are best, where two differ, and whether that is chance."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay import __version__
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgements, Manifest
from assay.evaluation.evaluate import Evaluation, Settings, evaluate_each, sampled
from assay.evaluation.figures import groups_of, truths_of
from assay.evaluation.items import Judged
from assay.metrics import (
    Comparison,
    McNemar,
    Resampling,
    balanced_accuracy,
    compare_tables,
    mcnemar,
    paired_tables,
    rates,
)

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Difference:
    """An item that one detector reads as faithful and the other not."""

    first: Judged
    second: Judged


@dataclass(frozen=True, slots=True)
class PairComparison:
    """Two detectors on the items that both judged."""

    first: str
    second: str
    n: int
    balanced_accuracy: Comparison
    right: McNemar
    differences: tuple[Difference, ...]
    errors_by_gold: dict[str, dict[str, int]]
    manifests: tuple[Manifest | None, Manifest | None] = (None, None)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values, with every item where the two differ."""
        return {
            "assay": __version__,
            "first": self.first,
            "second": self.second,
            "manifests": [asdict(each) if each else None for each in self.manifests],
            "n": self.n,
            "balanced_accuracy": asdict(self.balanced_accuracy),
            "mcnemar": {
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
    """What came out: one evaluation a detector, and which of them may be called the best."""

    dataset: str
    reading: str
    repairs: str
    evaluations: tuple[Evaluation, ...]
    best: tuple[str, ...]
    examples: dict[str, Example]
    labels: str = ""  # how the corpus's labels came about, in the words of its card

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values, but for the examples."""
        return {
            "assay": __version__,
            "dataset": self.dataset,
            "reading": self.reading,
            "labels": self.labels,
            "repairs": self.repairs,
            "best": list(self.best),
            "detectors": [each.to_dict() for each in self.evaluations],
        }


def make_report(
    dataset: str,
    annotated: Sequence[Annotated],
    predictions: Sequence[Judgements],
    settings: Settings,
    *,
    repairs: str = "",
    labels: str = "",
) -> EvaluationReport:
    """All that a page or table about an evaluation shows."""
    evaluations = evaluate_each(dataset, annotated, predictions, settings)
    kept = sampled(annotated, predictions)
    menus = dict.fromkeys(each.item.gold.taxonomy for each in evaluations[0].judged)
    reading = [settings.policy.describe(menus), settings.describe()]
    if len(kept) < len(annotated):
        reading.append(f"only the {len(kept):,} of {len(annotated):,} examples of the run's sample")
    without = len(kept) - len({each.item.example for each in evaluations[0].judged})
    if without:
        reading.append(f"{without:,} of {len(kept):,} examples have no gold label")
    return EvaluationReport(
        dataset=dataset,
        reading="; ".join(reading),
        repairs=repairs,
        evaluations=evaluations,
        best=tuple(not_significantly_worse(evaluations, settings.resampling)),
        examples={each.id: each.example for each in kept},
        labels=labels,
    )


def compare(
    first: Evaluation, second: Evaluation, resampling: Resampling | None = None
) -> PairComparison:
    """Compares two evaluations of the same items; only items that both judged are used."""
    pairs = _common(first, second)
    gold = truths_of(a.item.faithful for a, _ in pairs)
    said_first = truths_of(a.faithful for a, _ in pairs)
    said_second = truths_of(b.faithful for _, b in pairs)
    tables = paired_tables(gold, said_first, said_second, groups=groups_of([a for a, _ in pairs]))
    return PairComparison(
        first=first.detector,
        second=second.detector,
        n=len(pairs),
        balanced_accuracy=compare_tables(
            rates.balanced_accuracy, tables, resampling=resampling or Resampling()
        ),
        right=mcnemar(said_first == gold, said_second == gold),
        differences=tuple(Difference(a, b) for a, b in pairs if a.faithful != b.faithful),
        errors_by_gold=_errors_by_gold(pairs),
        manifests=(first.manifest, second.manifest),
    )


def not_significantly_worse(
    evaluations: Sequence[Evaluation], resampling: Resampling | None = None
) -> list[str]:
    """The best balanced accuracy on the items that all judged, and those as good by chance."""
    accuracies = _accuracies_on_common_items(evaluations)
    if not accuracies:
        return []
    best = max(accuracies, key=lambda number: accuracies[number])
    marked = [evaluations[best].detector]
    for number in accuracies:
        if number != best:
            pair = compare(evaluations[best], evaluations[number], resampling)
            p_value = pair.balanced_accuracy.p_value
            if p_value is not None and p_value >= SIGNIFICANT:
                marked.append(evaluations[number].detector)
    return marked


def _accuracies_on_common_items(evaluations: Sequence[Evaluation]) -> dict[int, float]:
    """Balanced accuracy by number of the detector; items that one of them failed on do not count.

    A detector whose own is undefined is left out, so that it does not take all items away; where
    the items left lack a class, each detector counts with its own.
    """
    own = {n: e.figures["balanced accuracy"].value for n, e in enumerate(evaluations)}
    judges = [n for n, value in own.items() if value is not None]
    common = [
        row
        for row in zip(*(evaluations[n].judged for n in judges), strict=True)
        if row[0].item.faithful is not None and all(each.faithful is not None for each in row)
    ]
    gold = truths_of(row[0].item.faithful for row in common)
    shared = {
        n: balanced_accuracy(gold, truths_of(row[place].faithful for row in common))
        for place, n in enumerate(judges)
    }
    values = shared if None not in shared.values() else own
    return {n: value for n in judges if (value := values[n]) is not None}


def _common(first: Evaluation, second: Evaluation) -> list[tuple[Judged, Judged]]:
    if [a.item for a in first.judged] != [b.item for b in second.judged]:
        raise InputError(
            "only detectors on the same items, under the same reading, can be compared"
        )
    return [
        (a, b)
        for a, b in zip(first.judged, second.judged, strict=True)
        if None not in (a.faithful, b.faithful, a.item.faithful)
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
