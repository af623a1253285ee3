"""The values of numbers in digits and in words."""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from assay.text.quantities.lexicon import NumberWords, number_words
from assay.text.quantities.tokens import TokenWalk

LONGEST_NUMBER = 30  # in characters
_SPACES = str.maketrans("", "", "\u00a0\u202f\u2009 '’٬")
_POINTED = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_COMMAED = re.compile(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:,\d+)?")
_MANY_POINTS = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")
_GROUPED = re.compile(r"\d{1,3}(?:[\u00a0\u202f\u2009 '’٬]\d{3})+(?:[.,٫]\d+)?")
_OTHER_SEPARATOR = re.compile(r"[\u00a0\u202f\u2009 '’٬]")
VULGAR = dict(
    zip(
        "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒",
        map(
            Fraction,
            "1/2 1/3 2/3 1/4 3/4 1/5 2/5 3/5 4/5 1/6 5/6 1/7 1/8 3/8 5/8 7/8 1/9 1/10".split(),
        ),
        strict=True,
    )
)
_LARGE_WORDS = frozenset({"hundred", "thousand", "million", "billion", "trillion"})
_DENOMINATORS = frozenset({2, 3, 4, 5, 6, 8, 10, 16})


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number, how finely it is stated, the token behind it, and its form.

    The form is `digits`, `words`, `fraction` (two thirds) or `one` (a, an).
    """

    value: Fraction
    step: Fraction
    end: int
    form: str


def plain_digits(written: str, decimal: str = ".") -> str | None:
    """The digits of `1,200`, `1.200.000`, `3,5` or `3.5` as in code; None for things like 1.2.3.

    `decimal` is the sign that the language writes before decimals.

    >>> plain_digits("1,248"), plain_digits("1.248", ",")
    ('1248', '1248')
    """
    if len(written) > LONGEST_NUMBER:
        return None
    if written.isdecimal():
        return written
    if _OTHER_SEPARATOR.search(written):
        if not _GROUPED.fullmatch(written):
            return None
        return written.translate(_SPACES).replace(",", ".").replace("٫", ".")
    written = written.replace("٫", ".") if decimal != "," else written
    pointed, commaed = _POINTED.fullmatch(written), _COMMAED.fullmatch(written)
    if _MANY_POINTS.fullmatch(written) or (commaed and (decimal == "," or not pointed)):
        return written.replace(".", "").replace(",", ".")
    return written.replace(",", "") if pointed else None


def digits_value(written: str, decimal: str = ".") -> tuple[Fraction, Fraction] | None:
    """The value of a number in digits, and how finely it is stated.

    >>> digits_value("3.50")
    (Fraction(7, 2), Fraction(1, 100))
    """
    plain = plain_digits(written, decimal)
    if plain is None:
        return None
    return Fraction(plain), Fraction(1, 10 ** len(plain.partition(".")[2]))


@lru_cache(maxsize=10_000)
def words_value(written: str) -> int:
    """The value of a number in English words, 0 if there is none.

    >>> words_value("two hundred and five")
    205
    """
    found = spelled(TokenWalk(written), 0, number_words("en"))
    return int(found.value) if found else 0


def read_numeral(walk: TokenWalk, at: int, words: NumberWords) -> Numeral | None:
    """The number that begins at a token, without its magnitude or unit."""
    if walk.number(at):
        return _in_digits(walk, at, words)
    if walk.word(at) in VULGAR:
        return Numeral(VULGAR[walk.word(at)], Fraction(0), at + 1, "digits")
    return _fraction(walk, at, words) or spelled(walk, at, words)


def _in_digits(walk: TokenWalk, at: int, words: NumberWords) -> Numeral | None:
    written, end = walk.word(at), at + 1
    while len(written) < LONGEST_NUMBER and walk.number(end) and _joins_group(walk, end, words):
        written, end = f"{written} {walk.word(end)}", end + 1
    if " " in written and not _GROUPED.fullmatch(written):
        written, end = walk.word(at), at + 1
    found = digits_value(written, words.decimal)
    if found is None:
        return None
    value, step = found
    if walk.near(end) and walk.word(end) in VULGAR:
        return Numeral(value + VULGAR[walk.word(end)], Fraction(0), end + 1, "digits")
    part = _slashed(walk, at)
    if part:
        return Numeral(part, Fraction(0), at + 3, "fraction")
    part = _slashed(walk, end) if walk.near(end) and walk.number(end) else None
    if part and step == 1:
        return Numeral(value + part, Fraction(0), end + 3, "digits")
    return Numeral(value, step, end, "digits")


def _joins_group(walk: TokenWalk, at: int, words: NumberWords) -> bool:
    """True if a token is a further group of three digits of the number before it."""
    is_group = len(walk.word(at).partition(",")[0].partition(".")[0]) == 3
    if not is_group or walk.text[walk.ends[at - 1] : walk.starts[at]] != " ":
        return False
    return (
        words.spaced
        or walk.word(at) == "000"
        or walk.text[max(walk.starts[at - 1] - 1, 0)].isspace()
    )


def _slashed(walk: TokenWalk, at: int) -> Fraction | None:
    """The value of `1/2`."""
    if not (walk.word(at + 1) in ("/", "⁄") and walk.glued(at + 1) and walk.glued(at + 2)):
        return None
    above, below = walk.word(at), walk.word(at + 2)
    if not (above.isdecimal() and below.isdecimal() and len(above + below) <= 4):
        return None
    if walk.word(at + 3) == "/" and walk.glued(at + 3):
        return None
    is_part = 0 < int(above) < int(below) and int(below) in _DENOMINATORS
    return Fraction(int(above), int(below)) if is_part else None


def spelled(walk: TokenWalk, at: int, words: NumberWords) -> Numeral | None:
    """A number in words, such as `two hundred and five` or `three thousand`."""
    total, current, place = 0, -1, at
    smallest = Fraction(10**15)
    end = at
    if walk.fold(at) in words.ones and walk.fold(at + 1) in _LARGE_WORDS:
        current, place = 1, at + 1  # a hundred and five
    while True:
        word = walk.fold(place)
        if place > at and word == "-" and walk.glued(place) and walk.glued(place + 1):
            place += 1
            continue
        if place > at and not (walk.near(place) or walk.word(place - 1) == "-"):
            break
        if place > at and (word in words.joiners or word == ",") and _goes_on(walk, place, words):
            place += 1
            continue
        if word in words.numerals and _may_add(words.numerals[word], current):
            current = max(current, 0) + words.numerals[word]
        elif word in words.hundreds and 0 < current < 100:
            current *= 100
        elif current > 0 and word in words.magnitudes and len(word) > 3:
            scale = words.magnitudes[word]
            if scale >= smallest or scale < 1000:
                break
            total, current, smallest = total + current * scale, -1, Fraction(scale)
        else:
            break
        place += 1
        end = place
    if end == at:
        return None
    value = total + max(current, 0)
    return Numeral(Fraction(value), _trailing(value) if total else Fraction(1), end, "words")


def _goes_on(walk: TokenWalk, at: int, words: NumberWords) -> bool:
    """True if a number goes on behind `and` or a comma: two hundred and five, vingt et un."""
    before, after = walk.fold(at - 1), words.numerals.get(walk.fold(at + 1), 0)
    if not after:
        return False
    if walk.fold(at) == ",":
        return len(before) > 3 and before in words.magnitudes and before not in words.hundreds
    is_tens = words.numerals.get(before, 0) >= 20 and after < 10 and walk.fold(at) != "and"
    return is_tens or before in words.hundreds or before in words.magnitudes


def _may_add(number: int, current: int) -> bool:
    if current < 0:
        return True
    if current and current % 100 == 0:
        return number > 0
    return current % 100 >= 20 and current % 10 == 0 and 0 < number < 10


def _trailing(value: int) -> Fraction:
    """The last place that is not zero, to which a round number is stated."""
    step = 1
    while value and value % (step * 10) == 0:
        step *= 10
    return Fraction(step)


def _fraction(walk: TokenWalk, at: int, words: NumberWords) -> Numeral | None:
    """Two thirds, a quarter, half."""
    word = walk.fold(at)
    if word == "half" and walk.fold(at + 1) in ("a", "an"):
        return Numeral(Fraction(1, 2), Fraction(0), at + 2, "fraction")
    if word == "half" and walk.fold(at + 1) in ("of", "the", "its", "their", "his", "her", "as"):
        return Numeral(Fraction(1, 2), Fraction(0), at + 1, "fraction")
    above = 1 if word in ("a", "an") else words.numerals.get(word, 0)
    place = at + 2 if walk.word(at + 1) == "-" else at + 1
    below = words.fractions.get(walk.fold(place), 0)
    if not (above and below and above < max(below, 4)):
        return None
    is_plural = walk.fold(place).endswith("s")
    if (above > 1) != is_plural or (word in ("a", "an") and walk.fold(place + 1) != "of"):
        return None
    return Numeral(Fraction(above, below), Fraction(0), place + 1, "fraction")
