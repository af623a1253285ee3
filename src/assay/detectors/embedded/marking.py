"""Marks on unsupported words of a sentence, from the word head's logits.

The word head gives every token of the response a logit. That of a word is the highest of its
tokens, because the last token of a name or a number knows the whole of it. Words from a calibrated
chance on are marked, and neighbours are one mark.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.texts import Span
from assay.core.units import Unit
from assay.detectors.embedded.calibration import log_odds
from assay.detectors.embedded.packing import Matrix
from assay.detectors.embedded.reading import SentenceRow
from assay.text.blocks import marker_end
from assay.text.quantities.restating import Restated
from assay.text.words import FUNCTION_WORDS

JOIN = 2
_WORD = re.compile(r"\S+")
_AROUND = "()[]{}<>\"'“”‘’«»„‚.,;:!?…*_`|–—-"

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Marker:
    """Marks words from the chance `cut` on; up to `join` function words between two go with them.

    >>> Marker.read({"cut": 0.4})
    Marker(cut=0.4, join=2)
    """

    cut: float
    join: int = JOIN

    @classmethod
    def read(cls, card: Mapping[str, Any]) -> "Marker":
        """The marker of a model's card; raises what a damaged one raises."""
        cut, join = float(card["cut"]), int(card.get("join", JOIN))
        if not (0 < cut < 1 and join >= 0):
            raise ValueError(f"no word can be marked by a cut of {cut} and a join of {join}")
        return cls(cut, join)

    def marks(
        self,
        unit: Unit,
        starts: NDArray[np.intp],
        logits: NDArray[np.float32],
        read: Restated | None = None,
    ) -> tuple[Span, ...]:
        """The marked words of a unit, in order, as places in the response.

        `starts` says where in its text each token starts, and last where the text ends; `logits`
        has one for each token. A unit in other words than the response has no marks. `read` is its
        text as it was read, if values of it are written in other forms there.
        """
        places = _Places.of(unit)
        if places is None:
            return ()
        read = read or Restated(unit.text)
        characters = original_logits(read, character_logits(read.text, starts, logits))
        return tuple(
            span
            for start, end in self.ranges(unit.text, characters)
            for span in places.spans(start, end)
        )

    def ranges(self, text: str, logits: NDArray[np.float32]) -> Iterator[Range]:
        """The marked parts of a text, of which each character has a logit."""
        words = list(_words(text))
        is_marked = [float(logits[a:b].max()) >= log_odds(self.cut) for a, b in words]
        self._bridge([text[a:b] for a, b in words], is_marked)
        for marked, group in groupby(zip(words, is_marked, strict=True), key=lambda each: each[1]):
            if marked:
                held = [place for place, _ in group]
                yield held[0][0], held[-1][1]

    def _bridge(self, words: Sequence[str], is_marked: list[bool]) -> None:
        """Marks the function words between two marked words that are few enough."""
        last = None
        for number in [at for at, marked in enumerate(is_marked) if marked]:
            if last is not None and number - last - 1 <= self.join:
                between = range(last + 1, number)
                if all(words[at].lower() in FUNCTION_WORDS for at in between):
                    is_marked[last:number] = [True] * (number - last)
            last = number


def character_logits(
    text: str, starts: NDArray[np.intp], logits: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The highest logit of the tokens that each character of a text belongs to."""
    found = np.full(len(text) + 1, -np.inf, dtype=np.float32)
    for start, end, logit in zip(starts[:-1], starts[1:], logits, strict=True):
        part = found[start : max(end, start + 1)]  # a token may be a part of a character
        np.maximum(part, logit, out=part)
    return found[: len(text)]


def original_logits(read: Restated, logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """The logits of a text's characters on those of its original; a changed value has one."""
    parts, at, shift = [], 0, 0  # from the original to the text
    for change in read.changes:
        first, width = change.start + shift, change.end - change.start
        last = first + len(change.written)
        parts += [logits[at + shift : first], np.repeat(logits[first:last].max(), width)]
        at, shift = change.end, shift + len(change.written) - width
    return np.concatenate([*parts, logits[at + shift :]])


def spans_in(unit: Unit, start: int, end: int) -> tuple[Span, ...]:
    """The places in the response of a range of a unit's text; none if it is in other words."""
    places = _Places.of(unit)
    return tuple(places.spans(start, end)) if places else ()


def token_logits(row: SentenceRow, words: Matrix) -> Iterator[tuple[int, NDArray[np.float32]]]:
    """The number of each sentence of a row, or piece of one, with the logits of its tokens."""
    first = start = row.row.source.stop + 1
    for number, mark in zip(row.sentences, row.row.marks.tolist(), strict=True):
        yield number, words[first - start : mark - start]
        first = mark + 1


@dataclass(frozen=True, slots=True)
class _Places:
    """The place in the response of each character of a unit's text that is no white space."""

    spans_of: Sequence[Span]
    at: Mapping[int, tuple[int, int]]  # the number of a span, and the place in its text

    @classmethod
    def of(cls, unit: Unit) -> "_Places | None":
        """The places of a unit, if its text is that of its spans but for white space."""
        held = [
            (number, place)
            for number, span in enumerate(unit.spans)
            for place, character in enumerate(span.text)
            if not character.isspace()
        ]
        solid = [n for n, character in enumerate(unit.text) if not character.isspace()]
        written = "".join(unit.spans[number].text[place] for number, place in held)
        if not solid or written != "".join(unit.text[n] for n in solid):
            return None
        return cls(unit.spans, dict(zip(solid, held, strict=True)))

    def spans(self, start: int, end: int) -> Iterator[Span]:
        """The spans of the response that a range of the text stands for."""
        held = (self.at[n] for n in range(start, end) if n in self.at)
        for number, group in groupby(held, key=lambda each: each[0]):
            places = [place for _, place in group]
            span = self.spans_of[number]
            first, last = places[0], places[-1] + 1
            text = span.text[first:last]
            yield Span(span.side, span.start + first, span.start + last, text)


def _words(text: str) -> Iterator[Range]:
    """The words of a text, without a list marker and without the punctuation around them."""
    for found in _WORD.finditer(text, marker_end(text)):
        word = found[0]
        end = found.start() + len(word.rstrip(_AROUND))
        start = found.end() - len(word.lstrip(_AROUND))
        if start < end:
            yield start, end
