"""The JSON of a structured source as a view of its text, in which every field is a line.

The words of a value stand for themselves, and any other value for what the line says instead
(`null` for `not given`). The name of a field, with the names above it that come just before, stands
for the title of its line. What is left are braces, commas and white space, which stand for nothing.
"""

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from assay.core.rendering import BETWEEN_FIELDS, BETWEEN_VALUES, Field, fields_of
from assay.text.views import View, ViewBuilder

Range = tuple[int, int]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|\{\}|\[\]|[^\s{}\[\],:"]+')
_ESCAPED = re.compile(r"\\(?:u[0-9a-f]{4}|.)|[^\\]+")
_CLOSING = re.compile(r"[\s\]},]*[\]},]")


@dataclass(frozen=True, slots=True)
class _Leaf:
    """A value at the end of a path: where the text has it, and the title of its line."""

    title: Range
    value: Range


def view_json(text: str) -> View:
    """The view that JSON, as `json_text` writes it, is of the rendered object."""
    fields = tuple(fields_of(json.loads(text)))
    out = ViewBuilder(BETWEEN_FIELDS.join(field.text for field in fields))
    leaves = _leaves(fields)
    done = end = 0  # how far into the JSON, and into the text
    named: Range | None = None
    for token in _TOKEN.finditer(text):
        if text.startswith(": ", token.end()) and token[0].startswith('"'):
            named = (named[0] if named else token.start(), token.end())
            continue
        leaf = next(leaves)
        if named:
            _fill(out, text[done : named[0]], end, leaf.title[0])
            out.put(text[slice(*named)], *leaf.title)
            done, end, named = named[1], leaf.title[1], None
        _fill(out, text[done : token.start()], end, leaf.value[0])
        _put(out, token[0], leaf.value)
        done, end = token.end(), leaf.value[1]
    _fill(out, text[done:], end, end)
    return out.build()


def words_of(view: View, start: int, end: int) -> str:
    """The JSON for a range of the text; a quotation mark that it opens is closed."""
    first, last = bisect_right(view.ends, start), bisect_left(view.starts, end)
    found = view.text[first:last].strip()
    return f'{found}"' if found.startswith('"') and view.text[last : last + 1] == '"' else found


def _leaves(fields: tuple[Field, ...]) -> Iterator[_Leaf]:
    at = 0
    for field in fields:
        title = (at, at + len(field.title))
        at += len(field.opening)
        for value in field.values:
            yield _Leaf(title, (at, at + len(value)))
            at += len(value) + len(BETWEEN_VALUES)
        at += len(BETWEEN_FIELDS) - len(BETWEEN_VALUES)


def _fill(out: ViewBuilder, text: str, before: int, after: int) -> None:
    """The characters between two parts: closing ones belong to the first, the rest to the next."""
    closing = _CLOSING.match(text)
    end = closing.end() if closing else 0
    out.put(text[:end], before, before)
    out.put(text[end:], after, after)


def _put(out: ViewBuilder, token: str, place: Range) -> None:
    start, end = place
    if not token.startswith('"') or json.loads(token) != out.original[start:end]:
        out.put(token, start, end)
        return
    out.put('"', start, start)
    for piece in _ESCAPED.findall(token[1:-1]):
        size = 1 if piece.startswith("\\") else len(piece)
        if size == len(piece):
            out.copy(start, start + size)
        else:
            out.put(piece, start, start + size)
        start += size
    out.put('"', end, end)
