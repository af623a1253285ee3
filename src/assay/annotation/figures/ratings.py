"""The labels that people gave to each item whose annotation is over, for figures.

A look at a project of 10,000 items must not read all judgements anew: each is read once and its
labels stay in memory for as long as the studio is open.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

import msgspec

from assay.annotation.studio import Studio
from assay.annotation.team.disagreement import Place, joined
from assay.core.codec import Reader
from assay.core.judgements import GOLD
from assay.core.labels import Label, worst
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import RESPONSE
from assay.evaluation.agreement.agreement import Kind
from assay.store.annotation.database import Connection, StudioDatabase
from assay.store.annotation.finals import settling
from assay.store.annotation.progress import (
    SpokenJudgement,
    judgement_records,
    open_items,
    spoken_judgements,
)
from assay.store.annotation.records import StoredProject

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
class GivenLabels:
    """The labels of a judgement: a label for each sentence, and a class of the response, if any."""

    sentences: dict[Place, Label]
    response: Label | None


@dataclass(frozen=True, slots=True)
class RatedOpinion:
    """A judgement by a person; the fields are those of its row."""

    author: str
    stage: str
    round: int
    is_current: bool
    said: GivenLabels
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
    opinions: tuple[RatedOpinion, ...]
    batch: int = 0

    def first(self) -> dict[str, GivenLabels]:
        """The labels of each annotator before any discussion."""
        return self._latest(*_ANNOTATING)

    def last(self) -> dict[str, GivenLabels]:
        """The labels of each annotator now, after a discussion if there was one."""
        return self._latest(*_ANNOTATING, "discuss")

    def settled(self) -> GivenLabels | None:
        """The labels that settled the item; None if nothing has yet."""
        found = settling(self.opinions) if self.state == "done" else []
        return found[0].said if found else None

    def _latest(self, *stages: str) -> dict[str, GivenLabels]:
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

    said: dict[int, GivenLabels] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


_Memories = dict[tuple[int, str], _Memory]
_memories: "WeakKeyDictionary[StudioDatabase, _Memories]" = WeakKeyDictionary()
_making = Lock()


def rated_items(studio: Studio, connection: Connection, project: StoredProject) -> list[RatedItem]:
    """The items of a project that people no longer annotate blind, by position."""
    own = (project.id, project.at)
    with _making:
        memory = _memories.setdefault(studio.database, {}).setdefault(own, _Memory())
    spoken = spoken_judgements(connection, project.id)
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
        for each in open_items(connection, project.id)
    ]


def _opinion(one: SpokenJudgement, said: dict[int, GivenLabels]) -> RatedOpinion:
    return RatedOpinion(one.author, one.stage, one.round, one.is_current, said[one.id])


def _labels(
    memory: _Memory, connection: Connection, numbers: Sequence[int]
) -> dict[int, GivenLabels]:
    """The labels of judgements, by their numbers; each is read from the database once."""
    with memory.lock:
        new = [number for number in numbers if number not in memory.said]
        for begin in range(0, len(new), _AT_ONCE):
            found = judgement_records(connection, new[begin : begin + _AT_ONCE])
            memory.said |= {number: read_labels(record) for number, record in found.items()}
        return {number: memory.said[number] for number in numbers}


def read_labels(record: str) -> GivenLabels:
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
    return GivenLabels(sentences, worst(given) if given else None)


def _named(unit: _Unit, menu: str) -> tuple[str, str]:
    label = unit.verdict.label if unit.verdict else None
    if label is None:
        return "", ""
    return (menu, label) if isinstance(label, str) else (label.taxonomy, label.label)


def _place(unit: _Unit) -> Place:
    if unit.start is not None and unit.end is not None:
        return unit.start, unit.end
    return (unit.spans[0].start, unit.spans[-1].end) if unit.spans else (0, 0)


def unit_votes(
    kind: Kind, said: dict[str, GivenLabels]
) -> Iterator[tuple[Place, dict[str, Label]]]:
    """The units of an item that somebody labelled, with what each person says of them."""
    if kind == "response":
        votes = {name: each.response for name, each in said.items() if each.response}
        if votes:
            yield (0, 0), votes
        return
    for place, labels in _stretches(said.values()):
        yield place, {name: label for name, label in zip(said, labels, strict=True) if label}


def _stretches(said: Iterable[GivenLabels]) -> list[tuple[Place, list[Label | None]]]:
    """The sentences of an item with the label that each of some people gives to them.

    Where people cut the text in different ways, what overlaps is one stretch, and each gives it
    their worst label; what states no fact counts there only if nothing else does.
    """
    given = [each.sentences for each in said]
    cut = sorted({place for each in given for place in each})
    if all(len(each) == len(cut) for each in given):
        return [(place, [each[place] for each in given]) for place in cut]
    return [(place, [_within(each, place) for each in given]) for place in joined(cut)]


def _within(sentences: dict[Place, Label], place: Place) -> Label | None:
    labels = [
        label for (start, end), label in sentences.items() if start < place[1] and place[0] < end
    ]
    facts = [label for label in labels if label.coarse != "no-fact"]
    return worst(facts or labels) if labels else None
