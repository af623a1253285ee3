"""Words that say which calculation a stated figure comes from; the data is in `cues.toml`."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Final

DATA: Final = Path(__file__).with_name("cues.toml")
ENGLISH = "en"


@cache
def _phrases() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


@cache
def _patterns(language: str) -> dict[str, re.Pattern[str]]:
    own = _phrases().get(language) or _phrases()[ENGLISH]
    return {
        operation: re.compile(
            r"(?<!\w)(?:"
            + "|".join(re.escape(each) for each in sorted(phrases, key=len, reverse=True))
            + r")(?!\w)"
        )
        for operation, phrases in own.items()
    }


def find_cues(text: str, language: str = ENGLISH) -> frozenset[str]:
    """The operations that words of a text allow.

    >>> sorted(find_cues("The two towns have 131 people together."))
    ['computed', 'total']
    """
    folded = text.casefold()
    return frozenset(name for name, cue in _patterns(language).items() if cue.search(folded))


@cache
def cue_stems(language: str = ENGLISH) -> frozenset[str]:
    """The stems of all words in cues, which name no operand."""
    from assay.text.words import terms

    own = _phrases().get(language) or _phrases()[ENGLISH]
    return frozenset(
        stem for phrases in own.values() for each in phrases for stem in terms(each, language)
    )
