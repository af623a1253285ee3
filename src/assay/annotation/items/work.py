"""The work of one person on one item: saving changes, submitting, taking it up again.

Whatever is acknowledged is on disk. A change names the version that its sender saw. If another
came before it nothing is written, and the sender learns what happened meanwhile; a change that is
sent again because its answer got lost has the same answer as before.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, get_args

from assay.annotation import access
from assay.annotation.items.drafts import (
    EditKind,
    UnitEdit,
    first_draft,
    fold,
    judgement_from,
    read_edits,
    read_item,
    read_units,
    write_units,
)
from assay.annotation.items.problems import Problems, problems, problems_of
from assay.annotation.items.validation import require_valid_draft, require_valid_edits
from assay.annotation.settings import read_settings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import flow, training
from assay.core.codec import encode
from assay.core.errors import AssayError, InputError
from assay.core.wire import UnitRecord
from assay.store.annotation.database import Connection
from assay.store.annotation.events import note_event
from assay.store.annotation.items import lock_item
from assay.store.annotation.judgements import add_judgements, last_round, stored_judgement
from assay.store.annotation.records import (
    CLOSED_STATES,
    OPEN_STATES,
    StoredChange,
)
from assay.store.annotation.work import (
    BEGIN,
    WorkOnItem,
    add_change,
    changes_since,
    load_work,
    put_off,
    update_work,
)

PASS_QUIZ = "Pass the quiz of this project first; you find it under Training."
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
    """The progress of a work: its state, the version of its draft, and the seconds of activity."""

    state: str
    version: int
    seconds: int


@dataclass(frozen=True, slots=True)
class Step:
    """One change of a work, as it is told to whoever missed it."""

    version: int
    kind: str
    at: str
    changes: tuple[UnitEdit, ...]


class SaveConflict(AssayError):  # noqa: N818
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
    changes: Sequence[UnitEdit],
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
        own = begin(connection, now, _own(connection, who, work_id))
        if base != own.version:
            return _repeated(connection, own, base, changes, request)
        _require_open(own)
        example, settings = read_item(own.record).example, read_settings(own.settings)
        require_valid_edits(changes, example, settings)
        units = fold(read_units(own.draft), changes)
        draft = write_units(units)
        require_valid_draft(units, len(draft))
        told = encode(list(changes)).decode()
        add_change(connection, StoredChange(work_id, base + 1, kind, request, told, now))
        update_work(connection, work_id, version=base + 1, draft=draft)
    return Saved(base + 1, now, _problems_after(units, changes))


def submit(studio: Studio, who: Person, work_id: int, base: int, seconds: int = 0) -> Submitted:
    """Makes a draft the person's judgement and moves the item on; an unfinished one raises."""
    now = studio.now()
    with studio.write() as connection:
        own = begin(connection, now, _own(connection, who, work_id, with_item=True))
        if base != own.version:
            raise SaveConflict(own.version, _steps(_missed(connection, own, base)))
        if own.state == "submitted":  # the answer got lost
            done = last_round(connection, own.item, who.name)
            return Submitted(own.item_state, done, own.submitted_at)
        _require_open(own)
        annotated, settings = read_item(own.record), read_settings(own.settings)
        units = read_units(own.draft)
        begun = first_draft(annotated, settings)
        if found := problems(units, settings, begun, annotated.example.response.text):
            raise Incomplete(found)
        round = last_round(connection, own.item, who.name) + 1
        judgement = judgement_from(units, annotated.example, settings, who.name, round, now)
        said = stored_judgement(own.project, own.item, judgement, stage=own.stage, person=who.id)
        add_judgements(connection, [said])
        update_work(
            connection,
            work_id,
            state="submitted",
            submitted_at=now,
            seconds=_plausible(own, seconds, now),
        )
        _note(connection, now, own, who, "submit", round=round)
        state = flow.submitted(connection, now, own)
    return Submitted(state, round, now)


def reopen(studio: Studio, who: Person, work_id: int) -> Progress:
    """Takes up submitted work again while its item allows that."""
    now = studio.now()
    with studio.write() as connection:
        own = _own(connection, who, work_id, with_item=True)
        if own.state not in OPEN_STATES:
            if not may_reopen(connection, own):
                raise InputError(_MOVED_ON, code="closed")
            flow.take_back(connection, now, own)
            update_work(connection, work_id, state="open", submitted_at="", later=0)
            _note(connection, now, own, who, "reopen")
    return Progress("open", own.version, own.seconds)


def skip(studio: Studio, who: Person, work_id: int, reason: str = "") -> Progress:
    """Leaves work for the end of the person's queue; its draft stays."""
    if len(reason) > LONGEST_REASON:
        message = f"a reason has at most {LONGEST_REASON:,} characters, not {len(reason):,}"
        raise InputError(message, field="reason", code="too-large")
    now = studio.now()
    with studio.write() as connection:
        own = _own(connection, who, work_id)
        if own.purpose != "real":
            message = "Training and quiz are done in their order; nothing in them can be skipped."
            raise InputError(message, code="not-skipped")
        _require_open(own)
        put_off(connection, own)
        _note(connection, now, own, who, "skip", **({"reason": reason} if reason else {}))
    return Progress(own.state, own.version, own.seconds)


