"""The second round: annotators who differ see each other's work, talk, and change or hold theirs.

Comments may be written on an item, or on a unit of it, from when its blind annotation is over.
Whoever changes their judgement submits it like any other; whoever holds theirs says so here. Both
rounds of judgements stay.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, insert, select

from assay.app.annotation import access
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.team import flow
from assay.core.codec import read_judgement
from assay.core.errors import InputError
from assay.store.studio.queues import (
    OPEN_STATES,
    AnyRow,
    lock_item,
    note_event,
    said_of,
    set_work_state,
)
from assay.store.studio.tables import comments, items, people, work

LONGEST_COMMENT = 10_000
MOST_COMMENTS = 1_000  # on one item
_AGAIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Comment:
    """What somebody wrote about a unit, or about the item where `unit` is empty."""

    id: int
    unit: str
    author: str
    at: str
    text: str


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody in a discussion: still `assigned` or `open`, or `held` or `submitted`."""

    name: str
    state: str


@dataclass(frozen=True, slots=True)
class Discussion:
    """The comments on an item, and who of its annotators has held or changed their judgement."""

    position: int
    state: str
    comments: tuple[Comment, ...]
    participants: tuple[Participant, ...]


@dataclass(frozen=True, slots=True)
class Held:
    """A judgement that stands, and the state that its item has now."""

    state: str
    at: str


def discussion(studio: Studio, who: Person, slug: str, position: int) -> Discussion:
    """The discussion of an item that is no longer annotated blind."""
    with studio.read() as connection:
        item = _open_to(connection, who, slug, position)
        return _discussion(connection, item)


def add_comment(
    studio: Studio, who: Person, slug: str, position: int, *, text: str, unit: str = ""
) -> Discussion:
    """Writes a comment on an item or on one of its units.

    The same words again within a minute are a request that was sent twice, and are written once.
    """
    text = text.strip()
    if not text:
        raise InputError("a comment needs some words", field="text")
    if len(text) > LONGEST_COMMENT:
        message = f"a comment has at most {LONGEST_COMMENT:,} characters, not {len(text):,}"
        raise InputError(message, field="text", code="too-large")
    with studio.write() as connection:
        item = _open_to(connection, who, slug, position)
        lock_item(connection, item.id)
        now = studio.clock()
        if _is_repeated(connection, item.id, who, (unit, text), now - _AGAIN):
            return _discussion(connection, item)
        if unit and unit not in _units(connection, item.id):
            raise InputError(f"the item has no unit '{unit[:80]}'", field="unit")
        if len(comments_of(connection, item.id)) >= MOST_COMMENTS:
            message = f"an item has at most {MOST_COMMENTS:,} comments"
            raise InputError(message, field="text", code="too-many")
        row = insert(comments).values(
            item=item.id,
            unit=unit,
            person=who.id,
            text=text,
            at=now.isoformat(timespec="milliseconds"),
        )
        connection.execute(row)
        return _discussion(connection, item)


def hold(studio: Studio, who: Person, work_id: int) -> Held:
    """Lets somebody's judgement stand in a discussion; what they changed since is not kept."""
    now = studio.now()
    with studio.write() as connection:
        lock_item(connection, access.require_work(connection, who, work_id).item)
        row = access.require_work(connection, who, work_id)
        item = lock_item(connection, row.item)
        if row.state == "held":  # the answer got lost
            return Held(item.state, now)
        if row.stage != "discuss" or row.state not in OPEN_STATES or item.state != "discussion":
            raise InputError("only an open discussion has a judgement to hold", code="closed")
        set_work_state(connection, [row.id], "held")
        detail = json.dumps({"stage": row.stage, "work": row.id})
        about = {"project": row.project, "item": row.item, "person": who.id}
        note_event(connection, now, "hold", detail, **about)
        return Held(flow.advance(connection, now, item), now)


def comments_of(connection: Connection, item: int) -> tuple[Comment, ...]:
    """All comments on an item; whoever calls this has checked who asks."""
    query = (
        select(comments, people.c.name)
        .join(people, people.c.id == comments.c.person)
        .where(comments.c.item == item)
        .order_by(comments.c.id)
    )
    rows = connection.execute(query)
    return tuple(Comment(row.id, row.unit, row.name, row.at, row.text) for row in rows)


def _open_to(connection: Connection, who: Person, slug: str, position: int) -> AnyRow:
    item = access.require_item(connection, who, slug, position)
    if not access.may_see_others(connection, who, item):
        raise access.ForbiddenError("the item is still annotated blind", code="blind")
    return item


def _discussion(connection: Connection, item: AnyRow) -> Discussion:
    query = (
        select(people.c.name, work.c.state)
        .join(work, work.c.person == people.c.id)
        .join(items, items.c.id == work.c.item)
        .where(work.c.item == item.id, work.c.stage == "discuss")
        .order_by(work.c.id)
    )
    rows = connection.execute(query)
    team = tuple(Participant(row.name, row.state) for row in rows)
    return Discussion(item.position, item.state, comments_of(connection, item.id), team)


def _is_repeated(
    connection: Connection, item: int, who: Person, said: tuple[str, str], since: datetime
) -> bool:
    """Whether the last comment on an item is the same one: unit and text, by the same person."""
    query = select(comments).where(comments.c.item == item).order_by(comments.c.id.desc()).limit(1)
    last = connection.execute(query).first()
    if last is None or last.at < since.isoformat(timespec="milliseconds"):
        return False
    return bool((last.person, last.unit, last.text) == (who.id, *said))


def _units(connection: Connection, item: int) -> set[str]:
    rows = said_of(connection, [item])
    return {unit.id for row in rows for unit in read_judgement(row.record).units}
