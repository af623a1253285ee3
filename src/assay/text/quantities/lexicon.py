"""The units and words beside this file, in the shape in which they are looked up."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
BOUNDS = ("about", "over", "under", "at_least", "at_most")
NIGHT = 1440  # stands for the half of the day that depends on the hour
LONGEST = 4  # tokens of a unit or a bound
_SKIPPED = "_"


@dataclass(frozen=True, slots=True)
class MeasureUnit:
    """A unit: `base` is `factor` times a value in it, plus `offset`."""

    kind: str
    name: str
    factor: Fraction
    offset: Fraction = Fraction(0)
    is_us: bool = False


@dataclass(frozen=True, slots=True)
class NumberWords:
    """The words that one language writes around numbers, English included."""

    decimal: str
    spaced: bool
    months: Mapping[str, int]
    numerals: Mapping[str, int]  # up to 90
    hundreds: frozenset[str]
    joiners: frozenset[str]
    ordinals: Mapping[str, int]
    ordinal_endings: frozenset[str]
    ones: frozenset[str]
    fractions: Mapping[str, int]
    magnitudes: Mapping[str, int]
    bounds: Mapping[str, str]
    halves_of_day: Mapping[str, int]  # minutes to add, behind a time
    halves_before: Mapping[str, int]  # and before it
    clock_words: Mapping[str, int]
    oclock: frozenset[str]
    of: frozenset[str]
    percent_before: frozenset[str]
    references: frozenset[str]


@dataclass(frozen=True, slots=True)
class Units:
    """All units, by symbols as written and by words in lower case; signs also stand before."""

    symbols: Mapping[str, MeasureUnit]
    words: Mapping[str, MeasureUnit]
    signs: Mapping[str, MeasureUnit]
    us: frozenset[str]

    def find(self, written: str, folded: str) -> MeasureUnit | None:
        """The unit of some words, of which both spellings are given."""
        return self.symbols.get(written) or self.words.get(folded)


@cache
def units() -> Units:
    """The units of `units.toml`."""
    symbols: dict[str, MeasureUnit] = {}
    words: dict[str, MeasureUnit] = {}
    signs: dict[str, MeasureUnit] = {}
    for kind, named in _read("units.toml").items():
        for name, each in named.items():
            unit = MeasureUnit(
                f"money:{name}" if kind == "money" else kind,
                name,
                Fraction(each.get("factor", "1")),
                Fraction(each.get("offset", "0")),
                each.get("us", False),
            )
            own = _words(each.get("signs", ""))
            signs |= dict.fromkeys(own, unit)
            symbols |= dict.fromkeys((*own, *_words(each.get("symbols", ""))), unit)
            words |= dict.fromkeys(_words(each.get("words", "")), unit)
    us = frozenset(unit.name for unit in (*symbols.values(), *words.values()) if unit.is_us)
    return Units(symbols, words, signs, us)


@cache
def unit_named(kind: str, name: str) -> MeasureUnit | None:
    """The unit of a kind with a canonical name."""
    found = units()
    every = (*found.symbols.values(), *found.words.values())
    return next((each for each in every if (each.kind, each.name) == (kind, name)), None)


@cache
def number_words(language: str) -> NumberWords:
    """The words of a language together with English ones, which texts of any language may have."""
    tables = _read("words.toml")
    english = tables["en"]
    own = tables.get(language, {}) if language != "en" else {}
    both = (english, own)
    numerals: dict[str, int] = {}
    ordinals: dict[str, int] = {}
    for table in both:
        for into, small, tens in (
            (numerals, "numerals", "tens"),
            (ordinals, "ordinals", "ordinal_tens"),
        ):
            into |= {word: n for n, word in enumerate(_words(table.get(small, "")))}
            into |= {word: 10 * n for n, word in enumerate(_words(table.get(tens, "")), start=2)}
    numerals.pop(_SKIPPED, None)
    return NumberWords(
        own.get("decimal", english["decimal"]),
        own.get("spaced", False),
        _months(both),
        numerals,
        _all(both, "hundred"),
        _all(both, "joiners"),
        ordinals,
        _all(both, "ordinal_endings"),
        _all(both, "ones"),
        english["fractions"],
        {word: int(n) for table in both for word, n in table.get("magnitudes", {}).items()},
        {
            word: bound.replace("_", " ")
            for table in both
            for bound in BOUNDS
            for word in _words(table.get(bound, ""))
        },
        _halves(both, "am", "pm"),
        _halves(both, "am_before", "pm_before"),
        {word: n for table in both for word, n in table.get("clock_words", {}).items()},
        _all(both, "oclock"),
        _all(both, "of") | {"of"},
        _all(both, "percent_before"),
        _all(both, "references"),
    )


def english_numerals() -> tuple[list[str], list[str]]:
    """The words for 0 to 19, and those for 20, 30 and so on."""
    english = _read("words.toml")["en"]
    return _words(english["numerals"]), _words(english["tens"])


def english_months() -> list[str]:
    """The names of the months, in order."""
    return _words(_read("words.toml")["en"]["months"])


def _months(tables: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for table in tables:
        for key in ("short_months", "months"):
            found |= {name: n for n, name in enumerate(_words(table.get(key, "")), start=1)}
        found |= table.get("other_months", {})
    return found


def _halves(tables: Iterable[Mapping[str, Any]], am: str, pm: str) -> dict[str, int]:
    return {
        word: minutes
        for table in tables
        for key, minutes in ((am, 0), (pm, 720), ("night", NIGHT))
        for word in _words(table.get(key, ""))
    }


def _all(tables: Iterable[Mapping[str, Any]], key: str) -> frozenset[str]:
    return frozenset(word for table in tables for word in _words(table.get(key, "")))


def _words(written: str) -> list[str]:
    return [word.replace("_", " ") if len(word) > 1 else word for word in written.split()]


@cache
def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((_FOLDER / name).read_text(encoding="utf-8"))
