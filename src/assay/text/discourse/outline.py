"""The claims of a response and the relations between them, found by rules."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.core.texts import Span
from assay.core.units import Unit, UnitKind, unit_id
from assay.text.blocks import marker_end
from assay.text.discourse.clauses import (
    DETERMINERS,
    SUBJECTS,
    Clause,
    ClauseWord,
    Cut,
    Joint,
    cut_sentence,
    first_verb,
    subject_of,
    words_of,
)
from assay.text.discourse.lexicon import Connective, Cue, find_evaluation
from assay.text.discourse.relations import relation_between
from assay.text.discourse.speakers import Speaker, find_speaker

_DEGREE = re.compile(r"\b(?:very|highly|truly|really|so|most|more|quite|rather)\s+$", re.IGNORECASE)
_STATES = re.compile(r"\b(?:is|are|was|were|be|been|being|seem\w*|remain\w*)\s+$", re.IGNORECASE)
_NOUN = re.compile(r"\s+[^\W\d_]+s\b")  # as in: they were brave soldiers
_SPACE = re.compile(r"\s+")
_ARTICLE = re.compile(r"\b([Aa])n(?= [^aeiouAEIOU\W])|\b([Aa])(?= [aeiouAEIOU])")


def statement(sentence: str, piece: Clause, subject: str = "", joint: Joint | None = None) -> str:
    """A clause as a statement of its own; `subject` is the subject of the clause it depends on.

    >>> statement("She retired after winning the race.", Clause(18, 34), "She")
    'She was winning the race.'
    >>> statement("It closed due to heavy rain.", Clause(17, 27), "It")
    'There was heavy rain.'
    """
    text = sentence[piece.start : piece.end]
    words = words_of(text)
    lead = _lead(words, subject, joint) if words else ""
    if not lead:
        return as_statement(text)
    rest = text[words[0].start :]
    begins_lower = words[0].text in DETERMINERS
    return as_statement(f"{lead}{rest[0].lower()}{rest[1:]}" if begins_lower else f"{lead}{rest}")


def as_statement(text: str) -> str:
    """A text as a sentence, with an initial capital and a full stop."""
    said = text.strip().removeprefix("that ").rstrip(".")
    return f"{said[:1].upper()}{said[1:]}."


def has_verb(sentence: str, piece: Clause) -> bool:
    """True if a clause has a verb; without one it is only a noun phrase."""
    return first_verb(words_of(sentence, piece.start, piece.end)) is not None


def subject_for(sentence: str, pieces: tuple[Clause, ...]) -> str:
    """The subject of the first clause that has one."""
    found = (subject_of(sentence, piece.start, piece.end) for piece in pieces)
    return next(filter(None, found), "")


def _lead(words: list[ClauseWord], subject: str, joint: Joint | None) -> str:
    """Words to put in front to make a statement."""
    first = words[0].text
    verb = first_verb(words)
    if first in SUBJECTS:  # it has a subject, and a verb that our lists lack
        return ""
    if joint and subject and joint.use.relation == "purpose" and joint.use.words.endswith(" to"):
        return f"{subject} wanted to "
    if first.endswith("ing") and subject and verb is None and not first.endswith("thing"):
        return f"{subject} was "
    if verb is words[0] and subject and joint and joint.use.form == "between":
        return f"{subject} "
    return "There was " if verb is None else ""


def without(text: str, place: tuple[int, int]) -> str:
    """A sentence without an evaluative word; empty if it states nothing else.

    >>> without("It was an impressive bridge.", (10, 20))
    'It was a bridge.'
    >>> without("The bridge was impressive.", (15, 25))
    ''
    """
    start, end = place
    degree = _DEGREE.search(text[:start])
    start = degree.start() if degree else start
    if _STATES.search(text[:start]) and not _NOUN.match(text[end:]):
        return ""
    rest = _SPACE.sub(" ", f"{text[:start]} {text[end:]}").replace(" ,", ",").lstrip(" ,")
    corrected = _ARTICLE.sub(lambda found: found[1] or f"{found[2]}n", rest)
    return as_statement(corrected.replace(" .", "."))


_POINTS_BACK = re.compile(r"(?:this|that)\s+(?:is|was|were|has|had|would|will)\b", re.IGNORECASE)
_EDGE = ' \t\n,;:.!?"“”’)('


@dataclass(frozen=True, slots=True)
class OutlineLink:
    """A relation of a sentence with the two units that it links.

    `use` is the connective that expresses it, if one does. `statement` says the link alone, or for
    an evaluation the claim without it; it is empty if the whole sentence says no more than that. A
    speaker or an evaluative word is a span, not a claim.
    """

    relation: Unit
    name: str
    first: Unit
    second: Unit
    use: Connective | None = None
    statement: str = ""
    joins_clauses: bool = True
    is_across: bool = False  # whether it links to an earlier sentence

    @property
    def is_firm(self) -> bool:
        """True if its words express this relation and no other."""
        return self.use is not None and self.use.is_firm


@dataclass(frozen=True, slots=True)
class Outline:
    """A sentence with its claims in order, and its relations."""

    sentence: Unit
    claims: tuple[Unit, ...]
    links: tuple[OutlineLink, ...] = ()
    main: int = 0  # the claim that the next sentence refers to


def outline(sentences: Sequence[Unit]) -> list[Outline]:
    """Each sentence with its claims and relations; one across sentences belongs to the later one.

    >>> [found] = outline([Unit("s1", "sentence", "They left because it rained.")])
    >>> [claim.text for claim in found.claims], found.links[0].relation.text
    (['They left.', 'It rained.'], 'cause: It rained → They left (“because”)')
    >>> [claim.id for claim in found.claims], found.links[0].relation.id
    (['s1.c1', 's1.c2'], 's1.r1')
    """
    found: list[Outline] = []
    for sentence in sentences:
        found.append(_Reader(sentence).read(found[-1] if found else None))
    return found


class _Reader:
    def __init__(self, sentence: Unit) -> None:
        self._unit = sentence
        self._text = sentence.text
        # The claims of a sentence that is not one range of the response have no places.
        is_stretch = len(sentence.spans) == 1 and sentence.spans[0].text == sentence.text
        self._base = sentence.spans[0].start if is_stretch else None
        self._relations = 0  # found so far
        self._spans = 0

    def read(self, before: Outline | None) -> Outline:
        speaker = find_speaker(self._text)
        start, end = speaker.content if speaker else (marker_end(self._text), len(self._text))
        cut = cut_sentence(self._text[:end], max(start, marker_end(self._text)))
        if not cut.pieces:
            return Outline(self._unit, (self._part("claim", 1, self._text, self._unit.spans),))
        claims = self._claims(cut, is_whole=speaker is None)
        links = [*self._inside(cut, claims), *self._said(speaker, claims)]
        if cut.opening and before:
            links.append(self._across(cut, before.claims[before.main], claims[0]))
        links += self._judged(cut, claims, before)
        return Outline(self._unit, claims, tuple(links), _main(cut))

    def _claims(self, cut: Cut, is_whole: bool) -> tuple[Unit, ...]:
        if len(cut.pieces) == 1 and is_whole and cut.opening is None:
            start = marker_end(self._text)
            places = self._places(start, len(self._text), edge=" \n\t")
            return (self._part("claim", 1, self._text[start:], places),)
        subject = subject_for(self._text, cut.pieces)
        own = {number: joint for joint in cut.joints for number in (joint.first, joint.second)}
        return tuple(
            self._part(
                "claim",
                number + 1,
                statement(self._text, piece, subject, _behind(piece, own.get(number))),
                self._places(piece.start, piece.end),
            )
            for number, piece in enumerate(cut.pieces)
        )

    def _inside(self, cut: Cut, claims: tuple[Unit, ...]) -> Iterator[OutlineLink]:
        for joint in cut.joints:
            first, second = cut.pieces[joint.first], cut.pieces[joint.second]
            start = min(first.start, second.start, joint.cue.start)
            composed = as_statement(self._text[start : max(first.end, second.end)])
            link = self._link(joint.use, claims[joint.first], claims[joint.second], joint.cue)
            yield replace(
                link,
                statement=composed if len(cut.joints) > 1 else "",
                joins_clauses=all(has_verb(self._text, each) for each in (first, second)),
            )

    def _said(self, speaker: Speaker | None, claims: tuple[Unit, ...]) -> Iterator[OutlineLink]:
        if speaker:
            who = self._span(*speaker.who)
            yield self._related("attribution", who, claims[0], self._place(*speaker.cue))

    def _across(self, cut: Cut, before: Unit, this: Unit) -> OutlineLink:
        assert cut.opening is not None
        cue, use = cut.opening
        ends = (before, this) if use.follows == "second" else (this, before)
        return replace(self._link(use, *ends, cue), is_across=True)

    def _judged(
        self, cut: Cut, claims: tuple[Unit, ...], before: Outline | None
    ) -> Iterator[OutlineLink]:
        """The first evaluative word, as an evaluation of the claim that contains it.

        In `This was a success` it evaluates what the previous sentence says.
        """
        found = find_evaluation(self._text)
        for piece, claim in zip(cut.pieces, claims, strict=True):
            if found and piece.start <= found[0] < piece.end:
                points_back = before and _POINTS_BACK.match(self._text[piece.start : piece.end])
                judged = before.claims[before.main] if before and points_back else claim
                word = self._span(*found)
                link = self._related("evaluation", judged, word, self._place(*found))
                yield replace(link, statement=without(self._text, found))

    def _link(self, use: Connective, first: Unit, second: Unit, cue: Cue) -> OutlineLink:
        """The relation that a connective expresses."""
        place = self._place(cue.start, cue.end) or use.words
        return replace(self._related(use.relation, first, second, place), use=use)

    def _related(self, name: str, first: Unit, second: Unit, cue: Span | str | None) -> OutlineLink:
        self._relations += 1
        number, parent = self._relations, self._unit.id
        relation = relation_between(name, first, second, cue or "", parent=parent, number=number)
        return OutlineLink(relation, name, first, second)

    def _span(self, start: int, end: int) -> Unit:
        """Words of the sentence that a relation links and that are not a claim."""
        self._spans += 1
        return self._part("span", self._spans, self._text[start:end], self._places(start, end))

    def _part(self, kind: UnitKind, number: int, text: str, spans: tuple[Span, ...]) -> Unit:
        parent = self._unit.id
        return Unit(unit_id(kind, number, parent), kind, text, spans, parent)

    def _places(self, start: int, end: int, edge: str = _EDGE) -> tuple[Span, ...]:
        place = self._place(start, end, edge)
        return (place,) if place else ()

    def _place(self, start: int, end: int, edge: str = _EDGE) -> Span | None:
        """The range of the response for a range of the sentence, without its edges."""
        text = self._text[start:end]
        start += len(text) - len(text.lstrip(edge))
        text = text.strip(edge)
        if self._base is None:
            return None
        return Span("response", self._base + start, self._base + start + len(text), text)


def _behind(piece: Clause, joint: Joint | None) -> Joint | None:
    """The joint, if its connective precedes this clause."""
    return joint if joint and joint.cue.end <= piece.start else None


def _main(cut: Cut) -> int:
    """The first clause that depends on no other."""
    hanging = {
        joint.first if joint.use.follows == "first" else joint.second
        for joint in cut.joints
        if joint.use.form in ("clause", "phrase")
    }
    return next((n for n in range(len(cut.pieces)) if n not in hanging), 0)
