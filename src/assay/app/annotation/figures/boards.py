"""The board of a project: progress, time, agreement, disagreements, and labels by model.

Labels, times and disagreements are those of items whose annotation is over; of the others only
counts of work are told. Figures are computed anew when something was submitted since. Where that
takes long they stay for a while, and say of when they are, so that a board that is open all day
leaves the machine to those who work.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from sqlalchemy import Connection, Row, func, select

from assay.app.annotation.access import require
from assay.app.annotation.figures.disagreement_list import Disagreements, find_disagreements
from assay.app.annotation.figures.model_labels import ModelLabels, label_shares
from assay.app.annotation.figures.ratings import rated_items
from assay.app.annotation.figures.rounds import agreements
from assay.app.annotation.settings import Mode, ProjectSettings, read_settings
from assay.app.annotation.studio import Person, Studio, in_order
from assay.evaluation.agreement import AgreementFigures, Kind
from assay.store.studio.database import StudioDatabase
from assay.store.studio.queues import CLOSED_STATES
from assay.store.studio.reading import BLIND_STATES
from assay.store.studio.tables import items, judgements, people, work


@dataclass(frozen=True, slots=True)
class Time:
    """Active seconds that people spent on an item: how many pieces of work, median and p90."""

    n: int
    median: float | None
    p90: float | None


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """How far somebody is; `discussion`, `review` and `adjudication` are still to do."""

    name: str
    role: str
    assigned: int
    open: int
    submitted: int
    discussion: int
    review: int
    adjudication: int
    seconds: int
    time: Time


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is; batch 0 has the items that are in none."""

    batch: int
    items: int
    states: dict[str, int]
    assigned: int
    open: int
    submitted: int


@dataclass(frozen=True, slots=True)
class Figures:
    """What is computed from the labels; `items` are those that count, of `of` in the project."""

    at: str
    items: int
    of: int
    agreement: tuple[AgreementFigures, ...]
    disagreements: Disagreements
    models: tuple[ModelLabels, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """All that the board of a project shows."""

    slug: str
    name: str
    mode: Mode
    items: int
    states: dict[str, int]
    people: tuple[PersonProgress, ...]
    batches: tuple[BatchProgress, ...]
    time: Time
    figures: Figures


@dataclass(frozen=True, slots=True)
class _Kept:
    """Figures, what they were computed from, and when and how long that took in seconds."""

    version: tuple[object, ...]
    figures: Figures
    made: float
    took: float

    def holds(self, version: tuple[object, ...]) -> bool:
        """Whether the figures may be shown once more."""
        if self.version == version:
            return True
        is_same = self.version[:2] == version[:2]  # the project and its mode
        return is_same and self.took > _LONG and monotonic() < self.made + _PAUSE * self.took


_LONG = 0.5
_PAUSE = 10
_kept: "WeakKeyDictionary[StudioDatabase, dict[int, _Kept]]" = WeakKeyDictionary()
_computing = Lock()


def board(studio: Studio, who: Person, slug: str) -> Board:
    """How far a project is, and how far its annotators agree."""
    with studio.read() as connection:
        project: Any = require(connection, who, "see-board", slug)
        settings = read_settings(project.settings)
        states = _states(connection, project.id)
        seconds = _seconds(connection, project.id)
        total = Counter[str]()
        for counted in states.values():
            total.update(counted)
        return Board(
            slug=project.slug,
            name=project.name,
            mode=settings.mode,
            items=total.total(),
            states=in_order(total),
            people=_people(connection, project.id, seconds),
            batches=_batches(connection, project.id, states),
            time=_time(each.seconds for each in seconds if each.stage == "annotate"),
            figures=_figures(studio, connection, project, settings, total),
        )


def _figures(
    studio: Studio,
    connection: Connection,
    project: Any,
    settings: ProjectSettings,
    states: Counter[str],
) -> Figures:
    """What is computed from labels, kept for as long as nothing changes that it rests on."""
    said = select(func.count(), func.max(judgements.c.id)).where(judgements.c.project == project.id)
    count, last = connection.execute(said).one()
    version = (project.at, settings.mode, count, last, *sorted(states.items()))
    kept = _kept.get(studio.database, {}).get(project.id)
    if kept is not None and kept.holds(version):
        return kept.figures
    with _computing:
        kept = _kept.setdefault(studio.database, {}).get(project.id)
        if kept is None or not kept.holds(version):
            began = monotonic()
            figures = _compute(studio, connection, project, settings, states.total())
            kept = _Kept(version, figures, monotonic(), monotonic() - began)
            _kept[studio.database][project.id] = kept
        return kept.figures


def _compute(
    studio: Studio, connection: Connection, project: Any, settings: ProjectSettings, count: int
) -> Figures:
    rated = rated_items(studio, connection, project)
    kinds: list[Kind] = ["sentence"] if settings.has_sentences else []
    kinds += ["response"] if settings.has_spans else []
    return Figures(
        at=studio.now(),
        items=len(rated),
        of=count,
        agreement=agreements(rated, kinds),
        disagreements=find_disagreements(connection, rated, kinds),
        models=label_shares(rated, kinds),
    )


def _states(connection: Connection, project: int) -> dict[int, Counter[str]]:
    """The items of each batch by their state."""
    query = (
        select(items.c.batch, items.c.state, func.count())
        .where(items.c.project == project, items.c.purpose == "real")
        .group_by(items.c.batch, items.c.state)
    )
    found: dict[int, Counter[str]] = {}
    for batch, state, count in connection.execute(query):
        found.setdefault(batch, Counter())[state] = count
    return found


def _seconds(connection: Connection, project: int) -> Sequence[Row[Any]]:
    """The time of finished work on items that are no longer annotated blind."""
    query = (
        select(work.c.person, work.c.stage, work.c.seconds)
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, work.c.state.in_(CLOSED_STATES))
        .where(items.c.purpose == "real", items.c.state.not_in(BLIND_STATES))
    )
    rows: Sequence[Any] = connection.execute(query).all()
    return rows


