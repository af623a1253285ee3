"""The labels that people gave to the units of a corpus, overall and for each generating LLM."""

from collections import Counter
from dataclasses import dataclass
from typing import Literal

from assay.core.examples import Annotated
from assay.core.judgements import GOLD
from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.core.texts import Span
from assay.core.units import RESPONSE, Unit, UnitKind
from assay.evaluation.gold import gold_labels
from assay.metrics import Estimate, proportion

Basis = Literal["agreed", "annotators"]
Place = tuple[UnitKind, str, tuple[Span, ...]]


@dataclass(frozen=True, slots=True)
class LabelCount:
    """The count of a label, and its share of all labels beside it."""

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
    """The number of units of a kind that are listed or judged, and of those without a label."""

    kind: UnitKind
    count: int
    unlabelled: int


class LabelCounter:
    """Counts labels by kind of unit, taxonomy and model, agreed ones and annotators' apart."""

    def __init__(self) -> None:
        self._labels: dict[tuple[UnitKind, str], dict[Basis, Counter[tuple[str, str]]]] = {}
        self._units: Counter[UnitKind] = Counter()
        self._not_agreed: Counter[tuple[UnitKind, str]] = Counter()

    def add(self, annotated: Annotated) -> None:
        """Counts the units of an example and the labels that people gave them."""
        units = set(map(_place, annotated.example.units))
        agreed: set[Place] = set()
        opinions: dict[Place, str] = {}
        for judgement in annotated.gold:
            is_agreed = judgement.author == GOLD
            for finding in judgement.findings:
                place, label = _place(finding.unit), finding.label
                units.add(place)
                if label and is_agreed:
                    agreed.add(place)
                elif label:
                    opinions[place] = label.taxonomy
                if label:
                    basis: Basis = "agreed" if is_agreed else "annotators"
                    model = annotated.example.response.model
                    self._counts(finding.kind, label)[basis][model, label.name] += 1
        for place in units:
            self._units[place[0]] += 1
            if place not in agreed:
                self._not_agreed[place[0], opinions.get(place, "")] += 1

    def units(self) -> tuple[UnitCount, ...]:
        """The units by kind; what annotators say is a label only where nothing is agreed."""
        open_units: Counter[UnitKind] = Counter()
        for (kind, menu), count in self._not_agreed.items():
            if not menu or self._basis(kind, menu) == "agreed":
                open_units[kind] += count
        return tuple(
            UnitCount(kind, count, open_units[kind]) for kind, count in sorted(self._units.items())
        )

    def tables(self) -> tuple[LabelTable, ...]:
        """A table for each kind of unit and taxonomy."""
        return tuple(self._table(kind, menu) for kind, menu in sorted(self._labels))

    def _counts(self, kind: UnitKind, label: Label) -> dict[Basis, Counter[tuple[str, str]]]:
        new: dict[Basis, Counter[tuple[str, str]]] = {"agreed": Counter(), "annotators": Counter()}
        return self._labels.setdefault((kind, label.taxonomy), new)

    def _basis(self, kind: UnitKind, menu: str) -> Basis:
        return "agreed" if self._labels[kind, menu]["agreed"] else "annotators"

    def _table(self, kind: UnitKind, menu: str) -> LabelTable:
        basis = self._basis(kind, menu)
        models: dict[str, Counter[str]] = {}
        for (model, label), count in self._labels[kind, menu][basis].items():
            models.setdefault(model, Counter())[label] += count
        overall = sum(models.values(), Counter[str]())
        by_model = {model: _shares(counts, menu, overall) for model, counts in models.items()}
        ordered = sorted(by_model.items(), key=lambda item: (-_unfaithful(item[1]), item[0]))
        return LabelTable(
            kind=kind,
            taxonomy=menu,
            basis=basis,
            overall=_shares(overall, menu, overall),
            by_model=dict(ordered) if any(models) else {},
        )


def _place(unit: Unit) -> Place:
    """The place that two annotators share who judge the same words, whatever the ids."""
    return unit.kind, unit.text, unit.spans


def _shares(counts: Counter[str], menu: str, shown: Counter[str]) -> tuple[LabelCount, ...]:
    """The labels that occur anywhere, from the most to the least faithful."""
    return tuple(
        LabelCount(
            label.name,
            label.coarse,
            counts[label.name],
            proportion(counts[label.name], counts.total()),
        )
        for label in reversed(taxonomy(menu).labels)
        if shown[label.name]
    )


def _unfaithful(counts: tuple[LabelCount, ...]) -> float:
    return sum(each.share.value or 0 for each in counts if each.coarse == "unfaithful")


def response_label(annotated: Annotated) -> tuple[str, str]:
    """One label for a whole response, and where it comes from; both empty if there is none."""
    found = gold_labels(annotated, "response", "corpus")
    if not found:
        return "", ""
    settled = (said.finding(RESPONSE) for said in annotated.gold if said.author == GOLD)
    given = any(finding and finding.label for finding in settled)
    return found[0][1].name, "given" if given else "worst of its parts"
