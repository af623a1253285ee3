"""A settled judgement in which the label of one unit was found incorrect."""

from dataclasses import dataclass, replace

from assay.app.annotation.annotating.validation import is_web_address
from assay.app.annotation.settings import ProjectSettings
from assay.audit.grounds import Grounds, missing_grounds, missing_readings
from assay.core.codec import verify
from assay.core.decision import AMBIGUOUS, Interpretation, implied_answers
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.taxonomies import ERROR5, FAITHBENCH, GRAY7
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Attributes, ExternalEvidence, Outcome, Verdict
from assay.core.wire import ExternalRecord, InterpretationRecord, SpanRecord


@dataclass(frozen=True, slots=True)
class Revision:
    """What the label of a unit should be, and what shows it.

    It needs evidence in the source, or the statement that the source has nothing on it; an
    out-dependent unit needs something outside the source, an ambiguous one its interpretations.
    """

    label: str
    evidence: tuple[SpanRecord, ...] = ()
    external: tuple[ExternalRecord, ...] = ()
    interpretations: tuple[InterpretationRecord, ...] = ()
    nothing_found: bool = False
    error: str = ""  # the kind of error that was overlooked, of error5


def revised(settled: Judgement, unit: str, verdict: Verdict, example: Example) -> Judgement:
    """The judgement with another verdict on a unit."""
    units = settled.units
    if unit == RESPONSE and RESPONSE not in settled.by_id:
        units = (*units, Unit.response(example.response.text))
    outcomes = [each for each in settled.outcomes if each.unit != unit]
    return verify(replace(settled, units=units, outcomes=(*outcomes, verdict)), example)


def restored(settled: Judgement, before: Judgement, unit: str) -> Judgement:
    """The judgement with the verdict on a unit that stood before any audit."""
    outcomes: list[Outcome] = [each for each in settled.outcomes if each.unit != unit]
    outcomes += [each for each in before.outcomes if each.unit == unit]
    return replace(settled, outcomes=tuple(outcomes))


def verdict_of(
    revision: Revision, unit: Unit, old: Label | None, settings: ProjectSettings, note: str
) -> Verdict:
    """The verdict that a revision gives; one without what it needs raises."""
    of_spans = unit.kind == "span" or (unit.kind == RESPONSE and settings.has_spans)
    menu = FAITHBENCH if of_spans else GRAY7
    label = menu[revision.label]
    if label == old:
        raise InputError(f"the label is {label} already", field="label", code="same-label")
    _require_grounds(revision, label)
    readings = tuple(
        Interpretation(menu[str(each.label)], each.meaning) for each in revision.interpretations
    )
    is_plain = menu is GRAY7 and label != AMBIGUOUS
    verdict = Verdict(
        unit.id,
        label,
        note=note,
        evidence=tuple(Span("source", e.start, e.end, e.text) for e in revision.evidence),
        external=tuple(
            ExternalEvidence(e.address, e.quote, e.title, e.time, e.digest)
            for e in revision.external
        ),
        answers=implied_answers(label) if is_plain else None,
        interpretations=readings,
        attributes=Attributes(
            decision="incorrect", nothing_found=True if revision.nothing_found else None
        ),
        error=ERROR5[revision.error] if revision.error else None,
    )
    missing = missing_readings(verdict)
    if missing:
        raise InputError(missing.message, field=missing.field)
    return verdict


def _require_grounds(revision: Revision, label: Label) -> None:
    given = Grounds(
        bool(revision.evidence),
        any(is_web_address(each.address) for each in revision.external),
        revision.nothing_found,
    )
    missing = missing_grounds(label, given)
    if missing:
        raise InputError(missing.message, field=missing.field)
