"""Verdicts on a line of their own, such as `Final classification: Consistent`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from unicodedata import normalize

from assay.llm.client import Reply
from assay.llm.fences import Fences
from assay.llm.replies.menus import DECORATION, Menu, Stated, probability_of
from assay.llm.replies.texts import UnreadableError

_CLOSINGS = {'"': '"', "'": "'", "`": "`", "“": "”", "„": "“”", "«": "»", "‘": "’"}
_MARKS = re.compile(r"\n[ \t]*\n|[\"'`“”„«»‘’]")
_CODE_MARK = re.compile(r"[ \t]*(?:```|~~~)\w{0,20}[ \t]*")
_FENCE = re.compile(r"[ \t]*(?P<fence>```|~~~)(?P<more>.*)", re.DOTALL)


def without_quotations(text: str, holding: re.Pattern[str]) -> str:
    """The text with blanks instead of code blocks, block quotes and quotations with the pattern.

    A quotation ends with its paragraph. Quotations without the pattern are left alone.
    """
    text = without_blocks(text)
    kept: list[str] = []
    at = 0
    for start, end in _quotations(text):
        if holding.search(text, start, end):
            kept += [text[at:start], re.sub(r"[^\n]", " ", text[start:end])]
            at = end
    return "".join((*kept, text[at:]))


def ends_quotation(text: str) -> bool:
    """True if a mark in the text closes a quotation that began before the text."""
    pairs = (("“", "”"), ("«", "»"))
    return text.count('"') % 2 == 1 or any(text.count(a) < text.count(b) for a, b in pairs)


def _quotations(text: str) -> list[tuple[int, int]]:
    """The passages in quotation marks; marks inside a passage are part of it."""
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
    """True if a mark has no word before it but something after it, unlike those in 6" and it's."""
    after = text[at + 1 : at + 2]
    return not text[max(at - 1, 0) : at].isalnum() and bool(after) and not after.isspace()


def _can_close(text: str, at: int) -> bool:
    return not text[at + 1 : at + 2].isalnum() and not text[at - 1].isspace()


def without_blocks(text: str) -> str:
    """The text with blank lines instead of code blocks and block quotes."""
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


