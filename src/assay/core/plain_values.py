"""Values that a user gives for a source, as plain JSON values: in words, and as JSON."""

import json
import math
from collections.abc import Mapping, Sequence
from datetime import date, time, timedelta
from enum import Enum
from numbers import Number
from typing import TypeGuard
from uuid import UUID

from assay.core.errors import InputError
from assay.core.lines import MIB, ROW_LIMIT, row_limit

SCALARS = (str, Number, date, time, timedelta, UUID)
_encoder = json.JSONEncoder(indent=4, ensure_ascii=False)


def unboxed(value: object) -> object:
    """A numpy array or number, as Parquet readers and pandas give them, as a list or number."""
    return value.tolist() if hasattr(value, "tolist") else value


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list of any kind; a text is none."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def is_missing(value: object) -> bool:
    """Whether a value is None, or one of the ways in which data frames say so."""
    try:
        return value is None or bool(value != value)
    except TypeError:  # pandas does not say whether its NA equals anything
        return True
    except ValueError:  # a table, which says so of each of its cells
        return False


def in_words(value: object) -> str:
    """A value that is no list or object, as prose has it."""
    value = unboxed(value)
    if is_missing(value):
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return in_words(value.value)
    if not isinstance(value, SCALARS):
        raise InputError(
            f"the source holds a value of type {type(value).__name__}, which cannot be read as "
            "text; give texts, numbers, lists and dicts"
        )
    return written(value)


def written(value: object) -> str:
    """A value as Python writes it."""
    try:
        return str(value)
    except ValueError:  # Python writes no whole number of more than some thousand digits
        raise InputError("the source has a number with too many digits to be read") from None


def json_text(value: Mapping[str, object]) -> str:
    """An object as JSON, four spaces to a level and every character as it is.

    >>> print(json_text({"name": "Café", "hours": None}))
    {
        "name": "Café",
        "hours": null
    }
    """
    pieces, length, limit = list[str](), 0, 2 * row_limit()
    for piece in _encoder.iterencode(_plain(value)):
        length += len(piece)
        if length > limit:
            raise InputError(
                f"the source has more than {limit // MIB:,} million characters as JSON; set "
                f"{ROW_LIMIT} to raise the limit"
            )
        pieces.append(piece)
    return "".join(pieces)


def _plain(value: object) -> object:
    """A value as JSON has it; one that JSON has no form for is a text."""
    value = unboxed(value)
    if isinstance(value, Mapping):
        return _object(value)
    if is_list(value):
        return [_plain(each) for each in value]
    if is_missing(value):
        return None
    if isinstance(value, Enum):
        return _plain(value.value)
    if isinstance(value, float):
        return value if math.isfinite(value) else in_words(value)
    return value if isinstance(value, str | int) else in_words(value)


def _object(value: Mapping[str, object]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, item in value.items():
        name = written(key)
        if name in found:
            raise InputError(f"the source has two fields with the name '{name}'")
        found[name] = _plain(item)
    return found
