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
from weakref import WeakKeyDictionary

import numpy as np

from assay.annotation.access import require
from assay.annotation.figures.agreement import Disagreements, agreements, find_disagreements
from assay.annotation.figures.ratings import RatedItem, rated_items, unit_votes
from assay.annotation.settings import Mode, ProjectSettings, read_settings
from assay.annotation.studio import Person, Studio, in_order
from assay.core.labels import worst
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.evaluation.agreement.agreement import AgreementFigures, Kind, Measured
from assay.evaluation.shares import estimate_share
from assay.metrics import Estimate
from assay.metrics.arrays import Floats, group_numbers
from assay.store.annotation.database import Connection, StudioDatabase
from assay.store.annotation.progress import (
    SpentTime,
    annotation_counts,
    item_counts,
    judgement_version,
    spent_times,
    stage_counts,
)
from assay.store.annotation.records import CLOSED_STATES, StoredProject

_LABELS: dict[Kind, tuple[str, ...]] = {
    "sentence": GRAY7.names,
    "response": tuple(label.name for label in FAITHBENCH if not label.parent),
}


@dataclass(frozen=True, slots=True)
class Time:
    """Active seconds that people spent on an item: how many pieces of work, median and p90."""

    n: int
    median: float | None
    p90: float | None


@dataclass(frozen=True, slots=True)
class PersonProgress:
    """A person's progress; `discussion`, `review` and `adjudication` are still to do."""

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
    """The progress of a batch; batch 0 has the items that are in none."""

    batch: int
    items: int
    states: dict[str, int]
    assigned: int
    open: int
    submitted: int


@dataclass(frozen=True, slots=True)
class LabelShare:
    """The number of a model's units with a label, and their share."""

    label: str
    count: int
    share: Measured


@dataclass(frozen=True, slots=True)
class ModelLabels:
    """The labels of what one model wrote.

    A unit counts with the label that settled its item. Where nothing has, it counts with the worst
    label of its annotators; `pooled` items are of that sort.
    """

    model: str
    kind: Kind
    items: int
    pooled: int
    units: int
    labels: tuple[LabelShare, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """Figures computed from the labels; `items` are those that count, of `of` in the project."""

    at: str
    items: int
    of: int
    agreement: tuple[AgreementFigures, ...]
    disagreements: Disagreements
    models: tuple[ModelLabels, ...]


@dataclass(frozen=True, slots=True)
class ProjectBoard:
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
        """True if the figures may be shown once more."""
        if self.version == version:
            return True
        is_same = self.version[:2] == version[:2]  # the project and its mode
        return is_same and self.took > _LONG and monotonic() < self.made + _PAUSE * self.took


_LONG = 0.5
_PAUSE = 10
_kept: "WeakKeyDictionary[StudioDatabase, dict[int, _Kept]]" = WeakKeyDictionary()
_computing = Lock()


def board(studio: Studio, who: Person, slug: str) -> ProjectBoard:
    """The progress of a project and the agreement of its annotators."""
    with studio.read() as connection:
        project = require(connection, who, "see-board", slug)
        settings = read_settings(project.settings)
        states = item_counts(connection, project.id)
        times = spent_times(connection, project.id)
        total = Counter[str]()
        for counted in states.values():
            total.update(counted)
        return ProjectBoard(
            slug=project.slug,
            name=project.name,
            mode=settings.mode,
            items=total.total(),
            states=in_order(total),
            people=_people(connection, project.id, times),
            batches=_batches(connection, project.id, states),
            time=_time(each.seconds for each in times if each.stage == "annotate"),
            figures=_figures(studio, connection, project, settings, total),
        )


def _figures(
    studio: Studio,
    connection: Connection,
    project: StoredProject,
    settings: ProjectSettings,
    states: Counter[str],
) -> Figures:
    """Figures computed from labels, kept until something changes that they rest on."""
    said = judgement_version(connection, project.id)
    version = (project.at, settings.mode, *said, *sorted(states.items()))
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
    studio: Studio,
    connection: Connection,
    project: StoredProject,
    settings: ProjectSettings,
    count: int,
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


def _people(
    connection: Connection, project: int, times: Iterable[SpentTime]
) -> tuple[PersonProgress, ...]:
    named: dict[int, tuple[str, str]] = {}
    counted: dict[int, Counter[tuple[str, str]]] = {}
    for each in stage_counts(connection, project):
        named[each.person] = (each.name, each.role)
        counted.setdefault(each.person, Counter())[each.stage, each.state] = each.count
    spent: dict[int, list[SpentTime]] = {}
    for time in times:
        spent.setdefault(time.person, []).append(time)
    return tuple(
        _person(*named[person], counted[person], spent.get(person, []))
        for person in sorted(named, key=lambda each: named[each][0].casefold())
    )


def _person(
    name: str, role: str, counted: Counter[tuple[str, str]], spent: list[SpentTime]
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
    given = annotation_counts(connection, project)
    return tuple(
        BatchProgress(
            batch=batch,
            items=states[batch].total(),
            states=in_order(states[batch]),
            assigned=counts["assigned"],
            open=counts["open"],
            submitted=sum(counts[state] for state in CLOSED_STATES),
        )
        for batch in sorted(states)
        for counts in (given.get(batch, Counter()),)
    )


def _time(seconds: Iterable[int]) -> Time:
    given = np.array(list(seconds), dtype=np.float64)
    if not given.size:
        return Time(0, None, None)
    median, p90 = np.quantile(given, [0.5, 0.9])
    return Time(given.size, float(median), float(p90))


def label_shares(rated: Sequence[RatedItem], kinds: Sequence[Kind]) -> tuple[ModelLabels, ...]:
    """The labels of each model, by its name; intervals resample sources."""
    by_model: dict[str, list[RatedItem]] = {}
    for item in rated:
        by_model.setdefault(item.model, []).append(item)
    return tuple(
        _of_model(model, kind, by_model[model]) for kind in kinds for model in sorted(by_model)
    )


def _of_model(model: str, kind: Kind, rated: Sequence[RatedItem]) -> ModelLabels:
    names = _LABELS[kind]
    columns = {name: number for number, name in enumerate(names)}
    given = np.zeros((len(rated), len(names)))
    pooled = 0
    for row, item in enumerate(rated):
        settled = item.settled()
        pooled += settled is None
        said = {"": settled} if settled else item.last()
        for _, votes in unit_votes(kind, said):
            given[row, columns[worst(votes.values()).name]] += 1
    counts = given.sum(0)
    units = int(counts.sum())
    shares = _shares(given, [item.source for item in rated])
    return ModelLabels(
        model=model,
        kind=kind,
        items=len(rated),
        pooled=pooled,
        units=units,
        labels=tuple(
            LabelShare(name, int(count), Measured(share.value, share.low, share.high, units, units))
            for name, count, share in zip(names, counts, shares, strict=True)
        ),
    )


def _shares(given: Floats, sources: Sequence[str]) -> list[Estimate]:
    """The share of each label, with its interval over sources."""
    members = group_numbers(sources, "sources")
    summed = np.zeros((int(members.max(initial=-1)) + 1, given.shape[1]))
    np.add.at(summed, members, given)
    summed = summed[summed.any(1)]
    return [estimate_share(column, summed.sum(1)) for column in summed.T]
