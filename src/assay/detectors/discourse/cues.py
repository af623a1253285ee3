"""The words of a response that express its relations, where the model quotes them and where not."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.core.texts import Span
from assay.detectors.discourse.aligning import MisalignedError, Place, Sentence, blank, subtract
from assay.detectors.discourse.rules import FAMILIES
from assay.text.discourse.lexicon import find_cues, find_evaluation
from assay.text.discourse.speakers import find_speaker


def find_unnamed_scope(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> list[Place]:
    """The place of words in an English sentence that limit a claim, unless taken.

    >>> text = "If the levy passes, the library opens."
    >>> [text[a:b] for a, b in find_unnamed_scope(text, [(20, 37)], [(3, 18), (20, 37)])]
    ['If the levy passes, ']
    """
    return [*_speech(text, claim, taken), *_conditions(text, claim, taken)]


def find_unnamed_cue(
    text: str, relation: str, taken: Sequence[Place], is_across: bool
) -> Place | None:
    """The place of the words for a relation in an English sentence.

    That is a connective that is not taken: between sentences one that can open a sentence, inside
    one any. Who speaks and what judges are words of claims, and may be taken.

    >>> find_unnamed_cue("They left because it rained.", "cause", [(0, 9), (18, 27)], False)
    (10, 17)
    """
    if relation == "attribution":
        speaker = find_speaker(text)
        return _trimmed(text, *speaker.cue) if speaker else None
    if relation == "evaluation":
        return find_evaluation(text)
    family = FAMILIES.get(relation, frozenset((relation,)))
    for cue in find_cues(blank(text, taken)):
        uses = (use for use in cue.uses if use.form == "opening" or not is_across)
        if any(use.relation in family for use in uses):
            return cue.start, cue.end
    return None


def _speech(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> Iterator[Place]:
    """The words that report the claim, such as `Dr Lane said`."""
    speaker = find_speaker(text)
    if speaker is None:
        return
    (first, last), (start, end) = speaker.content, _trimmed(text, *speaker.cue)
    is_said = first <= claim[0][0] and claim[-1][1] <= last
    if is_said and text[start:end] == blank(text, taken)[start:end]:
        yield start, end


def _trimmed(text: str, start: int, end: int) -> Place:
    """A place without the punctuation around its words."""
    words = text[start:end].strip(" ,.")
    start = text.index(words, start)
    return start, start + len(words)


def _conditions(text: str, claim: Sequence[Place], taken: Sequence[Place]) -> Iterator[Place]:
    """From each `if` or `unless` to the claim, or to the end if the claim stands before it."""
    for cue in find_cues(blank(text, taken)):
        use = cue.use("clause")
        if use and use.relation == "condition" and use.is_firm:
            after = (start for start, _ in claim if start >= cue.end)
            yield cue.start, min(after, default=len(text))


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
