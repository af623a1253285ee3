"""A source given as JSON, rendered to text with offsets that stay the same from run to run.

A list of strings, or of objects with a text, is a list of passages. Any other object is rendered
one field a line (`opening hours > Monday: 8:00-17:00`), so that every field is a passage of its
own whose name is its path in the original (`opening_hours.Monday`). Its JSON is kept beside the
text, for language models.

Every field repeats the names above it, so that a small object can have a large text: what becomes
of a source has limits.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, time, timedelta
from enum import Enum
from numbers import Number
from typing import TypeGuard
from uuid import UUID

from assay.core.errors import InputError
from assay.core.system.lines import MIB, ROW_LIMIT, row_limit
from assay.core.texts import Passage, Source

SCALARS = (str, Number, date, time, timedelta, UUID)
_encoder = json.JSONEncoder(indent=4, ensure_ascii=False)


def unboxed(value: object) -> object:
    """A numpy array or number, as Parquet readers and pandas give them, as a list or number."""
    return value.tolist() if hasattr(value, "tolist") else value


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """True if a value is a list of any kind; a text is none."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def is_missing(value: object) -> bool:
    """True if a value is None, or one of the ways in which data frames say so."""
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


TEXT_KEYS = ("text", "content", "page_content", "passage")
TITLE_KEYS = ("title", "name", "heading")
METADATA_KEYS = ("metadata", "meta")
ORIGIN_KEYS = ("source", "file_name", "filename", "file_path", "url", "name", "title")
MOST_PARTS = 1_000_000  # passages and fields
LONGEST_NAME = 10_000  # characters of a field's name, with those above it
BETWEEN_VALUES, BETWEEN_FIELDS = ", ", "\n"


@dataclass(frozen=True, slots=True)
class Field:
    """A field of an object as a line of text: its path, its title, and what it is or lists."""

    name: str
    title: str
    values: tuple[str, ...]

    @property
    def opening(self) -> str:
        """The text before the values."""
        return f"{self.title}: "

    @property
    def text(self) -> str:
        """The line."""
        return self.opening + BETWEEN_VALUES.join(self.values)


@dataclass(frozen=True, slots=True)
class NamedText:
    """A passage whose name is no part of its text: where a document comes from."""

    name: str
    text: str


def origin_of(metadata: object) -> str:
    """Where a document comes from, as its metadata say; empty if they do not.

    >>> origin_of({"page": 3, "source": "returns.pdf"}), origin_of({"score": 0.3})
    ('returns.pdf', '')
    """
    if not isinstance(metadata, Mapping):
        return ""
    found = (each for key in ORIGIN_KEYS if isinstance(each := metadata.get(key), str))
    return next((each.strip() for each in found if each.strip()), "")


def read_source(value: object) -> Source:
    """The source for a string, a list of passages, or a JSON object.

    >>> read_source({"name": "Blue Door", "hours": {"Mon": "9-5"}}).text
    'name: Blue Door\\nhours > Mon: 9-5'
    """
    if isinstance(value, Source):
        return value
    value = unboxed(value)
    if isinstance(value, str):
        return Source(value)
    try:
        if isinstance(value, Mapping):
            source = _join(((each.name, each.text) for each in fields_of(value)), BETWEEN_FIELDS)
            return replace(source, json=json_text(value)) if value else source
        if is_list(value):
            return _join(_passages(value), "\n\n")
    except RecursionError:
        raise InputError("the source is nested too deeply to be read") from None
    raise InputError(f"a source must be text, a list or an object, not {type(value).__name__}")


def _join(parts: Iterator[tuple[str, str]], separator: str) -> Source:
    texts: list[str] = []
    passages: list[Passage] = []
    position = named = 0
    limit = 2 * row_limit()
    for name, text in parts:
        named += len(name)
        if len(passages) == MOST_PARTS:
            raise InputError(f"the source has more than {MOST_PARTS:,} passages or fields")
        if position + len(text) + named > limit:
            raise InputError(
                f"the source and the names of its parts have more than {limit // MIB:,} million "
                f"characters as text; set {ROW_LIMIT} to raise the limit"
            )
        passages.append(Passage(name, position, position + len(text)))
        texts.append(text)
        position += len(text) + len(separator)
    return Source(separator.join(texts), tuple(passages))


def _passages(values: Sequence[object]) -> Iterator[tuple[str, str]]:
    for number, value in enumerate(map(unboxed, values), start=1):
        if isinstance(value, str):
            yield f"passage {number}", value
        elif isinstance(value, NamedText):
            yield value.name or f"passage {number}", value.text
        elif isinstance(value, Mapping) and (text := _first_text(value, TEXT_KEYS)) is not None:
            title = _first_text(value, TITLE_KEYS)
            name = title or _first_origin(value) or f"passage {number}"
            yield name, f"{title}\n{text}" if title else text
        elif isinstance(value, Mapping):
            yield from ((f"passage {number} > {e.name}", e.text) for e in fields_of(value))
        elif is_list(value):
            yield from ((f"passage {number} > {name}", text) for name, text in _passages(value))
        elif not is_missing(value):
            yield f"passage {number}", in_words(value)


def _first_origin(value: Mapping[str, object]) -> str:
    return next(filter(None, (origin_of(value.get(key)) for key in METADATA_KEYS)), "")


def _first_text(value: Mapping[str, object], keys: Sequence[str]) -> str | None:
    return next((found for key in keys if isinstance(found := value.get(key), str)), None)


def fields_of(value: Mapping[str, object], path: str = "", heading: str = "") -> Iterator[Field]:
    """The fields of an object, in its order; below a path and a heading if it is part of one."""
    for each, item in value.items():
        key = written(each)
        name = f"{path}.{key}" if path else key
        title = f"{heading} > {_spell(key)}" if heading else _spell(key)
        if len(name) > LONGEST_NAME:
            raise InputError(
                f"the source has a field whose name, with the names above it, is longer than "
                f"{LONGEST_NAME:,} characters"
            )
        yield from _field(item, name, title)


def _field(item: object, name: str, title: str) -> Iterator[Field]:
    item = unboxed(item)
    if isinstance(item, Mapping) and item:
        yield from fields_of(item, name, title)
    elif is_list(item) and any(_holds_more(each) for each in item):
        for index, each in enumerate(item):
            yield from _field(each, f"{name}[{index}]", f"{title} {index + 1}")
    elif is_list(item) or isinstance(item, Mapping):
        values = tuple(map(in_words, item))
        yield Field(name, title, values if values not in ((), ("",)) else ("none",))
    else:
        yield Field(name, title, (in_words(item),))


def _holds_more(value: object) -> bool:
    return isinstance(value, Mapping) or is_list(unboxed(value))


def _spell(key: str) -> str:
    """A field name as words: `BusinessParking` and `business_parking` both match prose."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.replace("_", " ")).strip() or key