_LEAD = "#*_-–—•|=()[]0123456789.: \t"  # what may come before a verdict that leads its line
_EDGE = " \t*_#>-"  # what may be left of it when the verdict is cut off
_SIGN = re.compile(r"[\s*_`\"'”’)\]}>]*(?P<sign>(?:is[\s*_]*)?[:：=]|is\b|[-–—](?=\s))?[\s*_]*")
_LABEL_WORDS = 4  # a verdict with more words explains itself
_INVISIBLE = re.compile("[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """The choice that a reply states, the words that state it, and the reply without them.

    `said` is the word for the choice in the reply, such as a letter of its menu.
    """

    choice: str
    words: str
    rest: str
    said: str = ""

    def probability(self, reply: Reply) -> float | None:
        """The probability of the choice in the verdict; None without token probabilities."""
        return probability_of(replace(reply, text=self.words), self.said or self.choice)


@dataclass(frozen=True, slots=True)
class _Statement:
    """The text that follows a marker, and its place; `leads` if the marker begins its line.

    It reaches from a column of a line to the end of that line or of the last line.
    """

    verdict: str
    leads: bool
    has_sign: bool
    line: int
    column: int
    last_line: int


def marker_for(fences: Fences, phrase: str) -> str:
    """The phrase before the verdict, with the code of the fences if a text has all its words.

    No text contains the code, so a verdict line that the reply quotes from a text is never read.
    """
    words = _bare(phrase).split()
    texts = map(_bare, fences.texts.values())
    is_known = any(all(word in text for word in words) for text in texts)
    return f"{phrase} {fences.code}" if is_known else phrase


def find_verdict_line(
    text: str, marker: str, choices: Iterable[str], fences: Fences | None = None
) -> VerdictLine:
    """The last verdict of a reply; code and quotations do not count, unless the reply ends in one.

    Lines that begin with the marker come before mentions in the middle of a line, which count only
    if they name a choice and nothing else. What is in the fenced texts is never a verdict. Raises
    unless there is exactly one choice.
    """
    menu = choices if isinstance(choices, Menu) else Menu.of(choices)
    pattern = _marker_pattern(marker)
    quoted = re.compile(rf"{pattern.pattern}\W*\w", re.IGNORECASE)
    found = _find(text, without_quotations(text, quoted), marker, menu, fences)
    if found:
        return found
    last = last_line_in_block(text)  # where some models put their verdict
    opened = "\n" * last[0] + without_quotations(last[1], quoted) if last else ""
    found = _find(text, opened, marker, menu, fences)
    if found:
        return found
    problem = f"no line '{marker}: ...' states a verdict" if text.strip() else "the reply is empty"
    raise UnreadableError(problem, wanted=_wanted(marker, menu))


def _find(
    text: str, plain: str, marker: str, menu: Menu, fences: Fences | None
) -> VerdictLine | None:
    """The verdict in a reply whose quotations are blank in `plain`; None if there is no marker."""
    mention: VerdictLine | None = None
    for statement in _statements(plain, _marker_pattern(marker)):
        stated = menu.stated(statement.verdict)
        found = _cut(text, statement, stated) if stated else None
        if found and fences and fences.quotes(found.words) and not _is_bare(found, text, marker):
            continue
        if statement.leads and found:
            return found
        if statement.leads and statement.has_sign:
            raise _not_a_choice(statement.verdict, marker, menu)
        mention = mention or found
    return mention


def _is_bare(found: VerdictLine, text: str, marker: str) -> bool:
    """True if a reply is nothing but a verdict, which a text cannot rule out by containing it."""
    words = found.words.split()
    return words == text.split() and len(words) <= len(marker.split()) + _LABEL_WORDS


def last_line_in_block(text: str) -> tuple[int, str] | None:
    """The last line and its number, if it is in a block of code or a block quote; else None."""
    lines = text.splitlines()
    last = len(lines) - 1
    while last >= 0 and (not lines[last].strip() or _CODE_MARK.fullmatch(lines[last])):
        last -= 1
    if last < 0 or without_blocks(text).split("\n")[last]:
        return None
    return last, lines[last].lstrip("> \t")


def _statements(plain: str, marker: re.Pattern[str]) -> Iterator[_Statement]:
    """The text behind each marker, the last first, except markers before nothing."""
    following, below = "", 0
    lines = plain.splitlines()
    for number, line in reversed(list(enumerate(lines))):
        end = len(line)
        for place in reversed(list(marker.finditer(line))):
            sign = _SIGN.match(line, place.end(), end)
            more = line[sign.end() if sign else place.end() : end]
            is_last = end == len(line)
            end = place.start()
            last_line = number
            if is_last and not more.strip(DECORATION):
                more, last_line = (following if _stands_alone(following) else ""), below
            if more.strip(DECORATION) and not ends_quotation(more):
                leads = not line[: min(end, 80)].strip(_LEAD) and end <= 80
                has_sign = bool(sign and sign["sign"])
                yield _Statement(more, leads, has_sign, number, end, last_line)
        if line.strip():
            following, below = line, number


def _cut(text: str, statement: _Statement, stated: Stated) -> VerdictLine:
    """The verdict and the rest of the reply; markup that leads to the verdict is in neither."""
    lines = text.splitlines(keepends=True)  # as many as without its quotations
    lead = lines[statement.line][: statement.column]
    words = "".join(lines[statement.line : statement.last_line + 1])[statement.column :]
    before = "".join(lines[: statement.line]).rstrip()
    same = "" if statement.leads else lead.rstrip(_EDGE)
    after = "".join(lines[statement.last_line + 1 :]).strip()
    rest = "\n".join(filter(None, (before, same, after)))
    return VerdictLine(stated.choice, words.strip(), rest, stated.said)


def _marker_pattern(marker: str) -> re.Pattern[str]:
    words = r"[ \t*_`()\[\]{}<>-]+".join(map(re.escape, marker.split()))
    return re.compile(rf"(?<![^\W_]){words}(?![^\W_])", re.IGNORECASE)


def _stands_alone(line: str) -> bool:
    return len(line.split()) <= 6


def _not_a_choice(verdict: str, marker: str, menu: Menu) -> UnreadableError:
    wanted = _wanted(marker, menu)
    shown = verdict.strip()[:60]
    if menu.names_several(verdict):
        return UnreadableError(f"'{shown}' names several verdicts", wanted=wanted)
    known = dict.fromkeys((*menu.wanted, *menu))
    problem = f"'{shown}' is not one of {', '.join(known)}"
    return UnreadableError(problem, wanted=wanted, reason="off_menu")


def _wanted(marker: str, menu: Menu) -> str:
    choices = " or ".join(f"'{marker}: {choice}'" for choice in menu.wanted)
    return f"End your reply with exactly one of these lines: {choices}."


def _bare(text: str) -> str:
    """A text without case, wide letters and invisible characters, which could hide a phrase."""
    if not text.isascii():
        text = _INVISIBLE.sub("", normalize("NFKC", text))
    return text.casefold()
