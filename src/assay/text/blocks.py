"""The layout of a text: paragraphs, headings, list items, table rows and code.

A line break ends a block, except inside fenced code and where a line was only wrapped.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# A bullet or number, or the hash signs of a heading, at the start of a line.
_MARKER = re.compile(
    r"[ \t]*(?:>[ \t]*)*"
    r"(?:[-*+•‣◦▪●–—][ \t]+|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,4})[.)][ \t]+|#{1,6}[ \t]+)"
)
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_ENDS_SENTENCE = re.compile(r"[.!?:;…。！？：；|\"”’»)\]*_][ \t]*$")
_WRAPPED_LENGTH = 50


@dataclass(frozen=True, slots=True)
class Block:
    """A range of a text that no sentence crosses; `body` is where its prose begins."""

    start: int
    body: int
    end: int
    is_code: bool = False


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    text: str

    @property
    def content(self) -> str:
        return self.text.rstrip()


def split_blocks(text: str) -> Iterator[Block]:
    """The blocks of a text in order; blank lines belong to none."""
    paragraph: list[_Line] = []
    for item in _lines_and_code(text):
        if isinstance(item, Block):
            yield from _paragraph_block(paragraph)
            yield item
            paragraph = []
        elif not item.content:
            yield from _paragraph_block(paragraph)
            paragraph = []
        elif paragraph and _continues(paragraph[-1], item):
            paragraph.append(item)
        else:
            yield from _paragraph_block(paragraph)
            paragraph = [item]
    yield from _paragraph_block(paragraph)


def _lines_and_code(text: str) -> Iterator[_Line | Block]:
    """Lines outside of fenced code, and each run of fenced code as a block."""
    position = 0
    fence = ""
    opened = 0
    for raw in text.splitlines(keepends=True):
        mark = _FENCE.match(raw)
        if fence:
            if mark and mark[1].startswith(fence):
                yield Block(opened, opened, position + len(raw.rstrip()), is_code=True)
                fence = ""
        elif mark:
            fence, opened = mark[1], position
        else:
            yield _Line(position, raw)
        position += len(raw)
    if fence:
        yield Block(opened, opened, position, is_code=True)


def _continues(line: _Line, following: _Line) -> bool:
    """Whether a line was wrapped, so that its sentence goes on in the following one."""
    if _MARKER.match(following.text) or following.content.lstrip().startswith("|"):
        return False
    if _MARKER.match(line.text) and line.text.lstrip().startswith("#"):
        return False
    if _ENDS_SENTENCE.search(line.content):
        return False
    return following.content.lstrip()[0].islower() or len(line.content) >= _WRAPPED_LENGTH


def _paragraph_block(lines: list[_Line]) -> Iterator[Block]:
    if lines:
        first, last = lines[0], lines[-1]
        marker = _MARKER.match(first.text)
        body = first.start + (marker.end() if marker else 0)
        end = last.start + len(last.content)
        yield Block(first.start, min(body, end), end)
