"""Statements that can be checked, and how much of them some passages contain."""

import re
from collections.abc import Collection, Container
from dataclasses import dataclass

from assay.text.answers import is_bare_answer
from assay.text.mentions import find_mentions
from assay.text.talk import is_talk
from assay.text.words import content_words, terms

_INTERJECTION = re.compile(
    r"^\W*(?:(?:sure|certainly|of course|okay|thanks|thank you|hello|hi|yes|no)\b"
    r"(?! enough| to|-)\W*)+",
    re.IGNORECASE,
)
# A remark about the response itself, with or without brackets.
_COUNT = re.compile(
    r"\b(?:word|character|token)s? ?counts?[*_ ]{0,9}[:=][*_ ]{0,9}(?:about |~)?"
    r"\d[\d,]*(?: words| characters| tokens)?",
    re.IGNORECASE,
)
# Sentences that address the reader and state nothing, unless they contain a figure: offers,
# refusals, lead-ins with nothing after them, whatever ends in a colon, and questions.
_TALK = re.compile(
    r"^\W*(?:(?:please )?(?:let me know|feel free)\b"
    r"|i hope (?:this|that|it|the|my)(?: (?:short |brief |concise )?(?:answer|explanation|overview"
    r"|response|summary|version))? (?:helps?|answers|is|was|works|meets|gives|proves)\b"
    r"|(?:i ?['’]?a?m )?sorry\b"
    r"|i (?:can ?not|can['’]t|could not|couldn['’]t|am unable to|do not know|don['’]t know)\b"
    r"|(?:here|below|the following)(?: is| are|['’]s)\b(?>[^:]*?"
    r"\b(?:answer|breakdown|description|details|explanation|information|key|list|overview|points"
    r"|response|summary|version)\b)[^:]*+(?::\W*+)?$)",
    re.IGNORECASE,
)
# A heading: marked as one, entirely bold, or one of the usual words alone.
_HEADING = re.compile(
    r"#{1,6}\s.*|(\*\*|__).*\1"
    r"|(?:key |main |final )?(?:answer|background|conclusions?|details|highlights|introduction"
    r"|notes?|overview|points|response|summary|takeaways)",
    re.IGNORECASE,
)
# Words that lead to an address and say nothing about what is there.
_LEADING = frozenset(
    """a about additional also and at can check click complete consult details find for full further
    go here homepage in info information it its learn link more on online our out page please read
    refer see site source sources the their this to under url visit web website you""".split()
)
_WORD = re.compile(r"\w++")
_LONGEST_FENCE = 30  # with the name of a language
# Where a response says it has something from: addresses and the numbers of references.
_ADDRESS = re.compile(r"(?:https?://|www\.)\S++|\[\^?\d{1,3}\]")
_CITING = re.compile(
    r"\W*+(?:(?:citations?|links?|read more|references?|see(?: also)?|sources?)\b\W*+)?",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?…。！？؟][\"”’»)\]*_]*\s*$")
# Languages that capitalise every noun, so that a capital letter does not mark a name.
_CAPITAL_NOUNS = ("de", "lb")


def states_nothing(sentence: str, language: str = "en") -> bool:
    """True if a sentence merely addresses the reader, or is a heading, question, code or source.

    An answer that says nothing without its question, such as `It does not.`, states nothing either.

    >>> states_nothing("Sure, here is a summary of the article:")
    True
    >>> states_nothing("Sure, the ferry carried 312 people.")
    False
    """
    if is_no_prose(sentence) or is_bare_answer(sentence, language):
        return True
    sentence = _COUNT.sub(" ", sentence)
    rest = _INTERJECTION.sub("", sentence)
    if not terms(sentence, language) or not terms(rest):
        return True
    if any(mention.kind != "name" for mention in find_mentions(sentence)):
        return False
    is_heading = bool(_HEADING.fullmatch(sentence.strip())) and not _ENDS.search(sentence)
    addresses = bool(_TALK.match(rest)) or is_talk(sentence, language)
    return is_heading or addresses or _asks_or_announces(rest)


def why_nothing(sentence: str) -> str:
    """The reason for not checking a sentence that states nothing."""
    return (
        "It is code, which is not checked." if is_code(sentence) else "It states nothing to check."
    )


def is_no_prose(sentence: str) -> bool:
    """True if a sentence is code or only points to a source: it is in no language.

    >>> is_no_prose("[1] https://example.org"), is_no_prose("港は1986年に開港しました。")
    (True, False)
    """
    return is_code(sentence) or _only_points(sentence)


def is_code(sentence: str) -> bool:
    """True if a sentence is code between two fences, or a lone fence."""
    content = sentence.strip()
    fence = content[:3]
    if fence not in ("```", "~~~"):
        return False
    if "\n" in content:
        return content.rpartition("\n")[2].lstrip().startswith(fence)
    is_lone = len(content) < _LONGEST_FENCE and content.isascii() and " " not in content
    return is_lone or (content.endswith(fence) and content.count(fence) == 2)


def _only_points(sentence: str) -> bool:
    """True if a sentence only names addresses or references: `See https://a.org for more.`"""
    rest, addresses = _ADDRESS.subn(" ", sentence)
    if _CITING.fullmatch(rest):
        return True
    has_address = addresses > 0 and ("://" in sentence or "www." in sentence)
    return has_address and all(word in _LEADING for word in _WORD.findall(rest.lower()))


def _asks_or_announces(sentence: str) -> bool:
    """True if nothing but signs, among them a colon or question mark, follows the last word."""
    for sign in reversed(sentence):
        if sign in ":?：？؟":
            return True
        if sign.isalnum() or sign == "_":
            break
    return False


@dataclass(frozen=True, slots=True)
class Alignment:
    """The words and figures of a sentence, and those that were not found."""

    words: tuple[str, ...]
    figures: int
    missing_words: tuple[str, ...]
    missing_figures: tuple[str, ...]
    missing_names: tuple[str, ...]

    @property
    def missing(self) -> tuple[str, ...]:
        """Everything that was looked for and not found."""
        return (*self.missing_words, *self.missing_figures, *self.missing_names)

    @property
    def coverage(self) -> float:
        """The share of the content words that were found."""
        return 1 - len(self.missing_words) / len(self.words) if self.words else 0.0


def align(
    sentence: str, nearby: Collection[str], mentions: Container[str], language: str = "en"
) -> Alignment:
    """Looks for a sentence's content words among `nearby` stems, and for its names and figures.

    >>> align("Ada paid 12 euros.", {"paid", "euro"}, {"12"}).missing
    ('Ada',)
    """
    words = tuple(content_words(sentence, language))
    found = find_mentions(sentence)
    absent = [mention for mention in found if mention.key not in mentions]
    # A figure that the source writes differently (`five`, `5`) is not a missing word.
    known = {
        word
        for mention in found
        if mention.kind != "name" and mention.key in mentions
        for word, _ in content_words(sentence[mention.start : mention.end], language)
    }
    names = [m for m in absent if m.kind == "name" and language not in _CAPITAL_NOUNS]
    return Alignment(
        words=tuple(word for word, _ in words),
        figures=sum(mention.kind != "name" for mention in found),
        missing_words=tuple(w for w, term in words if term not in nearby and w not in known),
        missing_figures=tuple(sentence[m.start : m.end] for m in absent if m.kind != "name"),
        missing_names=tuple(sentence[m.start : m.end] for m in names),
    )
