"""Lists that somebody's program wrote into a text cell: as JSON, as Python, or as NumPy do."""

import ast
import json
import re

from assay.core.lines import has_more_values, row_limit

_STRING = re.compile(r"'[^'\\]*+(?:\\.[^'\\]*+)*'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"", re.DOTALL)
_MISSING = re.compile(r"(?:None|null|nan|NaN|<NA>)(?=[\s,\]])")
_LONGEST_LITERAL = 2**20  # what is not strings only takes a hundred times its size to parse


def read_list(text: str) -> list[object] | None:
    """The list of texts, or of objects, that a text is from end to end; otherwise None.

    It may be empty, and have None where a value is missing.

    >>> read_list("['One.', 'Two.']"), read_list("['One.' 'Two.']"), read_list("[1] see below [2]")
    (['One.', 'Two.'], ['One.', 'Two.'], None)
    """
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    found = _json(text)
    if found is None:
        found = _strings(text)
    if found is None and len(text) <= _LONGEST_LITERAL:
        found = _literal(text)
    if not isinstance(found, list):
        return None
    found = [None if each != each else each for each in found]  # NaN equals nothing
    kinds = {type(each) for each in found if each is not None}
    return found if kinds in (set(), {str}, {dict}) else None


def _json(text: str) -> object:
    if has_more_values(text, row_limit()):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _strings(text: str) -> object:
    """String literals with commas or white space between them, and where values are missing."""
    found: list[object] = []
    place, end = 1, len(text) - 1
    while place < end:
        if text[place] == "," or text[place].isspace():
            place += 1
            continue
        if missing := _MISSING.match(text, place):
            found.append(None)
            place = missing.end()
            continue
        literal = _STRING.match(text, place, end)
        if not literal:
            return None
        value = _literal(literal[0]) if "\\" in literal[0] else literal[0][1:-1]
        if value is None:
            return None
        found.append(value)
        place = literal.end()
    return found


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
