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

from assay.app.annotation import access
from assay.app.annotation.annotating.beginning import begin, may_edit, may_reopen
from assay.app.annotation.annotating.checks import Problems, problems, problems_of
from assay.app.annotation.annotating.drafts import (
    Edit,
    EditKind,
    first_draft,
    fold,
    read_edits,
    read_item,
    read_units,
    write_units,
)
from assay.app.annotation.annotating.submission import judgement_from
from assay.app.annotation.annotating.validation import require_valid_draft, require_valid_edits
from assay.app.annotation.settings import read_settings
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.team import flow
from assay.core.codec import encode, write_judgement
from assay.core.errors import AssayError, InputError
from assay.core.wire import UnitRecord
from assay.store.studio.judgements import add_judgement, last_round
from assay.store.studio.queues import CLOSED_STATES, OPEN_STATES, lock_item, note_event
from assay.store.studio.work import add_change, changes_since, load_work, put_off, update_work

LONGEST_REQUEST = 64
LONGEST_REASON = 1_000
_MOVED_ON = "the item has moved on; this can no longer be changed"


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
class Progress:
    """Where a work stands: its state, the version of its draft, and the seconds of activity."""

    state: str
    version: int
    seconds: int


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
        self.details: dict[str, Any] = {"version": version, "changes": list(steps)}


class Incomplete(InputError):  # noqa: N818
    """A draft that cannot be submitted yet; `details` has the problems of each unit."""

    code = "incomplete"

    def __init__(self, found: Problems) -> None:
        count = len(found)
        what = "1 unit is" if count == 1 else f"{count} units are"
        super().__init__(f"{what} not finished")
        self.details: dict[str, Any] = {"problems": found}


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


def reopen(studio: Studio, who: Person, work_id: int) -> Progress:
    """Takes up submitted work again while its item allows that."""
    now = studio.now()
    with studio.write() as connection:
        row = _own(connection, who, work_id, with_item=True)
        if row.state not in OPEN_STATES:
            if not may_reopen(connection, row):
                raise InputError(_MOVED_ON, code="closed")
            flow.take_back(connection, now, cast(Any, row))
            update_work(connection, work_id, state="open", submitted_at="", later=0)
            _note(connection, now, row, who, "reopen")
    return Progress("open", row.version, row.seconds)


def skip(studio: Studio, who: Person, work_id: int, reason: str = "") -> Progress:
    """Leaves work for the end of the person's queue; its draft stays."""
    if len(reason) > LONGEST_REASON:
        message = f"a reason has at most {LONGEST_REASON:,} characters, not {len(reason):,}"
        raise InputError(message, field="reason", code="too-large")
    now = studio.now()
    with studio.write() as connection:
        row = _own(connection, who, work_id)
        if row.purpose != "real":
            message = "Training and quiz are done in their order; nothing in them can be skipped."
            raise InputError(message, code="not-skipped")
        _require_open(row)
        put_off(connection, row)
        _note(connection, now, row, who, "skip", **({"reason": reason} if reason else {}))
    return Progress(row.state, row.version, row.seconds)


def add_seconds(studio: Studio, who: Person, work_id: int, seconds: int) -> Progress:
    """Notes how long somebody has been active on an item in all; it never becomes less."""
    now = studio.now()
    with studio.write() as connection:
        row = _own(connection, who, work_id)
        known = int(row.seconds)
        if row.state in OPEN_STATES:
            known = _plausible(row, seconds, now)
        if known != row.seconds:
            update_work(connection, work_id, seconds=known)
    return Progress(row.state, row.version, known)


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
        raise InputError(_MOVED_ON, code="closed")


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
