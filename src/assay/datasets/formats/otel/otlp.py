"""Spans in OTLP JSON: a request of an exporter on each line, or one document.

Log records that name a span are read as its events, since newer instrumentations write the texts
of a call there. Names may be in either form of protobuf, and ids hexadecimal or in base64.
"""

import base64
import binascii
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from assay.core.places import RowPlace
from assay.core.problems import Problem
from assay.core.system.lines import TooLong, has_more_values, limited_lines, row_limit
from assay.datasets.encodings import open_binary
from assay.datasets.files import Rows, read_json

Attributes = Mapping[str, object]

_DEEPEST = 32  # lists and maps inside each other in the value of an attribute
_DIGITS = {"trace": 32, "span": 16}  # of an id
_HEXADECIMAL = re.compile(r"[0-9a-fA-F]+")
_SIGNALS = ("resourceSpans", "resourceLogs", "resourceMetrics")


@dataclass(frozen=True, slots=True)
class Event:
    """Something that a span recorded at one moment."""

    name: str
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class ExportedSpan:
    """A span as it stands in the file, or a log record of one; its attributes are read on demand.

    `start` is in nanoseconds, and 0 where it is not known.
    """

    trace: str
    id: str
    parent: str
    start: int
    is_record: bool
    raw: Mapping[str, Any]
    line: int = 1  # of the file, on which the request begins that it was exported with

    @property
    def attributes(self) -> Attributes:
        """Its attributes as plain values; a log record has only an event."""
        return {} if self.is_record else _attributes(self.raw)

    @property
    def events(self) -> tuple[Event, ...]:
        """Its events; a log record is one itself."""
        found = (self.raw,) if self.is_record else _objects(self.raw, "events")
        return tuple(Event(_event_name(each), _attributes(each)) for each in found)


def read_spans(path: str) -> Iterator[tuple[str, ExportedSpan | Problem]]:
    """The spans of a file, each with its place; what cannot be read is a problem."""
    for place, row in _requests(path):
        if isinstance(row, Problem):
            yield str(place), row
        elif not any(_get(row, name) is not None for name in _SIGNALS):
            missing = "no 'resourceSpans', so these are no traces in OTLP JSON"
            yield str(place), Problem.at(place, missing)
        else:
            yield from _spans(row, place)


def _requests(path: str) -> Rows:
    return read_json(path, lines=_has_lines(path), hint="write each request on a line of its own")


def _has_lines(path: str) -> bool:
    """True if one of the first two lines is an object; a document has its beginning there."""
    with open_binary(path) as file:
        try:
            lines = (line for line in limited_lines(file, row_limit()) if not _is_blank(line))
            first = list(islice(lines, 2))
        except (OSError, EOFError):  # whoever reads the file says what is wrong
            return True
    if not first or isinstance(first[0], TooLong):
        return True
    return first[0].strip() != b"[" and any(map(_is_object, first))


def _is_blank(line: bytes | TooLong) -> bool:
    return isinstance(line, bytes) and not line.strip()


def _is_object(line: bytes | TooLong) -> bool:
    if isinstance(line, TooLong):
        return True
    text = line.decode("utf-8-sig", "replace")
    if has_more_values(text, row_limit()):
        return True
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def _spans(
    request: Mapping[str, Any], at: RowPlace
) -> Iterator[tuple[str, ExportedSpan | Problem]]:
    number = 0
    for resource in _objects(request, "resourceSpans"):
        scopes = _objects(resource, "scopeSpans", "instrumentationLibrarySpans")
        for raw in (span for scope in scopes for span in _objects(scope, "spans")):
            number += 1
            place = replace(at, part=f"{at.part} span {number}".lstrip())
            yield str(place), _span(raw, place)
    for resource in _objects(request, "resourceLogs"):
        for scope in _objects(resource, "scopeLogs"):
            for raw in _objects(scope, "logRecords"):
                if _get(raw, "traceId") and _get(raw, "spanId"):
                    yield str(at), _span(raw, at, is_record=True)


def _span(
    raw: Mapping[str, Any], place: RowPlace, *, is_record: bool = False
) -> ExportedSpan | Problem:
    trace, own = _id(_get(raw, "traceId"), "trace"), _id(_get(raw, "spanId"), "span")
    if not trace or not own:
        what = "span" if trace else "trace"
        return Problem.at(place, f"it has no {what} id of {_DIGITS[what]} hexadecimal digits")
    parent = _id(_get(raw, "parentSpanId"), "span")
    return ExportedSpan(trace, own, parent, _time(raw), is_record, raw, place.line)


def _id(value: object, what: str) -> str:
    """An id in hexadecimal digits; empty where it is none, or zero."""
    if not isinstance(value, str):
        return ""
    digits = _DIGITS[what]
    if len(value) == digits and _HEXADECIMAL.fullmatch(value):
        return value.lower() if value.strip("0") else ""
    bare = value.rstrip("=")
    if len(bare) != (digits // 2 * 8 + 5) // 6:  # of as many bytes in base64
        return ""
    try:
        found = base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True).hex()
    except (binascii.Error, ValueError):
        return ""
    return found if found.strip("0") else ""


def _time(raw: Mapping[str, Any]) -> int:
    value = _get(raw, "startTimeUnixNano")
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20:
        return int(value)
    return value if isinstance(value, int) else 0


def _event_name(raw: Mapping[str, Any]) -> str:
    name = _get(raw, "name") or _get(raw, "eventName")
    return name if isinstance(name, str) else ""


def _attributes(raw: Mapping[str, Any]) -> dict[str, object]:
    """The attributes by name; of a name that stands twice, the last value counts."""
    return _map(_objects(raw, "attributes"), _DEEPEST)


def _map(pairs: list[dict[str, Any]], depth: int) -> dict[str, object]:
    return {
        each["key"]: _value(each.get("value"), depth)
        for each in pairs
        if isinstance(each.get("key"), str)
    }


def _value(value: object, depth: int) -> object:
    """A value of an attribute as a plain one; None where it is none, or nested too deeply."""
    if not isinstance(value, dict) or not depth:
        return None
    for name in ("stringValue", "boolValue", "doubleValue", "bytesValue"):
        if (found := _get(value, name)) is not None:
            return found if isinstance(found, str | bool | int | float) else None
    if (number := _get(value, "intValue")) is not None:
        return number if isinstance(number, int | str) else None
    if isinstance(items := _get(value, "arrayValue"), dict):
        return [_value(each, depth - 1) for each in _objects(items, "values")]
    if isinstance(pairs := _get(value, "kvlistValue"), dict):
        return _map(_objects(pairs, "values"), depth - 1)
    return None


def _objects(owner: Mapping[str, Any], *names: str) -> list[dict[str, Any]]:
    """The objects in the lists under some names; whatever else is there is passed over."""
    lists = (_get(owner, name) for name in names)
    return [each for some in lists if isinstance(some, list) for each in some if _is_map(each)]


def _is_map(value: object) -> bool:
    return isinstance(value, dict)


def _get(owner: Mapping[str, Any], name: str) -> Any:
    """A field in the form of JSON, or as protobuf calls it: `traceId`, `trace_id`."""
    if name in owner:
        return owner[name]
    return owner.get(_snake(name))


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
