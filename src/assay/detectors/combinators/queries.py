"""Search queries: a sentence, and the names that it only hints at."""

import re
from collections import Counter

from assay.core.examples import Example
from assay.core.units import Unit
from assay.text.mentions import find_mentions

MOST_NAMES = 2  # that are added to a sentence
# Words that stand for somebody or something named before.
_STANDING_IN = re.compile(
    r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|theirs|this|these|those|who|whose"
    r"|the (?:company|city|club|country|firm|group|man|team|town|woman|two|pair|former|latter))\b",
    re.IGNORECASE,
)
# An "it" that stands for nothing: the weather, the time, or what a clause behind it says.
_EXPLETIVE = re.compile(
    r"\bit(?:['’]s\b|\s(?:has|had|have|is|was|be|been|will|would|may|might|could|often|also))*\s"
    r"(?:(?:rain|snow|hail|pour|drizzl|thunder|freez|froz)\w*"
    r"|(?:seem|appear|happen|follow|turn)(?:s|ed)?\b(?!\sinto)|(?:takes?|took)\b[^.]{1,40}?\sto\b"
    r"|(?:cold|warm|hot|dark|late|early|sunny|windy|noon|midnight|time|\d{1,2}(?::\d\d)?)\b"
    r"|(?:un)?(?:clear|likely|known|certain|usual|said|reported|believed|thought|expected|estimated"
    r"|possible|impossible|true|important|necessary|hard|easy|difficult)\s(?:that|to|whether|how"
    r"|when|where|who|why)\b)",
    re.IGNORECASE,
)
_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers|the (?:man|woman))\b", re.IGNORECASE)
_AFTER_ARTICLE = re.compile(r"\b[Tt]he(?:\s[A-Z][\w’'-]*)+")
_FIRST_WORD = re.compile(r"\W*([^\W\d_][\w’'-]*)")


def search_query(unit: Unit, example: Example) -> str:
    """The words of a unit, with whom or what its pronouns stand for and names in full.

    A name comes from the response before the unit, or else from the source, where it is the one
    that the source names most.
    """
    own = find_mentions(unit.text)
    named = [mention.key for mention in own if mention.kind == "name"]
    before = example.response.text[: unit.start or 0]
    known = _names(before) + _names(example.source.own_text)
    named += _opening(unit.text, known)
    added = [_longest(key, known) for key in named]
    has_none = not named and not _EXPLETIVE.search(unit.text)
    if has_none or _STANDING_IN.search(_EXPLETIVE.sub("", unit.text)):
        added += _meant(unit.text, before, example.source.own_text, named)
    missing = [name for name in dict.fromkeys(added) if name.casefold() not in unit.text.casefold()]
    return " ".join((unit.text.strip(), *missing[:MOST_NAMES]))


def _opening(text: str, known: list[str]) -> list[str]:
    """The first word of a sentence, if it is part of a name; its capital alone tells nothing."""
    found = _FIRST_WORD.match(text)
    word = found[1].replace("’", "'").removesuffix("'s") if found else ""
    is_known = word[:1].isupper() and any(word in name.split() for name in known)
    return [word.casefold()] if is_known else []


def _meant(sentence: str, before: str, source: str, named: list[str]) -> list[str]:
    """The name that comes last before the sentence, or the one that the source names most.

    A person has no article: `he` in `Nicklaus won the Masters. He ...` is not the Masters.
    """
    if _PERSON.search(sentence):
        before, source = (_AFTER_ARTICLE.sub("the", text) for text in (before, source))
    last = [*_opening(before, _names(source)), *_names(before)][::-1]
    by_frequency = [name for name, _ in Counter(_names(source)).most_common()]
    for name in (*last, *by_frequency):
        if name.casefold() not in named:
            return [_longest(name.casefold(), _names(before) + _names(source))]
    return []


def _names(text: str) -> list[str]:
    found = (mention for mention in find_mentions(text) if mention.kind == "name")
    return [text[mention.start : mention.end] for mention in found]


def _longest(key: str, known: list[str]) -> str:
    """The fullest form of a name: the longest that has all its words, or else itself."""
    words = set(key.split())
    fuller = [name for name in known if words <= set(name.casefold().split())]
    return max(fuller, key=len, default=key)
