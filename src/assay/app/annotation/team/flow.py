"""How an item goes from one state to the next, and who gets work on it then.

    new ─► open ─► discussion ─► review ─► adjudication ─► done

Annotators work blind while it is open. Where they differ they discuss it, if the project wants
that. Somebody who did not annotate it reviews it, if the project wants that; where nobody can, it
goes on and a note says so. If annotators and reviewer differ then, an adjudicator settles it. An
item that has one annotator and is done goes back to open when they take it up again. This is the
only module that changes the state of an item.
"""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, delete, func, insert, select, update

from assay.app.annotation import access
from assay.app.annotation.annotating.drafts import draft_of, write_units
from assay.app.annotation.settings import ProjectSettings, read_settings
from assay.app.annotation.studio import ItemState
from assay.app.annotation.team import disagreement, training
from assay.core.codec import read_judgement
from assay.core.judgements import Judgement
from assay.store.studio.queues import (
    CLOSED_STATES,
    OPEN_STATES,
    WITHDRAWN,
    AnyRow,
    give_work,
    lock_item,
    note_event,
    outdate_audits,
    pairs,
    said_of,
    set_item_state,
    set_work_state,
    work_on,
)
from assay.store.studio.tables import (
    comments,
    events,
    flags,
    items,
    judgements,
    members,
    people,
    projects,
    work,
)

_AT_ONCE = 500  # items in one statement
# The states of an item in which work of a stage may be done.
STATES: dict[str, tuple[ItemState, ...]] = {
    "annotate": ("open",),
    "discuss": ("discussion",),
    "review": ("review",),
    "adjudicate": ("adjudication", "done"),
}


def is_due(stage: str, state: str) -> bool:
    """Whether work of a stage may be done while its item is in a state."""
    return stage not in STATES or state in STATES[stage]


def submitted(connection: Connection, now: str, row: AnyRow) -> str:
    """Moves an item on after somebody submitted work on it; the state that it has then."""
    item = lock_item(connection, row.item)
    if item.purpose == "quiz":
        training.score_quiz(connection, now, row)
    if item.purpose != "real":
        return str(item.state)
    if row.stage == "adjudicate":
        others = [
            each.id
            for each in work_on(connection, item.id, "adjudicate")
            if each.id != row.id and each.state in OPEN_STATES
        ]
        set_work_state(connection, others, WITHDRAWN)
        outdate_audits(connection, item.id)
    return advance(connection, now, item)


def is_alone(connection: Connection, row: AnyRow) -> bool:
    """Whether an annotation is all that people did on an item: nothing was built on it yet."""
    others = select(work.c.id).where(
        work.c.item == row.item, work.c.id != row.id, work.c.state != WITHDRAWN
    )
    audited = select(flags.c.id).where(flags.c.item == row.item, flags.c.decision != "")
    spoken = select(comments.c.id).where(comments.c.item == row.item)
    said = select(judgements.c.id).where(
        judgements.c.item == row.item,
        judgements.c.kind == "person",
        judgements.c.stage.not_in(("annotate", "imported")),
    )
    later = (others, audited, spoken, said)
    return row.stage == "annotate" and not any(
        connection.execute(each.limit(1)).first() for each in later
    )


def take_back(connection: Connection, now: str, row: AnyRow) -> None:
    """Opens an item again whose only annotator takes it up; what was asked of its labels goes."""
    item = lock_item(connection, row.item)
    if item.state == "done" and row.stage == "annotate":
        connection.execute(delete(flags).where(flags.c.item == item.id))
        _move(connection, now, item, "open", "its annotator took it up again")


def begin(connection: Connection, now: str, project: int, ids: Sequence[int]) -> None:
    """Opens new items of a project that somebody got to annotate."""
    for start in range(0, len(ids), _AT_ONCE):
        some = list(ids[start : start + _AT_ONCE])
        new = select(items.c.id).where(items.c.id.in_(some), items.c.state == "new")
        opened = list(connection.execute(new).scalars())
        connection.execute(update(items).where(items.c.id.in_(opened)).values(state="open"))
        detail = json.dumps({"from": "new", "to": "open"})
        rows = [{"project": project, "item": each} for each in opened]
        if rows:
            connection.execute(insert(events).values(kind="state", detail=detail, at=now), rows)


