"""A decomposition checked against the response: what it lost, and what it invented.

What does not hold becomes a failure of its own: a claim whose words are not in its sentence or that
says something else, a relation to a claim that is not there, to itself, told twice or in a circle.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from assay.core.spans import Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, FailureReason
from assay.detectors.discourse.aligning import Lost, MisalignedError, Place, Sentence, Wording
from assay.detectors.discourse.decomposition import (
    CLAIM,
    RELATION,
    Decomposition,
    Flaw,
    Found,
    Lists,
    Record,
)
from assay.detectors.discourse.structure import Edge, find_wrong
from assay.llm.replies import UnreadableError
from assay.llm.schemas import object_with, read_value
from assay.text.discourse.relations import relation_between

MOST_RAW = 2_000  # characters of an entry that are kept with its failure


def check_decomposition(
    reply: Lists, sentences: Mapping[int, Unit], wording: Wording, language: str = "en"
) -> Decomposition:
    """What of a reply stands in the sentences, and what does not."""
    return _Checker(sentences, wording, language).check(reply)


class _Checker:
    def __init__(self, sentences: Mapping[int, Unit], wording: Wording, language: str) -> None:
        self._sentences = {n: Sentence(unit, n, language) for n, unit in sentences.items()}
        self._wording = wording
        self._claims: dict[int, Found] = {}
        self._doubled: set[int] = set()  # numbers that two claims have, so that they name neither
        self._stands: dict[int, int] = {}  # in which sentence a claim stands, also an unusable one
        self._linked: set[int] = set()  # sentences with a relation that no words say
        self._covered: dict[int, list[Place]] = {n: [] for n in sentences}
        self._lost_cues: dict[int, list[str]] = {}
        self._flaws: list[Flaw] = []

    def check(self, reply: Lists) -> Decomposition:
        for place, record in enumerate(reply["claims"], 1):
            self._claim(place, record)
        relations = tuple(self._relations(reply["relations"]))
        silent = frozenset(n for n in _numbers(reply.get("nothing")) if n in self._sentences)
        claims = tuple(sorted(self._claims.values(), key=lambda found: found.sentence))
        return Decomposition(
            asked=tuple(self._sentences),
            claims=claims,
            relations=relations,
            flaws=tuple(self._flaws),
            lost=self._lost(claims),
            lost_cues={number: tuple(quotes) for number, quotes in self._lost_cues.items()},
            silent=silent,
        )

    def _lost(self, claims: Sequence[Found]) -> dict[int, Lost]:
        """What is lost of each sentence that has claims; without any it fails anyway."""
        said: dict[int, list[str]] = {}
        for found in claims:
            said.setdefault(found.sentence, []).append(found.unit.text)
        lost = {n: self._sentences[n].lost(self._covered[n], texts) for n, texts in said.items()}
        # A connective may stand for a relation that came without its words.
        return {
            n: replace(each, links=()) if n in self._linked else each for n, each in lost.items()
        }

    def _claim(self, place: int, record: Record) -> None:
        """Takes one claim in, or writes down why not."""
        said = record.get("claim")
        shown = " ".join(said.split()) if isinstance(said, str) else ""
        number = 0
        try:
            entry = read_value(_with_one_text(record), object_with(**CLAIM["properties"]))
            number = entry["sentence"] if entry["sentence"] in self._sentences else 0
            self._stands[entry["number"]] = max(number, self._stands.get(entry["number"], 0))
            found, places = self._placed(entry, shown)
            if entry["number"] in self._claims:
                self._doubled.add(entry["number"])
                raise MisalignedError(f"there are two claims of the number {entry['number']}")
            if any(each.unit == found.unit for each in self._claims.values()):
                raise MisalignedError("it is there twice")
        except (UnreadableError, MisalignedError) as problem:
            unit = Unit("claim", f"claim {place}: {shown}".rstrip(": "))
            self._fail(number, unit, problem, record)
            return
        self._claims[entry["number"]] = found
        self._covered[found.sentence] += places

    def _placed(self, entry: Record, claim: str) -> tuple[Found, tuple[Place, ...]]:
        number = entry["sentence"]
        if number not in self._sentences:
            raise MisalignedError(f"there is no sentence {number} to take apart")
        if not claim:
            raise MisalignedError("it says nothing")
        sentence = self._sentences[number]
        places = sentence.find(entry["words"])
        self._wording.check(claim)
        return Found(number, Unit("claim", claim, sentence.spans(places))), places

    def _relations(self, records: Sequence[Record]) -> Iterator[Found]:
        edges: dict[int, Edge] = {}
        cues: dict[int, str] = {}
        for place, record in enumerate(records, 1):
            try:
                entry = read_value(record, object_with(**RELATION["properties"]))
            except UnreadableError as problem:
                ends = _numbers([record.get("first"), record.get("second")])
                unit = Unit("relation", f"relation {place}")
                self._fail(self._later(*ends), unit, problem, record, hides=True)
                continue
            edges[place] = Edge(entry["name"], entry["first"], entry["second"])
            cues[place] = entry["cue"]
        wrong = find_wrong(edges, self._claims.keys() - self._doubled)
        for place, edge in edges.items():
            if place not in wrong:
                yield self._relation(edge, cues[place])
                continue
            why, hides = MisalignedError(wrong[place].why), wrong[place].hides_link
            unit = Unit("relation", f"relation {place}: {edge}")
            later = self._later(edge.first, edge.second)
            self._fail(later, unit, why, records[place - 1], hides and later > 0)

    def _relation(self, edge: Edge, quote: str) -> Found:
        first, second = self._claims[edge.first], self._claims[edge.second]
        later = max(first.sentence, second.sentence)
        cue = self._cue(quote.strip(), later, min(first.sentence, second.sentence))
        self._linked |= set() if cue else {first.sentence, second.sentence}
        return Found(later, relation_between(edge.name, first.unit, second.unit, cue, quote))

    def _cue(self, quote: str, *numbers: int) -> Span | None:
        """The words that say the link, in one of the sentences that it links."""
        for number in dict.fromkeys(numbers if quote else ()):
            try:
                places = self._sentences[number].find(quote)
            except MisalignedError:
                continue
            self._covered[number] += places
            return next(iter(self._sentences[number].spans(places)), None)
        if quote:
            self._lost_cues.setdefault(numbers[0], []).append(quote)
        return None

    def _later(self, *claims: int) -> int:
        """The later of the sentences of some claims; 0 if none of them is known."""
        return max((self._stands.get(number, 0) for number in claims), default=0)

    def _fail(
        self, sentence: int, unit: Unit, problem: Exception, record: Record, hides: bool = False
    ) -> None:
        reason: FailureReason = problem.reason if isinstance(problem, UnreadableError) else "parse"
        raw = json.dumps(record, ensure_ascii=False)[:MOST_RAW]
        self._flaws.append(Flaw(sentence, Failure(unit, reason, str(problem), raw), hides))


def _with_one_text(record: Record) -> Record:
    """A claim whose words are one text; models also give a list of the pieces."""
    given = record.get("words")
    if isinstance(given, list) and all(isinstance(each, str) for each in given):
        return {**record, "words": " ... ".join(given)}
    return record


def _numbers(value: object) -> list[int]:
    given = value if isinstance(value, list) else []
    return [each for each in given if isinstance(each, int) and not isinstance(each, bool)]
