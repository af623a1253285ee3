"""Names, numbers and dates: the words of a sentence that must be right to the letter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

MentionKind = Literal["name", "number", "date"]

_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:1[5-9]|20)\d\d)"
_DATE_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"(?<![\d-])(?P<year>(?:1[5-9]|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)(?![\d-])",
        rf"\b{_MONTH}\s+{_DAY}(?:\s*,?\s+{_YEAR})?(?!\d)",
        rf"(?<!\d){_DAY}\s+(?:of\s+)?{_MONTH}(?:\s*,?\s+{_YEAR})?\b",
        rf"\b{_MONTH}\s+{_YEAR}\b",
    )
)

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = dict(zip(_UNITS, range(20), strict=True)) | dict(
    zip(_TENS, range(20, 100, 10), strict=True)
)
_SCALES = {
    "hundred": 100,
    "thousand": 1_000,
    "million": 10**6,
    "billion": 10**9,
    "trillion": 10**12,
    "k": 1_000,
    "m": 10**6,
    "bn": 10**9,
}
_SPELLED = "|".join(_SMALL)
_SPELLED_ON = "|".join((*_SMALL, "hundred", "thousand", "million", "billion", "trillion"))
_NUMBER = re.compile(
    r"(?<![\w.])(?P<digits>\d+(?:[.,]\d+)*)"
    r"(?:(?:st|nd|rd|th)\b|\s*(?P<scale>hundred|thousand|million|billion|trillion|bn|[km])\b)?"
    rf"|\b(?P<words>(?:{_SPELLED})(?:[\s-]+(?:and\s+)?(?:{_SPELLED_ON}))*)\b",
    re.IGNORECASE,
)
_NAME = re.compile(
    r"\b[A-Z][\w’'-]*(?:\.(?=[A-Z]))?(?:\s+(?:(?:of|the|de|la|van|von|al|bin)\s+)?[A-Z][\w’'-]*)*"
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A name, number or date; two mentions of the same thing have the same key."""

    kind: MentionKind
    key: str
    start: int
    end: int


def find_mentions(text: str) -> list[Mention]:
    """The dates, numbers and names of a text, in order and without overlaps.

    >>> [(m.kind, m.key) for m in find_mentions("On 3 May 2020 Ada Lovelace paid 1,200 euros.")]
    [('date', '2020-05-03'), ('name', 'ada lovelace'), ('number', '1200')]
    """
    found: list[Mention] = []
    for mention in (*_dates(text), *_numbers(text), *_names(text)):
        if all(mention.end <= other.start or other.end <= mention.start for other in found):
            found.append(mention)
    return sorted(found, key=lambda mention: mention.start)


def _dates(text: str) -> Iterator[Mention]:
    for form in _DATE_FORMS:
        for match in form.finditer(text):
            parts = match.groupdict()
            month = parts["month"].lower()
            number = int(month) if month.isdigit() else _month_number(month)
            key = f"{parts.get('year') or '????'}-{number:02}-{int(parts.get('day') or 0):02}"
            yield Mention("date", key, *match.span())


def _month_number(prefix: str) -> int:
    return next(n for n, name in enumerate(_MONTHS, start=1) if name.startswith(prefix))


def _numbers(text: str) -> Iterator[Mention]:
    for match in _NUMBER.finditer(text):
        if match["words"]:
            if match["words"].lower() != "one":  # more often a pronoun than a number
                yield Mention("number", _plain(_spelled(match["words"])), *match.span())
        else:
            scale = _SCALES[match["scale"].lower()] if match["scale"] else 1
            value = _digits(match["digits"])
            key = match["digits"] if value is None else _plain(value * scale)
            yield Mention("number", key, *match.span())


def _digits(written: str) -> float | None:
    """The value of `1,200`, `1.200.000`, `3,5` or `3.5`; None for things like 1.2.3."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?", written):
        return float(written.replace(",", ""))
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+", written):
        return float(written.replace(".", "").replace(",", "."))
    return None


def _spelled(words: str) -> float:
    total = current = 0
    for word in re.split(r"[\s-]+", words.lower()):
        if word in _SMALL:
            current += _SMALL[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in _SCALES:
            total += max(current, 1) * _SCALES[word]
            current = 0
    return total + current


def _plain(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(round(value, 6))


def _names(text: str) -> Iterator[Mention]:
    """Capitalised words, except a single one that only begins a sentence."""
    for match in _NAME.finditer(text):
        begins = not text[: match.start()].strip(" \t\n\"'“‘(*_#>-0123456789.)")
        if begins and " " not in match[0] and not match[0].isupper():
            continue
        name = re.sub(r"['’]s$", "", match[0])
        if len(name) > 1:
            yield Mention("name", " ".join(name.casefold().split()), *match.span())
