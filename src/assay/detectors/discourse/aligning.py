"""Claims located in their sentence, and the words of the sentence that no claim covers.

A model takes a response apart; the program checks that it lost nothing and invented nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from assay.core.texts import Span
from assay.core.units import Unit
from assay.detectors.discourse.scopes import SCOPING
from assay.detectors.judges.quoting import Quotable
from assay.text.discourse.lexicon import Cue, find_cues
from assay.text.mentions import find_mentions
from assay.text.words import content_words, terms

MOST_STRANGE = 0.5  # of a claim's content words may differ from the response's
MOST_SHOWN = 8  # words that no claim covers, in a note
FEWEST_LOST = 2  # words; a single one may be an oversight
MOST_LOST = 0.25  # of a sentence's content words
MOST_LOST_ELSEWHERE = 0.5  # in a language whose function words we do not know

Place = tuple[int, int]


class MisalignedError(Exception):
    """A claim or cue that is not where it is said to be; the message says why."""


@dataclass(frozen=True, slots=True)
class Lost:
    """Words of a sentence in no claim, and its connectives in no relation."""

    words: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    is_much: bool = False

    def __str__(self) -> str:
        more = len(self.words) - MOST_SHOWN
        shown = " ".join(self.words[:MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
        said = (f"No claim covers: {shown}." if self.words else "",)
        links = ", ".join(f"“{link}”" for link in self.links)
        return " ".join(filter(None, (*said, f"No relation covers: {links}." if links else "")))


class Sentence:
    """A sentence of a response, numbered, that is searched for words."""

    def __init__(self, unit: Unit, number: int, language: str = "en") -> None:
        self.unit = unit
        self.number = number
        self._language = language
        # A sentence that is not a single stretch of the response has claims without offsets.
        is_stretch = len(unit.spans) == 1 and unit.spans[0].text == unit.text
        self._base = unit.spans[0].start if is_stretch else None

    def find(self, quote: str) -> tuple[Place, ...]:
        """The places of words in the sentence; raises if they are not there."""
        if not quote.strip():
            raise MisalignedError(f"it quotes no words of sentence {self.number}")
        found = self._quotable.find([quote])
        if found.missing or not found.spans:
            raise MisalignedError(f"“{shorten(quote, 60)}” is not in sentence {self.number}")
        return tuple(sorted((span.start, span.end) for span in found.spans))

    def spans(self, places: Iterable[Place]) -> tuple[Span, ...]:
        """The places as spans of the response; none where the sentence has no offsets."""
        if self._base is None:
            return ()
        text, base = self.unit.text, self._base
        return tuple(Span("response", base + a, base + b, text[a:b]) for a, b in places)

    def words(self, places: Iterable[Place]) -> str:
        """The words at some places, without the punctuation around them."""
        pieces = (" ".join(self.unit.text[a:b].split()).strip(" ,;:.") for a, b in places)
        return " ... ".join(filter(None, pieces))

    def lost(
        self, places: Iterable[Place], claims: Iterable[str], scopes: Sequence[Place] = ()
    ) -> Lost:
        """Words at none of the places and, reworded, in none of the claims.

        The words of a scope are checked with its claim, and so are the conditions and aims in it;
        a cause or a contrast in it is a relation all the same.
        """
        text, is_english = self.unit.text, self._language == "en"
        rest = blank(text, places)
        found = [cue for cue in find_cues(rest) if _links(cue)] if is_english else []
        cues = [cue for cue in found if not _limits(cue, scopes)]
        rest = blank(rest, (*scopes, *((cue.start, cue.end) for cue in cues)))
        said = {stem for claim in claims for stem in terms(claim, self._language)}
        words = [word for word, stem in content_words(rest, self._language) if stem not in said]
        most = MOST_LOST if is_english else MOST_LOST_ELSEWHERE
        is_much = len(words) >= max(FEWEST_LOST, most * len(terms(text, self._language)))
        links = tuple(text[cue.start : cue.end] for cue in cues if _is_firm(cue))
        return Lost(tuple(words if is_english or is_much else ()), links, is_much)

    @cached_property
    def _quotable(self) -> Quotable:
        return Quotable(self.unit.text)


class Wording:
    """The words of a response and its question, to tell what a claim adds to them."""

    def __init__(self, *texts: str) -> None:
        self._terms = {term for text in texts for term in terms(text)}
        self._mentions = {
            key for text in texts for each in find_mentions(text) for key in each.parts
        }

    def check(self, claim: str) -> None:
        """Raises if a claim has a figure, or mostly words, that the response does not have."""
        figures = [each for each in find_mentions(claim) if each.kind != "name"]
        for figure in figures:
            said = claim[figure.start : figure.end]
            if figure.key not in self._mentions and said.casefold() not in self._terms:
                raise MisalignedError(f"it says {said}, and the response does not")
        if strange := self.strange(claim):
            raise MisalignedError(f"the response does not say: {', '.join(strange[:MOST_SHOWN])}")

    def strange(self, text: str) -> list[str]:
        """The words that the response does not have, if they are most of a text."""
        found = list(content_words(text))
        strange = [word for word, term in found if term not in self._terms]
        return strange if len(strange) > MOST_STRANGE * len(found) else []


def subtract(places: Iterable[Place], others: Sequence[Place]) -> list[Place]:
    """The parts of some places that lie in none of the others.

    >>> subtract([(0, 10)], [(2, 4)])
    [(0, 2), (4, 10)]
    """
    rest = list(places)
    for start, end in others:
        cut = [((a, min(b, start)), (max(a, end), b)) for a, b in rest]
        rest = [each for pair in cut for each in pair if each[0] < each[1]]
    return rest


def blank(text: str, places: Iterable[Place]) -> str:
    """The text with blanks at some places."""
    shown = list(text)
    for start, end in places:
        shown[start:end] = " " * (end - start)
    return "".join(shown)


def _links(cue: Cue) -> bool:
    """True if a connective can link two claims; a mere sign, such as `forced`, cannot."""
    return cue.use("clause", "phrase", "between", "opening", "verb") is not None


def _limits(cue: Cue, scopes: Iterable[Place]) -> bool:
    """True if a connective is part of a scope, and says no more than a scope does."""
    is_inside = any(start <= cue.start and cue.end <= end for start, end in scopes)
    return is_inside and any(use.relation in SCOPING for use in cue.uses)


def _is_firm(cue: Cue) -> bool:
    """True if it links claims of its own sentence, and says what link that is."""
    use = cue.use("clause", "phrase", "between", "verb")
    return use is not None and use.is_firm


def shorten(text: str, most: int = 160) -> str:
    """A text on one line, cut where it is longer than that."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
