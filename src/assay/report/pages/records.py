"""The JSON that scripts read: fields of views under their own names."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from functools import cache
from operator import attrgetter
from typing import Any

from assay.report.pages.badges import Badge
from assay.report.words import escaped_json

Json = dict[str, Any]

# The metadata of a field that no script reads.
FOR_TEMPLATES = {"sent": False}

_PLAIN = (str, int, type(None))


class Numbers:
    """A number, from 0, for each thing, in the order in which they come."""

    def __init__(self) -> None:
        self._known: dict[Any, int] = {}

    def __getitem__(self, thing: Any) -> int:
        return self._known.setdefault(thing, len(self._known))

    def __iter__(self) -> Iterator[Any]:
        return iter(self._known)


def literal(value: object) -> str:
    """A value as JSON on one line that may stand anywhere in a script, also inside a page.

    Halves of characters, and what hides or turns text, are escaped.

    >>> literal(["</script>", None])
    '["\\\\u003c/script>",null]'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    plain = text if text.isascii() and text.isprintable() else escaped_json(text)
    return plain.replace("<", r"\u003c")


def record(view: object, badges: Numbers) -> Json:
    """The fields of a view that scripts read, but for those that have their default.

    A badge in a field is its number, and shares have four digits.
    """
    kind: Any = type(view)
    defaults, values = _sent(kind)
    return {
        name: _plain(value, badges)
        for (name, default), value in zip(defaults, values(view), strict=True)
        if value is not default and value != default
    }


def badge_records(badges: Iterable[Badge]) -> list[Json]:
    """Badges in order, for their numbers."""
    return [record(each, Numbers()) for each in badges]


def names(kind: type) -> list[str]:
    """The names of the fields that scripts read: the head of rows of that class."""
    return [name for name, _ in _sent(kind)[0]]


def row(view: object, badges: Numbers) -> list[Any]:
    """All values under the names of a class, where there are many alike."""
    kind: Any = type(view)
    return [_plain(value, badges) for value in _sent(kind)[1](view)]


def _plain(value: Any, badges: Numbers) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is float:
        return round(value, 4)
    if kind is tuple:
        return [_plain(each, badges) for each in value]
    if kind is bool:
        return int(value)
    return badges[value] if kind is Badge else record(value, badges)


@cache
def _sent(kind: Any) -> tuple[tuple[tuple[str, Any], ...], Callable[[Any], tuple[Any, ...]]]:
    """The fields of a class that scripts read, with their defaults, and what reads them."""
    if issubclass(kind, tuple):
        return tuple(
            (name, kind._field_defaults.get(name, MISSING)) for name in kind._fields
        ), tuple
    sent = [each for each in fields(kind) if each.metadata.get("sent", True)]
    return tuple((each.name, each.default) for each in sent), attrgetter(*(e.name for e in sent))
