"""What a person decides about a flag, and the judgement that follows from it."""

import json
from dataclasses import replace

from sqlalchemy import Connection, select, update

from assay.app.annotation import access
from assay.app.annotation.annotating.drafts import read_item
from assay.app.annotation.audit.audits import DECISIONS, Audit, Decision, audit, label_of
from assay.app.annotation.audit.revising import Revision, restored, revised, verdict_of
from assay.app.annotation.settings import ProjectSettings, read_settings
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.team.settled import final_of
from assay.core.codec import write_judgement
from assay.core.errors import InputError
from assay.core.judgements import GOLD, Judgement
from assay.core.units import Unit
from assay.store.studio.judgements import add_judgement, last_round
from assay.store.studio.queues import AnyRow, lock_item, note_event
from assay.store.studio.tables import flags


def decide_flag(  # noqa: PLR0913 - what a request says, each by its name
    studio: Studio,
    who: Person,
    slug: str,
    number: int,
    decision: Decision,
    *,
    note: str,
    revision: Revision | None = None,
) -> Audit:
    """Decides about a flag and says why; an incorrect label needs its revision.

    A decision may be changed: the label that stood before the audit comes back if it stands.
    """
    if decision not in DECISIONS:
        message = f"a decision is one of {', '.join(DECISIONS)}, not '{decision}'"
        raise InputError(message, field="decision")
    if not note.strip():
        raise InputError("a decision needs a reason", field="note")
    if (decision == "incorrect") != (revision is not None):
        message = "an incorrect label needs a revised one, and only that"
        raise InputError(message, field="revision")
    now = studio.now()
    with studio.write() as connection:
        project = access.require(connection, who, "audit", slug)
        row = _required_flag(connection, project.id, number)
        item = lock_item(connection, row.item)
        settings = read_settings(project.settings)
        if revision is not None or row.decision == "incorrect":
            judgement = _revise(connection, item, settings, row.unit, revision, note.strip())
            _write(connection, now, who, item, judgement)
        values = {
            "decision": decision,
            "label": revision.label if revision else "",
            "note": note.strip(),
            "person": who.id,
            "at": now,
        }
        connection.execute(update(flags).where(flags.c.id == number).values(**values))
        detail = json.dumps(
            {"unit": row.unit, "before": row.decision, **values}, ensure_ascii=False
        )
        note_event(
            connection, now, "audit", detail, project=project.id, item=item.id, person=who.id
        )
    return audit(studio, who, slug)


def _revise(
    connection: Connection,
    item: AnyRow,
    settings: ProjectSettings,
    unit: str,
    revision: Revision | None,
    note: str,
) -> Judgement:
    """The settled judgement with the revised label, or with the one from before the audit."""
    settled, before = final_of(connection, item), final_of(connection, item, audited=False)
    if settled is None or before is None:
        raise InputError("the item is no longer finished", code="closed")
    example = read_item(item.record).example
    if revision is None:
        return restored(settled.judgement, before.judgement, unit)
    place = settled.judgement.by_id.get(unit) or Unit.response(example.response.text)
    label = label_of(settled, unit, settings)
    verdict = verdict_of(revision, place, label, settings, note)
    return revised(settled.judgement, unit, verdict, example)


def _write(
    connection: Connection, now: str, who: Person, item: AnyRow, judgement: Judgement
) -> None:
    """Keeps a judgement by gold that supersedes the settled one."""
    round = max(last_round(connection, item.id, GOLD.name), 1) + 1
    key = f"{judgement.example}/{GOLD.name}/{round - 1}"
    kept = replace(judgement, author=GOLD, round=round, supersedes=key, at=now)
    add_judgement(
        connection,
        project=item.project,
        item=item.id,
        author=GOLD.name,
        kind="person",
        person=who.id,
        stage="audit",
        round=round,
        at=now,
        record=write_judgement(kept).decode(),
    )


def _required_flag(connection: Connection, project: int, number: int) -> AnyRow:
    query = select(flags).where(flags.c.id == number, flags.c.project == project)
    row = connection.execute(query).first()
    if row is None:
        raise access.NotFoundError(f"the project has no flag {number}")
    return row
