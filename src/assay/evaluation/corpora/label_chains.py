"""The succession of labels through the sentences of a response, and the first errors.

A sentence without a label keeps its place: no transition starts or ends there, and it is no error.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.examples import Annotated
from assay.core.judgements import GOLD
from assay.core.labels import Coarse, Label
from assay.core.pooling import Pool
from assay.evaluation.gold import gold_labels, labelled_kinds
from assay.metrics import (
    Estimate,
    FirstErrors,
    first_errors,
    merge_classes,
    transition_counts,
    transition_probabilities,
)
from assay.metrics.arrays import Ints
from assay.text.sentences import sentence_units

READINGS = ("faithful", "unfaithful", "other")
STEPS = (1, 2, 3, 4)
ChainBasis = Literal["given", "pooled"]


@dataclass(frozen=True, slots=True)
class Transitions:
    """Chances of what stands `steps` sentences after a label, a row for each label before."""

    steps: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    chances: tuple[tuple[Estimate, ...], ...]


@dataclass(frozen=True, slots=True)
class ChainStats:
    """Transitions between sentence labels and the place of first errors, with what they rest on.

    `basis` says whose labels they are: those the corpus gives, or what annotators say
    of a sentence or mark in it, pooled. `unplaced` responses have sentence labels without a place.
    `by_reading` goes from coarse reading to coarse reading, `by_label` from label to coarse
    reading as in VeriGray's figure 3, `plain` from label to label in one step, and `by_model` from
    label to coarse reading in one step for each generating LLM, as in its figure 6.
    """

    basis: ChainBasis
    responses: int
    sentences: int
    unlabelled: int
    unplaced: int
    by_reading: tuple[Transitions, ...]
    by_label: tuple[Transitions, ...]
    plain: Transitions
    by_model: dict[str, Transitions]
    first_errors: FirstErrors


class LabelChains:
    """The labels of sentences, response after response, as they are read."""

    def __init__(self) -> None:
        self.responses = 0
        self._labels: dict[Label, int] = {}
        self._numbers = array("l")
        self._places = array("l")

    def add(self, labels: Iterable[Label | None]) -> None:
        """One more response, its sentences in reading order."""
        numbers = [
            -1 if label is None else self._labels.setdefault(label, len(self._labels))
            for label in labels
        ]
        if any(number >= 0 for number in numbers):
            self._numbers.extend(numbers)
            self._places.extend([self.responses] * len(numbers))
            self.responses += 1

    def stats(
        self,
        basis: ChainBasis,
        unplaced: int = 0,
        by_model: "Mapping[str, LabelChains] | None" = None,
    ) -> ChainStats:
        """The transitions and first errors of all responses so far."""
        labels = sorted(self._labels, key=lambda label: (label.rank, label.name))
        numbers = self._in_order(labels)
        places = np.array(self._places, dtype=np.int64)
        counts = {
            steps: transition_counts(numbers, places, classes=len(labels) + 1, steps=steps)[1:, 1:]
            for steps in STEPS
        }
        used, merged = _readings(labels)
        names = tuple(label.name for label in labels)
        wrong = np.array([False, *(used[place] == "unfaithful" for place in merged)])
        return ChainStats(
            basis=basis,
            responses=self.responses,
            sentences=numbers.size,
            unlabelled=int((numbers == 0).sum()),
            unplaced=unplaced,
            by_reading=tuple(
                _table(n, used, used, merge_classes(counts[n], rows=merged, columns=merged))
                for n in STEPS
            ),
            by_label=tuple(
                _table(n, names, used, merge_classes(counts[n], columns=merged)) for n in STEPS
            ),
            plain=_table(1, names, names, counts[1]),
            by_model={
                model: chains.one_step(labels) for model, chains in sorted((by_model or {}).items())
            },
            first_errors=first_errors(~wrong[numbers], places),
        )

    def one_step(self, labels: list[Label]) -> Transitions:
        """The labels that follow each of some labels in the next sentence, by reading."""
        numbers, places = self._in_order(labels), np.array(self._places, dtype=np.int64)
        counts = transition_counts(numbers, places, classes=len(labels) + 1, steps=1)[1:, 1:]
        used, merged = _readings(labels)
        names = tuple(label.name for label in labels)
        return _table(1, names, used, merge_classes(counts, columns=merged))

    def _in_order(self, labels: list[Label]) -> Ints:
        """The classes of the sentences: 0 without a label, then the labels in their order."""
        lookup = np.zeros(len(self._labels) + 1, dtype=np.int64)  # its last entry is that of -1
        for number, label in enumerate(labels, start=1):
            if label in self._labels:
                lookup[self._labels[label]] = number
        ordered: Ints = lookup[np.array(self._numbers, dtype=np.int64)]
        return ordered


class ChainCounter:
    """Gathers the chains of examples: those that the corpus gives, and pooled ones beside them."""

    def __init__(self, pool: Pool = "corpus") -> None:
        self._pool = pool
        self._given, self._pooled = LabelChains(), LabelChains()
        self._given_by: dict[str, LabelChains] = {}
        self._pooled_by: dict[str, LabelChains] = {}
        self._unplaced = 0

    def add(self, annotated: Annotated) -> None:
        """Takes in the sentence labels of an example."""
        given = given_chain(annotated) if self._pool == "corpus" else []
        model = annotated.example.response.model
        self._given.add(given)
        self._given_by.setdefault(model, LabelChains()).add(given)
        if not given:
            pooled = pooled_chain(annotated, self._pool)
            self._pooled.add(pooled)
            self._pooled_by.setdefault(model, LabelChains()).add(pooled)
            self._unplaced += not pooled and "sentence" in labelled_kinds([annotated])

    def stats(self) -> ChainStats | None:
        """The chains that the corpus gives; without any the pooled ones; None without labels."""
        if self._given.responses:
            return self._given.stats("given", self._unplaced, _named(self._given_by))
        if self._pooled.responses or self._unplaced:
            return self._pooled.stats("pooled", self._unplaced, _named(self._pooled_by))
        return None


def _named(chains: dict[str, LabelChains]) -> dict[str, LabelChains]:
    """The chains of each LLM, where several are named."""
    found = {model: each for model, each in chains.items() if each.responses}
    return found if len(found) > 1 else {}


def _readings(labels: list[Label]) -> tuple[tuple[str, ...], list[int]]:
    """The readings that some labels have, and the place of each label's reading among them."""
    read = [reading_of(label.coarse) for label in labels]
    used = tuple(reading for reading in READINGS if reading in read)
    return used, [used.index(reading) for reading in read]


