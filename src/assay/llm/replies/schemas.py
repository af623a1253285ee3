"""JSON replies: short ways to write a schema, and the value of a reply that fits one."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from math import inf
from typing import Any

from assay.core.verdicts import FailureReason
from assay.llm.fences import Fences
from assay.llm.replies.json_values import FoundValue, find_values
from assay.llm.replies.menus import Menu, choice_of, spelling
from assay.llm.replies.texts import UnreadableError

Schema = Mapping[str, Any]


def read_value(value: Any, schema: Schema, path: str = "") -> Any:
    """A value in the form of its schema; case and hyphens in names and labels do not matter.

    Properties that the schema does not name are dropped, unless it allows them. A value that does
    not fit raises, with the place that is wrong.
    """
    reader = _READERS.get(schema.get("type", ""))
    return reader(value, schema, path) if reader else value


def properties_of(schema: Schema) -> Mapping[str, Schema]:
    """The properties of an object; those without a schema of their own may be anything."""
    if "properties" in schema:
        properties: Mapping[str, Schema] = schema["properties"]
        return properties
    return {name: {} for name in schema.get("required", ())}


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
        bound = f"needs at least {least}" if len(value) < least else f"may have at most {most}"
        raise UnreadableError(f"{_place(path)} has {len(value)} items, but {bound}")
    items = schema.get("items", {})
    return [read_value(each, items, f"{path}[{place}]") for place, each in enumerate(value)]


def _string(value: Any, schema: Schema, path: str) -> str:
    if not isinstance(value, str):
        raise _misfit(value, "a text", path)
    if "enum" not in schema:
        return value
    menu, others = tuple(schema["enum"]), tuple(schema.get("also", ()))
    choice = choice_of(value, (*menu, *others))
    if choice is None:
        # Perhaps with an explanation, or in other words.
        stated = _menu(menu).stated(value) or _menu((*menu, *others)).stated(value)
        if stated is None:
            raise _misfit(value, f"one of {', '.join(menu)}", path, "off_menu")
        return stated.choice
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
    counted = _COUNTED.fullmatch(value) if isinstance(value, str) else None
    given = _number(counted[1] if counted else value, schema, path)
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


@lru_cache(maxsize=64)
def _menu(choices: tuple[str, ...]) -> Menu:
    return Menu.of(choices)


_LABEL_WORDS = 4  # a text with more words is not just a label
_CODE = re.compile(r"```\w{0,20}")
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}
_NUMERIC = re.compile(r"\s*[+-]?\d{1,300}(?:\.\d*)?\s*")
_COUNTED = re.compile(r"\s{0,9}(?:[a-z]{1,12}\s)?[#(\[]?(\d{1,9})[.):\]]?\s{0,9}", re.IGNORECASE)
_READERS: dict[str, Callable[[Any, Schema, str], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "number": _number,
    "integer": _integer,
    "boolean": _boolean,
}


def text() -> Schema:
    """Any text."""
    return {"type": "string"}


def one_of(names: Iterable[str], also: Iterable[str] = ()) -> Schema:
    """One entry of a menu; other words that are `also` read are not shown to the model."""
    others = list(also)
    return {"type": "string", "enum": list(names)} | ({"also": others} if others else {})


def number(low: float | None = None, high: float | None = None) -> Schema:
    """A number, optionally within bounds, which are included."""
    return _bounded({"type": "number"}, minimum=low, maximum=high)


def whole_number(low: int | None = None, high: int | None = None) -> Schema:
    """A whole number, optionally within bounds, which are included."""
    return _bounded({"type": "integer"}, minimum=low, maximum=high)


def boolean() -> Schema:
    """True or false."""
    return {"type": "boolean"}


def array_of(items: Schema, *, at_least: int | None = None, at_most: int | None = None) -> Schema:
    """A list of values of the same form."""
    return _bounded({"type": "array", "items": items}, minItems=at_least, maxItems=at_most)


def object_of(**properties: Schema) -> Schema:
    """An object with exactly these properties, in this order; put reasons before verdicts.

    >>> object_of(reason=text(), label=one_of(["yes", "no"]))["required"]
    ['reason', 'label']
    """
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def object_with(**properties: Schema) -> Schema:
    """An object with at least these properties; others are kept as they are."""
    return {**object_of(**properties), "additionalProperties": True}


def _bounded(schema: dict[str, Any], **bounds: float | None) -> Schema:
    return schema | {name: bound for name, bound in bounds.items() if bound is not None}


def form_of(schema: Schema) -> str:
    """A schema in the words that a model is told.

    >>> form_of(object_of(reason=text(), scores=array_of(whole_number(1, 5))))
    '{"reason": "...", "scores": [whole number from 1 to 5, ...]}'
    """
    match schema:
        case {"enum": names}:
            return " | ".join(json.dumps(name, ensure_ascii=False) for name in names)
        case {"type": "object"}:
            forms = {name: form_of(each) for name, each in properties_of(schema).items()}
            return "{" + ", ".join(f"{json.dumps(name)}: {forms[name]}" for name in forms) + "}"
        case {"type": "array"}:
            return f"[{form_of(schema.get('items', {}))}, ...]"
        case {"type": "number" | "integer" as kind}:
            noun = "whole number" if kind == "integer" else "number"
            bounds = (("from", schema.get("minimum")), ("to", schema.get("maximum")))
            return " ".join([noun, *(f"{word} {at}" for word, at in bounds if at is not None)])
    return {"string": '"..."', "boolean": "true | false"}.get(schema.get("type", ""), "...")


def read_json(reply: str, schema: Schema, fences: Fences | None = None) -> Any:
    """The last value of a reply that fits the schema, as `read_value` reads it.

    Where one list is wanted, it may lack its key, and its entries may stand alone. What occurs in
    the fenced texts, even with another layout, is a quotation and never the answer, unless it is
    the whole reply and only has labels and numbers: otherwise a text could rule out a verdict by
    containing it.
    """
    values = find_values(reply)
    if _is_bare(values, reply):
        fences = None
    own = [each for each in values if not _is_quoted(each, reply, fences)]
    quoted: list[Any] | None = None
    problems: list[UnreadableError] = []
    for value, is_exact in _candidates(own, schema, reply):
        try:
            read = read_value(value, schema)
        except UnreadableError as problem:
            problems += [problem] if is_exact or problem.reason == "off_menu" else []
            continue
        if quoted is None:
            quoted = _values_in(fences, schema)
        if read not in quoted:
            return read
    nearest = _nearest(problems) if problems else UnreadableError(_nothing(reply, values))
    wanted = f"Reply with JSON only, in this form: {form_of(schema)}"
    raise UnreadableError(str(nearest), wanted=wanted, reason=nearest.reason)


def _candidates(found: list[FoundValue], schema: Schema, reply: str) -> Iterator[tuple[Any, bool]]:
    """The values of a reply, the last first, and then what may be meant by them."""
    values = [each.value for each in reversed(found)]
    yield from ((value, True) for value in values)
    key = _list_key(schema)
    if key is None:
        # One object is wanted: it may be the only entry of a list.
        alone = (value[0] for value in values if isinstance(value, list) and len(value) == 1)
        yield from ((value, False) for value in alone)
        return
    lists = [each for each in map(_only_list, values) if each]
    if values == [[]] and not re.search(r"[^\W_]", _CODE.sub("", reply)):
        lists = [[]]  # an empty list counts only if it is the whole reply
    objects = [value for value in reversed(values) if isinstance(value, dict)]
    for entries in (*lists, *([objects] if objects else ())):
        yield ({key: entries} if key else entries), False


def _list_key(schema: Schema) -> str | None:
    """The key of the list, if a list is all that is wanted; empty if the list has none."""
    if schema.get("type") == "array":
        return ""
    required = schema.get("required", ())
    if len(required) != 1 or properties_of(schema)[required[0]].get("type") != "array":
        return None
    return str(required[0])


def _only_list(value: Any) -> list[Any] | None:
    """A list, or the list that an object has under another name and nothing else."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, list) else None


