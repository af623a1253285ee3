"""Which of the numbered units each entry of a reply is about."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.units import Unit
from assay.llm.replies import UnreadableError
from assay.llm.schemas import object_with, read_value, whole_number

_COUNTED = re.compile(r"\W{0,9}(\d{1,9})[.):]\s")
_NUMBERED = re.compile(r"\s{0,9}(?:sentence\s)?[#(\[]?(\d{1,9})[.):\]]?\s{0,9}", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W_]+")

Entry = Mapping[str, Any]


def numbers_of(entries: Sequence[Entry], units: Mapping[int, Unit]) -> list[int]:
    """The number of each entry's unit; 0, which no unit has, for an entry about none of them.

    An entry gives its number, or else repeats its sentence. Where no entry has a number and there
    are as many as units, those that repeat nothing are taken in order.
    """
    texts = {number: _plain(unit.text) for number, unit in units.items()}
    numbers: list[int] = []
    for entry in entries:
        left = {number: text for number, text in texts.items() if number not in numbers}
        numbers.append(_given(entry) or _repeated(entry.get("sentence"), left or texts))
    if len(entries) != len(units) or any("number" in entry for entry in entries):
        return numbers
    in_order = zip(numbers, units, strict=True)
    return [found or (0 if place in numbers else place) for found, place in in_order]


def _given(entry: Entry) -> int:
    """The number that an entry gives; 0 if none."""
    try:
        number: int = read_value(entry, object_with(number=whole_number()))["number"]
    except UnreadableError:
        return 0
    return number


def _repeated(sentence: object, texts: Mapping[int, str]) -> int:
    """The unit whose words an entry repeats, perhaps with its number before them or alone."""
    said = str(sentence) if isinstance(sentence, str | int) else ""
    counted, numbered = _COUNTED.match(said), _NUMBERED.fullmatch(said)
    for words in (said, said[counted.end() :] if counted else ""):
        wanted = _plain(words)
        for number, text in texts.items():
            if wanted and text == wanted:
                return number
    return int(numbered[1]) if numbered else 0


def _plain(text: str) -> str:
    return " ".join(_LETTERS.findall(text)).casefold()