def _people(
    connection: Connection, project: int, seconds: Iterable[Row[Any]]
) -> tuple[PersonProgress, ...]:
    query = (
        select(people.c.id, people.c.name, people.c.role, work.c.stage, work.c.state, func.count())
        .select_from(work.join(people, people.c.id == work.c.person))
        .join(items, items.c.id == work.c.item)
        .where(work.c.project == project, items.c.purpose == "real")
        .group_by(people.c.id, people.c.name, people.c.role, work.c.stage, work.c.state)
    )
    named: dict[int, tuple[str, str]] = {}
    counted: dict[int, Counter[tuple[str, str]]] = {}
    for person, name, role, stage, state, count in connection.execute(query):
        named[person] = (name, role)
        counted.setdefault(person, Counter())[stage, state] = count
    spent: dict[int, list[Row[Any]]] = {}
    for row in seconds:
        spent.setdefault(row.person, []).append(row)
    return tuple(
        _person(*named[person], counted[person], spent.get(person, []))
        for person in sorted(named, key=lambda each: named[each][0].casefold())
    )


def _person(
    name: str, role: str, counted: Counter[tuple[str, str]], spent: list[Row[Any]]
) -> PersonProgress:
    def waiting(stage: str) -> int:
        return counted[stage, "assigned"] + counted[stage, "open"]

    return PersonProgress(
        name=name,
        role=role,
        assigned=counted["annotate", "assigned"],
        open=counted["annotate", "open"],
        submitted=sum(counted["annotate", state] for state in CLOSED_STATES),
        discussion=waiting("discuss"),
        review=waiting("review"),
        adjudication=waiting("adjudicate"),
        seconds=sum(each.seconds for each in spent),
        time=_time(each.seconds for each in spent if each.stage == "annotate"),
    )


def _batches(
    connection: Connection, project: int, states: dict[int, Counter[str]]
) -> tuple[BatchProgress, ...]:
    query = (
        select(items.c.batch, work.c.state, func.count())
        .join(work, work.c.item == items.c.id)
        .where(items.c.project == project, items.c.purpose == "real")
        .where(work.c.stage == "annotate")
        .group_by(items.c.batch, work.c.state)
    )
    counted: dict[int, Counter[str]] = {batch: Counter() for batch in states}
    for batch, state, count in connection.execute(query):
        counted[batch][state] = count
    return tuple(
        BatchProgress(
            batch=batch,
            items=states[batch].total(),
            states=in_order(states[batch]),
            assigned=given["assigned"],
            open=given["open"],
            submitted=sum(given[state] for state in CLOSED_STATES),
        )
        for batch, given in sorted(counted.items())
    )


def _time(seconds: Iterable[int]) -> Time:
    given = np.array(list(seconds), dtype=np.float64)
    if not given.size:
        return Time(0, None, None)
    median, p90 = np.quantile(given, [0.5, 0.9])
    return Time(given.size, float(median), float(p90))
