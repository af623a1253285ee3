"""What happened to an item, change by change, for those who may know."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Row, select

from assay.app.annotation import access
from assay.app.annotation.annotating.beginning import BEGIN
from assay.app.annotation.annotating.drafts import Edit, fold, read_edits
from assay.app.annotation.studio import Person, Studio
from assay.core.codec import loads
from assay.core.errors import InputError
from assay.core.wire import LabelRecord, UnitRecord, VerdictRecord
from assay.store.studio.tables import changes, events, items, people, projects, work

Part = Literal["label", "note", "evidence", "external", "answers", "readings", "place", "parent"]
MOST = 500  # entries of a page
DEEPEST = 10_000  # entries before it

_EVENTS = (
    select(events, items.c.position, people.c.name)
    .outerjoin(items, items.c.id == events.c.item)
    .outerjoin(people, people.c.id == events.c.person)
)


@dataclass(frozen=True, slots=True)
class Difference:
    """What a change did to a unit; `before` and `after` are labels, None where there was none."""

    unit: str
    text: str
    before: str | None
    after: str | None
    parts: tuple[Part, ...]
    is_new: bool = False
    is_gone: bool = False


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened: a change of a draft, or something that an item went through."""

    at: str
    person: str
    position: int | None
    stage: str
    kind: str
    version: int | None
    differences: tuple[Difference, ...]
    detail: dict[str, Any]


@dataclass(frozen=True, slots=True)
class History:
    """What happened, latest first; `skip` leads to what came earlier, if there is more."""

    entries: tuple[Entry, ...]
    skip: int | None


Entries = dict[tuple[int, int], Entry]  # by work and version


def work_history(studio: Studio, who: Person, work_id: int) -> History:
    """The changes of a work: one's own, or another's once that is no longer blind."""
    with studio.read() as connection:
        row = connection.execute(
            select(work.c.person, items)
            .join(items, items.c.id == work.c.item)
            .where(work.c.id == work_id)
        ).first()
        if row is None or row.person != who.id:
            _require_settled(connection, who, row, work_id)
        else:
            access.require_work(connection, who, work_id)
        entries = _changes(connection, work.c.id == work_id)
    return History(_latest_first(entries.values()), None)


def item_history(studio: Studio, who: Person, slug: str, position: int) -> History:
    """All that happened to an item; while that is blind, what the person did."""
    with studio.read() as connection:
        item: Row[Any] = access.require_item(connection, who, slug, position)
        sees_others = access.may_see_others(connection, who, item)
        changed, happened = work.c.item == item.id, events.c.item == item.id
        if not sees_others:
            changed, happened = (
                changed & (work.c.person == who.id),
                happened & (events.c.person == who.id),
            )
        entries = _changes(connection, changed).values()
        told = [*entries, *_events(connection, happened)]
    return History(_latest_first(told), None)


def project_history(
    studio: Studio, who: Person, slug: str, *, skip: int = 0, most: int = 100
) -> History:
    """What happened in a project, without the drafts of items that are still annotated blind."""
    if not (1 <= most <= MOST and 0 <= skip <= DEEPEST):
        message = f"a page has 1 to {MOST} entries, and begins after at most {DEEPEST:,} others"
        raise InputError(message, field="most")
    reach = skip + most + 1
    with studio.read() as connection:
        project: Row[Any] = access.require(connection, who, "see-history", slug)
        is_blind = _is_blind(who, project.id)
        changed = (
            select(changes.c.at, changes.c.work, changes.c.version)
            .join(work, work.c.id == changes.c.work)
            .join(items, items.c.id == work.c.item)
            .where(work.c.project == project.id, ~is_blind, changes.c.kind != BEGIN)
            .order_by(changes.c.at.desc(), changes.c.work, changes.c.version.desc())
        )
        happened = _EVENTS.where(
            events.c.project == project.id, events.c.item.is_(None) | ~is_blind
        ).order_by(events.c.at.desc(), events.c.id.desc())
        found = [
            *connection.execute(changed.limit(reach)),
            *connection.execute(happened.limit(reach)),
        ]
        found.sort(key=lambda row: str(row.at), reverse=True)
        page = found[skip : skip + most]
        told = _chosen(connection, [row for row in page if hasattr(row, "work")])
    entries = tuple(
        told[row.work, row.version] if hasattr(row, "work") else _event(row) for row in page
    )
    return History(entries, skip + most if len(found) > skip + most else None)


def _is_blind(who: Person, project: int) -> Any:
    """The items whose annotation is not over, or that the person is yet to annotate."""
    pending = select(work.c.item).where(
        work.c.project == project,
        work.c.person == who.id,
        work.c.stage == "annotate",
        work.c.state.in_(("assigned", "open")),
    )
    return items.c.state.in_(access.BLIND_STATES) | items.c.id.in_(pending)


def _require_settled(
    connection: Connection, who: Person, row: Row[Any] | None, work_id: int
) -> None:
    """Raises unless somebody else's work may be looked at."""
    if row is None or who.role not in access.ROLES["see-history"] or row.purpose != "real":
        raise access.NotFoundError(f"you have no work {work_id}")
    slug = connection.execute(select(projects.c.slug).where(projects.c.id == row.project))
    access.require(connection, who, "see-history", slug.scalar_one())
    if not access.may_see_others(connection, who, row):
        raise access.NotFoundError(f"you have no work {work_id}")


def _changes(connection: Connection, condition: Any) -> Entries:
    """The changes of some works, by work and version, each with what it did."""
    query = (
        select(changes, work.c.stage, people.c.name, items.c.position)
        .join(work, work.c.id == changes.c.work)
        .join(people, people.c.id == work.c.person)
        .join(items, items.c.id == work.c.item)
        .where(condition)
        .order_by(changes.c.work, changes.c.version)
    )
    drafts: dict[int, list[UnitRecord]] = {}
    entries: Entries = {}
    for row in connection.execute(query):
        edits = read_edits(row.units)
        before = drafts.get(row.work, [])
        drafts[row.work] = fold(before, edits)
        shown = () if row.kind == BEGIN else tuple(_differences(before, edits))
        told = Entry(row.at, row.name, row.position, row.stage, row.kind, row.version, shown, {})
        entries[row.work, row.version] = told
    return entries


def _chosen(connection: Connection, rows: Sequence[Any]) -> Entries:
    """The entries of at least some changes, by work and version."""
    ids = sorted({row.work for row in rows})
    return _changes(connection, work.c.id.in_(ids)) if ids else {}


def _events(connection: Connection, condition: Any) -> list[Entry]:
    found = connection.execute(_EVENTS.where(condition).order_by(events.c.id))
    return [_event(row) for row in found]


def _event(row: Row[Any]) -> Entry:
    detail = loads(row.detail) if row.detail else {}
    told = detail if isinstance(detail, dict) else {}
    stage = str(told.pop("stage", ""))
    return Entry(row.at, row.name or "", row.position, stage, row.kind, None, (), told)


def _latest_first(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=lambda each: (each.at, each.version or 0), reverse=True))


def _differences(before: Iterable[UnitRecord], edits: Iterable[Edit]) -> Iterator[Difference]:
    known = {unit.id: unit for unit in before}
    for each in edits:
        old, new = known.get(each.id), each.unit
        some = new or old
        if some is None or old == new:
            continue
        yield Difference(
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
    """What of a unit became different."""
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
