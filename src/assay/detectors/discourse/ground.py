"""A source as the rules of thumb see it: its sentences, their words, and how these are linked."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from assay.core.texts import Source, Span
from assay.text.discourse.clauses import Cut, cut_sentence
from assay.text.discourse.lexicon import plain, relations_shown
from assay.text.discourse.speakers import Speaker, find_speaker
from assay.text.evidence import split_passages
from assay.text.mentions import find_mentions
from assay.text.words import terms

_PRONOUN = re.compile(r"\W*(?:he|she|it|they)\b")


@dataclass(frozen=True, slots=True)
class Fault:
    """A discourse error as a rule of thumb sees it: labels, reason, and passages that show it."""

    label: Literal["fabricated", "contradicting"]
    error: str
    why: str
    evidence: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Located:
    """The sentence of a source with most of a claim's words, and its share of them."""

    place: int
    share: float


class GroundPassage:
    """A sentence of the source; what the rules want to know of it is found on demand."""

    def __init__(self, span: Span) -> None:
        self.span = span
        self.terms = frozenset(terms(span.text))

    @cached_property
    def relations(self) -> frozenset[str]:
        """The relations that its connectives may express."""
        return relations_shown(self.span.text)

    @cached_property
    def speaker(self) -> Speaker | None:
        """The speaker, if the sentence names one."""
        return find_speaker(self.span.text)

    @cached_property
    def is_about_another(self) -> bool:
        """True if its first word refers to the subject of the passage before."""
        return _PRONOUN.match(plain(self.span.text)) is not None

    @cached_property
    def cut(self) -> Cut:
        """Its clauses and what links them."""
        return cut_sentence(self.span.text)

    @cached_property
    def pieces(self) -> list[frozenset[str]]:
        """The words of each clause."""
        text = self.span.text
        return [frozenset(terms(text[each.start : each.end])) for each in self.cut.pieces]


class Ground:
    """The sentences of a source."""

    def __init__(self, source: Source) -> None:
        self.passages = [GroundPassage(span) for span in split_passages(source)]

    @cached_property
    def names(self) -> frozenset[str]:
        """The words of the names in it."""
        return frozenset(
            term
            for passage in self.passages
            for each in find_mentions(passage.span.text)
            if each.kind == "name"
            for term in terms(passage.span.text[each.start : each.end])
        )

    def has_any(self, words: Iterable[str]) -> bool:
        """True if some passage has one of the words."""
        return any(not passage.terms.isdisjoint(words) for passage in self.passages)

    def locate(self, claim: frozenset[str], near: int | None = None) -> Located | None:
        """The passage with most of a claim's words; of equally good ones the nearest to `near`."""
        shares = [share(claim, passage.terms) for passage in self.passages]
        most = max(shares, default=0.0)
        if not most:
            return None
        places = [place for place, each in enumerate(shares) if each == most]
        best = places[0] if near is None else min(places, key=lambda place: abs(place - near))
        return Located(best, most)

    def locate_both(
        self, first: frozenset[str], second: frozenset[str], least: float
    ) -> tuple[int, int] | None:
        """The passages of two claims, as close together as possible; None if one is missing."""
        one = self.locate(first)
        other = self.locate(second, one.place) if one else None
        if one is None or other is None or min(one.share, other.share) < least:
            return None
        again = self.locate(first, other.place) or one
        return again.place, other.place

    def spans(self, places: Sequence[int]) -> tuple[Span, ...]:
        """The sentences at some places, each once."""
        return tuple(self.passages[place].span for place in dict.fromkeys(places))


def share(words: frozenset[str], among: frozenset[str]) -> float:
    """The share of some words that are among others; 0 without words."""
    return len(words & among) / len(words) if words else 0.0
