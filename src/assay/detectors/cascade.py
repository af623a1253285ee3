"""`cascade`: a cheap detector first, and an expensive one only where the first is unsure."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.protocol import Detector
from assay.detectors.streams import batches_with_units, same_kind


@dataclass(frozen=True, slots=True)
class Cascade:
    """Two detectors of the same units; the second judges what the first leaves unsure."""

    first: Detector
    second: Detector
    below: float

    @property
    def name(self) -> str:
        """Both names in order."""
        return f"{self.first.name} then {self.second.name}"

    @property
    def unit_kind(self) -> UnitKind:
        """What both judge."""
        return self.first.unit_kind

    @property
    def taxonomy(self) -> Taxonomy:
        """What both answer in."""
        return self.first.taxonomy

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Judges a batch cheaply, then its unsure units again."""
        for batch in batches_with_units(examples, self.first):
            judgements = list(self.first.detect(batch))
            doubts = [self._doubts(judgement) for judgement in judgements]
            asked = [example for example in doubts if example.units]
            answers = self.second.detect(asked) if asked else iter(())
            for judgement, doubt in zip(judgements, doubts, strict=True):
                yield _merge(judgement, next(answers)) if doubt.units else judgement

    def _doubts(self, judgement: Judgement) -> Example:
        unsure = tuple(each.unit for each in judgement.outcomes if self._is_unsure(each))
        return replace(judgement.example, units=unsure)

    def _is_unsure(self, outcome: Outcome) -> bool:
        if isinstance(outcome, Failure):
            return True
        if outcome.label is not None and outcome.label.coarse == "not-sure":
            return True
        return outcome.confidence is not None and outcome.confidence < self.below


def cascade(first: Detector, second: Detector, below: float = 0.8) -> Cascade:
    """Asks `second` where `first` failed, is not sure, or is less than `below` confident."""
    same_kind((first, second))
    return Cascade(first, second, below)


def _merge(judgement: Judgement, again: Judgement) -> Judgement:
    second = {outcome.unit: outcome for outcome in again.outcomes}
    outcomes = tuple(
        _later(outcome, second.get(outcome.unit, outcome)) for outcome in judgement.outcomes
    )
    read = min(judgement.characters_read, again.characters_read)
    return Judgement(judgement.example, outcomes, read)


def _later(first: Outcome, second: Outcome) -> Outcome:
    """The second outcome, unless it is a failure where the first is at least an opinion."""
    if isinstance(first, Verdict) and isinstance(second, Failure):
        note = f"{first.note} The second opinion failed ({second.reason}).".strip()
        return replace(first, note=note)
    return second
