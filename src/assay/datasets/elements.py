"""The lines on which the elements of a JSON list begin."""

import json
import re
from collections.abc import Iterator

_BLANKS = re.compile(r"[ \t\r\n]*+")  # between values


def element_lines(text: str) -> Iterator[int]:
    """The line on which each element of a valid JSON list begins."""
    read, line, counted = json.JSONDecoder().raw_decode, 1, 0
    start = _after_blanks(text, text.index("[") + 1)
    while text[start] != "]":
        line, counted = line + text.count("\n", counted, start), start
        yield line
        end = _after_blanks(text, read(text, start)[1])
        start = _after_blanks(text, end + 1) if text[end] == "," else end


def _after_blanks(text: str, start: int) -> int:
    found = _BLANKS.match(text, start)
    return found.end() if found else start
