"""A source given as JSON, rendered to text with offsets that stay the same from run to run.

A list of strings, or of objects with a text, is a list of passages. Any other object is rendered
one field a line (`opening hours > Monday: 8:00-17:00`), so that every field is a passage of its
own whose name is its path in the original (`opening_hours.Monday`).
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from assay.core.errors import InputError
from assay.core.texts import Passage, Source

TEXT_KEYS = ("text", "content", "page_content", "passage")
TITLE_KEYS = ("title", "name", "heading")


def read_source(value: object) -> Source:
    """The source for a string, a list of passages, or a JSON object.

    >>> read_source({"name": "Blue Door", "hours": {"Mon": "9-5"}}).text
    'name: Blue Door\\nhours > Mon: 9-5'
    """
    if isinstance(value, Source):
        return value
    if isinstance(value, str):
        return Source(value)
    if isinstance(value, Mapping):
        return _join(_fields(value), "\n")
    if isinstance(value, Sequence):
        return _join(_passages(value), "\n\n")
    if hasattr(value, "tolist"):  # a numpy array, as Parquet readers and pandas give for lists
        return read_source(value.tolist())
    raise InputError(f"a source must be text, a list or an object, not {type(value).__name__}")


def _join(parts: Iterator[tuple[str, str]], separator: str) -> Source:
    texts: list[str] = []
    passages: list[Passage] = []
    position = 0
    for name, text in parts:
        passages.append(Passage(name, position, position + len(text)))
        texts.append(text)
        position += len(text) + len(separator)
    return Source(separator.join(texts), tuple(passages))


def _passages(values: Sequence[object]) -> Iterator[tuple[str, str]]:
    for number, value in enumerate(values, start=1):
        if isinstance(value, str):
            yield f"passage {number}", value
        elif isinstance(value, Mapping) and (text := _first_text(value, TEXT_KEYS)) is not None:
            title = _first_text(value, TITLE_KEYS)
            yield title or f"passage {number}", f"{title}\n{text}" if title else text
        elif isinstance(value, Mapping):
            yield from ((f"[{number - 1}].{name}", text) for name, text in _fields(value))
        elif isinstance(value, Sequence):
            yield from ((f"[{number - 1}]{name}", text) for name, text in _passages(value))
        else:
            yield f"[{number - 1}]", _scalar(value)


def _first_text(value: Mapping[str, object], keys: Sequence[str]) -> str | None:
    return next((found for key in keys if isinstance(found := value.get(key), str)), None)


def _fields(
    value: Mapping[str, object], path: str = "", heading: str = ""
) -> Iterator[tuple[str, str]]:
    for key, item in value.items():
        name = f"{path}.{key}" if path else str(key)
        title = f"{heading} > {_spell(str(key))}" if heading else _spell(str(key))
        yield from _field(item, name, title)


def _field(item: object, name: str, title: str) -> Iterator[tuple[str, str]]:
    if isinstance(item, Mapping) and item:
        yield from _fields(item, name, title)
    elif _is_list(item) and any(_is_list(each) or isinstance(each, Mapping) for each in item):
        for index, each in enumerate(item):
            yield from _field(each, f"{name}[{index}]", f"{title} {index + 1}")
    elif _is_list(item):
        yield name, f"{title}: {', '.join(_scalar(each) for each in item) or 'none'}"
    else:
        yield name, f"{title}: {_scalar(item)}"


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _spell(key: str) -> str:
    """A field name as words: `BusinessParking` and `business_parking` both match prose."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", key.replace("_", " ")).strip() or key


def _scalar(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "not given"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False, default=str)
