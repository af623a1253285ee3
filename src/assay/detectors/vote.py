"""`vote`: several detectors, one verdict; a tie goes to the less faithful label."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy, majority
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.protocol import Detector
from assay.detectors.streams import batches_with_units, same_kind


@dataclass(frozen=True, slots=True)
class Vote:
    """The majority of some detectors that judge the same units in the same taxonomy."""

    detectors: tuple[Detector, ...]

    @property
    def name(self) -> str:
        """The names of the voters."""
        counts = Counter(detector.name for detector in self.detectors)
        return "vote of " + ", ".join(f"{n} x {name}" for name, n in counts.items())

    @property
    def unit_kind(self) -> UnitKind:
        """What all of them judge."""
        return self.detectors[0].unit_kind

    @property
    def taxonomy(self) -> Taxonomy:
        """What all of them answer in."""
        return self.detectors[0].taxonomy

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Every detector judges a batch, then the batch is counted."""
        for batch in batches_with_units(examples, self.detectors[0]):
            ballots = [list(detector.detect(batch)) for detector in self.detectors]
            for judgements in zip(*ballots, strict=True):
                yield Judgement(
                    judgements[0].example,
                    tuple(
                        count_votes(outcomes)
                        for outcomes in zip(*(each.outcomes for each in judgements), strict=True)
                    ),
                    min(each.characters_read for each in judgements),
                )


def vote(*detectors: Detector) -> Vote:
    """The majority of several detectors; give one several times to vote over its samples."""
    if not detectors:
        raise InputError("a vote needs at least one detector")
    same_kind(detectors)
    return Vote(detectors)


def count_votes(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome from several on the same unit; failures do not vote, but are told."""
    verdicts = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
    if not verdicts:
        failure = next(outcome for outcome in outcomes if isinstance(outcome, Failure))
        return Failure(
            failure.unit, failure.reason, f"all {len(outcomes)} failed: {failure.detail}"
        )
    labels = [verdict.label for verdict in verdicts if verdict.label]
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    label = majority(labels) if labels else None
    agreeing = [verdict for verdict in verdicts if verdict.label == label]
    speaker = agreeing[0]
    return Verdict(
        speaker.unit,
        label,
        score=sum(scores) / len(scores) if scores else None,
        confidence=len(agreeing) / len(outcomes) if labels else None,
        note=f"{len(agreeing)} of {len(outcomes)} agree. {speaker.note}".strip(),
        evidence=tuple(dict.fromkeys(span for verdict in agreeing for span in verdict.evidence)),
        external=tuple(dict.fromkeys(each for verdict in agreeing for each in verdict.external)),
        answers=speaker.answers,
        interpretations=speaker.interpretations,
    )
