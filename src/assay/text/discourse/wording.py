"""Clauses reworded as statements that can be checked alone, where a few words are enough."""

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
_NOUN = re.compile(r"\s+[^\W\d_]+s\b")  # as in: they were brave soldiers
_SPACE = re.compile(r"\s+")
_ARTICLE = re.compile(r"\b([Aa])n(?= [^aeiouAEIOU\W])|\b([Aa])(?= [aeiouAEIOU])")


def statement(sentence: str, piece: Clause, subject: str = "", joint: Joint | None = None) -> str:
    """A clause as a statement of its own; `subject` is the subject of the clause it depends on.

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
    """A text as a sentence, with an initial capital and a full stop."""
    said = text.strip().removeprefix("that ").rstrip(".")
    return f"{said[:1].upper()}{said[1:]}."


def has_verb(sentence: str, piece: Clause) -> bool:
    """Whether a clause has a verb; without one it is only a noun phrase."""
    return first_verb(words_of(sentence, piece.start, piece.end)) is not None


def subject_for(sentence: str, pieces: tuple[Clause, ...]) -> str:
    """The subject of the first clause that has one."""
    found = (subject_of(sentence, piece.start, piece.end) for piece in pieces)
    return next(filter(None, found), "")


def _lead(words: list[Word], subject: str, joint: Joint | None) -> str:
    """What must precede the words to make them a statement."""
    first = words[0].text
    verb = first_verb(words)
    if first in SUBJECTS:  # it has a subject, and a verb that our lists lack
        return ""
    if joint and subject and joint.use.relation == "purpose" and joint.use.words.endswith(" to"):
        return f"{subject} wanted to "
    if first.endswith("ing") and subject and verb is None and not first.endswith("thing"):
        return f"{subject} was "
    if verb is words[0] and subject and joint and joint.use.form == "between":
        return f"{subject} "
    return "There was " if verb is None else ""


def without(text: str, place: tuple[int, int]) -> str:
    """A sentence without an evaluative word; empty if it states nothing else.

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
    corrected = _ARTICLE.sub(lambda found: found[1] or f"{found[2]}n", rest)
    return as_statement(corrected.replace(" .", "."))
