"""What a reply only quotes: code blocks, block quotes and passages in quotation marks."""

import re

_CLOSINGS = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“”", "«": "»", "‘": "’"}
_MARKS = re.compile(r"\n[ \t]*\n|[\"'`“”„«»‘’]")
_FENCE = re.compile(r"[ \t]*(?P<fence>```|~~~)(?P<more>.*)", re.DOTALL)


def without_quotations(text: str, holding: re.Pattern[str]) -> str:
    """The text with blanks in place of code blocks, block quotes and of quotations that hold it.

    A quotation ends with its paragraph; quotations without what is looked for are left alone.
    """
    text = _without_blocks(text)
    kept: list[str] = []
    at = 0
    for start, end in _quotations(text):
        if holding.search(text, start, end):
            kept += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
            at = end
    return "".join((*kept, text[at:]))


def ends_quotation(text: str) -> bool:
    """Whether a mark in the text closes a quotation that began before it."""
    pairs = (("“", "”"), ("«", "»"))
    return text.count('"') % 2 == 1 or any(text.count(a) < text.count(b) for a, b in pairs)


def _quotations(text: str) -> list[tuple[int, int]]:
    """The passages in quotation marks; marks within one are part of it."""
    found: list[tuple[int, int]] = []
    start, closings = 0, ""
    for each in _MARKS.finditer(text):
        mark, at = each[0], each.start()
        if mark[0] == "\n":
            closings = ""
        elif closings and mark in closings and _can_close(text, at):
            found.append((start, each.end()))
            closings = ""
        elif not closings and mark in _CLOSINGS and _can_open(text, at):
            start, closings = at, _CLOSINGS[mark]
    return found


def _can_open(text: str, at: int) -> bool:
    """Whether a mark has no word before it and something after it: not so in 6" and it's."""
    after = text[at + 1 : at + 2]
    return not text[max(at - 1, 0) : at].isalnum() and bool(after) and not after.isspace()


def _can_close(text: str, at: int) -> bool:
    return not text[at + 1 : at + 2].isalnum() and not text[at - 1].isspace()


def _without_blocks(text: str) -> str:
    """The text with blank lines in place of code blocks and block quotes."""
    lines: list[str] = []
    fence = ""
    for line in text.splitlines():
        found = _FENCE.match(line)
        is_code = bool(fence or found)
        if found and not fence:
            fence = "" if found["fence"] in found["more"] else found["fence"]
        elif found and found["fence"] == fence and not found["more"].strip():
            fence = ""
        lines.append("" if is_code or line.lstrip().startswith(">") else line)
    return "\n".join(lines)
