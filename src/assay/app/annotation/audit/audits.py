"""The audit of finished labels: flags where others disagree, and what a person decides about them.

The three decisions are those of the re-annotation study: the label is objectively `incorrect`, and
a revised one is given with its reason and evidence; both sides are defensible, `ambiguous`, and the
label stands; or it is a `system-error`: the label is right, and whoever disagrees errs. To agree
with a flag is to call the label incorrect. A revision is a new judgement by `gold` that supersedes
the one before; nothing is overwritten.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Select, delete, func, insert, select, update

from assay.app.annotation import access
from assay.app.annotation.annotating.drafts import read_item
from assay.app.annotation.audit.audit_counts import count_settled
from assay.app.annotation.audit.flagging import suspicions, whole_label
from assay.app.annotation.audit.kept_notes import kept_notes
from assay.app.annotation.settings import ProjectSettings, read_settings
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.team.cases import opinions
from assay.app.annotation.team.disagreement import place_of
from assay.app.annotation.team.settled import Final, final
from assay.audit.flagging import Reason, Suspicion
from assay.core.codec import Reader, encode
from assay.core.errors import InputError
from assay.core.labels import Label
from assay.core.records import unit_record
from assay.core.units import RESPONSE
from assay.core.wire import UnitRecord
from assay.store.studio.queues import AnyRow, pairs
from assay.store.studio.tables import flags, items, judgements, people

Decision = Literal["incorrect", "ambiguous", "system-error"]
DECISIONS: tuple[Decision, ...] = ("incorrect", "ambiguous", "system-error")
PAGE = 100  # flags
DEEPEST = 10_000_000  # flags before a page
_reasons = Reader(tuple[Reason, ...])


@dataclass(frozen=True, slots=True)
class Flag:
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
    flags: tuple[Flag, ...]
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
        others = _others(connection, project.id)
        found = {
            each.item: suspicions(each.judgement, opinions(others[each.item]), settings)
            for each in final(connection, project.id)
            if each.item in others
        }
    with studio.write() as connection:
        query = select(flags).where(flags.c.project == project.id)
        known = {(row.item, row.unit): row for row in connection.execute(query)}
        for item, suspected in found.items():
            _keep(connection, project.id, item, suspected, known)
        gone = [row.id for row in known.values() if not row.decision]
        for number in gone:
            connection.execute(delete(flags).where(flags.c.id == number))
    return audit(studio, who, slug)


def add_flags(
    studio: Studio, who: Person, slug: str, found: Mapping[str, Sequence[Suspicion]]
) -> tuple[int, int, int]:
    """Puts units up for audit, by the ids of their examples, that were flagged elsewhere.

    How many are new, how many were flagged before, and how many are of no finished item.
    """
    added = known = refused = 0
    with studio.write() as connection:
        project: Any = access.require(connection, who, "audit", slug)
        query = select(items.c.id, items.c.example).where(
            items.c.project == project.id, items.c.purpose == "real", items.c.state == "done"
        )
        numbers = {row.example: row.id for row in connection.execute(query)}
        rows = connection.execute(select(flags).where(flags.c.project == project.id))
        before = {(row.item, row.unit): row for row in rows}
        for example, suspected in found.items():
            if example not in numbers:
                refused += len(suspected)
                continue
            item = numbers[example]
            old = sum((item, each.unit) in before for each in suspected)
            known, added = known + old, added + len(suspected) - old
            _keep(connection, project.id, item, suspected, dict(before))
    return added, known, refused


def audit(studio: Studio, who: Person, slug: str, *, skip: int = 0, most: int = PAGE) -> Audit:
    """The flags of a project after the first `skip`, with what was decided."""
    with studio.read() as connection:
        project = access.require(connection, who, "audit", slug)
        settings = read_settings(project.settings)
        rows = connection.execute(flag_rows(project.id).offset(skip).limit(most + 1)).all()
        finals = {
            each.item: each
            for each in final(connection, project.id, {row.item for row in rows[:most]})
        }
        shown = [
            _flag(row, finals[row.item], settings) for row in rows[:most] if row.item in finals
        ]
        counts = _decided(connection, project.id)
        count, units = count_settled(studio, connection, project.id, settings)
    rate = counts["incorrect"] / units if units else None
    rest = skip + most if len(rows) > most else None
    return Audit(slug, tuple(shown), counts, count, units, rate, rest)


def _keep(
    connection: Connection,
    project: int,
    item: int,
    found: Sequence[Suspicion],
    known: dict[tuple[int, str], AnyRow],
) -> None:
    """Keeps the flags of an item; what is left in `known` afterwards is no longer one."""
    for each in found:
        values = {"severity": each.severity, "reasons": encode(each.reasons).decode()}
        before = known.pop((item, each.unit), None)
        if before is None:
            empty = {"decision": "", "label": "", "note": "", "person": None, "at": ""}
            row = insert(flags).values(
                project=project, item=item, unit=each.unit, **values, **empty
            )
            connection.execute(row)
        elif not before.decision:
            connection.execute(update(flags).where(flags.c.id == before.id).values(**values))


def _others(connection: Connection, project: int) -> dict[int, list[Any]]:
    """What detectors and recorded labels say of finished items."""
    query = (
        select(judgements)
        .join(items, items.c.id == judgements.c.item)
        .where(items.c.project == project, items.c.purpose == "real", items.c.state == "done")
        .where((judgements.c.kind == "detector") | (judgements.c.stage == "imported"))
        .order_by(judgements.c.round, judgements.c.id)
    )
    found: dict[int, list[Any]] = {}
    for row in connection.execute(query):
        found.setdefault(row.item, []).append(row)
    return found


def flag_rows(project: int) -> Select[*tuple[Any, ...]]:
    """The flags of a project with their items, open ones first and the most severe among them."""
    return (
        select(
            flags, items.c.position, items.c.example, items.c.model, items.c.record, people.c.name
        )
        .join(items, items.c.id == flags.c.item)
        .outerjoin(people, people.c.id == flags.c.person)
        .where(flags.c.project == project, items.c.state == "done")
        .order_by(flags.c.decision != "", flags.c.severity.desc(), flags.c.id)
    )


def _decided(connection: Connection, project: int) -> dict[str, int]:
    """How many flags are open, and how many were decided in each way."""
    query = (
        select(flags.c.decision, func.count())
        .join(items, items.c.id == flags.c.item)
        .where(flags.c.project == project, items.c.state == "done")
        .group_by(flags.c.decision)
    )
    found = pairs(connection, query)
    return {"open": found.get("", 0)} | {each: found.get(each, 0) for each in DECISIONS}


def label_of(settled: Final, unit: str, settings: ProjectSettings) -> Label | None:
    """The label of a unit, or of the whole response."""
    if unit == RESPONSE:
        return whole_label(settled.judgement, settings)
    found = settled.judgement.finding(unit)
    return found.label if found else None


def _flag(row: Any, settled: Final, settings: ProjectSettings) -> Flag:
    finding = settled.judgement.finding(row.unit)
    label = label_of(settled, row.unit, settings)
    text = read_item(row.record).example.response.text
    start, end = place_of(finding) if finding else (0, len(text))
    return Flag(
        row.id,
        row.position,
        row.example,
        row.model if settings.show_model else "",
        row.unit,
        start,
        end,
        text[start:end],
        label.name if label else "",
        label.taxonomy if label else "",
        unit_record(finding.unit, finding.outcome, label.taxonomy if label else "")
        if finding
        else None,
        row.severity,
        _reasons.read(row.reasons, "the flag"),
        row.decision,
        row.label,
        row.note,
        row.name or "",
        row.at,
    )
