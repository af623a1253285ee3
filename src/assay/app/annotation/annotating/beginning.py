"""How work begins, and while it may be changed."""

from typing import Any

from sqlalchemy import Connection, Row

from assay.app.annotation import access
from assay.app.annotation.annotating.drafts import (
    Edit,
    first_draft,
    fold,
    read_edits,
    read_item,
    read_units,
    write_units,
)
from assay.app.annotation.settings import read_settings
from assay.app.annotation.team import flow, training
from assay.core.codec import encode
from assay.core.wire import UnitRecord
from assay.store.studio.queues import CLOSED_STATES, OPEN_STATES
from assay.store.studio.work import add_change, changes_since, load_work, update_work

PASS_QUIZ = "Pass the quiz of this project first; you find it under Training."
BEGIN = "begin"  # the kind of the change that holds the units with which the work began


def may_edit(row: Row[Any]) -> bool:
    """Whether the draft of a work may be changed now."""
    return row.state in OPEN_STATES and flow.is_due(row.stage, row.item_state)


def may_reopen(connection: Connection, row: Row[Any]) -> bool:
    """Whether finished work may be taken up again now.

    It may while its item is in the same state, and the only annotation of an item that is done may
    until somebody else has gone on from it.
    """
    if row.purpose != "real" or row.state not in CLOSED_STATES:
        return False
    if flow.is_due(row.stage, row.item_state):
        return True
    return row.item_state == "done" and flow.is_alone(connection, row)


def begin(connection: Connection, now: str, row: Row[Any]) -> Row[Any]:
    """A work, which begins here if it has not: its first units become part of its history.

    Work that is given again from the beginning goes on in the same history.
    """
    if row.state != "assigned" or not may_edit(row):
        return row
    if row.stage == "annotate" and not training.has_passed(connection, row.person, row.project):
        raise access.ForbiddenError(PASS_QUIZ, code="quiz")
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
