"""The changes that a correction makes, and explanations of several errors taken apart by them."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from math import sqrt

from assay.core.texts import Span
from assay.core.units import Unit
from assay.text.mentions import find_mentions
from assay.text.sentences import split_sentences
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


_WORD = re.compile(r"\w+(?:[’'.,-]\w+)*")
_CLAUSE_END = re.compile(r"(?<=;)\s")


def changed_spans(response: str, corrected: str) -> tuple[Span, ...]:
    """The spans of the response that the correction does not keep, compared word by word.

    >>> [span.text for span in changed_spans("Both were 39 then.", "They were 38 and 39 then.")]
    ['Both']
    """
    words = list(_WORD.finditer(response))
    before = [word[0].casefold() for word in words]
    after = [word.casefold() for word in _WORD.findall(corrected)]
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    return tuple(
        Span.cut(response, words[start].start(), words[end - 1].end(), "response")
        for kind, start, end, _, _ in matcher.get_opcodes()
        if kind in ("replace", "delete")
    )


def split_explanation(explained: Unit, language: str = "en") -> tuple[Unit, ...]:
    """The errors that an explanation tells apart, or the explanation itself where that is unsafe.

    Its spans are what the correction changes. A sentence, or a part of one that ends with a
    semicolon, is an error of its own if it names changes that no other part names; what names
    none belongs to the part before it. Where a change is named by no part, nobody but a person
    can tell what belongs together, and the explanation stays whole.

    >>> text = "Ada, 39, left Rome."
    >>> spans = changed_spans(text, "Ada left Oslo.")
    >>> whole = Unit("i1", "inconsistency", "Rome is wrong. It adds that she is 39.", spans)
    >>> [(each.text, each.spans[0].text) for each in split_explanation(whole)]
    [('Rome is wrong.', 'Rome'), ('It adds that she is 39.', '39')]
    """
    changes = [span for span in explained.spans if _content(span.text, language)]
    parts = list(_parts(explained.text, language))
    if len(changes) < 2 or len(parts) < 2:
        return (explained,)
    named = [_named(part, changes, language) for part in parts]
    if not set().union(*named).issuperset(range(len(changes))):
        return (explained,)
    groups = _grouped(parts, named)
    if len(groups) < 2:
        return (explained,)
    return tuple(
        Unit(
            f"{explained.id}.{number}",
            "inconsistency",
            " ".join(parts[part] for part in sorted(group)),
            tuple(changes[at] for at in sorted(set().union(*(named[part] for part in group)))),
            parent=explained.parent,
        )
        for number, group in enumerate(groups, 1)
    )


def _parts(explanation: str, language: str) -> Iterator[str]:
    for sentence in split_sentences(explanation, language=language):
        yield from filter(None, map(str.strip, _CLAUSE_END.split(sentence.text)))


def _named(part: str, changes: Sequence[Span], language: str) -> set[int]:
    """The changes of which a part has a content word that no other change has."""
    words = [_content(change.text, language) for change in changes]
    own = [each - set().union(*(other for other in words if other is not each)) for each in words]
    said = _content(part, language)
    return {at for at, each in enumerate(own) if each & said}


def _grouped(parts: Sequence[str], named: Sequence[set[int]]) -> list[list[int]]:
    """The parts that belong together: those that name a change in common, and what names none."""
    groups: list[list[int]] = []
    waiting: list[int] = []  # before the first part that names a change
    for part in range(len(parts)):
        same = [group for group in groups if any(named[part] & named[each] for each in group)]
        if same:
            same[0] += [part, *(each for group in same[1:] for each in group)]
            groups = [group for group in groups if group not in same[1:]]
        elif named[part]:
            groups.append([*waiting, part])
            waiting = []
        elif groups:
            next(group for group in groups if part - 1 in group).append(part)
        else:
            waiting.append(part)
    return groups


def _content(text: str, language: str) -> set[str]:
    return set(terms(text, language)) - REPORTING
