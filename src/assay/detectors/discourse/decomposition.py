"""The claims and relations of a response, as a model is asked for them and gives them."""

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

from assay.core.judgements import Finding
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.detectors.discourse.aligning import Lost
from assay.detectors.judges.judging import ReplyFormat
from assay.llm.fences import Fences
from assay.llm.replies.schemas import (
    Schema,
    array_of,
    object_of,
    object_with,
    one_of,
    read_json,
    read_value,
    text,
    whole_number,
)
from assay.llm.replies.texts import UnreadableError
from assay.text.discourse.relations import ALIASES, KINDS

MOST_PER_SENTENCE = 20  # claims, and relations, for each sentence that was asked about
MOST_UNKNOWN = 5  # names that a model is told of when it is asked again

CLAIM = object_of(
    number=whole_number(), sentence=whole_number(), claim=text(), words=text(), scope=text()
)
RELATION = object_of(first=whole_number(), second=whole_number(), name=one_of(KINDS), cue=text())
_NAME = one_of(KINDS, ALIASES)  # also what is read, but not asked for
READ_RELATION = object_with(**{**RELATION["properties"], "name": _NAME})

Record = Mapping[str, Any]
Lists = Mapping[str, Sequence[Record]]


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something in the decomposition that cannot be used: a failure of its own.

    One that `hides_link` leaves its sentence open: the response may link there what nobody checks.
    A stray one names no sentence that was asked about. It is listed with the last of them, and if
    it hides a link, all of them stay open.
    """

    finding: Finding
    hides_link: bool = False
    is_stray: bool = False

    def concerns(self, sentence: Unit) -> bool:
        """True if it names this sentence."""
        return not self.is_stray and self.finding.unit.parent == sentence.id


@dataclass(frozen=True, slots=True)
class Decomposition:
    """A checked reply about some sentences; mappings are by sentence id."""

    sentences: tuple[Unit, ...]
    claims: tuple[Unit, ...] = ()
    scopes: Mapping[str, str] = field(default_factory=dict)  # words that limit a claim, by its id
    relations: tuple[Unit, ...] = ()
    unsaid: frozenset[str] = frozenset()  # relations that no words of the response express
    flaws: tuple[Flaw, ...] = ()
    lost: Mapping[str, Lost] = field(default_factory=dict)
    lost_cues: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # not in the response
    silent: frozenset[str] = frozenset()  # said to state nothing
    failed: Mapping[str, Failure] = field(default_factory=dict)  # where there was no reply


def decomposition_format(sentences: Mapping[int, Unit]) -> ReplyFormat[Lists]:
    """The reply that is wanted about some sentences; a dry run counts with its example."""
    claims = [
        {"number": n, "sentence": n, "claim": unit.text, "words": unit.text, "scope": ""}
        for n, unit in sentences.items()
    ]
    relations = [
        {"first": a, "second": b, "name": "elaboration", "cue": ""} for a, b in pairwise(sentences)
    ]
    return ReplyFormat(
        lambda reply, fences: _read(reply, fences, sentences),
        json.dumps({"claims": claims, "relations": relations, "nothing": []}),
        _schema(len(sentences)),
        units=len(sentences),
    )


def _schema(sentences: int) -> Schema:
    most = MOST_PER_SENTENCE * sentences
    return object_of(
        claims=array_of(CLAIM, at_most=most),
        relations=array_of(RELATION, at_most=most),
        nothing=array_of(whole_number()),
    )


def _read(reply: str, fences: Fences, sentences: Mapping[int, Unit]) -> Lists:
    """The lists of a reply; their entries are checked later, one by one.

    A sentence may be named by its text. Relations of an unknown kind are asked about once; what the
    reply calls them then stays.
    """
    most = MOST_PER_SENTENCE * len(sentences)
    entries = array_of(object_with(), at_most=most)
    lists: dict[str, Any] = read_json(reply, object_with(claims=entries, relations=entries), fences)
    numbers = {" ".join(unit.text.split()): number for number, unit in sentences.items()}
    for claim in lists["claims"]:
        if isinstance(text_of := claim.get("sentence"), str):
            claim["sentence"] = numbers.get(" ".join(text_of.split()), text_of)
    if not lists["claims"] and not lists.get("nothing"):
        raise UnreadableError("the list of claims is empty", reason="missing")
    if unknown := list(islice(_unknown_names(lists["relations"]), MOST_UNKNOWN)):
        raise UnreadableError(
            f"no relation is called {' or '.join(unknown)}. The names are {', '.join(KINDS)}; give "
            "each relation the one that fits, and leave out a relation that none fits",
            fallback=lists,
        )
    return lists


def _unknown_names(relations: Sequence[Record]) -> Iterator[str]:
    """Names of relations in a reply that are none of ours, each once, in quotation marks."""
    given = (each.get("name") for each in relations)
    for name in dict.fromkeys(each for each in given if isinstance(each, str)):
        try:
            kind_of(name)
        except UnreadableError:
            yield f"'{' '.join(name.split())[:40]}'"


def kind_of(name: str) -> str:
    """The relation that a reply names, perhaps in other words; raises if there is none."""
    said: str = read_value(name, _NAME, "name")
    return ALIASES.get(said, said)


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two numbered claims."""

    name: str
    first: int
    second: int

    def __str__(self) -> str:
        return f"{self.name} ({self.first}, {self.second})"

    @property
    def same(self) -> tuple[str, int, int]:
        """Equal for relations that say the same; in a mutual one the order does not count."""
        if KINDS[self.name].is_mutual and self.first > self.second:
            return self.name, self.second, self.first
        return self.name, self.first, self.second


