"""Whether a text is English, the only language that the embedded model was trained on.

Each word is evidence for or against English: the log-odds that a small linear model over its
letters gives it (`english.npz`, made by `training/english.py`; decision 13 says why it is ours).
What a text says of its language is the sum. Names count little, since English prose is full of
foreign ones, and so do quotations, addresses and code. What is too short to tell is told by
the text around it, and what nothing tells is taken for English.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Final
from zlib import crc32

from assay.core.examples import Example
from assay.core.units import Unit

WEIGHTS: Final = Path(__file__).with_name("english.npz")
LONGEST_PIECE = 4  # letters
OTHER = "a language other than English"

_CLEAR = -2.5  # the log-odds from which a text is not English
_MEAN = -0.4  # the same per word, so that a long text needs more than a few foreign words
_MOST = 4.0  # what a single word can say
_NAME = 0.25  # the weight of a word with a capital
_NAMES = 2.0  # what all words with capitals can say together
_NEARBY = 0.25  # the weight of the text around
_NEARBY_MOST = 2.0
_FEWEST = 3  # words of the text around that are no names
_NEIGHBOURS = 3  # sentences on either side that tell the language of a short one
_LONGEST_WORD = 30  # letters
_ENOUGH = 4_000  # characters of a text that are looked at

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LATIN = re.compile(r"[A-Za-zÀ-ɏḀ-ỿ]")
_QUOTED = re.compile(r'"[^"\n]*"|“[^“”\n]*”|«[^«»\n]*»|„[^„“”\n]*[“”]|`[^`\n]*`')
_PARTICLES = frozenset(
    "da das de degli dei del della den der des di do dos du el la le van von".split()
)
_GREEK_LAST = "\u03ff"  # marks of vowels split the words of scripts further on
_MARKS = ("://", "@", "_", "=", "{", "}", "<", ">", "\\", "()", "www.")  # of addresses and code


def other_language(text: str, nearby: str = "") -> str | None:
    """The language or script of a text that is not English; None if it may be English.

    `nearby` is text in whose language it probably is, such as the sentences around it.

    >>> other_language("Die Brücke wurde nach dem Krieg nicht wieder aufgebaut.")
    'a language other than English'
    >>> other_language("The bridge was never rebuilt after the war.")
    >>> other_language("Мост так и не восстановили.")
    'Cyrillic script'
    """
    text = text[:_ENOUGH]
    if (script := _other_script(text)) is not None:
        return script
    around = _nearby_evidence(nearby)
    found, words = _evidence(text)
    clear = found + around <= _CLEAR and found + min(around, 0) <= _MEAN * max(words, 1)
    return OTHER if clear else None


def foreign_units(example: Example, units: Sequence[Unit]) -> dict[Unit, str]:
    """The units that are not in English, or whose source is not, with the language.

    A stated language other than English settles it. A short sentence is told by the others of the
    response, and the only one by the question and the source.
    """
    if example.language != "en":
        return dict.fromkeys(units, f"language '{example.language}'")
    if (language := other_language(example.source.text)) is not None:
        return dict.fromkeys(units, language)
    found = {}
    for number, unit in enumerate(units):
        others = units[max(0, number - _NEIGHBOURS) : number + _NEIGHBOURS + 1]
        nearby = " ".join(other.text for other in others if other is not unit)
        if not nearby:
            nearby = f"{example.question} {example.source.text[:_ENOUGH]}"
        if (language := other_language(unit.text, nearby)) is not None:
            found[unit] = language
    return found


def pieces(word: str) -> set[str]:
    """What the model looks at in a word: the word itself, and its parts of up to four letters.

    >>> sorted(pieces("of"))
    ['^o', '^of', '^of$', 'f', 'f$', 'o', 'of', 'of$']
    """
    marked = f"^{word}$"
    parts = {
        marked[start : start + size]
        for size in range(1, LONGEST_PIECE + 1)
        for start in range(len(marked) - size + 1)
    }
    return (parts | {marked}) - {"^", "$"}


def bucket(piece: str, buckets: int) -> int:
    """The number of the weight that a piece shares with a few others."""
    return crc32(piece.encode()) % buckets


@lru_cache(maxsize=50_000)
def word_evidence(word: str) -> float:
    """The log-odds that a word in lower case is English; negative if it is not."""
    weights, bias = _model()
    total = bias + sum(weights[each] for each in {bucket(p, len(weights)) for p in pieces(word)})
    return max(-_MOST, min(_MOST, total))


@cache
def _model() -> tuple[list[float], float]:
    import numpy as np  # `import assay` does without it

    with np.load(WEIGHTS, allow_pickle=False) as stored:
        weights = stored["weights"].astype(np.float64) * float(stored["scale"])
        return weights.tolist(), float(stored["bias"])


def _evidence(text: str) -> tuple[float, int]:
    """What the words of a text in Latin script say of it, and how many are no names."""
    said = _QUOTED.sub(" ", text)
    words = list(_words(said))
    if len(words) < 2:
        words = list(_words(text))
    is_shouted = all(word.isupper() for word in words)
    own, names, count = 0.0, 0.0, 0
    in_name = False  # from the end, since a particle belongs to the name after it
    for word in reversed(words):
        in_name = word[0].isupper() or (in_name and word in _PARTICLES)
        evidence = word_evidence(word.lower().replace("’", "'"))
        if is_shouted or not in_name:
            own, count = own + evidence, count + 1
        elif not word.isupper():
            names += _NAME * evidence
    return own + max(-_NAMES, min(_NAMES, names)), count


def _nearby_evidence(nearby: str) -> float:
    if not nearby:
        return 0.0
    if _other_script(nearby[:_ENOUGH]) is not None:
        return -_NEARBY_MOST
    found, words = _evidence(nearby[:_ENOUGH])
    if words < _FEWEST:
        return 0.0
    return max(-_NEARBY_MOST, min(_NEARBY_MOST, _NEARBY * found))


def _words(text: str) -> Iterator[str]:
    """The words in Latin script that are no symbols, addresses or code."""
    for token in text.split():
        if any(mark in token for mark in _MARKS):
            continue
        for word in _WORD.findall(token):
            is_word = len(word) > 1 or not word.isascii()
            if is_word and len(word) <= _LONGEST_WORD and _LATIN.match(word):
                yield word


def _other_script(text: str) -> str | None:
    """The script of most letters, if that is not Latin; a single Greek letter is a symbol."""
    words = [word for word in _WORD.findall(text) if len(word) > 1 or word > _GREEK_LAST]
    others = [word for word in words if not _LATIN.match(word)]
    letters = sum(map(len, words))
    if not others or sum(map(len, others)) * 2 <= letters:
        return None
    longest = max(others, key=len)
    return f"{unicodedata.name(longest[0], 'another').split()[0].capitalize()} script"
