"""Names, numbers and dates: the words of a sentence that must be right to the letter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from assay.text.blocks import marker_end
from assay.text.quantities.lexicon import english_months, english_numerals, number_words
from assay.text.quantities.numerals import plain_digits, words_value
from assay.text.words import FUNCTION_WORDS

MentionKind = Literal["name", "number", "date"]

_MONTHS = english_months()
_MONTH = rf"(?P<month>sept|{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in _MONTHS)})\b\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)"
_COMMA = r"(?:\s*+,\s++|\s++)"
_DATE_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?<![\d-])(?P<year>(?:1[5-9]|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])",
        rf"\b{_MONTH}\s++{_DAY}(?:{_COMMA}{_YEAR})?(?!\d)",
        rf"(?<!\d){_DAY}\s++(?:of\s++)?{_MONTH}(?:{_COMMA}{_YEAR})?\b",
        rf"\b{_MONTH}\s++{_YEAR}\b",
    )
)

_UNITS, _TENS = english_numerals()
_SCALES = {**number_words("en").magnitudes, "m": 10**6}
_MONEY = ("$", "£", "€")
_TO_99 = rf"(?:(?:{'|'.join(_TENS)})(?:[\s-]+(?:{'|'.join(_UNITS[1:10])}))?|{'|'.join(_UNITS)})\b"
_TO_999 = rf"{_TO_99}(?:[\s-]+hundred\b(?:\s+(?:and\s+)?{_TO_99})?)?"
_SPELLED = (
    rf"{_TO_999}(?:[\s-]+(?:thousand|million|billion|trillion)\b(?:\s+(?:and\s+)?{_TO_999})?)*"
)
_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d+(?:[.,]\d+)*)"
    r"(?:(?:st|nd|rd|th)\b|\s*(?P<scale>hundred|thousand|million|billion|trillion|bn|[km])\b)?"
    rf"|\b(?P<words>{_SPELLED})",
    re.IGNORECASE,
)
_LONGEST_PART = 3  # in words
_CAPITAL = f"[{''.join(filter(str.isupper, map(chr, range(0x530))))}]"  # Latin, Greek, Cyrillic
_NAME_WORD = rf"(?:(?:{_CAPITAL}\.){{2,}}|{_CAPITAL}[\w’'-]*)"
_NAME = re.compile(
    rf"\b(?!(?:{'|'.join(word.capitalize() for word in FUNCTION_WORDS)})\b(?!\.))"
    rf"{_NAME_WORD}(?:\s+(?:(?:of|the|de|la|van|von|al|bin)\s+)?{_NAME_WORD})*"
)
_BEFORE_FIRST_WORD = " \t\n\"'“‘(*_#>-0123456789.)"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name, number or date; two mentions of the same thing have the same key."""

    kind: MentionKind
    key: str
    start: int
    end: int

    @property
    def parts(self) -> set[str]:
        """Its key and those it implies: the year of a date, the surname of a full name."""
        if self.kind == "date":
            year, month, day = self.key.split("-")
            shorter = (f"{year}-{month}-00", f"????-{month}-{day}", year, _MONTHS[int(month) - 1])
            return {self.key, *shorter}
        words = self.key.split()
        runs = (words[i : i + n] for n in range(1, _LONGEST_PART + 1) for i in range(len(words)))
        return {self.key, *map(" ".join, runs)}


def find_mentions(text: str) -> list[Mention]:
    """The dates, numbers and names of a text, in order, without overlaps or list markers.

    >>> [(m.kind, m.key) for m in find_mentions("On 3 May 2020 Ada Lovelace paid 1,200 euros.")]
    [('date', '2020-05-03'), ('name', 'ada lovelace'), ('number', '1200')]
    """
    found: list[Mention] = []
    begin = marker_end(text)
    taken = bytearray(len(text))
    for mention in (*_dates(text), *_numbers(text), *_names(text)):
        if mention.start >= begin and not any(taken[mention.start : mention.end]):
            taken[mention.start : mention.end] = b"x" * (mention.end - mention.start)
            found.append(mention)
    return sorted(found, key=lambda mention: mention.start)


def _dates(text: str) -> Iterator[Mention]:
    for form in _DATE_FORMS:
        for match in form.finditer(text):
            parts = match.groupdict()
            year, day = parts.get("year"), int(parts.get("day") or 0)
            month = _month_number(parts["month"].lower())
            is_verb = parts["month"] == "may" and not year  # as in: 20 may have died
            if 1 <= month <= 12 and day <= 31 and not is_verb:
                yield Mention("date", f"{year or '????'}-{month:02}-{day:02}", *match.span())


def _month_number(written: str) -> int:
    if written.isdigit():
        return int(written)
    return number_words("en").months[written]


def _numbers(text: str) -> Iterator[Mention]:
    for match in _NUMBER.finditer(text):
        if match["words"]:
            if match["words"].lower() != "one":  # more often a pronoun than a number
                yield Mention("number", str(words_value(match["words"])), *match.span())
        else:
            scale, end = match["scale"], match.end()
            if match[0].endswith(" m") and text[match.start() - 1 : match.start()] not in _MONEY:
                scale, end = None, match.end("digits")  # metres
            digits = plain_digits(match["digits"])
            factor = _SCALES[scale.lower()] if scale else 1
            key = match["digits"] if digits is None else _plain(Decimal(digits) * factor)
            yield Mention("number", key, match.start(), end)


def _plain(value: Decimal) -> str:
    return f"{value.normalize():f}"


def _names(text: str) -> Iterator[Mention]:
    """Capitalised words, except a single one that only begins a sentence."""
    first = len(text) - len(text.lstrip(_BEFORE_FIRST_WORD))
    for match in _NAME.finditer(text):
        words = match[0].replace("’", "'").removesuffix("'s").replace(".", "").casefold().split()
        if match.start() <= first and len(words) == 1 and not match[0].isupper():
            continue
        if len(words[0]) > 1 or len(words) > 1:
            yield Mention("name", " ".join(words), *match.span())
