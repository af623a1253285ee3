"""Fields of a file in another form that the nouns do not hold, kept beside them as JSON.

An example and a verdict carry it as `original`, under the name of the form, and only the module of
that form reads it. A form keeps just the fields that it would otherwise write differently, and
uses them only as long as they still mean what the nouns say.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from assay.core.errors import InputError

DEEPEST = 50  # lists and objects in each other


def keep(form: str, fields: Mapping[str, Any]) -> str:
    """The text that keeps some fields of a form; empty if there are none.

    >>> keep("faithbench", {"annot_id": 7})
    '{"faithbench": {"annot_id": 7}}'
    """
    return json.dumps({form: fields}) if fields else ""


def kept(form: str, original: str) -> dict[str, Any]:
    """The fields of a form that were kept; none if they are of another form, or damaged."""
    try:
        value = json.loads(original) if original else None
    except (ValueError, RecursionError):
        return {}
    fields = value.get(form) if isinstance(value, dict) else None
    return fields if isinstance(fields, dict) else {}


def require_shape(row: object, shape: type) -> None:
    """Raises for a row that has not the fields of a shape, or that is nested too deeply to keep."""
    try:
        msgspec.convert(row, shape)
    except msgspec.ValidationError as error:
        raise InputError(str(error).replace("`", "'")) from None
    level = [row]
    for _ in range(DEEPEST):
        level = [each for value in level for each in _inside(value)]
    if level:
        raise InputError(f"it is nested more than {DEEPEST} deep")


def _inside(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()