def advance(connection: Connection, now: str, item: AnyRow) -> str:
    """Moves an item on as far as the work on it allows; the state that it has then."""
    settings = project_settings(connection, item.project)
    if item.state == "open" and _is_annotated(connection, item):
        given = list(latest(connection, item.id, "annotate").values())
        if not settings.discussion or not disagreement.differ(given, settings):
            return _after_discussion(connection, now, item, settings)
        if _begin_discussion(connection, item):
            return _move(connection, now, item, "discussion")
        note = "it was not discussed: fewer than two of its annotators are still here"
        return _after_discussion(connection, now, item, settings, note)
    if item.state == "discussion" and _all_closed(connection, item, "discuss"):
        return _after_discussion(connection, now, item, settings)
    if item.state == "review" and _all_closed(connection, item, "review"):
        return _settle(connection, now, item, settings)
    if item.state == "adjudication" and latest(connection, item.id, "adjudicate"):
        return _move(connection, now, item, "done")
    return str(item.state)


def project_settings(connection: Connection, project: int) -> ProjectSettings:
    """The settings of a project, by its number."""
    query = select(projects.c.settings).where(projects.c.id == project)
    return read_settings(connection.execute(query).scalar_one())


def latest(connection: Connection, item: int, *stages: str) -> dict[str, Judgement]:
    """The last judgement of each person in some stages, by their names."""
    return {row.author: read_judgement(row.record) for row in said_of(connection, [item], *stages)}


def standing(connection: Connection, item: int) -> list[Judgement]:
    """What annotators say of an item, after a discussion if there was one, and its reviewer."""
    return list(latest(connection, item, "annotate", "discuss", "review").values())


def assign_review(connection: Connection, item: AnyRow, without: int = 0) -> bool:
    """Gives the review of an item to whoever has least to review; whether there is anybody."""
    not_these = {row.person for row in work_on(connection, item.id, "annotate")} | {without}
    load: dict[int, int] = pairs(
        connection,
        select(work.c.person, func.count())
        .where(work.c.project == item.project, work.c.stage == "review")
        .where(work.c.state.in_(OPEN_STATES))
        .group_by(work.c.person),
    )
    team = connection.execute(
        select(people.c.id, people.c.role)
        .join(members, members.c.person == people.c.id)
        .where(members.c.project == item.project, people.c.is_active)
    ).all()
    able = [
        each
        for each in team
        if each.id not in not_these and training.has_passed(connection, each.id, item.project)
    ]
    if not able:
        return False
    # Annotators first: an adjudicator should come to what is left without having reviewed it.
    chosen = min(able, key=lambda each: (each.role != "annotator", load.get(each.id, 0), each.id))
    give_work(connection, item, chosen.id, "review", _begun(standing(connection, item.id)[0]))
    return True


def _begin_discussion(connection: Connection, item: AnyRow) -> bool:
    """Gives the discussion to those who annotated; whether two are left who can talk.

    What somebody said who is no longer here stands as it is.
    """
    said = [row for row in said_of(connection, [item.id], "annotate") if row.is_current]
    here = {row.person for row in said if access.takes_part(connection, row.person, item.project)}
    if len(here) < 2:
        return False
    for row in said:
        draft = _begun(read_judgement(row.record))
        number = give_work(connection, item, row.person, "discuss", draft)
        if row.person not in here:
            set_work_state(connection, [number], "held")
    return True


def _begun(judgement: Judgement) -> str:
    return write_units(draft_of(judgement))


def _after_discussion(
    connection: Connection, now: str, item: AnyRow, settings: ProjectSettings, note: str = ""
) -> str:
    if not settings.review:
        return _settle(connection, now, item, settings, note)
    if assign_review(connection, item):
        return _move(connection, now, item, "review", note)
    note = "; ".join(filter(None, (note, "nobody who did not annotate it could review it")))
    return _settle(connection, now, item, settings, note)


def _settle(
    connection: Connection, now: str, item: AnyRow, settings: ProjectSettings, note: str = ""
) -> str:
    is_disputed = disagreement.differ(standing(connection, item.id), settings)
    return _move(connection, now, item, "adjudication" if is_disputed else "done", note)


def _is_annotated(connection: Connection, item: AnyRow) -> bool:
    given = work_on(connection, item.id, "annotate")
    return len(given) >= item.k and all(row.state in CLOSED_STATES for row in given)


def _all_closed(connection: Connection, item: AnyRow, stage: str) -> bool:
    given: Sequence[AnyRow] = work_on(connection, item.id, stage)
    return all(row.state in CLOSED_STATES for row in given)


def _move(
    connection: Connection, now: str, item: AnyRow, state: ItemState, note: str = ""
) -> ItemState:
    set_item_state(connection, item.id, state)
    detail = {"from": item.state, "to": state, **({"note": note} if note else {})}
    note_event(connection, now, "state", json.dumps(detail), project=item.project, item=item.id)
    return state