def reading_of(coarse: Coarse) -> str:
    """VeriGray's merged readings: what is neither faithful nor unfaithful is other."""
    return coarse if coarse in READINGS else "other"


def given_chain(annotated: Annotated) -> list[Label | None]:
    """The labels that the corpus gives to the sentences of a response, one for each sentence.

    Empty if it gives none, or if nothing tells where in the response the sentences stand.
    """
    found = [(said.author, finding) for said in annotated.gold for finding in said.findings]
    judged = {each.id: each.unit for _, each in found if each.kind == "sentence"}
    agreed = {
        each.id: each.label
        for author, each in found
        if author == GOLD and each.id in judged and each.label
    }
    listed = [unit.id for unit in annotated.example.units if unit.kind == "sentence"]
    if not agreed or not (listed or any(unit.spans for unit in judged.values())):
        return []
    return [agreed.get(each) for each in listed or judged]


def pooled_chain(annotated: Annotated, pool: Pool = "corpus") -> list[Label | None]:
    """The labels of sentences by what annotators say of them or mark in them, pooled."""
    found = gold_labels(annotated, "sentence", pool)
    if not any(unit.spans for unit, _ in found):
        return []
    labels = {unit.id: label for unit, label in found}
    places = [unit.id for unit in sentence_units(annotated.example)]
    return [labels.get(each) for each in (places if labels.keys() <= set(places) else labels)]


def _table(
    steps: int, before: tuple[str, ...], after: tuple[str, ...], counts: Ints
) -> Transitions:
    cells = tuple(tuple(row) for row in counts.tolist())
    return Transitions(steps, before, after, cells, transition_probabilities(counts))
