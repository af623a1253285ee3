"""Whether what a model says is in a text comes from it: its words, names and figures tell."""

from collections.abc import Iterable
from functools import cached_property

from assay.text.mentions import find_mentions
from assay.text.statements import align
from assay.text.words import content_words, terms

LEAST_KNOWN = 0.5  # of a fact's content words; links and pronouns are put into words


class Vocabulary:
    """The content words, names and figures of some texts, ready to be looked up."""

    def __init__(self, texts: Iterable[str], language: str = "en") -> None:
        self._texts = list(texts)
        self._language = language
        self._terms = {term for text in self._texts for term in terms(text, language)}

    def lacks(self, fact: str) -> str:
        """What of a fact is not in the texts; empty if it comes from them.

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
        """Whether all content words are there, together or apart."""
        return self._terms.issuperset(terms(text, self._language))

    @cached_property
    def _mentions(self) -> set[str]:
        return {key for text in self._texts for found in find_mentions(text) for key in found.parts}
