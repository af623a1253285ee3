"""Conflicts between a sentence and a passage that their words show.

A conflict is only named where both sides of it stand there, in the same place between the same
words: two days, two amounts, two opposite words, or a negation that only one of them has. Where a
denial, a clock or an abbreviation may make two of them say the same, none is named. Which of many
differences matters is not guessed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

from assay.text.casing import with_capitals
from assay.text.mentions import find_mentions
from assay.text.rivals import as_rival, rivals
from assay.text.sentences import split_sentences
from assay.text.words import FUNCTION_WORDS, placed_words, terms, words

LONGEST = 60  # characters of either side
_LEAST_SHARED = 0.5  # of the content words, for both to be about the same thing
_NEAR = 2  # content words on each side of what differs that make its place
_NEAREST = 200  # characters on each side in which they stand
_MOST = 40  # of what may differ: in longer texts nothing is in one place
_NEGATIONS = frozenset(
    """no not never none neither nor nobody nothing nowhere cannot without ain't aren't can't
    couldn't didn't doesn't don't hadn't hasn't haven't isn't mustn't needn't shouldn't wasn't
    weren't won't wouldn't""".split()
)
# Words that turn a statement round or limit it, so that a difference may say the same.
_TURNING = frozenset(
    """barely except hardly instead just lack lacked lacks less only rarely rather scarcely seldom
    than unless unlikely until""".split()
)
_PREPOSITIONS = frozenset(
    """about above after at before below between by during for from in into of off on over per
    since through to under until up with within without""".split()
)
_CLOCK = re.compile(r"\d{1,2}:\d\d")
_HALF_A_DAY = 12
_SIGNS_BEFORE, _SIGNS_AFTER = "$€£¥-−+", "%€°‰"
_CLAUSES = re.compile(r"[;\n]")


@dataclass(frozen=True, slots=True)
class Conflict:
    """The source's words in the place of the response's; either may be a negation."""

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
    cased = [with_capitals(passage, sentence) for passage in passages]
    own = _Statement(sentence, language)
    known, said = _Known.of(cased), _Known.of([sentence])
    for theirs in (_Statement(part, language) for text in cased for part in _parts(text, language)):
        if own.is_about(theirs) and (found := _differing(own, theirs, known, said)):
            return found
    return next(filter(None, (_negation(own, _Statement(text, language)) for text in cased)), None)


@dataclass(frozen=True, slots=True)
class _Said:
    """A word, name, figure or date that may differ; `kind` is shared by those that it excludes."""

    kind: str
    key: str
    start: int
    end: int


class _Place(NamedTuple):
    """The words around a place."""

    before: list[str]
    after: list[str]
    preposition: str
    noun: str


class _Statement:
    """A sentence or a part of a passage, with what may differ in it."""

    def __init__(self, text: str, language: str) -> None:
        self.text, self.language = text, language
        self.words = words(text)
        self.negations = [word for word in self.words if _folded(word) in _NEGATIONS]
        # The content words, whether it states or denies them.
        self.stated = [word for word in self._terms(text) if word not in _NEGATIONS]

    @cached_property
    def matter(self) -> set[str]:
        """The content words but for those of names, figures and dates, which may differ."""
        return {*self._terms(_without_mentions(self.text))} - _NEGATIONS

    def is_about(self, other: "_Statement") -> bool:
        """True if the other has enough of the words that say what it is about."""
        shared = self.matter & set(other.stated)
        return bool(shared) and len(shared) >= _LEAST_SHARED * len(self.matter)

    def is_plain(self, but_for: "_Said") -> bool:
        """True if nothing denies or limits it, except the word that differs itself."""
        rest = self.text[: but_for.start] + " " + self.text[but_for.end :]
        return not any(_folded(word) in _NEGATIONS | _TURNING for word in words(rest))

    def all_said(self) -> Iterator[_Said]:
        """Candidates for conflicts: mentions, and words that exclude others, such as days."""
        for mention in find_mentions(self.text):
            parts = mention.key.split()
            if mention.kind != "name" or not any(as_rival(each.capitalize()) for each in parts):
                yield _Said(mention.kind, mention.key, mention.start, mention.end)
        for start, end in placed_words(self.text):
            if key := as_rival(self.text[start:end]):
                yield _Said("word", key, start, end)

    def place_of(self, said: _Said, names: bool = True) -> _Place:
        """The content words around, nearest first, the preposition before, the noun after.

        Names among them may be left out.
        """
        before = self.text[max(0, said.start - _NEAREST) : said.start]
        after = self.text[said.end : said.end + _NEAREST]
        if not names:
            before, after = (_without_mentions(text, ("name",)) for text in (before, after))
        last, first = (
            _folded(each[0]) if each else "" for each in (words(before)[-1:], words(after)[:1])
        )
        is_noun = said.kind == "number" and first not in FUNCTION_WORDS
        return _Place(
            self._terms(before)[::-1][:_NEAR],
            self._terms(after)[:_NEAR],
            last if last in _PREPOSITIONS else "",
            "".join(self._terms(first)[:1]) if is_noun else "",
        )

    def shown(self, said: _Said) -> str:
        """A mention as written: an amount with its sign, a time with its minutes."""
        start, end = said.start, said.end
        if said.kind == "number":
            start, end = self.clock(said) or (start, end)
            start -= self.text[:start].endswith(tuple("$€£¥"))
            end += self.text[end:].startswith(tuple(_SIGNS_AFTER))
        return " ".join(self.text[start:end].split())[:LONGEST].rstrip(".")

    def clock(self, said: _Said) -> tuple[int, int] | None:
        """The range of the time that a number is a part of."""
        around = _CLOCK.finditer(self.text, max(0, said.start - 6), said.end + 6)
        return next((m.span() for m in around if m.start() <= said.start < m.end()), None)

    def signs(self, said: _Said) -> tuple[str, str]:
        """The signs right before and after a number that belong to it, or the letter after it."""
        before, after = self.text[: said.start][-1:], self.text[said.end :].lstrip(" ")[:1]
        is_joined = self.text[said.end : said.end + 1].isalpha()
        return (
            before if before and before in _SIGNS_BEFORE else "",
            after if is_joined or (after and after in _SIGNS_AFTER) else "",
        )

    def _terms(self, text: str) -> list[str]:
        return terms(text, self.language)


