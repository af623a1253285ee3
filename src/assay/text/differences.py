"""Words, names and figures of a sentence that some passages do not contain."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from assay.text.casing import with_capitals
from assay.text.mentions import find_mentions
from assay.text.statements import Alignment, align
from assay.text.words import content_words, placed_words, terms

LEAST_KNOWN = 0.5  # of a fact's content words; links and pronouns are put into words


class Vocabulary:
    """The content words, names and figures of some texts, ready to be looked up."""

    def __init__(self, texts: Iterable[str], language: str = "en") -> None:
        self._texts = list(texts)
        self._language = language
        self._terms = {term for text in self._texts for term in terms(text, language)}

    def lacks(self, fact: str) -> str:
        """The words of a fact that are not in the texts; empty if it comes from them.

        >>> Vocabulary(["Ada Lovelace was born in London."]).lacks("Ada was born in 1852.")
        "'1852'"
        """
        words = list(content_words(fact, self._language))
        missing = [word for word, term in words if term not in self._terms]
        if words and not missing:
            return ""
        strange = self.lacks_figures(fact)
        if strange or len(missing) <= (1 - LEAST_KNOWN) * len(words) > 0:
            return strange
        return ", ".join(map(repr, missing[:5])) or "any content word of it"

    def lacks_figures(self, fact: str) -> str:
        """The first name, number or date of a fact that is not in the texts; empty if all are."""
        if self._has_words_of(fact):
            return ""
        found = align(fact, self._terms, self._mentions, self._language)
        for figure in (*found.missing_figures, *found.missing_names):
            keys = {mention.key for mention in find_mentions(figure)}
            if not (self._has_words_of(figure) or (keys and keys <= self._terms)):
                return repr(figure)
        return ""

    def _has_words_of(self, text: str) -> bool:
        """True if all content words are there, together or apart."""
        return self._terms.issuperset(terms(text, self._language))

    @cached_property
    def _mentions(self) -> set[str]:
        return {key for text in self._texts for found in find_mentions(text) for key in found.parts}


Range = tuple[int, int]


def align_with(sentence: str, passages: Sequence[str], language: str = "en") -> Alignment:
    """Align a sentence's words, names and figures with some passages."""
    nearby = {term for passage in passages for term in terms(passage, language)}
    cased = (with_capitals(passage, sentence, language) for passage in passages)
    mentions = {key for text in cased for each in find_mentions(text) for key in each.parts}
    return align(sentence, nearby, mentions, language)


def find_absent(sentence: str, passages: Sequence[str], language: str = "en") -> list[Range]:
    """The places of words, names and figures that are in none of the passages.

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
