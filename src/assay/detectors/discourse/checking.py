"""A decomposition checked against the response: what it lost, and what it invented.

What does not hold becomes a failure of its own: a claim whose words are not in its sentence or that
says something else, a relation to a missing claim, to itself, listed twice or in a circle.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from assay.core.judgements import Finding
from assay.core.texts import Span
from assay.core.units import Unit, UnitKind, unit_id
from assay.core.verdicts import Failure, FailureReason
from assay.detectors.discourse.aligning import (
    MOST_SHOWN,
    Lost,
    MisalignedError,
    Place,
    Sentence,
    Wording,
    shorten,
    subtract,
)
from assay.detectors.discourse.cues import Cues, WordsPlace, find_unnamed_scope
from assay.detectors.discourse.decomposition import (
    CLAIM,
    READ_RELATION,
    Decomposition,
    Edge,
    Flaw,
    Lists,
    Record,
    find_wrong,
    kind_of,
)
from assay.llm.replies.schemas import object_with, read_value
from assay.llm.replies.texts import UnreadableError
from assay.text.discourse.relations import relation_between

NO_SCOPE = frozenset(("", "none", "null", "n/a", "-", "fact", "no scope"))
MOST_RAW = 2_000  # characters of an entry that are kept with its failure


def check_decomposition(
    reply: Lists,
    sentences: Mapping[int, Unit],
    wording: Wording,
    language: str = "en",
    earlier: Mapping[int, Unit] | None = None,
) -> Decomposition:
    """Compare a reply with its sentences: the parts found there, and the others.

    `earlier` are claims of sentences before these, which relations may link to.
    """
    return _Checker(sentences, wording, language, earlier or {}).check(reply)


class _Checker:
    """Accepts or refuses the entries of a reply; numbers are those that the reply uses."""

    def __init__(
        self,
        sentences: Mapping[int, Unit],
        wording: Wording,
        language: str,
        earlier: Mapping[int, Unit],
    ) -> None:
        self._sentences = {n: Sentence(unit, n, language) for n, unit in sentences.items()}
        self._is_english = language == "en"
        self._wording = wording
        self._earlier = earlier
        self._claims: dict[int, Unit] = {}
        self._places_of: dict[str, Sequence[Place]] = {}  # the words of each claim, by its id
        self._scopes: dict[str, str] = {}
        self._scoped: dict[int, list[Place]] = {n: [] for n in sentences}
        self._doubled: set[int] = set()  # numbers that two claims have, so that they name neither
        self._homes: dict[int, int] = {}  # the sentence of each claim, also of an unusable one
        self._unsaid: set[str] = set()  # relations that no words express
        self._covered: dict[int, list[Place]] = {n: [] for n in sentences}
        self._cues = Cues(self._sentences, self._covered, language)
        self._flaws: list[Flaw] = []
        self._counts: Counter[tuple[UnitKind, str]] = Counter()  # units of a sentence so far

    def check(self, reply: Lists) -> Decomposition:
        for place, record in enumerate(reply["claims"], 1):
            self._claim(place, record)
        relations = tuple(self._relations(reply["relations"]))
        if self._is_english:
            self._add_unnamed_scopes()
        silent = (n for n in _numbers(reply.get("nothing")) if n in self._sentences)
        return Decomposition(
            sentences=tuple(each.unit for each in self._sentences.values()),
            claims=tuple(unit for n in self._sentences for unit in self._claims_of(n)),
            scopes=self._scopes,
            relations=relations,
            unsaid=frozenset(self._unsaid),
            flaws=tuple(self._flaws),
            lost=dict(self._lost()),
            lost_cues={id: tuple(quotes) for id, quotes in self._cues.lost.items()},
            silent=frozenset(self._sentences[n].unit.id for n in silent),
        )

    def _claims_of(self, sentence: int) -> list[Unit]:
        id = self._sentences[sentence].unit.id
        return [unit for unit in self._claims.values() if unit.parent == id]

    def _lost(self) -> Iterator[tuple[str, Lost]]:
        """The lost words of each sentence with claims; a sentence without any fails anyway."""
        for number, sentence in self._sentences.items():
            said = [unit.text for unit in self._claims_of(number)]
            if said:
                lost = sentence.lost(self._covered[number], said, self._scoped[number])
                yield sentence.unit.id, lost

    def _claim(self, place: int, record: Record) -> None:
        """Accepts one claim, or records why it cannot be used."""
        said = record.get("claim")
        shown = " ".join(said.split()) if isinstance(said, str) else ""
        number = 0
        try:
            entry = read_value(_with_texts(record), object_with(**CLAIM["properties"]))
            number = entry["sentence"] if entry["sentence"] in self._sentences else 0
            self._homes[entry["number"]] = max(number, self._homes.get(entry["number"], 0))
            places = self._places(entry, shown)
            scope, scoped = self._scope(entry, places)
            spans = self._sentences[number].spans(places)
            if entry["number"] in self._claims or entry["number"] in self._earlier:
                self._doubled.add(entry["number"])
                raise MisalignedError(f"two claims have the number {entry['number']}")
            if any((each.text, each.spans) == (shown, spans) for each in self._claims_of(number)):
                raise MisalignedError("it is listed twice")
        except (UnreadableError, MisalignedError) as problem:
            self._fail(number, "claim", f"{place}: {shown}", problem, record)
            return
        claim = self._unit("claim", shown, number, spans)
        self._claims[entry["number"]] = claim
        self._places_of[claim.id] = places
        self._covered[number] += places
        self._scoped[number] += scoped
        if scope:
            self._scopes[claim.id] = scope

    def _places(self, entry: Record, claim: str) -> tuple[Place, ...]:
        """The places of a claim's words; raises if the claim cannot be used."""
        number = entry["sentence"]
        if number not in self._sentences:
            raise MisalignedError(f"there is no sentence {number} to take apart")
        if not claim:
            raise MisalignedError("it says nothing")
        places = self._sentences[number].find(entry["words"])
        self._wording.check(claim)
        return places

    def _scope(self, entry: Record, own: Sequence[Place]) -> tuple[str, Sequence[Place]]:
        """The words that limit a claim, without its own, and where they are.

        A scope in other words than the sentence's has no place; they must be the response's.
        """
        scope, sentence = entry["scope"], self._sentences[entry["sentence"]]
        if scope.lower().strip(".") in NO_SCOPE:
            return "", ()
        try:
            places = subtract(sentence.find(scope), own)
        except MisalignedError:
            if strange := self._wording.strange(scope):
                raise MisalignedError(
                    f"its scope “{shorten(scope, 60)}” says what the response does not:"
                    f" {', '.join(strange[:MOST_SHOWN])}"
                ) from None
            return scope, ()
        return sentence.words(places), places

    def _add_unnamed_scopes(self) -> None:
        """Add speakers and conditions to claims for which the reply names none.

        Words that a claim, a relation or the scope of another claim covers are not missing, unless
        the claim is itself a part of that scope.
        """
        for number, sentence in self._sentences.items():
            scopes = tuple(self._scoped[number])
            for claim in self._claims_of(number):
                if claim.id in self._scopes:
                    continue
                own = self._places_of[claim.id]
                others = (each for each in scopes if not _is_inside(own, each))
                taken = (*self._covered[number], *others)
                if places := find_unnamed_scope(sentence.unit.text, own, taken):
                    self._scopes[claim.id] = sentence.words(places)
                    self._scoped[number] += places

    def _relations(self, records: Sequence[Record]) -> Iterator[Unit]:
        edges: dict[int, Edge] = {}
        cues: dict[int, str] = {}
        for place, record in enumerate(records, 1):
            try:
                entry = read_value(_with_cue(record), READ_RELATION)
            except UnreadableError as problem:
                ends = _numbers([record.get("first"), record.get("second")])
                self._fail(self._later(*ends), "relation", str(place), problem, record, hides=True)
                continue
            edges[place] = Edge(kind_of(entry["name"]), entry["first"], entry["second"])
            cues[place] = entry["cue"].strip()
        usable = (self._claims.keys() | self._earlier.keys()) - self._doubled
        wrong = find_wrong(edges, usable, self._earlier)
        sound = {place: edge for place, edge in edges.items() if place not in wrong}
        # Words that are quoted first, so that they are taken before any is looked for.
        quoted = {
            place: self._cues.quoted(
                cues[place], [self._place_of(each) for each in self._ends(edge)]
            )
            for place, edge in sound.items()
        }
        for place, edge in edges.items():
            if place not in wrong:
                yield self._relation(edge, quoted[place])
                continue
            why, later = MisalignedError(wrong[place].why), self._later(edge.first, edge.second)
            hides = wrong[place].hides_link and later > 0
            self._fail(later, "relation", f"{place}: {edge}", why, records[place - 1], hides)

    def _relation(self, edge: Edge, quoted: WordsPlace | None) -> Unit:
        first, second = self._ends(edge)
        earlier, later = sorted((self._number_of(first), self._number_of(second)))
        cue = quoted or self._cues.unnamed(edge.name, later, is_across=earlier != later)
        parent = self._sentences[later].unit.id
        number = self._count("relation", parent)
        words = self._cues.words(cue) if cue else ""
        unit = relation_between(edge.name, first, second, words, parent=parent, number=number)
        if cue is None:
            self._unsaid.add(unit.id)
        return unit

    def _ends(self, edge: Edge) -> tuple[Unit, Unit]:
        claims = {**self._earlier, **self._claims}
        return claims[edge.first], claims[edge.second]

    def _place_of(self, claim: Unit) -> WordsPlace:
        return WordsPlace(self._number_of(claim), self._places_of.get(claim.id, ()))

    def _number_of(self, claim: Unit) -> int:
        """The number of the sentence that a claim is in; 0 for one before those asked about."""
        own = (n for n, each in self._sentences.items() if each.unit.id == claim.parent)
        return next(own, 0)

    def _later(self, *claims: int) -> int:
        """The later of the sentences of some claims; 0 if none of them is known."""
        return max((self._homes.get(number, 0) for number in claims), default=0)

    def _fail(
        self,
        sentence: int,
        kind: UnitKind,
        text: str,
        problem: Exception,
        record: Record,
        hides: bool = False,
    ) -> None:
        unit = self._unit(kind, f"{kind} {text}".rstrip(": "), sentence or max(self._sentences))
        reason: FailureReason = problem.reason if isinstance(problem, UnreadableError) else "parse"
        raw = json.dumps(record, ensure_ascii=False)[:MOST_RAW]
        finding = Finding(unit, Failure(unit.id, reason, str(problem), raw))
        self._flaws.append(Flaw(finding, hides, is_stray=not sentence))

    def _unit(self, kind: UnitKind, text: str, sentence: int, spans: tuple[Span, ...] = ()) -> Unit:
        parent = self._sentences[sentence].unit.id
        return Unit(unit_id(kind, self._count(kind, parent), parent), kind, text, spans, parent)

    def _count(self, kind: UnitKind, parent: str) -> int:
        """The number of the next unit of a kind in a sentence."""
        self._counts[kind, parent] += 1
        return self._counts[kind, parent]


def _is_inside(places: Sequence[Place], other: Place) -> bool:
    return other[0] <= places[0][0] and places[-1][1] <= other[1]


def _with_texts(record: Record) -> Record:
    """A claim whose words and scope are one text each; models also give a list of the pieces.

    A reply need not name a scope.
    """
    texts = {"scope": record.get("scope") or "", "words": record.get("words")}
    for name, given in texts.items():
        if isinstance(given, list) and all(isinstance(each, str) for each in given):
            texts[name] = " ... ".join(given)
    shown = {name: " ".join(each.split()) for name, each in texts.items() if isinstance(each, str)}
    return {**record, **texts, **shown}


def _with_cue(record: Record) -> Record:
    """A relation with the words that say it; a reply need not name any."""
    return {"cue": "", **{name: value for name, value in record.items() if value is not None}}


def _numbers(value: object) -> list[int]:
    given = value if isinstance(value, list) else []
    return [each for each in given if isinstance(each, int) and not isinstance(each, bool)]
