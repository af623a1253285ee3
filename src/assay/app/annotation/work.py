"""What one person does on one item: saves changes, submits, takes it up again.

Whatever is acknowledged is on disk. A change names the version that its sender saw. If another
came before it nothing is written, and the sender learns what happened meanwhile; a change that is
sent again because its answer got lost has the same answer as before.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast, get_args

from sqlalchemy import Connection, Row

from assay.app.annotation import access, flow, training
from assay.app.annotation.checks import Problems, problems, problems_of
from assay.app.annotation.drafts import (
    Edit,
    EditKind,
    first_draft,
    fold,
    read_edits,
    read_item,
    read_units,
    write_units,
)
from assay.app.annotation.settings import read_settings
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.submission import judgement_from
from assay.app.annotation.validation import require_valid_draft, require_valid_edits
from assay.core.codec import encode, write_judgement
from assay.core.errors import AssayError, InputError
from assay.core.wire import UnitRecord
from assay.store.studio.judgements import add_judgement, last_round
from assay.store.studio.queues import CLOSED_STATES, OPEN_STATES, lock_item, note_event
from assay.store.studio.work import add_change, changes_since, load_work, update_work

LONGEST_REQUEST = 64
BEGIN = "begin"  # the kind of the change with number 0: the units that the work began with


@dataclass(frozen=True, slots=True)
class Saved:
    """A change that is on disk, and what the units that it changed still lack."""

    version: int
    at: str
    problems: Problems


@dataclass(frozen=True, slots=True)
class Submitted:
    """Work that is done, the state of its item, and the judgement's round."""

    state: str
    round: int
    at: str


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a work, as it is told to whoever missed it."""

    version: int
    kind: str
    at: str
    changes: tuple[Edit, ...]


class Conflict(AssayError):  # noqa: N818
    """Somebody changed the same work meanwhile; `details` says how."""

    code = "conflict"

    def __init__(self, version: int, steps: Sequence[Step]) -> None:
        super().__init__("this was changed in another place meanwhile", field="base")
        self.details = {"version": version, "changes": list(steps)}


class Incomplete(InputError):  # noqa: N818
    """A draft that cannot be submitted yet; `details` has the problems of each unit."""

    code = "incomplete"

    def __init__(self, found: Problems) -> None:
        count = len(found)
        what = "1 unit is" if count == 1 else f"{count} units are"
        super().__init__(f"{what} not finished")
        self.details = {"problems": found}


def change(  # noqa: PLR0913 - what a request says, each by its name
    studio: Studio,
    who: Person,
    work_id: int,
    base: int,
    kind: EditKind,
    changes: Sequence[Edit],
    *,
    request: str = "",
) -> Saved:
    """Saves edits of a draft that was seen at version `base`; `request` is the sender's own id."""
    if kind not in get_args(EditKind):
        raise InputError(f"there is no kind of change '{kind}'", field="kind")
    if len(request) > LONGEST_REQUEST:
        raise InputError(f"an id has at most {LONGEST_REQUEST} characters", field="id")
    now = studio.now()
    with studio.write() as connection:
        row = begin(connection, now, _own(connection, who, work_id))
        if base != row.version:
            return _repeated(connection, row, base, changes, request)
        _require_open(row)
        example, settings = read_item(row.record).example, read_settings(row.settings)
        require_valid_edits(changes, example, settings)
        units = fold(read_units(row.draft), changes)
        draft = write_units(units)
        require_valid_draft(units, len(draft))
        add_change(
            connection,
            work_id,
            base + 1,
            kind=kind,
            request=request,
            units=encode(list(changes)).decode(),
            at=now,
        )
        update_work(connection, work_id, version=base + 1, draft=draft)
    return Saved(base + 1, now, _problems_after(units, changes))


def submit(studio: Studio, who: Person, work_id: int, base: int, seconds: int = 0) -> Submitted:
    """Makes a draft the person's judgement and moves the item on; an unfinished one raises."""
    now = studio.now()
    with studio.write() as connection:
        row = begin(connection, now, _own(connection, who, work_id, with_item=True))
        if base != row.version:
            raise Conflict(row.version, _steps(_missed(connection, row, base)))
        if row.state == "submitted":  # the answer got lost
            done = last_round(connection, row.item, who.name)
            return Submitted(row.item_state, done, row.submitted_at)
        _require_open(row)
        annotated, settings = read_item(row.record), read_settings(row.settings)
        units = read_units(row.draft)
        begun = first_draft(annotated, settings)
        if found := problems(units, settings, begun, annotated.example.response.text):
            raise Incomplete(found)
        round = last_round(connection, row.item, who.name) + 1
        judgement = judgement_from(units, annotated.example, settings, who.name, round, now)
        add_judgement(
            connection,
            project=row.project,
            item=row.item,
            author=who.name,
            kind="person",
            person=who.id,
            stage=row.stage,
            round=round,
            at=now,
            record=write_judgement(judgement).decode(),
        )
        update_work(
            connection,
            work_id,
            state="submitted",
            submitted_at=now,
            seconds=_plausible(row, seconds, now),
        )
        _note(connection, now, row, who, "submit", round=round)
        state = flow.submitted(connection, now, cast(Any, row))
    return Submitted(state, round, now)


