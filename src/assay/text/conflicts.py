"""What a passage says otherwise than a sentence, where that can be seen in their words.

A conflict is only named where both sides of it stand there: two days, two amounts, two opposite
words, or a negation that only one of them has. Which of many differences matters is not guessed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.text.casing import with_capitals
from assay.text.mentions import Mention, find_mentions
from assay.text.words import FUNCTION_WORDS, terms, words

LONGEST = 60  # characters of either side
_LEAST_SHARED = 0.5  # of the content words, for both to be about the same thing
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_MONTHS = "january february march april may june july august september october november december"
_NO_MONTHS = ("may", "march")  # without a capital
_SERIES = (
    _DAYS,
    _MONTHS,
    "spring summer autumn winter",
    "north south east west",
    "northern southern eastern western",
    "morning afternoon evening night",
    "daily weekly monthly yearly",
    "red orange yellow green blue purple black white",
)
_OPPOSITES = """
    increase decrease, increased decreased, increases decreases, rise fall, rose fell, rises
    falls, rising falling, grew shrank, gained lost, win lose, won lost, wins loses, before
    after, above below, more less, more fewer, most least, higher lower, highest lowest, largest
    smallest, larger smaller, longer shorter, better worse, best worst, first last, always
    never, all none, allowed forbidden, allowed prohibited, permitted prohibited, accept reject,
    accepted rejected, approved rejected, approved denied, include exclude, included excluded,
    includes excludes, open closed, opened closed, opens closes, required optional, mandatory
    optional, with without, true false, start end, started ended, arrive leave, arrived left,
    bought sold, early late, earlier later, minimum maximum, success failure, succeeded failed,
    passed failed, present absent, public private, raised lowered, raise lower, safe unsafe,
    agree disagree, agreed disagreed, possible impossible, enable disable, enabled disabled,
    confirmed denied"""
_NEGATIONS = frozenset(
    """no not never none neither nor nobody nothing cannot without aren't can't couldn't didn't
    doesn't don't hadn't hasn't haven't isn't mustn't shouldn't wasn't weren't won't
    wouldn't""".split()
)

_TIME = re.compile(r"\d{1,2}:\d\d")

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Conflict:
    """What the source says in the place of what the response says; either may be a negation."""

    source: str = ""
    response: str = ""

    def __str__(self) -> str:
        if not self.response:
            return f"The source has a negation here, “{self.source}”, that the response lacks."
        if not self.source:
            return f"The response has a negation here, “{self.response}”, that the source lacks."
        return f"The source says {self.source} where the response says {self.response}."


def find_conflict(sentence: str, passages: Sequence[str], language: str = "en") -> Conflict | None:
    """The plainest conflict of a sentence with the first passage that shows one.

    >>> str(find_conflict("The shop opens on Wednesday.", ["The shop opens on Monday."]))
    'The source says Monday where the response says Wednesday.'
    """
    own, plain = _stated(sentence, language), _stated(_without_mentions(sentence), language)
    for passage in passages:
        cased = with_capitals(passage, sentence)
        theirs = _stated(cased, language)
        if not plain & theirs or len(plain & theirs) < _LEAST_SHARED * len(plain):
            continue
        for find in (_series, _mentions, _opposites):
            if found := find(sentence, cased):
                return found
        if own == theirs and (found := _negation(sentence, cased)):
            return found
    return None


def _stated(text: str, language: str) -> set[str]:
    """The content words of a text, whether it states or denies them."""
    return {term for term in terms(text, language) if term not in _NEGATIONS}


def _without_mentions(text: str) -> str:
    """A text without its names, figures and dates, which may be what differs."""
    end, kept = 0, []
    for mention in find_mentions(text):
        kept.append(text[end : mention.start])
        end = mention.end
    return " ".join((*kept, text[end:]))


def _series(sentence: str, passage: str) -> Conflict | None:
    """Two members of a series, such as days, of which each side has another one."""
    ours, theirs = (
        {word: said for word, said in _by_folded(text).items() if said not in _NO_MONTHS}
        for text in (sentence, passage)
    )
    for series in map(str.split, _SERIES):
        here = [word for word in series if word in ours and word not in theirs]
        there = [word for word in series if word in theirs and word not in ours]
        if len(here) == len(there) == 1:
            return Conflict(theirs[there[0]], ours[here[0]])
    return None


def _mentions(sentence: str, passage: str) -> Conflict | None:
    """Two figures, dates or names that only differ between the two, in the same place."""
    ours, theirs = find_mentions(sentence), find_mentions(passage)
    known = {key for each in theirs for key in each.parts}
    said = {key for each in ours for key in each.parts}
    for mention in ours:
        if mention.key in known:
            continue
        others = [each for each in theirs if each.kind == mention.kind and not _is_in(each, said)]
        own = _around(sentence, mention)
        near = [each for each in others if _fits(own, _around(passage, each))]
        if len(near) == 1:
            return _conflict(passage, near[0], sentence, mention)
    return None


def _is_in(mention: Mention, said: set[str]) -> bool:
    """Whether a mention was made; of a date the year alone is another one."""
    return mention.key in said if mention.kind == "date" else bool(mention.parts & said)


def _opposites(sentence: str, passage: str) -> Conflict | None:
    ours, theirs = _by_folded(sentence), _by_folded(passage)
    for pair in _OPPOSITES.split(","):
        for one, other in (pair.split(), pair.split()[::-1]):
            if one in ours and other in theirs and one not in theirs and other not in ours:
                return Conflict(theirs[other], ours[one])
    return None


def _negation(sentence: str, passage: str) -> Conflict | None:
    """A negation on one side only, where all else is the same."""
    ours, theirs = (
        [word for word in words(text) if _folded(word) in _NEGATIONS]
        for text in (sentence, passage)
    )
    if len(ours) + len(theirs) != 1:
        return None
    return Conflict(response=ours[0]) if ours else Conflict(source=theirs[0])


def _around(text: str, mention: Mention) -> tuple[str, str]:
    """The words before and after a mention."""
    before, after = words(text[: mention.start]), words(text[mention.end :])
    return (
        _folded(before[-1]) if before else "",
        terms(after[0])[0] if after and terms(after[0]) else _folded(after[0]) if after else "",
    )


def _fits(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two mentions stand in the same place: between alike words, or before the same noun.

    A word that stands before everything, such as `the`, does not make a place.
    """
    if one == other:
        return True
    is_same_noun = one[1] == other[1] and one[1] not in FUNCTION_WORDS and one[1] != ""
    return is_same_noun or (one[0] == other[0] != "" and one[0] not in ("the", "a", "an", "and"))


def _conflict(passage: str, theirs: Mention, sentence: str, ours: Mention) -> Conflict:
    return Conflict(*(_shown(text, each) for text, each in ((passage, theirs), (sentence, ours))))


def _shown(text: str, mention: Mention) -> str:
    """The mention as it is written: an amount with its sign, a time with hours and minutes."""
    start, end = mention.start, mention.end
    if mention.kind == "number":
        start, end = _whole(text, start, end)
        start -= text[:start].endswith(("$", "€", "£"))
        end += text[end:].startswith("%")
    return " ".join(text[start:end].split())[:LONGEST]


def _whole(text: str, start: int, end: int) -> Range:
    """The range of a number, or of the time of which it is a part."""
    around = (match.span() for match in _TIME.finditer(text, max(0, start - 6), end + 6))
    return next((each for each in around if each[0] <= start and end <= each[1]), (start, end))


def _by_folded(text: str) -> dict[str, str]:
    return {_folded(word): word for word in words(text)}


def _folded(word: str) -> str:
    return word.casefold().replace("’", "'")