def _is_bare(values: list[FoundValue], reply: str) -> bool:
    """True if a reply is one object of labels and numbers, without a sentence."""
    if len(values) != 1 or not isinstance(values[0].value, dict):
        return False
    around = reply[: values[0].start] + reply[values[0].end :]
    return not _CODE.sub("", around).strip() and all(map(_is_label, values[0].value.values()))


def _is_label(value: Any) -> bool:
    is_short = isinstance(value, str) and len(value.split()) <= _LABEL_WORDS
    return (is_short and not value.endswith((".", "!", "?"))) or isinstance(value, int | float)


def _is_quoted(found: FoundValue, reply: str, fences: Fences | None) -> bool:
    return fences is not None and fences.quotes(reply[found.start : found.end])


def _values_in(fences: Fences | None, schema: Schema) -> list[Any]:
    """Values in the texts that would fit; few texts have brackets and all names to search for."""
    texts = fences.texts.values() if fences else ()
    read = []
    for each in texts:
        if ("{" in each or "[" in each) and _has_names(each, schema):
            candidates = _candidates(find_values(each), schema, each)
            read += [_value_or_none(value, schema) for value, _ in candidates]
    return [value for value in read if value is not None]


def _has_names(each: str, schema: Schema) -> bool:
    return all(re.search(spelling(name), each, re.IGNORECASE) for name in _names(schema))


def _names(schema: Schema) -> list[str]:
    key = _list_key(schema)
    if key is None:
        return list(schema.get("required", ()))
    items = properties_of(schema)[key] if key else schema
    return list(items.get("items", {}).get("required", ()))


def _value_or_none(value: Any, schema: Schema) -> Any:
    try:
        return read_value(value, schema)
    except UnreadableError:
        return None


def _nearest(problems: list[UnreadableError]) -> UnreadableError:
    """The problem of the value that comes closest to an answer; in doubt of the last."""
    off_menu = (each for each in problems if each.reason == "off_menu")
    inside = (each for each in problems if not str(each).startswith("the reply is"))
    return next(off_menu, None) or next(inside, problems[0])


def _nothing(reply: str, values: list[FoundValue]) -> str:
    if values:
        return "all JSON in the reply is quoted from the material"
    return "there is no whole JSON value in the reply" if reply.strip() else "the reply is empty"
