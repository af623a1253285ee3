"""Words of a clause: which is its verb, what stands before it as its subject."""

import re
from dataclasses import dataclass

from assay.text.discourse.lexicon import finite_verbs, plain

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


@dataclass(frozen=True, slots=True)
class Word:
    """A word as the lists spell it, and its place."""

    text: str
    start: int
    end: int


def words_of(text: str, start: int = 0, end: int | None = None) -> list[Word]:
    """The words of a range of a text."""
    low = plain(text)
    found = _WORD.finditer(low, start, len(text) if end is None else end)
    return [Word(each[0], *each.span()) for each in found]


def first_verb(words: list[Word]) -> Word | None:
    """The first word that can be a predicate; `the injured man` has none."""
    before = ""
    for word in words:
        if before not in NOT_BEFORE_VERB and is_verb(word.text):
            return word
        before = word.text
    return None


def is_verb(word: str) -> bool:
    """Whether a word can be a predicate, as far as its form tells."""
    return word in finite_verbs() or (len(word) > 4 and word.endswith("ed"))


def subject_of(text: str, start: int, end: int) -> str:
    """What stands before the first verb of a clause; empty if that is no short subject."""
    words = words_of(text, start, end)
    verb = first_verb(words)
    if verb is None or verb is words[0]:
        return ""
    subject = text[words[0].start : verb.start].strip(" ,\t\n")
    return subject if len(subject.split()) <= _LONGEST_SUBJECT and "," not in subject else ""


def opens_clause(words: list[Word], text: str) -> bool:
    """Whether words begin with a subject of their own and have a verb soon behind it."""
    verb = first_verb(words[:_LONGEST_SUBJECT])
    if len(words) < 2 or verb is None or verb is words[0]:
        return False
    first = words[0]
    is_name = text[first.start].isupper() or text[first.start].isdigit()
    return is_name or first.text in SUBJECTS or first.text in DETERMINERS
