"""Clauses as statements that can be checked alone, where that takes no more than a few words."""

import re

from assay.text.discourse.clauses import (
    DETERMINERS,
    SUBJECTS,
    Clause,
    Joint,
    Word,
    first_verb,
    subject_of,
    words_of,
)

_DEGREE = re.compile(r"\b(?:very|highly|truly|really|so|most|more|quite|rather)\s+$", re.IGNORECASE)
_STATES = re.compile(r"\b(?:is|are|was|were|be|been|being|seem\w*|remain\w*)\s+$", re.IGNORECASE)
_NOUN = re.compile(r"\s+[^\W\d_]+s\b")  # they were brave soldiers
_SPACE = re.compile(r"\s+")
_ARTICLE = re.compile(r"\b([Aa])n(?= [^aeiouAEIOU\W])|\b([Aa])(?= [aeiouAEIOU])")


def statement(sentence: str, piece: Clause, subject: str = "", joint: Joint | None = None) -> str:
    """A piece in words of its own; `subject` is whom the clause that it hangs on is about.

    >>> statement("She retired after winning the race.", Clause(18, 34), "She")
    'She was winning the race.'
    >>> statement("It closed due to heavy rain.", Clause(17, 27), "It")
    'There was heavy rain.'
    """
    text = sentence[piece.start : piece.end]
    words = words_of(text)
    lead = _lead(words, subject, joint) if words else ""
    if not lead:
        return as_statement(text)
    rest = text[words[0].start :]
    begins_lower = words[0].text in DETERMINERS
    return as_statement(f"{lead}{rest[0].lower()}{rest[1:]}" if begins_lower else f"{lead}{rest}")


def as_statement(text: str) -> str:
    """A text as a sentence: with a capital at its beginning and a full stop at its end."""
    said = text.strip().removeprefix("that ").rstrip(".")
    return f"{said[:1].upper()}{said[1:]}."


def has_verb(sentence: str, piece: Clause) -> bool:
    """Whether a piece is a clause, and not only a thing."""
    return first_verb(words_of(sentence, piece.start, piece.end)) is not None


def subject_for(sentence: str, pieces: tuple[Clause, ...]) -> str:
    """The subject of the first piece that has one."""
    found = (subject_of(sentence, piece.start, piece.end) for piece in pieces)
    return next(filter(None, found), "")


def _lead(words: list[Word], subject: str, joint: Joint | None) -> str:
    """What must stand before words so that they are a statement."""
    first = words[0].text
    verb = first_verb(words)
    if first in SUBJECTS:  # it has a subject, and a verb that is not in our lists
        return ""
    if joint and subject and joint.use.relation == "purpose" and joint.use.words.endswith(" to"):
        return f"{subject} wanted to "
    if first.endswith("ing") and subject and verb is None and not first.endswith("thing"):
        return f"{subject} was "
    if verb is words[0] and subject and joint and joint.use.form == "between":
        return f"{subject} "
    return "There was " if verb is None else ""


def without(text: str, place: tuple[int, int]) -> str:
    """A sentence without a word that judges; empty where the word is all that it states.

    >>> without("It was an impressive bridge.", (10, 20))
    'It was a bridge.'
    >>> without("The bridge was impressive.", (15, 25))
    ''
    """
    start, end = place
    degree = _DEGREE.search(text[:start])
    start = degree.start() if degree else start
    if _STATES.search(text[:start]) and not _NOUN.match(text[end:]):
        return ""
    rest = _SPACE.sub(" ", f"{text[:start]} {text[end:]}").replace(" ,", ",").lstrip(" ,")
    mended = _ARTICLE.sub(lambda found: found[1] or f"{found[2]}n", rest)
    return as_statement(mended.replace(" .", "."))
