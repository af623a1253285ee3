"""Talk in other languages than English: greetings, offers, refusals, lead-ins, headings, answers.

`talk.txt` has the phrases. Which language a sentence is in does not matter: no phrase means
something else in another one.
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


def is_bare_answer(sentence: str) -> bool:
    """True if a sentence says something only together with its question: `Ja, das stimmt.`"""
    return len(sentence) <= _LOOKED_AT and _without_manners(_plain(sentence)) in _phrases("answers")


def is_talk(sentence: str) -> bool:
    """True if a sentence addresses the reader, announces what follows, or is a heading.

    >>> is_talk("Gerne! Hier ist eine Zusammenfassung des Artikels."), is_talk("Gerne tanzt er.")
    (True, False)
    """
    plain = _plain(sentence[:_LOOKED_AT])
    rest = _without_manners(plain)
    if len(sentence) <= _LOOKED_AT and (not rest or rest in _phrases("heads")):
        return bool(plain)
    if any(_begins(rest, phrase) for phrase in _phrases("opens")):
        return True
    return not _LEAD_ENDS.search(sentence) and _announces(rest)


def _announces(plain: str) -> bool:
    """True if a sentence says that one of the things follows, in the words of one language."""
    return any(
        any(_begins(plain, phrase) for phrase in phrases["gives"])
        and any(_has(plain, thing) for thing in phrases["things"])
        for phrases in _languages().values()
    )


def _without_manners(plain: str) -> str:
    """A text without greetings, thanks and agreement at its beginning."""
    found = True
    while found and plain:
        found = False
        for phrase in _phrases("says"):
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
def _phrases(kind: str) -> tuple[str, ...]:
    """The phrases of a kind in all languages, the longest first."""
    every = {phrase for kinds in _languages().values() for phrase in kinds[kind]}
    return tuple(sorted(every, key=lambda phrase: (-len(phrase), phrase)))


def _plain(text: str) -> str:
    """The words of a text without signs and marks, in lower case."""
    folded = unicodedata.normalize("NFC", text).replace("İ", "i").lower().replace("’", "'")
    spaced = _SIGNS.sub(" ", _MARKS.sub("", folded)).strip()
    return spaced.replace(" ", "") if _UNSPACED.search(spaced[:2]) else spaced