@dataclass(frozen=True, slots=True)
class _Known:
    """Names and figures anywhere in some texts."""

    mentions: frozenset[str]
    words: frozenset[str]
    rivals: frozenset[str]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "_Known":
        mentions = (key for text in texts for each in find_mentions(text) for key in each.parts)
        written = [word for text in texts for word in words(text)]
        return cls(
            frozenset(mentions),
            frozenset(map(_folded, written)),
            frozenset(filter(None, map(as_rival, written))),
        )

    def has(self, said: _Said) -> bool:
        """True if it is there; of a name, whether any word of it is."""
        if said.kind == "word":
            return said.key in self.rivals
        if said.kind == "name":
            return not self.words.isdisjoint(said.key.split())
        return said.key in self.mentions


def _differing(own: _Statement, theirs: _Statement, known: _Known, said: _Known) -> Conflict | None:
    """The first of what the sentence says for which the passage has just one other in its place.

    Opposite words are named only if there is one pair of them: two may say the same.
    """
    others = [each for each in theirs.all_said() if not said.has(each)]
    if len(others) > _MOST:
        return None
    found: dict[bool, list[Conflict]] = {True: [], False: []}
    for each in islice(own.all_said(), _MOST):
        if known.has(each) or not own.is_plain(each):
            continue
        held = [other for other in others if _excludes(own, each, theirs, other)]
        if len(held) == 1 and theirs.is_plain(held[0]):
            is_word = each.kind == "word"
            found[is_word].append(Conflict(theirs.shown(held[0]), own.shown(each)))
    if found[False]:
        return found[False][0]
    return found[True][0] if len(found[True]) == 1 else None


def _excludes(own: _Statement, ours: _Said, theirs: _Statement, other: _Said) -> bool:
    """True if the other cannot be said in the place of ours, and is."""
    place = own.place_of(ours)
    # The passage may name more than the sentence does, never something else.
    fits = (_fits(place, theirs.place_of(other, names)) for names in (True, False))
    if ours.kind != other.kind or not any(fits):
        return False
    if ours.kind == "word":
        return other.key in rivals()[ours.key]
    if ours.kind == "name":
        return not (
            _is_short(own.shown(ours)) or _is_short(theirs.shown(other)) or _alike(ours, other)
        )
    if ours.kind == "date":
        return True
    is_clock = own.clock(ours) is not None
    if is_clock != (theirs.clock(other) is not None) or own.signs(ours) != theirs.signs(other):
        return False
    is_part_of_word = own.signs(ours)[1].isalpha()  # as in: the 1990s
    return not is_part_of_word and not _half_a_day_apart(ours, other)


def _fits(one: _Place, other: _Place) -> bool:
    """True if two places are one: the words around agree as far as both sides have some."""
    pairs = [
        *zip(one.before, other.before, strict=False),
        *zip(one.after, other.after, strict=False),
    ]
    return one[2:] == other[2:] and bool(pairs) and all(a == b for a, b in pairs)


def _half_a_day_apart(one: _Said, other: _Said) -> bool:
    """True if two hours may be the same on a clock of twelve hours."""
    hours = (one.key, other.key)
    if not all(hour.isdigit() and len(hour) <= 2 for hour in hours):
        return False
    first, second = map(int, hours)
    return abs(first - second) == _HALF_A_DAY and max(first, second) <= 2 * _HALF_A_DAY


def _is_short(name: str) -> bool:
    """True if a name may stand for a longer one: NASA, U.S."""
    letters = name.replace(".", "").replace(" ", "")
    return letters.isupper()


def _alike(one: _Said, other: _Said) -> bool:
    """True if a word of one name begins one of the other: Corp and Corporation, a plural."""
    return any(
        longer.startswith(shorter)
        for ours in one.key.split()
        for theirs in other.key.split()
        for shorter, longer in [sorted((ours, theirs), key=len)]
    )


def _negation(own: _Statement, theirs: _Statement) -> Conflict | None:
    """A negation on one side only, where all else is the same and nothing limits it."""
    if len(own.negations) + len(theirs.negations) != 1 or own.stated != theirs.stated:
        return None
    if _TURNING & {_folded(word) for word in (*own.words, *theirs.words)}:
        return None
    if own.negations:
        return Conflict(response=own.negations[0])
    return Conflict(source=theirs.negations[0])


def _parts(passage: str, language: str) -> Iterator[str]:
    """The sentences of a passage, and of these what a semicolon divides."""
    for sentence in split_sentences(passage, "source", language):
        yield from filter(str.strip, _CLAUSES.split(sentence.text))


def _without_mentions(text: str, kinds: Sequence[str] = ("name", "number", "date")) -> str:
    """A text without its names, figures and dates."""
    end, kept = 0, []
    for mention in find_mentions(text):
        if mention.kind in kinds:
            kept.append(text[end : mention.start])
            end = mention.end
    return " ".join((*kept, text[end:]))


def _folded(word: str) -> str:
    return word.casefold().replace("’", "'")
