"""The kind of text that a source is: a record, a table, a dialogue, an article or a short text.

Verdicts can be relied on more with some of them than with others.
"""

import re
from typing import Literal, get_args

from assay.core.texts import Source

SourceKind = Literal["record", "table", "dialogue", "article", "short"]
KINDS: tuple[SourceKind, ...] = get_args(SourceKind)

_LOOKED_AT = 20_000  # characters
_ARTICLE = 2_000  # characters from which prose is an article
_FEWEST_ROWS = 3  # of a table, its head among them
_FEWEST_TURNS = 3  # of a dialogue
_SHARE = 0.5  # of the lines that rows or turns make, at least
_MARKDOWN_ROW = re.compile(r"[ \t]{0,9}\|[^\n]*\|[ \t]{0,9}")
_HTML_ROW = re.compile(r"<tr[\s>]", re.IGNORECASE)
_TURN = re.compile(
    r"[ \t]{0,9}(?:\[?\d{1,2}[:.]\d\d(?:[:.]\d\d)?\]?\s{1,3})?(?:\*\*)?[^\W\d_][\w .'’()-]{0,39}"
    r"(?:\*\*)?:(?:\*\*)?\s"
)
_BETWEEN_CELLS = tuple(map(re.compile, (r"\t", r";", r",(?! )")))  # prose has spaces after commas
_OBJECT = re.compile(r"\s{0,99}[{\[]\s{0,99}[\"{\[]")


def source_kind(source: Source) -> SourceKind:
    """The kind of a source.

    >>> source_kind(Source("| Year | Sales |\\n| --- | --- |\\n| 2023 | 12 |"))
    'table'
    """
    text = source.text[:_LOOKED_AT]
    if source.json or _OBJECT.match(text):
        return "record"
    lines = [line for line in text.splitlines() if line.strip()]
    if len(_HTML_ROW.findall(text)) >= _FEWEST_ROWS or _has_rows(lines):
        return "table"
    turns = sum(bool(_TURN.match(line)) for line in lines)
    if turns >= _FEWEST_TURNS and turns >= _SHARE * len(lines):
        return "dialogue"
    return "article" if len(source.text) >= _ARTICLE else "short"


def _has_rows(lines: list[str]) -> bool:
    """True if rows of Markdown, or of as many cells apart by one sign, follow one another."""
    rows = sum(bool(_MARKDOWN_ROW.fullmatch(line)) for line in lines)
    if rows >= _FEWEST_ROWS:
        return True
    for sign in _BETWEEN_CELLS:
        cells = [len(sign.findall(line)) for line in lines]
        most = max(set(cells), key=cells.count, default=0)
        alike = cells.count(most)
        if most and alike >= _FEWEST_ROWS and alike >= 2 * _SHARE * len(lines) - 1:
            return True
    return False
