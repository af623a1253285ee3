"""The layout of a text: paragraphs, headings, list items, table rows and code.

A line break ends a block, except inside fenced code and where a line was merely wrapped. A fence
that is never closed fences nothing: what follows it is read like any other text. Lines
without a letter or digit (rules, underlines, the dashes of a table) count as blank.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
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
# A speaker, or the name of a field, at the start of a line.
_LABEL = re.compile(r"[^\W\d_][\w .'’&/()>-]{0,40}:(?:\s|$)")
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
    is_code: bool = False


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
        return _is_blank(self.text)


def marker_end(text: str) -> int:
    """The start of a line's wording, after its bullet, number or hash signs."""
    marker = _MARKER.match(text)
    return marker.end() if marker else 0


def find_code(text: str) -> Iterator[Block]:
    """The fenced code of a text, with its fences."""
    if "```" in text or "~~~" in text:
        for item in _lines_and_whole_blocks(text):
            if isinstance(item, Block) and item.is_code:
                yield item


def split_blocks(text: str) -> Iterator[Block]:
    """The blocks of a text in order; blank lines belong to no block."""
    paragraph: list[_Line] = []
    for item in _lines_and_whole_blocks(text):
        if isinstance(item, _Line) and paragraph and continues(paragraph[-1].text, item.text):
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
    lines = text.splitlines(keepends=True)
    marks = [_FENCE.match(raw) for raw in lines]
    for raw, mark, is_closed in zip(lines, marks, _closed(marks), strict=True):
        line = _Line(position, raw)
        if fence:
            if mark and mark[1].startswith(fence):
                yield Block(opened, opened, line.end, is_whole=True, is_code=True)
                fence = ""
        elif mark and is_closed:
            fence, opened = mark[1], position
        elif (mark and len(line.content.split()) == 1) or line.content.startswith("|"):
            yield Block(position, position, line.end, is_whole=True)
        else:
            yield line
        position += len(raw)


def _closed(marks: Sequence[re.Match[str] | None]) -> list[bool]:
    """For each fence, True if a fence further down closes it."""
    longest = {"`": 0, "~": 0}
    closed = []
    for mark in reversed(marks):
        sign, length = (mark[1][0], len(mark[1])) if mark else ("", 0)
        closed.append(0 < length <= longest.get(sign, 0))
        if mark:
            longest[sign] = max(longest[sign], length)
    return closed[::-1]


def continues(line: str, following: str) -> bool:
    """True if a line was wrapped, so that its sentence continues in the following one."""
    if _is_blank(following) or "|" in line or begins_anew(following) or _FENCE.match(line):
        return False
    content, rest = line.strip(), following.strip()
    if _ENDS_TITLE.search(content):
        return True
    if content.startswith("#") or _ENDS_SENTENCE.search(content):
        return False
    is_labelled = has_label(rest)
    if is_labelled and has_label(content):
        return False
    if rest[0].islower():
        return True
    if content.endswith(_CLOSING_MARKS) or is_labelled:
        return False
    return len(content) >= _WRAPPED_LENGTH


def begins_anew(line: str) -> bool:
    """True if a line that is not blank is an item, a row, data such as JSON, or has a symbol."""
    if _MARKER.match(line) or "|" in line or _FENCE.match(line):
        return True
    first = line.lstrip()[0]
    return first in "{[<" or unicodedata.category(first) == "So"  # an emoji used as a bullet


def has_label(line: str) -> bool:
    """True if a line begins with a speaker or the name of a field, and a colon."""
    return bool(_LABEL.match(line))


def _is_blank(line: str) -> bool:
    return not any(character.isalnum() for character in line)


def _paragraph_block(lines: list[_Line]) -> Iterator[Block]:
    if lines:
        first, last = lines[0], lines[-1]
        body = first.start + marker_end(first.text)
        yield Block(first.start, min(body, last.end), last.end)
