"""What people said of each item whose annotation is over, as little of it as figures need.

A look at a project of 10,000 items must not read all judgements anew: each is read once and its
labels stay in memory for as long as the studio is open.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
from sqlalchemy import Connection, select

from assay.app.annotation.studio import Studio
from assay.app.annotation.team.disagreement import Place
from assay.core.codec import Reader
from assay.core.judgements import GOLD
from assay.core.labels import Label, worst
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import RESPONSE
from assay.store.studio.database import StudioDatabase
from assay.store.studio.reading import BLIND_STATES
from assay.store.studio.settling import settling
from assay.store.studio.tables import items, judgements

_AT_ONCE = 500
_ANNOTATING = ("annotate", "imported")


class _Menu(msgspec.Struct):
    taxonomy: str
    label: str


class _Verdict(msgspec.Struct):
    label: str | _Menu | None = None


class _Span(msgspec.Struct):
    start: int
    end: int


class _Unit(msgspec.Struct):
    id: str
    kind: str
    start: int | None = None
    end: int | None = None
    spans: list[_Span] = []
    verdict: _Verdict | None = None


class _Judgement(msgspec.Struct):
    taxonomy: str = ""
    units: list[_Unit] = []


_judgements = Reader(_Judgement)


@dataclass(frozen=True, slots=True)
class Said:
    """What a judgement says: a label for each sentence, and a class of the response, if any."""

    sentences: dict[Place, Label]
    response: Label | None


@dataclass(frozen=True, slots=True)
class Opinion:
    """A judgement by a person; the fields are those of its row."""

    author: str
    stage: str
    round: int
    is_current: bool
    said: Said
    kind: str = "person"


@dataclass(frozen=True, slots=True)
class RatedItem:
    """An item whose annotation is over, and what people said of it, in the order of rounds."""

    id: int
    position: int
    example: str
    source: str
    model: str
    state: str
    opinions: tuple[Opinion, ...]
    batch: int = 0

    def first(self) -> dict[str, Said]:
        """What each annotator said before any discussion."""
        return self._latest(*_ANNOTATING)

    def last(self) -> dict[str, Said]:
        """What each annotator says now, after a discussion if there was one."""
        return self._latest(*_ANNOTATING, "discuss")

    def settled(self) -> Said | None:
        """What settled the item; None where nothing has yet."""
        found = settling(self.opinions) if self.state == "done" else []
        return found[0].said if found else None

    def _latest(self, *stages: str) -> dict[str, Said]:
        return {
            each.author: each.said
            for each in self.opinions
            if each.stage in stages and each.author != GOLD.name
        }


@dataclass
class _Memory:
    """The labels of the judgements of a project that were read before, by their numbers.

    A judgement never changes. Numbers may come again when a project was deleted, so a memory is
    of the project that was made at a time.
    """

    said: dict[int, Said] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


_Memories = dict[tuple[int, str], _Memory]
_memories: "WeakKeyDictionary[StudioDatabase, _Memories]" = WeakKeyDictionary()
_making = Lock()


def rated_items(studio: Studio, connection: Connection, row: Any) -> list[RatedItem]:
    """The items of a project that people no longer annotate blind, by position."""
    project = row.id
    with _making:
        memory = _memories.setdefault(studio.database, {}).setdefault((row.id, row.at), _Memory())
    columns = (items.c.id, items.c.position, items.c.example, items.c.source, items.c.model)
    places = (
        select(*columns, items.c.state, items.c.batch)
        .where(items.c.project == project, items.c.purpose == "real")
        .where(items.c.state.not_in(BLIND_STATES))
        .order_by(items.c.position)
    )
    rows = connection.execute(places).all()
    spoken = _spoken(connection, project)
    said = _labels(memory, connection, [each.id for some in spoken.values() for each in some])
    return [
        RatedItem(
            each.id,
            each.position,
            each.example,
            each.source,
            each.model,
            each.state,
            tuple(_opinion(one, said) for one in spoken.get(each.id, ())),
            each.batch,
        )
        for each in rows
    ]


def _spoken(connection: Connection, project: int) -> dict[int, list[Any]]:
    """The judgements by people of items that are no longer blind, without what they say."""
    own = judgements.c
    query = (
        select(own.id, own.item, own.author, own.stage, own.round, own.is_current)
        .join(items, items.c.id == own.item)
        .where(own.project == project, own.kind == "person")
        .where(items.c.purpose == "real", items.c.state.not_in(BLIND_STATES))
        .order_by(own.round, own.id)
    )
    found: dict[int, list[Any]] = {}
    for row in connection.execute(query):
        found.setdefault(row.item, []).append(row)
    return found


def _opinion(row: Any, said: dict[int, Said]) -> Opinion:
    return Opinion(row.author, row.stage, row.round, row.is_current, said[row.id])


def _labels(memory: _Memory, connection: Connection, numbers: Sequence[int]) -> dict[int, Said]:
    """What judgements say, by their numbers; each is read from the database once."""
    with memory.lock:
        new = [number for number in numbers if number not in memory.said]
        for begin in range(0, len(new), _AT_ONCE):
            some = new[begin : begin + _AT_ONCE]
            query = select(judgements.c.id, judgements.c.record).where(judgements.c.id.in_(some))
            for row in connection.execute(query):
                memory.said[row.id] = read_labels(row.record)
        return {number: memory.said[number] for number in numbers}


def read_labels(record: str) -> Said:
    """The labels in a judgement: of sentences, and of the response by FaithBench's classes.

    A response is what it was called, or else the worst class of any mark in it.
    """
    read = _judgements.read(record, "a judgement")
    sentences: dict[Place, Label] = {}
    whole, marks = list[Label](), list[Label]()
    for unit in read.units:
        menu, name = _named(unit, read.taxonomy)
        if menu == GRAY7.name and unit.kind == "sentence":
            sentences[_place(unit)] = GRAY7[name]
        elif menu == FAITHBENCH.name:
            label = FAITHBENCH[name]
            chosen = whole if unit.id == RESPONSE else marks
            chosen.append(FAITHBENCH[label.parent or label.name])
    given = whole or marks
    return Said(sentences, worst(given) if given else None)


def _named(unit: _Unit, menu: str) -> tuple[str, str]:
    label = unit.verdict.label if unit.verdict else None
    if label is None:
        return "", ""
    return (menu, label) if isinstance(label, str) else (label.taxonomy, label.label)


def _place(unit: _Unit) -> Place:
    if unit.start is not None and unit.end is not None:
        return unit.start, unit.end
    return (unit.spans[0].start, unit.spans[-1].end) if unit.spans else (0, 0)


def stretches(said: Iterable[Said]) -> list[tuple[Place, list[Label | None]]]:
    """The sentences of an item with the label that each of some people gives to them.

    Where people cut the text in different ways, what overlaps is one stretch, and each gives it
    their worst label; what states no fact counts there only if nothing else does.
    """
    given = [each.sentences for each in said]
    cut = sorted({place for each in given for place in each})
    if all(len(each) == len(cut) for each in given):
        return [(place, [each[place] for each in given]) for place in cut]
    joined: list[Place] = []
    for start, end in cut:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return [(place, [_within(each, place) for each in given]) for place in joined]


def _within(sentences: dict[Place, Label], place: Place) -> Label | None:
    labels = [
        label for (start, end), label in sentences.items() if start < place[1] and place[0] < end
    ]
    facts = [label for label in labels if label.coarse != "no-fact"]
    return worst(facts or labels) if labels else None
