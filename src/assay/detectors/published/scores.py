"""Detectors that give a score to a claim and its source, as published models do.

A `Scorer` is the published method. `ScoreDetector` makes it a detector like any other: it takes
the sentences or the response of an example as claims, and turns scores into verdicts with the place
in the source that the score rests on.
"""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.taxonomies import BINARY
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import NOT_SURE, Attributes, Failure, Outcome, Verdict
from assay.detectors.embedded.calibration import Calibration, log_odds, logistic
from assay.detectors.local import NO_OPTIONS, LocalOptions
from assay.detectors.protocol import Capabilities, Detector, in_batches, judgement_of
from assay.text.sentences import response_unit, sentence_units

ScoredUnit = Literal["sentence", "response"]
Place = tuple[int, int]
_EXAMPLES = 16  # that are scored together: enough texts for batches of like length


@dataclass(frozen=True, slots=True)
class Claim:
    """A text to check, and the source that should bear it out.

    `place` is where the text stands in the response, if it does, and `passages` are the places of
    the source's parts, if it came in parts.
    """

    source: str
    text: str
    question: str = ""
    language: str = "en"
    response: str = ""
    place: Place | None = None
    passages: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Scored:
    """The degree to which a source bears a claim out, from 0 to 1, and what it rests on.

    `evidence` are places of the source and `marks` places of the claim, which the source does not
    bear out. `read` is how many characters of the source were read; None is all of them.
    """

    score: float
    evidence: tuple[Place, ...] = ()
    marks: tuple[Place, ...] = ()
    note: str = ""
    read: int | None = None


class Scorer(Protocol):
    """A published method with its weights."""

    @property
    def name(self) -> str:
        """The name of the detector with its argument, such as `minicheck:roberta-large`."""
        ...

    @property
    def version(self) -> str:
        """A mark that tells its scores from those of other weights or settings."""
        ...

    @property
    def threshold(self) -> float:
        """The score from which the authors call a claim supported."""
        ...

    def score(self, claims: Sequence[Claim]) -> Sequence[Scored | Failure]:
        """The scores of some claims, in their order; a Failure's unit is filled in later."""
        ...


class ScoreDetector:
    """A published method as a detector of sentences or of responses."""

    prompt_digests: Mapping[str, str] = {}

    def __init__(self, scorer: Scorer, can: Capabilities, local: LocalOptions = NO_OPTIONS) -> None:
        own = Calibration(1.0, 0.0, scorer.threshold, (scorer.threshold, scorer.threshold))
        self._scorer = scorer
        self.calibration = local.calibrate(own, scorer.name, scorer.version)
        self.author = Author(scorer.name, version=scorer.version)
        self.capabilities = replace(
            can, threshold=self.calibration.threshold, has_band=self.calibration.has_band
        )

    @property
    def stages(self) -> tuple[Detector, ...]:
        """Itself."""
        return (self,)

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges one example first, then more at a time."""
        return in_batches(examples, self._judge_all, _EXAMPLES)

    def _judge_all(self, examples: Sequence[Example]) -> Iterator[Judgement]:
        units = [self._units(example) for example in examples]
        claims = [
            _claim(example, unit)
            for example, own in zip(examples, units, strict=True)
            for unit in own
        ]
        scores = iter(self._scorer.score(claims))
        for example, own in zip(examples, units, strict=True):
            yield self._judgement(example, [(unit, next(scores)) for unit in own])

    def _units(self, example: Example) -> tuple[Unit, ...]:
        if self.capabilities.unit_kind == "response":
            return (response_unit(example),)
        return sentence_units(example)

    def _judgement(
        self, example: Example, scored: Sequence[tuple[Unit, Scored | Failure]]
    ) -> Judgement:
        findings = (Finding(unit, self._outcome(example, unit, each)) for unit, each in scored)
        read = [
            each.read for _, each in scored if isinstance(each, Scored) and each.read is not None
        ]
        return judgement_of(example, self.author, findings, min(read, default=None))

    def _outcome(self, example: Example, unit: Unit, found: Scored | Failure) -> Outcome:
        if isinstance(found, Failure):
            return replace(found, unit=unit.id)
        own = self.calibration
        chance = logistic(own.scale * log_odds(found.score) + own.shift)
        score = found.score if (own.scale, own.shift) == (1.0, 0.0) else chance
        faithful, unsure = own.is_faithful(score), own.is_unsure(score)
        source, note = example.source.text, found.note
        return Verdict(
            unit.id,
            BINARY["faithful" if faithful else "unfaithful"],
            score=round(score, 6),
            note=f"{NOT_SURE} {note}".strip() if unsure else note,
            evidence=tuple(Span.cut(source, *place, "source") for place in found.evidence),
            attributes=Attributes(unsure=True if unsure else None),
            marks=() if faithful else _marks(unit, found.marks, example.response.text),
        )


def _claim(example: Example, unit: Unit) -> Claim:
    """A unit as a claim. The fields of a structured source are no passages to read apart."""
    source = example.source
    return Claim(
        source.text,
        unit.text,
        example.question,
        example.language,
        example.response.text,
        None if unit.start is None or unit.end is None else (unit.start, unit.end),
        () if source.json else tuple((each.start, each.end) for each in source.passages),
    )


def _marks(unit: Unit, places: Sequence[Place], response: str) -> tuple[Span, ...]:
    """Places of a unit's text as places of the response; a unit that quotes none has no marks."""
    if unit.start is None or response[unit.start : unit.end] != unit.text:
        return ()
    first = unit.start
    return tuple(Span.cut(response, first + a, first + b, "response") for a, b in places)


def capabilities(kind: ScoredUnit, *, marks: bool = False, quotes: bool = True) -> Capabilities:
    """The capabilities of a published method that runs here."""
    alone = kind == "sentence"  # a claim is scored without the others of its response
    return Capabilities(kind, BINARY, runs_here=True, marks=marks, quotes=quotes, one_by_one=alone)
