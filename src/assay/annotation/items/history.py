"""The history of works, items and projects, for those who may know it."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from assay.annotation import access
from assay.annotation.items.drafts import UnitEdit, fold, read_edits
from assay.annotation.studio import Person, Studio
from assay.core.codec import loads
from assay.core.errors import InputError
from assay.core.wire import LabelRecord, UnitRecord, VerdictRecord
from assay.store.annotation.database import Connection
from assay.store.annotation.events import (
    ChangeTime,
    NamedChange,
    NamedEvent,
    changes_of_item,
    changes_of_works,
    events_of_item,
    item_of_work,
    latest_changes,
    latest_events,
)
from assay.store.annotation.projects import the_project
from assay.store.annotation.records import StoredItem
from assay.store.annotation.work import BEGIN

Part = Literal["label", "note", "evidence", "external", "answers", "readings", "place", "parent"]
MOST = 500  # entries of a page
DEEPEST = 10_000  # entries before it


@dataclass(frozen=True, slots=True)
class UnitDifference:
    """The effect of a change on a unit; `before` and `after` are labels, None if there was none."""

    unit: str
    text: str
    before: str | None
    after: str | None
    parts: tuple[Part, ...]
    is_new: bool = False
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One thing that happened: a change of a draft, or something that an item went through."""

    at: str
    person: str
    position: int | None
    stage: str
    kind: str
    version: int | None
    differences: tuple[UnitDifference, ...]
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class History:
    """Changes and events, latest first; `skip` leads to earlier ones, if there are any."""

    entries: tuple[HistoryEntry, ...]
    skip: int | None


Entries = dict[tuple[int, int], HistoryEntry]  # by work and version


def work_history(studio: Studio, who: Person, work_id: int) -> History:
    """The changes of a work: one's own, or another's once that is no longer blind."""
    with studio.read() as connection:
        found = item_of_work(connection, work_id)
        if found is None or found[0] != who.id:
            _require_settled(connection, who, found[1] if found else None, work_id)
        else:
            access.require_work(connection, who, work_id)
        entries = _entries(changes_of_works(connection, [work_id]))
    return History(_latest_first(entries.values()), None)


def item_history(studio: Studio, who: Person, slug: str, position: int) -> History:
    """All that happened to an item; while that is blind, what the person did."""
    with studio.read() as connection:
        item = access.require_item(connection, who, slug, position)
        whose = None if access.may_see_others(connection, who, item) else who.id
        entries = _entries(changes_of_item(connection, item.id, whose)).values()
        told = [*entries, *map(_event, events_of_item(connection, item.id, whose))]
    return History(_latest_first(told), None)


def project_history(
    studio: Studio, who: Person, slug: str, *, skip: int = 0, most: int = 100
) -> History:
    """The history of a project, without the drafts of items that are still annotated blind."""
    if not (1 <= most <= MOST and 0 <= skip <= DEEPEST):
        message = f"a page has 1 to {MOST} entries, and begins after at most {DEEPEST:,} others"
        raise InputError(message, field="most")
    reach = skip + most + 1
    with studio.read() as connection:
        project = access.require(connection, who, "see-history", slug)
        found: list[ChangeTime | NamedEvent] = [
            *latest_changes(connection, project.id, who.id, reach),
            *latest_events(connection, project.id, who.id, reach),
        ]
        found.sort(key=lambda each: each.at, reverse=True)
        page = found[skip : skip + most]
        works = sorted({each.work for each in page if isinstance(each, ChangeTime)})
        told = _entries(changes_of_works(connection, works)) if works else {}
    entries = tuple(
        told[each.work, each.version] if isinstance(each, ChangeTime) else _event(each)
        for each in page
    )
    return History(entries, skip + most if len(found) > skip + most else None)


def _require_settled(
    connection: Connection, who: Person, item: StoredItem | None, work_id: int
) -> None:
    """Raises unless somebody else's work may be looked at."""
    if item is None or who.role not in access.ROLES["see-history"] or item.purpose != "real":
        raise access.NotFoundError(f"you have no work {work_id}")
    slug = the_project(connection, item.project).slug
    access.require(connection, who, "see-history", slug)
    if not access.may_see_others(connection, who, item):
        raise access.NotFoundError(f"you have no work {work_id}")


def _entries(changes: Iterable[NamedChange]) -> Entries:
    """Changes by work and version, each with what it did to the draft before it."""
    drafts: dict[int, list[UnitRecord]] = {}
    entries: Entries = {}
    for each in changes:
        edits = read_edits(each.units)
        before = drafts.get(each.work, [])
        drafts[each.work] = fold(before, edits)
        shown = () if each.kind == BEGIN else tuple(_differences(before, edits))
        entries[each.work, each.version] = HistoryEntry(
            each.at, each.name, each.position, each.stage, each.kind, each.version, shown, {}
        )
    return entries


def _event(event: NamedEvent) -> HistoryEntry:
    detail = loads(event.detail) if event.detail else {}
    told = detail if isinstance(detail, dict) else {}
    stage = str(told.pop("stage", ""))
    name = event.name or ""
    return HistoryEntry(event.at, name, event.position, stage, event.kind, None, (), told)


def _latest_first(entries: Iterable[HistoryEntry]) -> tuple[HistoryEntry, ...]:
    return tuple(sorted(entries, key=lambda each: (each.at, each.version or 0), reverse=True))


def _differences(
    before: Iterable[UnitRecord], edits: Iterable[UnitEdit]
) -> Iterator[UnitDifference]:
    known = {unit.id: unit for unit in before}
    for each in edits:
        old, new = known.get(each.id), each.unit
        some = new or old
        if some is None or old == new:
            continue
        yield UnitDifference(
            each.id,
            some.text,
            _label(old),
            _label(new),
            tuple(_parts(old, new)) if old and new else (),
            is_new=old is None,
            is_gone=new is None,
        )


def _label(unit: UnitRecord | None) -> str | None:
    label = unit.verdict.label if unit and unit.verdict else None
    return label.label if isinstance(label, LabelRecord) else label


def _parts(old: UnitRecord, new: UnitRecord) -> Iterator[Part]:
    """The parts of a unit that differ."""
    one, other = old.verdict or VerdictRecord(), new.verdict or VerdictRecord()
    if (old.start, old.end, old.spans) != (new.start, new.end, new.spans):
        yield "place"
    if old.parent != new.parent:
        yield "parent"
    if one.label != other.label:
        yield "label"
    if one.note != other.note:
        yield "note"
    if (one.evidence, one.attributes) != (other.evidence, other.attributes):
        yield "evidence"
    if one.external != other.external:
        yield "external"
    if one.answers != other.answers:
        yield "answers"
    if one.interpretations != other.interpretations:
        yield "readings"
