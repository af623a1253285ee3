"""The layout of a text: paragraphs, headings, list items, table rows and code.

A line break ends a block, except inside fenced code and where a line was merely wrapped. Lines
without a letter or digit (rules, underlines, the dashes of a table) count as blank.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

# A bullet or number, or the hash signs of a heading, at the start of a line.
_MARKER = re.compile(
    r"[ \t]*(?:>[ \t]*)*"
    r"(?:[-*+•‣◦▪●–—][ \t]+|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.)][ \t]+|#{1,6}[ \t]+)"
)
# No backtick follows those of a fence: ```this``` is code within a line.
_FENCE = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})")
_ENDS_SENTENCE = re.compile(r"[.!?:;…。！？：；][\"”’»)\]*_]*$")
_ENDS_TITLE = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|Prof|St)\.$")
_CLOSING_MARKS = tuple('"”’»)]*_')
_WRAPPED_LENGTH = 50


@dataclass(frozen=True, slots=True)
class Block:
    """A range of a text that no sentence crosses; `body` is where its prose begins.

    A block that `is_whole`, such as code or the row of a table, is not divided any further.
    """

    start: int
    body: int
    end: int
    is_whole: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def content(self) -> str:
        return self.text.strip()

    @property
    def end(self) -> int:
        return self.start + len(self.text.rstrip())

    @property
    def is_blank(self) -> bool:
        return not any(character.isalnum() for character in self.text)


def marker_end(text: str) -> int:
    """Where the wording of a line begins, after its bullet, number or hash signs."""
    marker = _MARKER.match(text)
    return marker.end() if marker else 0


def split_blocks(text: str) -> Iterator[Block]:
    """The blocks of a text in order; blank lines belong to no block."""
    paragraph: list[_Line] = []
    for item in _lines_and_whole_blocks(text):
        if isinstance(item, _Line) and paragraph and _continues(paragraph[-1], item):
            paragraph.append(item)
            continue
        yield from _paragraph_block(paragraph)
        paragraph = []
        if isinstance(item, Block):
            yield item
        elif not item.is_blank:
            paragraph = [item]
    yield from _paragraph_block(paragraph)


def _lines_and_whole_blocks(text: str) -> Iterator[_Line | Block]:
    """Each run of fenced code and each row of a table as a block, and all other lines."""
    position = 0
    fence = ""
    opened = 0
    for raw in text.splitlines(keepends=True):
        line = _Line(position, raw)
        mark = _FENCE.match(raw)
        if fence:
            if mark and mark[1].startswith(fence):
                yield Block(opened, opened, line.end, is_whole=True)
                fence = ""
        elif mark:
            fence, opened = mark[1], position
        elif line.content.startswith("|"):
            yield Block(position, position, line.end, is_whole=True)
        else:
            yield line
        position += len(raw)
    if fence:
        yield Block(opened, opened, position, is_whole=True)


def _continues(line: _Line, following: _Line) -> bool:
    """Whether a line was wrapped, so that its sentence continues in the following one."""
    if following.is_blank or _MARKER.match(following.text) or "|" in line.text + following.text:
        return False
    if unicodedata.category(following.content[0]) == "So":  # an emoji or symbol used as a bullet
        return False
    if _ENDS_TITLE.search(line.content):
        return True
    if line.content.startswith("#") or _ENDS_SENTENCE.search(line.content):
        return False
    if following.content[0].islower():
        return True
    return len(line.content) >= _WRAPPED_LENGTH and not line.content.endswith(_CLOSING_MARKS)


def _paragraph_block(lines: list[_Line]) -> Iterator[Block]:
    if lines:
        first, last = lines[0], lines[-1]
        body = first.start + marker_end(first.text)
        yield Block(first.start, min(body, last.end), last.end)
