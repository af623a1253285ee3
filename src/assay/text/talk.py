"""Talk in other languages than English: greetings, offers, refusals, lead-ins, headings, answers.

`talk.txt` has the phrases. Each counts only in its own language: `Pardon` and `Prima` begin
statements in others.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".txt")
_LOOKED_AT = 300  # characters of a sentence
_SIGNS = re.compile(r"[^\w']+")
_MARKS = re.compile("[\u0640\u064b-\u0652]")  # of Arabic vowels
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LEAD_ENDS = re.compile(r"[:：]\s*\S")  # what was announced follows


def is_bare_answer(sentence: str, language: str) -> bool:
    """True if a sentence says something only together with its question: `Ja, das stimmt.`"""
    if language not in _languages() or len(sentence) > _LOOKED_AT:
        return False
    return _without_manners(_plain(sentence), language) in _phrases(language, "answers")


def is_talk(sentence: str, language: str) -> bool:
    """True if a sentence addresses the reader, announces what follows, or is a heading.

    >>> is_talk("Gerne! Hier ist die Antwort.", "de"), is_talk("Gerne tanzt er.", "de")
    (True, False)
    """
    if language not in _languages():
        return False
    plain = _plain(sentence[:_LOOKED_AT])
    rest = _without_manners(plain, language)
    if len(sentence) <= _LOOKED_AT and (not rest or rest in _phrases(language, "heads")):
        return bool(plain)
    if any(_begins(rest, phrase) for phrase in _phrases(language, "opens")):
        return True
    return not _LEAD_ENDS.search(sentence) and _announces(rest, language)


def _announces(plain: str, language: str) -> bool:
    """True if a sentence says that one of the things follows."""
    return any(_begins(plain, phrase) for phrase in _phrases(language, "gives")) and any(
        _has(plain, thing) for thing in _phrases(language, "things")
    )


def _without_manners(plain: str, language: str) -> str:
    """A text without greetings, thanks and agreement at its beginning."""
    found = True
    while found and plain:
        found = False
        for phrase in _phrases(language, "says"):
            if _begins(plain, phrase):
                plain, found = plain[len(phrase) :].lstrip(), True
                break
    return plain


def _begins(plain: str, phrase: str) -> bool:
    rest = plain[len(phrase) : len(phrase) + 1]
    return plain.startswith(phrase) and (rest in ("", " ") or bool(_UNSPACED.match(phrase)))


def _has(plain: str, thing: str) -> bool:
    return thing in plain if _UNSPACED.match(thing) else f" {thing} " in f" {plain} "


@cache
def _languages() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            language, kind, said = line.split(" ", 2)
            found.setdefault(language, {})[kind] = tuple(map(_plain, said.split("|")))
    return found


@cache
def _phrases(language: str, kind: str) -> tuple[str, ...]:
    """The phrases of a kind, the longest first."""
    return tuple(sorted(_languages()[language][kind], key=lambda phrase: (-len(phrase), phrase)))


def _plain(text: str) -> str:
    """The words of a text without signs and marks, in lower case."""
    folded = unicodedata.normalize("NFC", text).replace("İ", "i").lower().replace("’", "'")
    spaced = _SIGNS.sub(" ", _MARKS.sub("", folded)).strip()
    return spaced.replace(" ", "") if _UNSPACED.search(spaced[:2]) else spaced
