"""Which words, names and figures of a sentence some passages do not contain, and where they are."""

from collections.abc import Iterator, Sequence

from assay.text.casing import with_capitals
from assay.text.mentions import find_mentions
from assay.text.statements import Alignment, align
from assay.text.words import placed_words, terms

Range = tuple[int, int]


def align_with(sentence: str, passages: Sequence[str], language: str = "en") -> Alignment:
    """What some passages have of a sentence's words, names and figures."""
    nearby = {term for passage in passages for term in terms(passage, language)}
    cased = (with_capitals(passage, sentence) for passage in passages)
    mentions = {key for text in cased for each in find_mentions(text) for key in each.parts}
    return align(sentence, nearby, mentions, language)


def find_absent(sentence: str, passages: Sequence[str], language: str = "en") -> list[Range]:
    """Where a sentence has words, names and figures that are in none of the passages.

    Ranges are in order and do not touch. That a word is absent says nothing of its meaning: the
    passages may say the same in other words.

    >>> find_absent("The lamp cost 60 euros.", ["A lamp costs 30 euros."])
    [(14, 16)]
    """
    aligned = align_with(sentence, passages, language)
    if not aligned.missing:
        return []
    missing = {*aligned.missing_figures, *aligned.missing_names}
    mentions = ((each.start, each.end) for each in find_mentions(sentence))
    ranges = [each for each in mentions if sentence[slice(*each)] in missing]
    absent = set(aligned.missing_words)
    ranges += [each for each in placed_words(sentence) if sentence[slice(*each)] in absent]
    return list(_merge(sorted(ranges)))


def _merge(ranges: Sequence[Range]) -> Iterator[Range]:
    """The ranges without overlaps."""
    begin, end = -1, -1
    for start, stop in ranges:
        if start > end:
            if end > begin:
                yield begin, end
            begin, end = start, stop
        end = max(end, stop)
    if end > begin:
        yield begin, end
