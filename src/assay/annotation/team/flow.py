"""The flow of an item from one state to the next, and the work that people get on it.

    new ─► open ─► discussion ─► review ─► adjudication ─► done

Annotators work blind while it is open. Where they differ they discuss it, if the project wants
that. Somebody who did not annotate it reviews it, if the project wants that; where nobody can, it
goes on and a note says so. If annotators and reviewer differ then, an adjudicator settles it. An
item that has one annotator and is done goes back to open when they take it up again. This is the
only module that changes the state of an item.
"""

import json
from collections.abc import Sequence

from assay.annotation import access
from assay.annotation.items.drafts import draft_of, write_units
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.team import disagreement, training
from assay.core.codec import read_judgement
from assay.core.judgements import Judgement
from assay.store.annotation.batches import team
from assay.store.annotation.comments import is_discussed
from assay.store.annotation.database import Connection
from assay.store.annotation.events import note_event, note_events
from assay.store.annotation.flags import delete_flags, is_audited
from assay.store.annotation.items import lock_item, open_new, set_item_state
from assay.store.annotation.judgements import is_judged_later, outdate_audits, said_of
from assay.store.annotation.projects import the_project
from assay.store.annotation.records import (
    CLOSED_STATES,
    OPEN_STATES,
    WITHDRAWN,
    ItemState,
    StoredItem,
    StoredWork,
)
from assay.store.annotation.work import (
    give_work,
    has_other_work,
    open_counts,
    set_work_state,
    work_on,
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
    """True if work of a stage may be done while its item is in a state."""
    return stage not in STATES or state in STATES[stage]


def submitted(connection: Connection, now: str, own: StoredWork) -> ItemState:
    """Moves an item on after somebody submitted work on it; the state that it has then."""
    item = lock_item(connection, own.item)
    if item.purpose == "quiz":
        training.score_quiz(connection, now, own)
    if item.purpose != "real":
        return item.state
    if own.stage == "adjudicate":
        others = [
            each.id
            for each in work_on(connection, item.id, "adjudicate")
            if each.id != own.id and each.state in OPEN_STATES
        ]
        set_work_state(connection, others, WITHDRAWN)
        outdate_audits(connection, item.id)
    return advance(connection, now, item)


def is_alone(connection: Connection, own: StoredWork) -> bool:
    """True if an annotation is all that people did on an item: nothing was built on it yet."""
    return own.stage == "annotate" and not (
        has_other_work(connection, own)
        or is_audited(connection, own.item)
        or is_discussed(connection, own.item)
        or is_judged_later(connection, own.item)
    )


def take_back(connection: Connection, now: str, own: StoredWork) -> None:
    """Opens an item again whose only annotator takes it up; what was asked of its labels goes."""
    item = lock_item(connection, own.item)
    if item.state == "done" and own.stage == "annotate":
        delete_flags(connection, item.id)
        _move(connection, now, item, "open", "its annotator took it up again")


def begin(connection: Connection, now: str, project: int, ids: Sequence[int]) -> None:
    """Opens new items of a project that somebody got to annotate."""
    for start in range(0, len(ids), _AT_ONCE):
        opened = open_new(connection, ids[start : start + _AT_ONCE])
        detail = json.dumps({"from": "new", "to": "open"})
        note_events(connection, now, "state", detail, project, opened)


def advance(connection: Connection, now: str, item: StoredItem) -> ItemState:
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
    return item.state


def project_settings(connection: Connection, project: int) -> ProjectSettings:
    """The settings of a project, by its number."""
    return read_settings(the_project(connection, project).settings)


def latest(connection: Connection, item: int, *stages: str) -> dict[str, Judgement]:
    """The last judgement of each person in some stages, by their names."""
    said = said_of(connection, [item], *stages)
    return {each.author: read_judgement(each.record) for each in said}


def standing(connection: Connection, item: int) -> list[Judgement]:
    """The judgements that count: annotators', after a discussion if any, and the reviewer's."""
    return list(latest(connection, item, "annotate", "discuss", "review").values())


def assign_review(connection: Connection, item: StoredItem, without: int = 0) -> bool:
    """Gives the review of an item to whoever has least to review; False if nobody can."""
    not_these = {each.person for each in work_on(connection, item.id, "annotate")} | {without}
    load = open_counts(connection, item.project, "review")
    able = [
        each
        for each in team(connection, item.project)
        if each.id not in not_these and training.has_passed(connection, each.id, item.project)
    ]
    if not able:
        return False
    # Annotators first: an adjudicator should come to what is left without having reviewed it.
    chosen = min(able, key=lambda each: (each.role != "annotator", load.get(each.id, 0), each.id))
    give_work(connection, item, chosen.id, "review", _begun(standing(connection, item.id)[0]))
    return True


def _begin_discussion(connection: Connection, item: StoredItem) -> bool:
    """Gives the discussion to those who annotated; False if fewer than two can still talk.

    What somebody said who is no longer here stands as it is.
    """
    said = {
        each.person: each
        for each in said_of(connection, [item.id], "annotate")
        if each.is_current and each.person
    }
    here = {person for person in said if access.takes_part(connection, person, item.project)}
    if len(here) < 2:
        return False
    for person, each in said.items():
        draft = _begun(read_judgement(each.record))
        number = give_work(connection, item, person, "discuss", draft)
        if person not in here:
            set_work_state(connection, [number], "held")
    return True


def _begun(judgement: Judgement) -> str:
    return write_units(draft_of(judgement))


def _after_discussion(
    connection: Connection, now: str, item: StoredItem, settings: ProjectSettings, note: str = ""
) -> ItemState:
    if not settings.review:
        return _settle(connection, now, item, settings, note)
    if assign_review(connection, item):
        return _move(connection, now, item, "review", note)
    note = "; ".join(filter(None, (note, "nobody who did not annotate it could review it")))
    return _settle(connection, now, item, settings, note)


def _settle(
    connection: Connection, now: str, item: StoredItem, settings: ProjectSettings, note: str = ""
) -> ItemState:
    is_disputed = disagreement.differ(standing(connection, item.id), settings)
    return _move(connection, now, item, "adjudication" if is_disputed else "done", note)


def _is_annotated(connection: Connection, item: StoredItem) -> bool:
    given = work_on(connection, item.id, "annotate")
    return len(given) >= item.k and all(each.state in CLOSED_STATES for each in given)


def _all_closed(connection: Connection, item: StoredItem, stage: str) -> bool:
    return all(each.state in CLOSED_STATES for each in work_on(connection, item.id, stage))


def _move(
    connection: Connection, now: str, item: StoredItem, state: ItemState, note: str = ""
) -> ItemState:
    set_item_state(connection, item.id, state)
    detail = {"from": item.state, "to": state, **({"note": note} if note else {})}
    note_event(connection, now, "state", json.dumps(detail), project=item.project, item=item.id)
    return state
