"""The forms of JSON replies: schemas in a few words, and the answer that fits one."""

import json
import re
from collections.abc import Iterable
from typing import Any

from assay.llm.fences import Fences
from assay.llm.json_values import Found, find_values
from assay.llm.replies import UnreadableError
from assay.llm.schema_values import Schema, properties_of, read_value
from assay.llm.spelling import spelling


def text() -> Schema:
    """Any text."""
    return {"type": "string"}


def one_of(names: Iterable[str]) -> Schema:
    """One entry of a menu."""
    return {"type": "string", "enum": list(names)}


def number(low: float | None = None, high: float | None = None) -> Schema:
    """A number, between two others if they are given; both are included."""
    return _bounded({"type": "number"}, minimum=low, maximum=high)


def whole_number(low: int | None = None, high: int | None = None) -> Schema:
    """A whole number, between two others if they are given; both are included."""
    return _bounded({"type": "integer"}, minimum=low, maximum=high)


def boolean() -> Schema:
    """True or false."""
    return {"type": "boolean"}


def array_of(items: Schema, *, at_least: int | None = None, at_most: int | None = None) -> Schema:
    """A list of values of one form."""
    return _bounded({"type": "array", "items": items}, minItems=at_least, maxItems=at_most)


def object_of(**properties: Schema) -> Schema:
    """An object with exactly these properties, in this order: put the reason before the verdict.

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
    """An object with at least these properties; others are read as they are."""
    return {**object_of(**properties), "additionalProperties": True}


def _bounded(schema: dict[str, Any], **bounds: float | None) -> Schema:
    return schema | {name: bound for name, bound in bounds.items() if bound is not None}


def form_of(schema: Schema) -> str:
    """A schema as a model is told of it.

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
    """The last value of a reply that fits, as `read_value` reads it.

    What stands in the fenced texts, word for word or only laid out otherwise, is a quotation and
    never the answer.
    """
    values = find_values(reply)
    quoted: list[Any] | None = None
    problems: list[tuple[Found, UnreadableError]] = []
    for each in reversed(values):
        try:
            value = read_value(each.value, schema)
        except UnreadableError as problem:
            problems.append((each, problem))
            continue
        if quoted is None:
            quoted = _values_in(fences, schema)
        if value not in quoted and not _is_quoted(each, reply, fences):
            return value
    own = [problem for each, problem in problems if not _is_quoted(each, reply, fences)]
    nearest = _nearest(own) if own else UnreadableError(_nothing(reply, values))
    wanted = f"Reply with JSON only, in this form: {form_of(schema)}"
    raise UnreadableError(str(nearest), wanted=wanted, reason=nearest.reason)


def _is_quoted(found: Found, reply: str, fences: Fences | None) -> bool:
    return fences is not None and fences.quotes(reply[found.start : found.end])


def _values_in(fences: Fences | None, schema: Schema) -> list[Any]:
    """What would fit in the texts; few hold brackets and all the names, so few are searched."""
    texts = fences.texts.values() if fences else ()
    read = []
    for each in texts:
        if ("{" in each or "[" in each) and _has_names(each, schema):
            read += [_value_or_none(found.value, schema) for found in find_values(each)]
    return [value for value in read if value is not None]


def _has_names(each: str, schema: Schema) -> bool:
    return all(re.search(spelling(name), each, re.IGNORECASE) for name in _names(schema))


def _names(schema: Schema) -> list[str]:
    items = schema.get("items")
    return _names(items) if items else list(schema.get("required", ()))


def _value_or_none(value: Any, schema: Schema) -> Any:
    try:
        return read_value(value, schema)
    except UnreadableError:
        return None


def _nearest(problems: list[UnreadableError]) -> UnreadableError:
    """What is wrong with the value that comes nearest to an answer; of equals with the last."""
    off_menu = (each for each in problems if each.reason == "off_menu")
    inside = (each for each in problems if not str(each).startswith("the reply is"))
    return next(off_menu, None) or next(inside, problems[0])


def _nothing(reply: str, values: list[Found]) -> str:
    if values:
        return "all JSON in the reply is quoted from the material"
    return "there is no whole JSON value in the reply" if reply.strip() else "the reply is empty"
