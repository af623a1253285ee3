"""The audit of finished labels in a project: flags where others disagree, as a page shows them.

To agree with a flag is to call the label incorrect. A revision is a new judgement by `gold` that
supersedes the one before; nothing is overwritten.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.annotation import access
from assay.annotation.audit.labels import count_settled, label_of, suspicions
from assay.annotation.items.drafts import read_item
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.studio import Person, Studio
from assay.annotation.team.disagreement import opinions, place_of
from assay.audit.disagreement import Reason, Suspicion
from assay.audit.notes import SearchNotes, notes_together
from assay.core.codec import Reader, encode
from assay.core.errors import InputError
from assay.core.records import unit_record
from assay.core.wire import UnitRecord
from assay.decisions.proposals import LABEL_DECISIONS, OPEN
from assay.store.annotation.database import Connection
from assay.store.annotation.events import event_details, note_event
from assay.store.annotation.finals import Final, final
from assay.store.annotation.flags import (
    ListedFlag,
    count_flags,
    finished_items,
    flags_of,
    insert_flag,
    listed_flags,
    others_on_finished,
    take_back,
    update_flag,
)
from assay.store.annotation.records import StoredFlag

PAGE = 100  # flags
DEEPEST = 10_000_000  # flags before a page
_NOTED = "audit-notes"  # the kind of event that keeps who flagged
_reasons = Reader(tuple[Reason, ...])
_notes = Reader(SearchNotes)


@dataclass(frozen=True, slots=True)
class AuditFlag:
    """A unit whose label others disagree with, and what was decided, if anything was.

    `unit` is the id within the settled judgement, or `response`; `said` is that unit with its
    reason and evidence, where it is not the whole response.
    """

    id: int
    position: int
    example: str
    model: str
    unit: str
    start: int
    end: int
    text: str
    label: str
    taxonomy: str
    said: UnitRecord | None
    severity: float
    reasons: tuple[Reason, ...]
    decision: str  # empty while open
    revised: str
    note: str
    by: str
    at: str


@dataclass(frozen=True, slots=True)
class Audit:
    """A page of a project's flags, open ones first and the most severe among them first.

    `skip` leads to the next page, if there is one; the figures are those of all flags. `units`
    counts the labels that were looked at, in `items` finished items; `rate` is the share of units
    that were found incorrect, None where there is no unit.
    """

    slug: str
    flags: tuple[AuditFlag, ...]
    counts: dict[str, int]
    items: int
    units: int
    rate: float | None
    skip: int | None


def find_flags(studio: Studio, who: Person, slug: str) -> Audit:
    """Looks again where others disagree with settled labels; decided flags stay as they are."""
    with studio.read() as connection:  # others may write meanwhile: comparing takes a while
        project = access.require(connection, who, "audit", slug)
        if kept_notes(connection, project.id).has_controls:
            raise InputError(
                "there is a control sample among the flags, which a search here would tell from "
                "the others; decide about the flags that there are",
                code="control-sample",
            )
        settings = read_settings(project.settings)
        others = others_on_finished(connection, project.id)
        found = {
            each.item: suspicions(each.judgement, opinions(others[each.item]), settings)
            for each in final(connection, project.id)
            if each.item in others
        }
    with studio.write() as connection:
        known = flags_of(connection, project.id)
        for item, suspected in found.items():
            _keep(connection, project.id, item, suspected, known)
        still = {(item, each.unit) for item, some in found.items() for each in some}
        lost = [each for key, each in known.items() if key not in still]
        take_back(connection, [each.id for each in lost if not each.decision])
    return audit(studio, who, slug)


def add_flags(
    studio: Studio, who: Person, slug: str, found: Mapping[str, Sequence[Suspicion]]
) -> tuple[int, int, int]:
    """Puts units up for audit, by the ids of their examples, that were flagged elsewhere.

    Gives the number of new ones, of those flagged before, and of those of no finished item.
    """
    added = known = refused = 0
    with studio.write() as connection:
        project = access.require(connection, who, "audit", slug)
        numbers = finished_items(connection, project.id)
        before = flags_of(connection, project.id)
        for example, suspected in found.items():
            if example not in numbers:
                refused += len(suspected)
                continue
            item = numbers[example]
            old = sum((item, each.unit) in before for each in suspected)
            known, added = known + old, added + len(suspected) - old
            _keep(connection, project.id, item, suspected, before)
    return added, known, refused


def audit(studio: Studio, who: Person, slug: str, *, skip: int = 0, most: int = PAGE) -> Audit:
    """The flags of a project after the first `skip`, with what was decided."""
    with studio.read() as connection:
        project = access.require(connection, who, "audit", slug)
        settings = read_settings(project.settings)
        listed = listed_flags(connection, project.id, skip=skip, most=most + 1)
        numbers = {each.item for each in listed[:most]}
        finals = {each.item: each for each in final(connection, project.id, numbers)}
        shown = [
            _flag(each, finals[each.item], settings)
            for each in listed[:most]
            if each.item in finals
        ]
        decided = count_flags(connection, project.id)
        count, units = count_settled(studio, connection, project.id, settings)
    counts = {OPEN: decided.get("", 0)} | {each: decided.get(each, 0) for each in LABEL_DECISIONS}
    rate = counts["incorrect"] / units if units else None
    rest = skip + most if len(listed) > most else None
    return Audit(slug, tuple(shown), counts, count, units, rate, rest)


def keep_notes(studio: Studio, who: Person, slug: str, notes: SearchNotes) -> None:
    """Writes down who flagged what was handed over, unless that is known."""
    with studio.write() as connection:
        project = access.require(connection, who, "audit", slug)
        kept = kept_notes(connection, project.id)
        if notes_together((kept, notes)) != kept:
            detail = encode(notes).decode()
            note_event(connection, studio.now(), _NOTED, detail, project=project.id)


def kept_notes(connection: Connection, project: int) -> SearchNotes:
    """The notes on those who flagged, so that the lines that come back have them."""
    details = event_details(connection, project, _NOTED)
    return notes_together(_notes.read(each, "the notes of an audit") for each in details)


def _keep(
    connection: Connection,
    project: int,
    item: int,
    found: Sequence[Suspicion],
    known: Mapping[tuple[int, str], StoredFlag],
) -> None:
    """Keeps the flags of an item; what was decided stays as it is."""
    for each in found:
        reasons = encode(each.reasons).decode()
        before = known.get((item, each.unit))
        if before is None:
            new = StoredFlag(
                id=0,
                project=project,
                item=item,
                unit=each.unit,
                severity=each.severity,
                reasons=reasons,
                decision="",
                label="",
                note="",
                person=None,
                at="",
            )
            insert_flag(connection, new)
        elif not before.decision:
            update_flag(connection, before.id, severity=each.severity, reasons=reasons)


def _flag(flag: ListedFlag, settled: Final, settings: ProjectSettings) -> AuditFlag:
    finding = settled.judgement.finding(flag.unit)
    label = label_of(settled.judgement, flag.unit, settings)
    menu = label.taxonomy if label else ""
    text = read_item(flag.record).example.response.text
    start, end = place_of(finding) if finding else (0, len(text))
    return AuditFlag(
        id=flag.id,
        position=flag.position,
        example=flag.example,
        model=flag.model if settings.show_model else "",
        unit=flag.unit,
        start=start,
        end=end,
        text=text[start:end],
        label=label.name if label else "",
        taxonomy=menu,
        said=unit_record(finding.unit, finding.outcome, menu) if finding else None,
        severity=flag.severity,
        reasons=_reasons.read(flag.reasons, "the flag"),
        decision=flag.decision,
        revised=flag.label,
        note=flag.note,
        by=flag.name or "",
        at=flag.at,
    )
