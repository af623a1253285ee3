"""The thing that a number counts: the noun behind it, or the label before it."""

from assay.text.quantities.lexicon import MeasureUnit, units
from assay.text.quantities.tokens import TokenWalk
from assay.text.words import FUNCTION_WORDS, terms

_PLURALS = frozenset({"people", "children", "men", "women", "feet", "teeth", "mice", "police"})
_NO_NOUNS = frozenset(
    "percent million billion thousand hundred ago later earlier old said is was were are has had"
    " times as o clock this less us its does was always perhaps".split()
)
_FARTHEST = 3  # words


def looks_plural(word: str) -> bool:
    """True for a word that may be the plural of a noun."""
    if word in _NO_NOUNS or word in FUNCTION_WORDS:
        return False
    return word in _PLURALS or (len(word) > 3 and word.endswith("s") and not word.endswith("ss"))


def noun_after(walk: TokenWalk, at: int, language: str) -> str:
    """The stem of the first plural among the next words, or of the next word."""
    held: list[str] = []
    while len(held) < _FARTHEST and walk.near(at):
        word = walk.fold(at)
        if not word.isalpha() or word in FUNCTION_WORDS or word in _NO_NOUNS:
            break
        held.append(walk.word(at))
        if looks_plural(word):
            return _stem(walk.word(at), language)
        at += 1
    return _stem(held[0], language) if held else ""


def noun_before(walk: TokenWalk, at: int, language: str) -> str:
    """The stem of a label: `Visitors: 112`."""
    place = at - 1
    if walk.word(place) != ":" or not walk.near(at):
        return ""
    place -= 1
    if walk.word(place) in ('"', "'", "*"):
        place -= 1
    word = walk.fold(place) if place >= 0 else ""
    return _stem(walk.word(place), language) if word.isalpha() else ""


def unit_of_label(walk: TokenWalk, at: int) -> MeasureUnit | None:
    """The unit of a label: `height_m: 330`, `Height (m): 330`."""
    place = at - 1
    if walk.word(place) != ":" or not walk.near(at):
        return None
    place -= 1
    if walk.word(place) in ('"', "'"):
        place -= 1
    if walk.word(place) in (")", "]"):
        place -= 1
    elif walk.word(place - 1) != "_":
        return None
    opening = walk.word(place - 1)
    return units().symbols.get(walk.word(place)) if opening in ("(", "[", "_") else None


def _stem(word: str, language: str) -> str:
    found = terms(word, language)
    return found[0] if found else ""
