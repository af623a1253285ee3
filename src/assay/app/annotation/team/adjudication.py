"""Adjudication: items that people differ about, the worst first, and everything said of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, func, select

from assay.app.annotation import access
from assay.app.annotation.annotating.drafts import draft_of, in_order, read_item, write_units
from assay.app.annotation.settings import ProjectSettings, read_settings
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.team.cases import Opinion, Stretch, opinions, stretches
from assay.app.annotation.team.disagreement import Severity, severity
from assay.app.annotation.team.discussion import Comment, comments_of
from assay.core.errors import InputError
from assay.core.wire import UnitRecord
from assay.store.studio.queues import (
    OPEN_STATES,
    AnyRow,
    give_work,
    lock_item,
    pairs,
    said_of,
    work_on,
)
from assay.store.studio.settling import merged
from assay.store.studio.tables import comments, items, judgements, people, work

_ROUNDS = ("annotate", "discuss", "review")


@dataclass(frozen=True, slots=True)
class Dispute:
    """An item in the queue; `taken_by` is the adjudicator who has begun with it, if anybody has."""

    position: int
    example: str
    model: str
    severity: Severity
    authors: tuple[str, ...]
    comments: int
    taken_by: str


@dataclass(frozen=True, slots=True)
class DisputeQueue:
    """The items that wait for an adjudicator, the worst disagreements first, and how many do not.

    `agreed` counts finished items that never needed one, and `settled` those that had one.
    """

    slug: str
    disputes: tuple[Dispute, ...]
    agreed: int
    settled: int
    earlier: int  # items that have not come so far


@dataclass(frozen=True, slots=True)
class Case:
    """An item with everybody's verdicts and reasons, unit by unit, and all comments.

    `work` is the number of the asker's own adjudication, if they have begun.
    """

    position: int
    example: str
    state: str
    severity: Severity
    stretches: tuple[Stretch, ...]
    comments: tuple[Comment, ...]
    people: tuple[str, ...]
    detectors: tuple[str, ...]
    work: int | None


@dataclass(frozen=True, slots=True)
class Taken:
    """An adjudication that has begun: the number of the work, for the page of the item."""

    work: int
    position: int


def queue(studio: Studio, who: Person, slug: str) -> DisputeQueue:
    """The items that wait for an adjudicator, those first where people contradict each other."""
    with studio.read() as connection:
        project = access.require(connection, who, "adjudicate", slug)
        settings = read_settings(project.settings)
        said = _said_in_adjudication(connection, project.id)
        talk = _comment_counts(connection, project.id)
        takers = _takers(connection, project.id)
        own = _own_annotations(connection, who, project.id)
        disputes = [
            _dispute(rows, settings, talk.get(number, 0), takers.get(number, ""))
            for number, rows in said.items()
            if number not in own
        ]
        disputes.sort(key=lambda each: each.position)
        disputes.sort(key=lambda each: each.severity, reverse=True)
        states = _counts(connection, project.id)
        settled = _count_settled(connection, project.id)
        done = states.get("done", 0)
        earlier = sum(states.values()) - done - states.get("adjudication", 0)
        return DisputeQueue(slug, tuple(disputes), done - settled, settled, earlier)


def case(studio: Studio, who: Person, slug: str, position: int) -> Case:
    """Everything that was said of an item which is no longer annotated blind."""
    with studio.read() as connection:
        item, settings = _item(connection, who, slug, position)
        given = opinions(_everything(connection, item.id))
        response = read_item(item.record).example.response.text
        judged = [each.judgement for each in given if each.stage in _ROUNDS]
        own = [row for row in work_on(connection, item.id, "adjudicate") if row.person == who.id]
        return Case(
            item.position,
            settings.shown_id(item.example, item.model),
            item.state,
            severity(judged, settings),
            stretches(given, settings, response),
            comments_of(connection, item.id),
            tuple(each.author for each in given if each.kind == "person"),
            tuple(each.author for each in given if each.kind == "detector"),
            own[0].id if own else None,
        )


def take(studio: Studio, who: Person, slug: str, position: int, author: str = "") -> Taken:
    """Begins an adjudication, or goes on with one; also of an item that people agree on.

    The draft is what the named author said. Without one, it has what all people agree on, and
    what they differ about is left open.
    """
    with studio.write() as connection:
        item, settings = _item(connection, who, slug, position)
        item = lock_item(connection, item.id)
        if item.state not in ("adjudication", "done"):
            message = f"the item is in {item.state}; an adjudicator comes after that"
            raise InputError(message, code="too-early")
        begun = [row for row in work_on(connection, item.id, "adjudicate") if row.person == who.id]
        if begun and begun[0].state in OPEN_STATES:
            return Taken(begun[0].id, position)
        given = [each for each in opinions(_everything(connection, item.id)) if _is_whole(each)]
        draft = write_units(_first_draft(given, settings, author)) if given else ""
        number = give_work(connection, item, who.id, "adjudicate", draft)
        return Taken(number, position)


def _first_draft(
    given: Sequence[Opinion], settings: ProjectSettings, author: str
) -> list[UnitRecord]:
    if author:
        named = [each for each in given if each.author == author]
        if not named:
            message = f"'{author}' has no judgement of the item to begin with"
            raise InputError(message, field="author", code="no-judgement")
        return draft_of(named[-1].judgement)
    units = draft_of(merged([each.judgement for each in given]))
    disputed = [
        (each.start, each.end)
        for each in stretches(given, settings, "")
        if each.kind == "sentence" and each.is_disputed
    ]
    return in_order(
        replace(unit, verdict=None) if _is_within(unit, disputed) else unit for unit in units
    )


def _is_within(unit: UnitRecord, places: Sequence[tuple[int, int]]) -> bool:
    start, end = unit.start, unit.end
    if unit.kind != "sentence" or start is None or end is None:
        return False
    return any(first <= start and end <= last for first, last in places)


def _is_whole(opinion: Opinion) -> bool:
    """Whether a judgement is one that a person gave here."""
    return opinion.kind == "person" and opinion.stage != "imported"


def _item(
    connection: Connection, who: Person, slug: str, position: int
) -> tuple[AnyRow, ProjectSettings]:
    project = access.require(connection, who, "adjudicate", slug)
    item = access.require_item(connection, who, slug, position)
    if not access.may_see_others(connection, who, item):
        raise access.ForbiddenError("the item is still annotated blind", code="blind")
    return item, read_settings(project.settings)


def _everything(connection: Connection, item: int) -> list[AnyRow]:
    people_said = said_of(connection, [item])
    detectors_said = said_of(connection, [item], kind="detector")
    return [row for row in (*people_said, *detectors_said) if row.stage != "audit"]


def _said_in_adjudication(connection: Connection, project: int) -> dict[int, list[AnyRow]]:
    query = (
        select(judgements, items.c.position, items.c.example, items.c.model)
        .join(items, items.c.id == judgements.c.item)
        .where(items.c.project == project, items.c.state == "adjudication")
        .where(judgements.c.kind == "person", judgements.c.stage.in_(_ROUNDS))
        .order_by(judgements.c.round, judgements.c.id)
    )
    found: dict[int, list[Any]] = {}
    for row in connection.execute(query):
        found.setdefault(row.item, []).append(row)
    return found


def _dispute(
    rows: Sequence[AnyRow], settings: ProjectSettings, talk: int, taken_by: str
) -> Dispute:
    given = opinions(rows)
    return Dispute(
        rows[0].position,
        settings.shown_id(rows[0].example, rows[0].model),
        rows[0].model if settings.show_model else "",
        severity([each.judgement for each in given], settings),
        tuple(each.author for each in given),
        talk,
        taken_by,
    )


def _comment_counts(connection: Connection, project: int) -> dict[int, int]:
    query = (
        select(comments.c.item, func.count())
        .join(items, items.c.id == comments.c.item)
        .where(items.c.project == project)
        .group_by(comments.c.item)
    )
    return pairs(connection, query)


def _takers(connection: Connection, project: int) -> dict[int, str]:
    query = (
        select(work.c.item, people.c.name)
        .join(people, people.c.id == work.c.person)
        .where(work.c.project == project, work.c.stage == "adjudicate")
        .where(work.c.state.in_(OPEN_STATES))
        .order_by(work.c.id.desc())
    )
    return pairs(connection, query)


def _own_annotations(connection: Connection, who: Person, project: int) -> set[int]:
    """The items that the person has yet to annotate, which stay blind for them."""
    query = select(work.c.item).where(
        work.c.project == project,
        work.c.person == who.id,
        work.c.stage == "annotate",
        work.c.state.in_(OPEN_STATES),
    )
    return set(connection.execute(query).scalars())


def _counts(connection: Connection, project: int) -> dict[str, int]:
    query = (
        select(items.c.state, func.count())
        .where(items.c.project == project, items.c.purpose == "real")
        .group_by(items.c.state)
    )
    return pairs(connection, query)


def _count_settled(connection: Connection, project: int) -> int:
    query = (
        select(func.count(func.distinct(judgements.c.item)))
        .join(items, items.c.id == judgements.c.item)
        .where(items.c.project == project, items.c.state == "done")
        .where(judgements.c.stage == "adjudicate")
    )
    return connection.execute(query).scalar_one()
