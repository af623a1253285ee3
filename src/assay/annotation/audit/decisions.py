"""A person's decision about a flag, and the judgement that follows from it."""

import json
from dataclasses import dataclass, replace

from assay.annotation import access
from assay.annotation.audit.audits import Audit, audit
from assay.annotation.audit.labels import label_of
from assay.annotation.items.drafts import read_item
from assay.annotation.items.validation import is_web_address
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.studio import Person, Studio
from assay.audit.grounds import Grounds, missing_grounds, missing_readings
from assay.core.codec import verify
from assay.core.decision import AMBIGUOUS, Interpretation, implied_answers
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import GOLD, Judgement
from assay.core.labels import Label
from assay.core.taxonomies import ERROR5, FAITHBENCH, GRAY7
from assay.core.texts import Span
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Attributes, ExternalEvidence, Outcome, Verdict
from assay.core.wire import ExternalRecord, InterpretationRecord, SpanRecord
from assay.decisions.proposals import LABEL_DECISIONS, REVISED, LabelDecision
from assay.store.annotation.database import Connection
from assay.store.annotation.events import note_event
from assay.store.annotation.finals import final_of
from assay.store.annotation.flags import flag_by_id, update_flag
from assay.store.annotation.items import lock_item
from assay.store.annotation.judgements import add_judgements, last_round, stored_judgement
from assay.store.annotation.records import StoredItem

__all__ = ["LabelDecision", "Revision", "decide_flag"]


@dataclass(frozen=True, slots=True)
class Revision:
    """The label that a unit should have, and what shows it.

    It needs evidence in the source, or the statement that the source has nothing on it; an
    out-dependent unit needs something outside the source, an ambiguous one its interpretations.
    """

    label: str
    evidence: tuple[SpanRecord, ...] = ()
    external: tuple[ExternalRecord, ...] = ()
    interpretations: tuple[InterpretationRecord, ...] = ()
    nothing_found: bool = False
    error: str = ""  # the kind of error that was overlooked, of error5


def decide_flag(  # noqa: PLR0913 - what a request says, each by its name
    studio: Studio,
    who: Person,
    slug: str,
    number: int,
    decision: LabelDecision,
    *,
    note: str,
    revision: Revision | None = None,
) -> Audit:
    """Decides about a flag and says why; an incorrect label needs its revision.

    A decision may be changed: the label that stood before the audit comes back if it stands.
    """
    if decision not in LABEL_DECISIONS:
        message = f"a decision is one of {', '.join(LABEL_DECISIONS)}, not '{decision}'"
        raise InputError(message, field="decision")
    if not note.strip():
        raise InputError("a decision needs a reason", field="note")
    if (decision == REVISED) != (revision is not None):
        message = "an incorrect label needs a revised one, and only that"
        raise InputError(message, field="revision")
    now = studio.now()
    with studio.write() as connection:
        project = access.require(connection, who, "audit", slug)
        flag = flag_by_id(connection, project.id, number)
        if flag is None:
            raise access.NotFoundError(f"the project has no flag {number}")
        item = lock_item(connection, flag.item)
        if revision is not None or flag.decision == REVISED:
            settings = read_settings(project.settings)
            judgement = _revise(connection, item, settings, flag.unit, revision, note.strip())
            _write(connection, now, who, item, judgement)
        values = {
            "decision": decision,
            "label": revision.label if revision else "",
            "note": note.strip(),
            "person": who.id,
            "at": now,
        }
        update_flag(connection, number, **values)
        before = {"unit": flag.unit, "before": flag.decision}
        detail = json.dumps({**before, **values}, ensure_ascii=False)
        note_event(
            connection, now, "audit", detail, project=project.id, item=item.id, person=who.id
        )
    return audit(studio, who, slug)


def _revise(
    connection: Connection,
    item: StoredItem,
    settings: ProjectSettings,
    unit: str,
    revision: Revision | None,
    note: str,
) -> Judgement:
    """The settled judgement with the revised label, or with the one from before the audit."""
    settled, before = final_of(connection, item), final_of(connection, item, audited=False)
    if settled is None or before is None:
        raise InputError("the item is no longer finished", code="closed")
    judgement, example = settled.judgement, read_item(item.record).example
    if revision is None:
        return _restored(judgement, before.judgement, unit)
    place = judgement.by_id.get(unit) or Unit.response(example.response.text)
    verdict = _verdict(revision, place, label_of(judgement, unit, settings), settings, note)
    return _revised(judgement, unit, verdict, example)


def _write(
    connection: Connection, now: str, who: Person, item: StoredItem, judgement: Judgement
) -> None:
    """Keeps a judgement by gold that supersedes the settled one."""
    round = max(last_round(connection, item.id, GOLD.name), 1) + 1
    key = f"{judgement.example}/{GOLD.name}/{round - 1}"
    kept = replace(judgement, author=GOLD, round=round, supersedes=key, at=now)
    said = stored_judgement(item.project, item.id, kept, stage="audit", person=who.id)
    add_judgements(connection, [said])


def _revised(settled: Judgement, unit: str, verdict: Verdict, example: Example) -> Judgement:
    units = settled.units
    if unit == RESPONSE and RESPONSE not in settled.by_id:
        units = (*units, Unit.response(example.response.text))
    outcomes = [each for each in settled.outcomes if each.unit != unit]
    return verify(replace(settled, units=units, outcomes=(*outcomes, verdict)), example)


def _restored(settled: Judgement, before: Judgement, unit: str) -> Judgement:
    outcomes: list[Outcome] = [each for each in settled.outcomes if each.unit != unit]
    outcomes += [each for each in before.outcomes if each.unit == unit]
    return replace(settled, outcomes=tuple(outcomes))


def _verdict(
    revision: Revision, unit: Unit, old: Label | None, settings: ProjectSettings, note: str
) -> Verdict:
    """The verdict that a revision gives; one without what it needs raises."""
    of_spans = unit.kind == "span" or (unit.kind == RESPONSE and settings.has_spans)
    menu = FAITHBENCH if of_spans else GRAY7
    label = menu[revision.label]
    if label == old:
        raise InputError(f"the label is {label} already", field="label", code="same-label")
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
            decision=REVISED, nothing_found=True if revision.nothing_found else None
        ),
        error=ERROR5[revision.error] if revision.error else None,
    )
    given = Grounds(
        bool(revision.evidence),
        any(is_web_address(each.address) for each in revision.external),
        revision.nothing_found,
    )
    missing = missing_grounds(label, given) or missing_readings(verdict)
    if missing:
        raise InputError(missing.message, field=missing.field)
    return verdict
