"""Adjudication: items that people differ about, the worst first, and everything said of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from assay.annotation import access
from assay.annotation.items.drafts import draft_of, in_order, read_item, write_units
from assay.annotation.settings import ProjectSettings, read_settings
from assay.annotation.studio import Person, Studio
from assay.annotation.team.disagreement import (
    ItemOpinion,
    Severity,
    Stretch,
    opinions,
    severity,
    stretches,
)
from assay.core.errors import InputError
from assay.core.wire import UnitRecord
from assay.store.annotation.comments import Comment, comment_counts, comments_of
from assay.store.annotation.database import Connection
from assay.store.annotation.finals import merged
from assay.store.annotation.items import lock_item
from assay.store.annotation.judgements import (
    DisputedJudgement,
    count_adjudicated,
    disputed,
    said_of,
)
from assay.store.annotation.projects import count_states
from assay.store.annotation.records import OPEN_STATES, StoredItem, StoredJudgement, StoredWork
from assay.store.annotation.work import give_work, open_annotations, takers, work_on

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
class ItemCase:
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
        said = disputed(connection, project.id, _ROUNDS)
        talk = comment_counts(connection, project.id)
        taken_by = takers(connection, project.id, "adjudicate")
        own = open_annotations(connection, project.id, who.id)  # which stay blind for them
        disputes = [
            _dispute(given, settings, talk.get(number, 0), taken_by.get(number, ""))
            for number, given in said.items()
            if number not in own
        ]
        disputes.sort(key=lambda each: each.position)
        disputes.sort(key=lambda each: each.severity, reverse=True)
        states = count_states(connection, project.id).get(project.id, {})
        settled = count_adjudicated(connection, project.id)
        done = states.get("done", 0)
        earlier = sum(states.values()) - done - states.get("adjudication", 0)
        return DisputeQueue(slug, tuple(disputes), done - settled, settled, earlier)


def case(studio: Studio, who: Person, slug: str, position: int) -> ItemCase:
    """Everything that was said of an item which is no longer annotated blind."""
    with studio.read() as connection:
        item, settings = _item(connection, who, slug, position)
        given = opinions(_everything(connection, item.id))
        response = read_item(item.record).example.response.text
        judged = [each.judgement for each in given if each.stage in _ROUNDS]
        own = _own(connection, who, item)
        return ItemCase(
            item.position,
            settings.shown_id(item.example, item.model),
            item.state,
            severity(judged, settings),
            stretches(given, settings, response),
            comments_of(connection, item.id),
            tuple(each.author for each in given if each.kind == "person"),
            tuple(each.author for each in given if each.kind == "detector"),
            own.id if own else None,
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
        own = _own(connection, who, item)
        if own and own.state in OPEN_STATES:
            return Taken(own.id, position)
        given = [each for each in opinions(_everything(connection, item.id)) if _is_whole(each)]
        draft = write_units(_first_draft(given, settings, author)) if given else ""
        number = give_work(connection, item, who.id, "adjudicate", draft)
        return Taken(number, position)


def _first_draft(
    given: Sequence[ItemOpinion], settings: ProjectSettings, author: str
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


def _is_whole(opinion: ItemOpinion) -> bool:
    """True of a judgement that a person gave here."""
    return opinion.kind == "person" and opinion.stage != "imported"


def _item(
    connection: Connection, who: Person, slug: str, position: int
) -> tuple[StoredItem, ProjectSettings]:
    project = access.require(connection, who, "adjudicate", slug)
    item = access.require_item(connection, who, slug, position)
    if not access.may_see_others(connection, who, item):
        raise access.ForbiddenError("the item is still annotated blind", code="blind")
    return item, read_settings(project.settings)


def _own(connection: Connection, who: Person, item: StoredItem) -> StoredWork | None:
    given = work_on(connection, item.id, "adjudicate")
    return next((each for each in given if each.person == who.id), None)


def _everything(connection: Connection, item: int) -> list[StoredJudgement]:
    people_said = said_of(connection, [item])
    detectors_said = said_of(connection, [item], kind="detector")
    return [each for each in (*people_said, *detectors_said) if each.stage != "audit"]


def _dispute(
    said: Sequence[DisputedJudgement], settings: ProjectSettings, talk: int, taken_by: str
) -> Dispute:
    given = opinions(said)
    first = said[0]
    return Dispute(
        first.position,
        settings.shown_id(first.example, first.model),
        first.model if settings.show_model else "",
        severity([each.judgement for each in given], settings),
        tuple(each.author for each in given),
        talk,
        taken_by,
    )