def reopen(studio: Studio, who: Person, work_id: int) -> int:
    """Takes up submitted work again while its item allows that; the version of the draft."""
    now = studio.now()
    with studio.write() as connection:
        row = _own(connection, who, work_id, with_item=True)
        if row.state in OPEN_STATES:
            return int(row.version)
        if not may_reopen(row):
            raise InputError("the item has moved on; this can no longer be changed", code="closed")
        update_work(connection, work_id, state="open", submitted_at="")
        _note(connection, now, row, who, "reopen")
    return int(row.version)


def add_seconds(studio: Studio, who: Person, work_id: int, seconds: int) -> int:
    """Notes how long somebody has been active on an item in all; it never becomes less."""
    now = studio.now()
    with studio.write() as connection:
        row = _own(connection, who, work_id)
        known = _plausible(row, seconds, now)
        if row.state in OPEN_STATES and known != row.seconds:
            update_work(connection, work_id, seconds=known)
            return known
    return int(row.seconds)


def may_edit(row: Row[Any]) -> bool:
    """Whether the draft of a work may be changed now."""
    return row.state in OPEN_STATES and flow.is_due(row.stage, row.item_state)


def may_reopen(row: Row[Any]) -> bool:
    """Whether finished work may be taken up again now."""
    is_real = row.purpose == "real"
    return is_real and row.state in CLOSED_STATES and flow.is_due(row.stage, row.item_state)


def begin(connection: Connection, now: str, row: Row[Any]) -> Row[Any]:
    """A work, which begins here if it has not: its first units become part of its history.

    Work that is given again from the beginning goes on in the same history.
    """
    if row.state != "assigned" or not may_edit(row):
        return row
    if row.stage == "annotate" and not training.has_passed(connection, row.person, row.project):
        raise access.ForbiddenError("pass the quiz of the project first", code="quiz")
    units = read_units(row.draft)
    if not row.draft:
        units = first_draft(read_item(row.record), read_settings(row.settings))
    before = history_units(connection, row.id)
    version = row.version
    if before != units or not row.started_at:
        kept = {unit.id for unit in units}
        edits = [Edit(unit.id, unit) for unit in units]
        edits += [Edit(unit.id) for unit in before if unit.id not in kept]
        version = row.version + 1 if row.started_at else row.version
        told = encode(edits).decode()
        add_change(connection, row.id, version, kind=BEGIN, request="", units=told, at=now)
    draft, started = write_units(units), row.started_at or now
    update_work(connection, row.id, state="open", draft=draft, version=version, started_at=started)
    return load_work(connection, row.id) or row


def history_units(connection: Connection, work_id: int) -> list[UnitRecord]:
    """The draft that the history of a work leads to."""
    units: list[UnitRecord] = []
    for row in changes_since(connection, work_id, -1):
        units = fold(units, read_edits(row.units))
    return units


def _own(connection: Connection, who: Person, work_id: int, *, with_item: bool = False) -> Row[Any]:
    """The person's own work, locked; an item that may move on is locked before it."""
    owned = access.require_work(connection, who, work_id)
    if with_item:
        lock_item(connection, cast(Any, owned).item)
    row = load_work(connection, work_id, locked=True)
    if row is None:
        raise access.NotFoundError(f"you have no work {work_id}")
    return row


def _require_open(row: Row[Any]) -> None:
    if row.state in CLOSED_STATES:
        raise InputError("this was submitted; take it up again to change it", code="submitted")
    if not may_edit(row):
        raise InputError("the item has moved on; this can no longer be changed", code="closed")


def _repeated(
    connection: Connection, row: Row[Any], base: int, changes: Sequence[Edit], request: str
) -> Saved:
    """The answer to a change that was saved before; another one at its place is a conflict."""
    missed = _missed(connection, row, base)
    first = missed[0] if missed else None
    is_same = first is not None and request and first.request == request
    if first is None or not is_same or first.units != encode(list(changes)).decode():
        raise Conflict(row.version, _steps(missed))
    return Saved(first.version, first.at, _problems_after(read_units(row.draft), changes))


def _missed(connection: Connection, row: Row[Any], base: int) -> list[Row[Any]]:
    """What came after a version; nothing where there is no such version."""
    return changes_since(connection, row.id, base) if 0 <= base < row.version else []


def _problems_after(units: Sequence[UnitRecord], changes: Sequence[Edit]) -> Problems:
    """The problems of what was changed, and of what is nested in it."""
    changed = {each.id for each in changes}
    return problems_of((u for u in units if u.id in changed or u.parent in changed), units)


def _steps(rows: Sequence[Row[Any]]) -> list[Step]:
    return [Step(row.version, row.kind, row.at, tuple(read_edits(row.units))) for row in rows]


def _plausible(row: Row[Any], seconds: int, now: str) -> int:
    """The seconds of activity: never fewer than known, nor more than passed since the beginning."""
    if not row.started_at:
        return int(row.seconds)
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(row.started_at)
    return max(int(row.seconds), min(seconds, int(passed.total_seconds())))


def _note(
    connection: Connection, now: str, row: Row[Any], who: Person, kind: str, **detail: object
) -> None:
    told = json.dumps({"stage": row.stage, "work": row.id, **detail})
    note_event(connection, now, kind, told, project=row.project, item=row.item, person=who.id)
