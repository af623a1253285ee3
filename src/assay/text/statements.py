"""Whether a sentence states anything that a source could support or deny."""

import re

from assay.text.mentions import find_mentions
from assay.text.words import terms

_INTERJECTION = re.compile(
    r"^\W*(?:(?:sure|certainly|of course|okay|thanks|thank you|hello|hi|yes|no)\b"
    r"(?! enough| to|-)\W*)+",
    re.IGNORECASE,
)
# What talks to the reader and states nothing, unless there is a figure in it: offers, refusals,
# lead-ins with nothing behind them, whatever ends in a colon, and questions.
_TALK = re.compile(
    r"^\W*(?:(?:please )?(?:let me know|feel free)\b"
    r"|i hope (?:this|that|it) (?:helps?|answers|is|was)\b"
    r"|(?:i ?['’]?a?m )?sorry\b"
    r"|i (?:can ?not|can['’]t|could not|couldn['’]t|am unable to|do not know|don['’]t know)\b"
    r"|(?:here|below|the following)(?: is| are|['’]s)\b[^:]*"
    r"\b(?:answer|breakdown|description|details|explanation|information|key|list|overview|points"
    r"|response|summary|version)\b[^:]*[:.!]?\W*$)"
    r"|[:?]\W*$",
    re.IGNORECASE,
)
# A heading: marked as one, all in bold, or one of the usual words alone.
_HEADING = re.compile(
    r"^\s*(?:#{1,6}\s.*|(\*\*|__).*\1"
    r"|(?:key |main |final )?(?:answer|background|conclusions?|details|highlights|introduction"
    r"|notes?|overview|points|response|summary|takeaways))\s*$",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?…。！？][\"”’»)\]*_]*\s*$")


def states_nothing(sentence: str, language: str = "en") -> bool:
    """Whether a sentence is talk to the reader, a heading, a question, or has no content word.

    >>> states_nothing("Sure, here is a summary of the article:")
    True
    >>> states_nothing("Sure, the ferry carried 312 people.")
    False
    """
    rest = _INTERJECTION.sub("", sentence)
    if not terms(sentence, language) or not terms(rest):
        return True
    if any(mention.kind != "name" for mention in find_mentions(sentence)):
        return False
    is_heading = bool(_HEADING.match(sentence)) and not _ENDS.search(sentence)
    return is_heading or bool(_TALK.search(rest))
