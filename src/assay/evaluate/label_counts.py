"""The labels that people gave to the units of a corpus, overall and for each generating LLM."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from assay.core.examples import Example
from assay.core.labels import Label
from assay.core.taxonomies import TAXONOMIES
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import Verdict
from assay.evaluate.gold import gold_labels
from assay.metrics import Estimate, proportion

Basis = Literal["agreed", "annotators"]


@dataclass(frozen=True, slots=True)
class LabelCount:
    """How often a label was given, and its share of all labels beside it."""

    label: str
    coarse: str
    count: int
    share: Estimate


@dataclass(frozen=True, slots=True)
class LabelTable:
    """The labels of one kind of unit in one taxonomy, overall and for each generating LLM.

    `agreed` counts the verdicts of the corpus itself; `annotators` counts those of every
    annotator, where the corpus has no verdict of its own. Most unfaithful LLMs come first.
    """

    kind: UnitKind
    taxonomy: str
    basis: Basis
    overall: tuple[LabelCount, ...]
    by_model: dict[str, tuple[LabelCount, ...]]


@dataclass(frozen=True, slots=True)
class UnitCount:
    """How many units of a kind are listed or judged, and how many of them have no label."""

    kind: UnitKind
    count: int
    unlabelled: int


class LabelCounter:
    """Counts labels by kind of unit, taxonomy and model, agreed ones and annotators' apart."""

    def __init__(self) -> None:
        self._labels: dict[tuple[UnitKind, str], dict[Basis, Counter[tuple[str, str]]]] = {}
        self._units: Counter[UnitKind] = Counter()
        self._not_agreed: Counter[tuple[UnitKind, str]] = Counter()

    def add(self, example: Example) -> None:
        """Counts the units of an example and the labels that people gave them."""
        agreed: set[Unit] = set()
        opinions: dict[Unit, str] = {}
        for verdict in example.gold:
            if verdict.label:
                self._count(verdict, verdict.label, example.response.model)
                if verdict.judge:
                    opinions[verdict.unit] = verdict.label.taxonomy
                else:
                    agreed.add(verdict.unit)
        for unit in {*example.units, *(verdict.unit for verdict in example.gold)}:
            self._units[unit.kind] += 1
            if unit not in agreed:
                self._not_agreed[unit.kind, opinions.get(unit, "")] += 1

    def units(self) -> tuple[UnitCount, ...]:
        """The units by kind; what annotators say is a label only where nothing is agreed."""
        open_units: Counter[UnitKind] = Counter()
        for (kind, taxonomy), count in self._not_agreed.items():
            if not taxonomy or self._basis(kind, taxonomy) == "agreed":
                open_units[kind] += count
        return tuple(
            UnitCount(kind, count, open_units[kind]) for kind, count in sorted(self._units.items())
        )

    def tables(self) -> tuple[LabelTable, ...]:
        """A table for each kind of unit and taxonomy."""
        return tuple(self._table(kind, taxonomy) for kind, taxonomy in sorted(self._labels))

    def _count(self, verdict: Verdict, label: Label, model: str) -> None:
        new: dict[Basis, Counter[tuple[str, str]]] = {"agreed": Counter(), "annotators": Counter()}
        counts = self._labels.setdefault((verdict.unit.kind, label.taxonomy), new)
        counts["annotators" if verdict.judge else "agreed"][model, label.name] += 1

    def _basis(self, kind: UnitKind, taxonomy: str) -> Basis:
        return "agreed" if self._labels[kind, taxonomy]["agreed"] else "annotators"

    def _table(self, kind: UnitKind, taxonomy: str) -> LabelTable:
        basis = self._basis(kind, taxonomy)
        models: dict[str, Counter[str]] = {}
        for (model, label), count in self._labels[kind, taxonomy][basis].items():
            models.setdefault(model, Counter())[label] += count
        overall = sum(models.values(), Counter[str]())
        by_model = {model: _shares(counts, taxonomy, overall) for model, counts in models.items()}
        ordered = sorted(by_model.items(), key=lambda item: (-_unfaithful(item[1]), item[0]))
        return LabelTable(
            kind=kind,
            taxonomy=taxonomy,
            basis=basis,
            overall=_shares(overall, taxonomy, overall),
            by_model=dict(ordered) if any(models) else {},
        )


def _shares(counts: Counter[str], taxonomy: str, shown: Counter[str]) -> tuple[LabelCount, ...]:
    """The labels that occur anywhere, from the most to the least faithful."""
    return tuple(
        LabelCount(
            label.name,
            label.coarse,
            counts[label.name],
            proportion(counts[label.name], counts.total()),
        )
        for label in reversed(TAXONOMIES[taxonomy].labels)
        if shown[label.name]
    )


def _unfaithful(counts: tuple[LabelCount, ...]) -> float:
    return sum(each.share.value or 0 for each in counts if each.coarse == "unfaithful")


def response_label(example: Example) -> tuple[str, str]:
    """One label for a whole response, and where it comes from; both empty if there is none."""
    found = gold_labels(example, "response", "corpus")
    if not found:
        return "", ""
    given = any(
        verdict.unit.kind == "response" and verdict.label and not verdict.judge
        for verdict in example.gold
    )
    return found[0][1].name, "given" if given else "worst of its parts"
