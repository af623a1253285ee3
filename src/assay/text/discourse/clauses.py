"""Sentences cut into clauses where a connective links them.

The rules look at connectives, commas and word forms; there is no parser. Where a rule is not sure
that both sides are clauses, the sentence is not cut.
"""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from assay.text.discourse.lexicon import Connective, Cue, find_cues, finite_verbs, plain

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
NOT_BEFORE_VERB = frozenset(
    "a an the this that these those his her its their our my your of in on at by with for from no"
    " some any each every to".split()
)
_LONGEST_SUBJECT = 10  # words
SUBJECTS = frozenset(
    "i you he she it we they this that these those there who which nobody everyone someone".split()
)
DETERMINERS = frozenset(
    "a an the his her its their our my your some many most all no one another other each".split()
)
_EDGE = ' \t\n,;:—–-…"“”()*_.!?'
_ASKS = frozenset("ask asks asked wonder wonders wondered know knows knew see unsure sure".split())
# After these, a connective begins an insertion.
_OPEN = frozenset("that and or but who which".split())
# Followed by `but also`, which is no contrast.
_ONLY = re.compile(r"\bnot (?:only|just|merely|simply)\b")
_COMMA = re.compile(r",\s")
_FEWEST = 2  # words in a clause
_NEAR = 6  # words within which a clause after `but` must have its verb
_LONGEST = 2_000  # characters; anything longer is a list or not a sentence, and is not cut


@dataclass(frozen=True, slots=True)
class ClauseWord:
    """A word as the lists spell it, with its place."""

    text: str
    start: int
    end: int


def words_of(text: str, start: int = 0, end: int | None = None) -> list[ClauseWord]:
    """The words of a range of a text."""
    low = plain(text)
    found = _WORD.finditer(low, start, len(text) if end is None else end)
    return [ClauseWord(each[0], *each.span()) for each in found]


def first_verb(words: list[ClauseWord]) -> ClauseWord | None:
    """The first word that can be a predicate; `the injured man` has none."""
    before = ""
    for word in words:
        if before not in NOT_BEFORE_VERB and is_verb(word.text):
            return word
        before = word.text
    return None


def is_verb(word: str) -> bool:
    """True if a word can be a predicate, as far as its form tells."""
    return word in finite_verbs() or (len(word) > 4 and word.endswith("ed"))


def subject_of(text: str, start: int, end: int) -> str:
    """The words before the first verb of a clause; empty if they are not a short subject."""
    words = words_of(text, start, end)
    verb = first_verb(words)
    if verb is None or verb is words[0]:
        return ""
    subject = text[words[0].start : verb.start].strip(" ,\t\n")
    return subject if len(subject.split()) <= _LONGEST_SUBJECT and "," not in subject else ""


def opens_clause(words: list[ClauseWord], text: str) -> bool:
    """True if words begin with a subject of their own, soon followed by a verb."""
    verb = first_verb(words[:_LONGEST_SUBJECT])
    if len(words) < 2 or verb is None or verb is words[0]:
        return False
    first = words[0]
    is_name = text[first.start].isupper() or text[first.start].isdigit()
    return is_name or first.text in SUBJECTS or first.text in DETERMINERS


@dataclass(frozen=True, slots=True)
class Clause:
    """The place of a clause in its sentence, without the connective before it."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Joint:
    """The numbers of two clauses, in the order of their relation, and their connective."""

    cue: Cue
    use: Connective
    first: int
    second: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A sentence in pieces; `opening` is the connective to the previous sentence, if any."""

    pieces: tuple[Clause, ...]
    joints: tuple[Joint, ...] = ()
    opening: tuple[Cue, Connective] | None = None


def cut_sentence(sentence: str, start: int = 0) -> Cut:
    """The clauses of a sentence from `start` onwards; at least one, unless there is no word.

    >>> cut = cut_sentence("Although it rained, they left because the bus was due.")
    >>> [(joint.use.relation, joint.first, joint.second) for joint in cut.joints]
    [('concession', 0, 1), ('cause', 2, 1)]
    """
    return _Cutter(sentence, start).cut()