def add_seconds(studio: Studio, who: Person, work_id: int, seconds: int) -> Progress:
    """Notes how long somebody has been active on an item in all; it never becomes less."""
    now = studio.now()
    with studio.write() as connection:
        own = _own(connection, who, work_id)
        known = own.seconds
        if own.state in OPEN_STATES:
            known = _plausible(own, seconds, now)
        if known != own.seconds:
            update_work(connection, work_id, seconds=known)
    return Progress(own.state, own.version, known)


def may_edit(own: WorkOnItem) -> bool:
    """True if the draft of a work may be changed now."""
    return own.state in OPEN_STATES and flow.is_due(own.stage, own.item_state)


def may_reopen(connection: Connection, own: WorkOnItem) -> bool:
    """True if finished work may be taken up again now.

    It may while its item is in the same state, and the only annotation of an item that is done may
    until somebody else has gone on from it.
    """
    if own.purpose != "real" or own.state not in CLOSED_STATES:
        return False
    if flow.is_due(own.stage, own.item_state):
        return True
    return own.item_state == "done" and flow.is_alone(connection, own)


def begin(connection: Connection, now: str, own: WorkOnItem) -> WorkOnItem:
    """A work, which begins here if it has not: its first units become part of its history.

    Work that is given again from the beginning goes on in the same history.
    """
    if own.state != "assigned" or not may_edit(own):
        return own
    if own.stage == "annotate" and not training.has_passed(connection, own.person, own.project):
        raise access.ForbiddenError(PASS_QUIZ, code="quiz")
    units = read_units(own.draft)
    if not own.draft:
        units = first_draft(read_item(own.record), read_settings(own.settings))
    before = history_units(connection, own.id)
    version = own.version
    if before != units or not own.started_at:
        kept = {unit.id for unit in units}
        edits = [UnitEdit(unit.id, unit) for unit in units]
        edits += [UnitEdit(unit.id) for unit in before if unit.id not in kept]
        version = own.version + 1 if own.started_at else own.version
        told = encode(edits).decode()
        add_change(connection, StoredChange(own.id, version, BEGIN, "", told, now))
    draft, started = write_units(units), own.started_at or now
    update_work(connection, own.id, state="open", draft=draft, version=version, started_at=started)
    return load_work(connection, own.id) or own


def history_units(connection: Connection, work_id: int) -> list[UnitRecord]:
    """The draft that the history of a work leads to."""
    units: list[UnitRecord] = []
    for each in changes_since(connection, work_id, -1):
        units = fold(units, read_edits(each.units))
    return units


def _own(
    connection: Connection, who: Person, work_id: int, *, with_item: bool = False
) -> WorkOnItem:
    """The person's own work, locked; an item that may move on is locked before it."""
    owned = access.require_work(connection, who, work_id)
    if with_item:
        lock_item(connection, owned.item)
    own = load_work(connection, work_id, locked=True)
    if own is None:
        raise access.NotFoundError(f"you have no work {work_id}")
    return own


def _require_open(own: WorkOnItem) -> None:
    if own.state in CLOSED_STATES:
        raise InputError("this was submitted; take it up again to change it", code="submitted")
    if not may_edit(own):
        raise InputError(_MOVED_ON, code="closed")


def _repeated(
    connection: Connection, own: WorkOnItem, base: int, changes: Sequence[UnitEdit], request: str
) -> Saved:
    """The answer to a change that was saved before; another one at its place is a conflict."""
    missed = _missed(connection, own, base)
    first = missed[0] if missed else None
    is_same = first is not None and request and first.request == request
    if first is None or not is_same or first.units != encode(list(changes)).decode():
        raise SaveConflict(own.version, _steps(missed))
    return Saved(first.version, first.at, _problems_after(read_units(own.draft), changes))


def _missed(connection: Connection, own: WorkOnItem, base: int) -> list[StoredChange]:
    """The changes after a version; none if there is no such version."""
    return changes_since(connection, own.id, base) if 0 <= base < own.version else []


def _problems_after(units: Sequence[UnitRecord], changes: Sequence[UnitEdit]) -> Problems:
    """The problems of what was changed, and of what is nested in it."""
    changed = {each.id for each in changes}
    return problems_of((u for u in units if u.id in changed or u.parent in changed), units)


def _steps(missed: Sequence[StoredChange]) -> list[Step]:
    return [
        Step(each.version, each.kind, each.at, tuple(read_edits(each.units))) for each in missed
    ]


def _plausible(own: WorkOnItem, seconds: int, now: str) -> int:
    """The seconds of activity: never fewer than known, nor more than passed since the beginning."""
    if not own.started_at:
        return own.seconds
    passed = datetime.fromisoformat(now) - datetime.fromisoformat(own.started_at)
    return max(own.seconds, min(seconds, int(passed.total_seconds())))


def _note(
    connection: Connection, now: str, own: WorkOnItem, who: Person, kind: str, **detail: object
) -> None:
    told = json.dumps({"stage": own.stage, "work": own.id, **detail})
    note_event(connection, now, kind, told, project=own.project, item=own.item, person=who.id)
