"""Stops after which a sentence goes on in languages other than English.

The library that finds sentences knows few abbreviations of other languages. Many of them are words
or names in English (`Sr.`, `ING.`, `in den 3.`), so each counts only in its own language.
"""

import re
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".txt")
_ENGLISH = "en"
_GERMAN = "de"
_LONGEST = 24  # characters in which an abbreviation stands
_OPENING = "([{„“\"'«»‘‚*_"

# `am 3. Mai`, `im 19. Jahrhundert`: German numbers whose stop makes them ordinals.
_ORDINAL = re.compile(
    r"(?:(?<!I )\b[Aa]m|\b(?:[Bb]eim|[Bb]is|[Dd]as|[Dd]em|[Dd]en|[Dd]er|[Dd]es|[Dd]ie|[Ii]m|[Vv]om"
    r"|[Zz]um|[Zz]ur))\s\d{1,3}\.\s*$"
)
_NUMBER = re.compile(r"(?<!\d)\d{1,2}\.\s*$")
_MONTH = re.compile(r"\s*(?:Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|Jahrhundert|Jh)\b")
_LETTER = re.compile(r"\b[A-Z]\.$")
_JOINED = re.compile(r"-[A-Z]\.")  # `J.-C.`
_HOURS = re.compile(r"\b[ap]\. ?m\.\s*$")  # `3 p. m.`
_INITIAL = re.compile(r"(?<!\w)[А-ЯЁ]\.\s*$")
_CAPITAL = re.compile(r"\s*[А-ЯЁ]")
# A quotation within a sentence of Chinese or Japanese: “好的。”他说。
_QUOTED = re.compile(r"[。！？…][”」』]$")
_SPEAKER = re.compile(r"と|って|[^\W\d_]{0,6}?(?:说|說|道|问|問|答|表示|称|稱|喊)")


@cache
def _known(language: str | None) -> tuple[frozenset[str], frozenset[str]]:
    """Abbreviations that lead on, and those that end a sentence only at times; None: of all."""
    kinds: dict[str, set[str]] = {"leads": set(), "inside": set()}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            code, kind, *words = line.split()
            if language in (None, code):
                kinds[kind].update(words)
    return frozenset(kinds["leads"]), frozenset(kinds["inside"])


def goes_on(text: str, start: int, end: int, language: str | None) -> bool:
    """True if what ends here by its stop does not end the sentence that begins at `start`.

    Without a language it is true if it were so in any other than English.

    >>> goes_on("Am 3. Mai kam Frau Nr. 5.", 0, 6, "de"), goes_on("Er kam. Sie ging.", 0, 8, "de")
    (True, False)
    """
    if language == _ENGLISH:
        return False
    tail, rest = text[max(start, end - _LONGEST) : end], text[end : end + _LONGEST]
    if _QUOTED.search(tail):
        return bool(_SPEAKER.match(rest))
    if not tail.rstrip().endswith("."):
        return False
    if language in (None, _GERMAN) and (
        _ORDINAL.search(tail) or (_NUMBER.search(tail) and _MONTH.match(rest))
    ):
        return True
    if (_LETTER.search(tail) and _JOINED.match(rest)) or (
        _INITIAL.search(tail) and _CAPITAL.match(rest)
    ):
        return True
    word = tail.split()[-1].lstrip(_OPENING).casefold()[:-1]
    leads, inside = _known(language)
    follows = rest.lstrip()[:1]
    if follows.islower() and _NUMBER.search(tail):
        return True
    continues = follows.islower() or follows.isdigit()
    return word in leads or (continues and (word in inside or bool(_HOURS.search(tail))))
