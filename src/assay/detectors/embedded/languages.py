"""The languages that a model reads, by its card, and what is said of text in others."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from assay.core.units import Unit
from assay.text.identification import Languages, language_name
from assay.text.languages import ENGLISH

LARGER = "embedded-large"
_CARD_OF_LARGER = Path(__file__).parent / "large" / "model" / "model.json"


def read_languages(card: Mapping[str, Any]) -> tuple[str, ...]:
    """The codes of the languages that a model reads; of a card that names none, English."""
    codes = card.get("languages", [ENGLISH])
    is_list = isinstance(codes, list) and all(isinstance(code, str) for code in codes)
    if not codes or not is_list:
        raise ValueError(f"languages are given by their codes, not {codes!r}")
    return tuple(codes)


def named(languages: Sequence[str]) -> str:
    """The names of languages as a reader sees them.

    >>> named(["en"]), named(["en", "de", "zh"])
    ('English only', 'English, German and Chinese')
    """
    names = [language_name(code) for code in languages]
    if len(names) == 1:
        return f"{names[0]} only"
    return f"{', '.join(names[:-1])} and {names[-1]}"


def why_unread(name: str, reads: Sequence[str], found: Languages, unit: Unit) -> str:
    """The reason for no verdict on a unit, and a detector that can look at it."""
    what = "text" if found.source in reads else "source"
    language = found.unread(unit, reads)
    is_read_by_larger = {found.source, found.units[unit]} <= set(read_by_larger())
    other = f"{LARGER} reads" if is_read_by_larger and name != LARGER else "overlap can look at"
    return f"the {what} is in {language}, and {name} reads {named(reads)}; the detector {other} it"


@cache
def read_by_larger() -> tuple[str, ...]:
    """The languages that `embedded-large` reads, by the card that comes with the package."""
    return read_languages(json.loads(_CARD_OF_LARGER.read_text(encoding="utf-8")))
