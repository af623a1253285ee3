"""Lists that somebody's program wrote into a text cell: as JSON, as Python, or as NumPy do."""

import ast
import json
import re

_STRING = re.compile(r"'[^'\\]*+(?:\\.[^'\\]*+)*+'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"", re.DOTALL)
_LONGEST_LITERAL = 2**20  # what is not strings only takes a hundred times its size to parse


def read_list(text: str) -> list[object] | None:
    """The list of texts, or of objects, that a text is from end to end; otherwise None.

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
    if not found or not isinstance(found, list):
        return None
    is_passages = all(isinstance(each, str) for each in found)
    return found if is_passages or all(isinstance(each, dict) for each in found) else None


def _json(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _strings(text: str) -> object:
    """String literals with commas or white space between them, and nothing else."""
    found: list[object] = []
    place, end = 1, len(text) - 1
    while place < end:
        if text[place] == "," or text[place].isspace():
            place += 1
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
