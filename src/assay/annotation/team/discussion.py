"""The second round: annotators who differ see each other's work, talk, and change or hold theirs.

Comments may be written on an item, or on a unit of it, from when its blind annotation is over.
Whoever changes their judgement submits it like any other; whoever holds theirs says so here. Both
rounds of judgements stay.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from assay.annotation import access
from assay.annotation.studio import Person, Studio
from assay.annotation.team import flow
from assay.core.codec import read_judgement
from assay.core.errors import InputError
from assay.store.annotation.comments import (
    Comment,
    Participant,
    comments_of,
    insert_comment,
    participants,
)
from assay.store.annotation.database import Connection
from assay.store.annotation.events import note_event
from assay.store.annotation.items import lock_item
from assay.store.annotation.judgements import said_of
from assay.store.annotation.records import OPEN_STATES, StoredComment, StoredItem
from assay.store.annotation.work import set_work_state

LONGEST_COMMENT = 10_000
MOST_COMMENTS = 1_000  # on one item
_AGAIN = timedelta(minutes=1)


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
        before = comments_of(connection, item.id)
        if before and _is_repeated(before[-1], who, (unit, text), now - _AGAIN):
            return _discussion(connection, item)
        if unit and unit not in _units(connection, item.id):
            raise InputError(f"the item has no unit '{unit[:80]}'", field="unit")
        if len(before) >= MOST_COMMENTS:
            message = f"an item has at most {MOST_COMMENTS:,} comments"
            raise InputError(message, field="text", code="too-many")
        at = now.isoformat(timespec="milliseconds")
        insert_comment(connection, StoredComment(0, item.id, unit, who.id, text, at))
        return _discussion(connection, item)


def hold(studio: Studio, who: Person, work_id: int) -> Held:
    """Lets somebody's judgement stand in a discussion; what they changed since is not kept."""
    now = studio.now()
    with studio.write() as connection:
        lock_item(connection, access.require_work(connection, who, work_id).item)
        own = access.require_work(connection, who, work_id)
        item = lock_item(connection, own.item)
        if own.state == "held":  # the answer got lost
            return Held(item.state, now)
        if own.stage != "discuss" or own.state not in OPEN_STATES or item.state != "discussion":
            raise InputError("only an open discussion has a judgement to hold", code="closed")
        set_work_state(connection, [own.id], "held")
        detail = json.dumps({"stage": own.stage, "work": own.id})
        about = {"project": own.project, "item": own.item, "person": who.id}
        note_event(connection, now, "hold", detail, **about)
        return Held(flow.advance(connection, now, item), now)


def _open_to(connection: Connection, who: Person, slug: str, position: int) -> StoredItem:
    item = access.require_item(connection, who, slug, position)
    if not access.may_see_others(connection, who, item):
        raise access.ForbiddenError("the item is still annotated blind", code="blind")
    return item


def _discussion(connection: Connection, item: StoredItem) -> Discussion:
    team = participants(connection, item.id)
    return Discussion(item.position, item.state, comments_of(connection, item.id), team)


def _is_repeated(last: Comment, who: Person, said: tuple[str, str], since: datetime) -> bool:
    """True if the last comment on an item is the same one: unit and text, by the same person."""
    is_recent = last.at >= since.isoformat(timespec="milliseconds")
    return is_recent and (last.author, last.unit, last.text) == (who.name, *said)


def _units(connection: Connection, item: int) -> set[str]:
    said = said_of(connection, [item])
    return {unit.id for each in said for unit in read_judgement(each.record).units}