class _Cutter:
    def __init__(self, sentence: str, start: int) -> None:
        self._text = sentence
        self._all_words = words_of(sentence, start)
        cues = find_cues(sentence) if len(sentence) <= _LONGEST else []
        self._cues = [cue for cue in cues if cue.start >= start]
        self._cursor = start
        self._pieces: list[Clause] = []
        self._joints: list[Joint] = []
        self._waiting: tuple[Cue, Connective, int, bool] | None = None
        self._main = 0  # the last clause that does not depend on another

    def cut(self) -> Cut:
        opening = self._opening()
        for cue in self._cues:
            if cue.start >= self._cursor:
                if not self._words(self._cursor, cue.start):
                    self._lead(cue)
                else:
                    self._divide(cue)
        self._close(len(self._text))
        return Cut(tuple(self._pieces), tuple(self._joints), opening)

    def _opening(self) -> tuple[Cue, Connective] | None:
        """A connective at the very beginning that links the sentence to the previous one."""
        if not self._cues or self._words(self._cursor, self._cues[0].start):
            return None
        cue = self._cues[0]
        use = cue.use("opening")
        if use is None or len(self._words(cue.end, len(self._text))) < _FEWEST:
            return None
        self._cursor = cue.end
        return cue, use

    def _lead(self, cue: Cue) -> None:
        """`If A, B`: the clause up to the comma, if what follows it is a clause."""
        use = cue.use("clause", "phrase")
        if use is None:
            return
        fewest = _FEWEST if use.form == "clause" else 1
        for comma in _COMMA.finditer(self._text, cue.end):
            rest = self._words(comma.end(), len(self._text))
            enough = len(self._words(cue.end, comma.start())) >= fewest
            if enough and len(rest) >= _FEWEST and first_verb(rest[1:]):
                self._add(cue.end, comma.start())
                self._cursor = comma.end()
                self._waiting = (cue, use, len(self._pieces) - 1, True)
                return

    def _divide(self, cue: Cue) -> None:
        """`A because B`: cuts at the connective, if both sides can stand alone."""
        use = cue.use("clause", "phrase", "between", "verb")
        if use is None:
            return
        left = self._words(self._cursor, cue.start)
        right = self._words(cue.end, len(self._text))
        if _divides(use, left, right, self._text):
            self._close(cue.start)
            self._cursor = cue.end
            other = self._main if use.form == "between" else len(self._pieces) - 1
            self._waiting = (cue, use, other, False)

    def _close(self, end: int) -> None:
        """Ends the current clause, and links it to the one that waits for it."""
        if not self._words(self._cursor, end):
            return
        self._add(self._cursor, end)
        this = len(self._pieces) - 1
        if not self._waiting:
            self._main = this
        else:
            cue, use, other, leads = self._waiting
            if leads or use.form == "between":
                self._main = this
            behind, away = (other, this) if leads else (this, other)
            ends = (behind, away) if use.follows == "first" else (away, behind)
            self._joints.append(Joint(cue, use, *ends))
            self._waiting = None

    def _add(self, start: int, end: int) -> None:
        inner = self._text[start:end]
        start += len(inner) - len(inner.lstrip(_EDGE))
        self._pieces.append(Clause(start, start + len(inner.strip(_EDGE))))

    def _words(self, start: int, end: int) -> list[ClauseWord]:
        first = bisect_left(self._all_words, start, key=lambda word: word.start)
        return self._all_words[
            first : bisect_right(self._all_words, end, key=lambda word: word.end)
        ]


def _divides(use: Connective, left: list[ClauseWord], right: list[ClauseWord], text: str) -> bool:
    """True if a connective within a sentence has a clause before it and enough words after it."""
    if not left or not right or left[-1].text in _OPEN:
        return False
    if use.words == "but" and _ONLY.search(plain(text[left[0].start : left[-1].end])):
        return False
    verb = first_verb(left)
    after_comma = text[left[-1].end : right[0].start].lstrip().startswith((",", ";"))
    if use.form == "verb":
        return len(left) <= 12 and (verb is None or verb is left[-1])
    if verb is None or len(left) < _FEWEST:
        return False
    if use.form == "phrase":
        return True
    if use.form == "clause":
        if use.words == "if" and left[-1].text in _ASKS:
            return False
        if not use.is_firm:
            return opens_clause(right, text)
        may_be_noun = use.relation == "temporal"  # as in: after the race
        return len(right) >= _FEWEST and (may_be_noun or first_verb(right) is not None)
    if use.relation == "attribution":
        return after_comma and (right[0].text == "that" or opens_clause(right, text))
    if use.words in ("which", "who"):
        return after_comma and is_verb(right[0].text)
    if use.words in ("and", "so"):
        return after_comma and opens_clause(right, text)
    has_verb = first_verb(right[:_NEAR]) is not None
    return has_verb and (after_comma or use.words != "yet")  # as in: has not yet replied
