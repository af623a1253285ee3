"""What the authors of an annotated example say, one thing after the other."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.core.decision import Interpretation
from assay.core.examples import Annotated
from assay.core.judgements import Finding, Judgement
from assay.core.texts import Span
from assay.core.units import Unit
from assay.core.verdicts import NO_ATTRIBUTES, Attributes, FailureReason


@dataclass(frozen=True)
class Said(Finding):
    """A finding with its author's name; the corpus itself is called gold."""

    author: str = ""

    @property
    def interpretations(self) -> tuple[Interpretation, ...]:
        return self.verdict.interpretations if self.verdict else ()

    @property
    def attributes(self) -> Attributes:
        return self.verdict.attributes if self.verdict else NO_ATTRIBUTES

    @property
    def reason(self) -> FailureReason | None:
        return self.failure.reason if self.failure else None


def gold_of(annotated: Annotated) -> list[Said]:
    """What people say, author by author; the corpus itself usually comes first."""
    return list(_said(annotated.gold))


def recorded_of(annotated: Annotated) -> list[Said]:
    """What detectors said when the corpus was made, detector by detector."""
    return list(_said(annotated.recorded))


def spans_of(annotated: Annotated) -> Iterator[tuple[Span, str]]:
    """Every span of an example and of what was said about it, with the text it lies in."""
    example = annotated.example
    for units in (example.units, *(each.units for each in annotated.judgements)):
        for unit in units:
            yield from ((span, example.response.text) for span in unit.spans)
    for judgement in annotated.judgements:
        for finding in judgement.findings:
            yield from ((span, example.source.text) for span in finding.evidence)


def ids_are_unique(annotated: Annotated) -> bool:
    """Whether an id means the same unit whoever speaks of it."""
    known: dict[str, Unit] = {unit.id: unit for unit in annotated.example.units}
    units = (unit for judgement in annotated.judgements for unit in judgement.units)
    return all(known.setdefault(unit.id, unit) == unit for unit in units)


def _said(judgements: Iterable[Judgement]) -> Iterable[Said]:
    for judgement in judgements:
        for finding in judgement.findings:
            yield Said(finding.unit, finding.outcome, judgement.author.name)
