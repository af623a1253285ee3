"""Values as a schema wants them: objects, lists, texts, menus, numbers and truth values."""

import re
from collections.abc import Callable, Mapping
from math import inf
from typing import Any

from assay.core.verdicts import FailureReason
from assay.llm.replies import UnreadableError
from assay.llm.spelling import choice_of

Schema = Mapping[str, Any]


def read_value(value: Any, schema: Schema, path: str = "") -> Any:
    """A value as its schema wants it; names and labels may be spelt with other cases and hyphens.

    Properties that the schema does not name are left out, unless it wants them kept. What does not
    fit raises, and says where.
    """
    reader = _READERS.get(schema.get("type", ""))
    return reader(value, schema, path) if reader else value


def properties_of(schema: Schema) -> dict[str, Schema]:
    """The properties of an object; those that are only required by name may be anything."""
    return {**schema.get("properties", {name: {} for name in schema.get("required", ())})}


def _object(value: Any, schema: Schema, path: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _misfit(value, "an object", path)
    read = dict(value) if schema.get("additionalProperties") else {}
    for name, inner in properties_of(schema).items():
        place = f"{path}.{name}" if path else name
        key = name if name in value else _other_key(name, value)
        if key is not None:
            read[name] = read_value(value[key], inner, place)
        elif name in schema.get("required", ()):
            raise UnreadableError(f"'{place}' is missing")
    return read


def _other_key(name: str, value: dict[str, Any]) -> str | None:
    return next((key for key in value if choice_of(key, (name,))), None)


def _array(value: Any, schema: Schema, path: str) -> list[Any]:
    if not isinstance(value, list):
        raise _misfit(value, "a list", path)
    least, most = schema.get("minItems", 0), schema.get("maxItems", inf)
    if not least <= len(value) <= most:
        wanted = f"at least {least}" if len(value) < least else f"at most {most}"
        raise UnreadableError(f"{_place(path)} has {len(value)} items; {wanted} are wanted")
    items = schema.get("items", {})
    return [read_value(each, items, f"{path}[{place}]") for place, each in enumerate(value)]


def _string(value: Any, schema: Schema, path: str) -> str:
    if not isinstance(value, str):
        raise _misfit(value, "a text", path)
    if "enum" not in schema:
        return value
    choice = choice_of(value, schema["enum"])
    if choice is None:
        raise _misfit(value, f"one of {', '.join(schema['enum'])}", path, "off_menu")
    return choice


def _number(value: Any, schema: Schema, path: str) -> float:
    given = float(value) if isinstance(value, str) and _NUMERIC.fullmatch(value) else value
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise _misfit(value, "a number", path)
    low, high = schema.get("minimum", -inf), schema.get("maximum", inf)
    if not low <= given <= high:
        bound = f"at least {low}" if given < low else f"at most {high}"
        raise _misfit(value, bound, path, "off_menu")
    return given


def _integer(value: Any, schema: Schema, path: str) -> int:
    given = _number(value, schema, path)
    if given != int(given):
        raise _misfit(value, "a whole number", path)
    return int(given)


def _boolean(value: Any, schema: Schema, path: str) -> bool:
    given = _TRUTHS.get(value.strip().casefold()) if isinstance(value, str) else value
    if not isinstance(given, bool):
        raise _misfit(value, "true or false", path)
    return given


def _misfit(value: Any, wanted: str, path: str, reason: FailureReason = "parse") -> UnreadableError:
    kinds = {dict: "an object", list: "a list", type(None): "null"}
    shown = kinds.get(type(value)) or _short(value)
    return UnreadableError(f"{_place(path)} is {shown}, not {wanted}", reason=reason)


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _place(path: str) -> str:
    return f"'{path}'" if path else "the reply"


_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
_NUMERIC = re.compile(r"\s*[+-]?\d{1,300}(?:\.\d*)?\s*")
_READERS: dict[str, Callable[[Any, Schema, str], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
}
