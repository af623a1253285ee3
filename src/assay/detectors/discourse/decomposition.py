"""The claims and relations of a response, as a model is asked for them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.detectors.discourse.aligning import Lost
from assay.detectors.judges.judging import Form
from assay.detectors.judges.opinions import wanting
from assay.llm.prompts import Fences
from assay.llm.replies import UnreadableError
from assay.llm.schemas import (
    Schema,
    array_of,
    object_of,
    object_with,
    one_of,
    read_json,
    text,
    whole_number,
)
from assay.text.discourse.relations import KINDS

MOST_PER_SENTENCE = 20  # claims, and relations, for each sentence that was asked about

CLAIM = object_of(number=whole_number(), sentence=whole_number(), claim=text(), words=text())
RELATION = object_of(first=whole_number(), second=whole_number(), name=one_of(KINDS), cue=text())

Record = Mapping[str, Any]
Lists = Mapping[str, Sequence[Record]]


@dataclass(frozen=True, slots=True)
class Found:
    """Something that the model found, and the number of the sentence that it stands with."""

    sentence: int
    unit: Unit


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something in the decomposition that cannot be used; sentence 0 is none of the response.

    One that `hides_link` leaves its sentence open: the response may link there what nobody checks.
    Without a sentence it leaves all that were asked about open.
    """

    sentence: int
    failure: Failure
    hides_link: bool = False


@dataclass(frozen=True, slots=True)
class Decomposition:
    """What of a reply about some sentences holds and what does not; all are by sentence number."""

    asked: tuple[int, ...] = ()
    claims: tuple[Found, ...] = ()
    relations: tuple[Found, ...] = ()
    flaws: tuple[Flaw, ...] = ()
    lost: Mapping[int, Lost] = field(default_factory=dict)
    lost_cues: Mapping[int, tuple[str, ...]] = field(default_factory=dict)  # not in the response
    silent: frozenset[int] = frozenset()  # said to state nothing
    failed: Mapping[int, Failure] = field(default_factory=dict)  # where there was no reply


def decomposition_form(sentences: Mapping[int, Unit]) -> Form[Lists]:
    """The reply that is wanted about some sentences; a dry run counts with its example."""
    claims = [
        {"number": n, "sentence": n, "claim": unit.text, "words": unit.text}
        for n, unit in sentences.items()
    ]
    relations = [
        {"first": a, "second": b, "name": "elaboration", "cue": ""} for a, b in pairwise(sentences)
    ]
    return Form(
        lambda reply, fences: _read(reply, fences, len(sentences)),
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


def _read(reply: str, fences: Fences, sentences: int) -> Lists:
    """The lists of a reply; what is wrong with single entries is looked at later."""
    most = MOST_PER_SENTENCE * sentences
    entries = array_of(object_with(), at_most=most)
    try:
        lists: dict[str, Any] = read_json(
            reply, object_with(claims=entries, relations=entries), fences
        )
        if not lists["claims"] and not lists.get("nothing"):
            raise UnreadableError("the list of claims is empty", reason="missing")
    except UnreadableError as problem:
        raise wanting(_schema(sentences), problem) from None
    return lists
