"""How alike two descriptions of errors are, by their content words and figures."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from math import sqrt

from assay.text.mentions import find_mentions
from assay.text.words import terms

FIGURE_WEIGHT = 2.0  # a number or date says more than a word
# What descriptions of errors are made of, whatever the error is; compared by their stems.
_REPORTING = """
    summary source text document article passage response answer original generative aigc generated
    mention state say claim specify describe information info fact statement inconsistent
    inconsistency error incorrect wrong correct true false not no never explicitly clear clearly
    support supported unsupported actually instead rather add imply infer include report according
    word sentence hallucination hallucinated detail provide context appear know knowledge model llm
    evident subtle conflict high low intro introduction new baseless
"""
REPORTING = frozenset(terms(_REPORTING)) | frozenset(terms("said known"))


class Wordings:
    """Descriptions compared in view of a response: what it often says tells errors apart least."""

    def __init__(self, response: str, language: str = "en") -> None:
        self._language = language
        self._common = Counter(terms(response, language))

    def similarity(self, first: str, second: str) -> float:
        """From 0, nothing in common, to 1, the same words.

        Shared weight / square root of the product of both weights. A word weighs 1 / the number of
        times that the response has it, and words of reporting weigh nothing.

        >>> wordings = Wordings("Ada left Rome.")
        >>> round(wordings.similarity("It was not Rome.", "Ada left Oslo instead of Rome."), 3)
        0.5
        """
        one, other = self._weights(first), self._weights(second)
        shared = sum(weight for key, weight in one.items() if key in other)
        return shared / sqrt(sum(one.values()) * sum(other.values())) if shared else 0.0

    def _weights(self, text: str) -> dict[str, float]:
        keys = _keys(text, self._language)
        return {key: weight / max(self._common[key], 1) for key, weight in keys.items()}


@lru_cache(maxsize=4096)  # a description is compared with many others
def _keys(text: str, language: str) -> Mapping[str, float]:
    """The content words and figures of a description, with their weights."""
    words = (word for word in terms(text, language) if word not in REPORTING)
    figures = (mention.key for mention in find_mentions(text) if mention.kind != "name")
    return {**dict.fromkeys(words, 1.0), **dict.fromkeys(figures, FIGURE_WEIGHT)}
