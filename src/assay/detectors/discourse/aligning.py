"""Where in its sentence a claim stands, and what of the sentence no claim covers.

A model takes a response apart; the program checks that it lost nothing and invented nothing.
"""

from collections.abc import Iterable
from functools import cached_property

from assay.core.spans import Span
from assay.core.units import Unit
from assay.detectors.judges.quoting import Quotable
from assay.text.discourse.cues import find_cues
from assay.text.mentions import find_mentions
from assay.text.words import FUNCTION_WORDS, content_words, terms, words

MOST_STRANGE = 0.5  # of a claim's content words may be other ones than the response's
MOST_SHOWN = 8  # words that no claim covers, in a note

Place = tuple[int, int]


class MisalignedError(Exception):
    """A claim or cue that does not stand where it is said to; the message says why."""


class Sentence:
    """A sentence of a response, numbered, that is searched for words."""

    def __init__(self, unit: Unit, number: int) -> None:
        self.unit = unit
        self.number = number
        # One that is not a single stretch of the response has claims without offsets.
        is_stretch = len(unit.spans) == 1 and unit.spans[0].text == unit.text
        self._base = unit.spans[0].start if is_stretch else None

    def find(self, quote: str) -> tuple[Place, ...]:
        """Where words stand in the sentence; raises if they do not."""
        if not quote.strip():
            raise MisalignedError(f"names no words of sentence {self.number}")
        found = self._quotable.find([quote])
        if found.missing or not found.spans:
            raise MisalignedError(f"“{_cut(quote)}” does not stand in sentence {self.number}")
        return tuple(sorted((span.start, span.end) for span in found.spans))

    def spans(self, places: Iterable[Place]) -> tuple[Span, ...]:
        """The places as spans of the response; none where the sentence has no offsets."""
        if self._base is None:
            return ()
        text, base = self.unit.text, self._base
        return tuple(Span("response", base + a, base + b, text[a:b]) for a, b in places)

    def uncovered(self, places: Iterable[Place]) -> str:
        """The content words at none of the places, connectives left out."""
        shown = list(self.unit.text)
        cues = [(cue.start, cue.end) for cue in find_cues(self.unit.text)]
        for start, end in (*places, *cues):
            shown[start:end] = " " * (end - start)
        rest = words("".join(shown))
        left = [each for each in rest if each.casefold() not in FUNCTION_WORDS and len(each) > 1]
        more = f" and {len(left) - MOST_SHOWN} more" if len(left) > MOST_SHOWN else ""
        return " ".join(left[:MOST_SHOWN]) + more

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
        found = list(content_words(claim))
        strange = [word for word, term in found if term not in self._terms]
        if len(strange) > MOST_STRANGE * len(found):
            raise MisalignedError(f"the response does not say: {', '.join(strange[:MOST_SHOWN])}")


def _cut(text: str, most: int = 60) -> str:
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