@dataclass(frozen=True, slots=True)
class Wrong:
    """The reason to reject a relation; with `hides_link`, a link may go unchecked because of it."""

    why: str
    hides_link: bool = False


def find_wrong(
    edges: Mapping[int, Edge], usable: Container[int], earlier: Container[int] = ()
) -> dict[int, Wrong]:
    """The reasons to reject relations, by their numbers.

    `usable` has the numbers of the claims that are in the response, and `earlier` those of the
    claims that were taken apart before, with the relations between them.
    """
    flaws: dict[int, Wrong] = {}
    met: dict[tuple[str, int, int], int] = {}
    for place, edge in edges.items():
        missing = [each for each in (edge.first, edge.second) if each not in usable]
        if missing:
            flaws[place] = Wrong(f"there is no usable claim {missing[0]}", hides_link=True)
        elif edge.first == edge.second:
            flaws[place] = Wrong(f"it links claim {edge.first} to itself")
        elif edge.first in earlier and edge.second in earlier:
            flaws[place] = Wrong("it links two claims of sentences before these")
        elif edge.same in met:
            flaws[place] = Wrong(f"it repeats relation {met[edge.same]}")
        else:
            met[edge.same] = place
    sound = {place: edge for place, edge in edges.items() if place not in flaws}
    return {**flaws, **_circles(sound)}


def _circles(edges: Mapping[int, Edge]) -> dict[int, Wrong]:
    """The relations that run forward and yet lead back to where they begin."""
    forward = {place: edge for place, edge in edges.items() if KINDS[edge.name].runs_forward}
    after: dict[int, set[int]] = {}
    for edge in forward.values():
        after.setdefault(edge.first, set()).add(edge.second)
    return {
        place: Wrong(
            f"it runs in a circle: claim {edge.second} leads back to claim {edge.first}",
            hides_link=True,
        )
        for place, edge in forward.items()
        if _leads(after, edge.second, edge.first)
    }


def _leads(after: Mapping[int, set[int]], start: int, goal: int) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for each in after.get(waiting.pop(), ()):
            if each == goal:
                return True
            if each not in seen:
                seen.add(each)
                waiting.append(each)
    return False
