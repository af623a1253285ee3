"""The words of a response that express its relations, where the model quotes them and where not."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.core.texts import Span
from assay.detectors.discourse.aligning import MisalignedError, Place, Sentence, subtract
from assay.detectors.discourse.unnamed import find_unnamed_cue


@dataclass(frozen=True, slots=True)
class WordsPlace:
    """A sentence by its number, 0 for one before these, and places in it."""

    number: int
    places: Sequence[Place]

    def holds(self, other: "WordsPlace") -> bool:
        """True if all of the other words are among these."""
        return self.number == other.number and not subtract(other.places, self.places)


class Cues:
    """Finds words in numbered sentences; those that it finds are `covered` from then on."""

    def __init__(
        self,
        sentences: Mapping[int, Sentence],
        covered: Mapping[int, list[Place]],
        language: str,
    ) -> None:
        self.lost: dict[str, list[str]] = {}  # quotes that are not there, by the id of a sentence
        self._sentences = sentences
        self._covered = covered
        self._is_english = language == "en"

    def quoted(self, quote: str, claims: Sequence[WordsPlace]) -> WordsPlace | None:
        """The words that are said to link two claims, in the sentence of one of them.

        Words that state a claim, all of it, do not say what it is linked with.
        """
        if not quote:
            return None
        numbers = sorted({claim.number for claim in claims if claim.number}, reverse=True)
        for number in numbers:
            try:
                found = WordsPlace(number, self._sentences[number].find(quote))
            except MisalignedError:
                continue
            return None if any(map(found.holds, claims)) else self._take(found)
        self.lost.setdefault(self._sentences[numbers[0]].unit.id, []).append(quote)
        return None

    def unnamed(self, relation: str, number: int, *, is_across: bool) -> WordsPlace | None:
        """A connective in a sentence for a relation that came without its words (English only)."""
        text, taken = self._sentences[number].unit.text, self._covered[number]
        place = find_unnamed_cue(text, relation, taken, is_across) if self._is_english else None
        return self._take(WordsPlace(number, (place,))) if place else None

    def words(self, found: WordsPlace) -> Span | str:
        """Words as a span of the response; as they are where their sentence has no offsets."""
        sentence = self._sentences[found.number]
        return next(iter(sentence.spans(found.places)), sentence.words(found.places))

    def _take(self, found: WordsPlace) -> WordsPlace:
        self._covered[found.number] += found.places
        return found
