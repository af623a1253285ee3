"""The choice in which a reply ends, with or without words before it such as `Your option:`."""

import re
from collections.abc import Iterator

from assay.llm.choices import DECORATION
from assay.llm.fences import Fences
from assay.llm.menus import Menu, Stated
from assay.llm.replies import UnreadableError
from assay.llm.verdict_lines import (
    VerdictLine,
    find_verdict_line,
    last_line_in_block,
    without_blocks,
)

_LEAD = re.compile(
    r"(?:[\w,’'-]{1,20}[ \t]){0,6}?(?:option|answer|choice|label|category|verdict|classification"
    r"|class|conclusion|judge?ment|decision|prediction|output|result)\b[*_\"'`)]{0,4}[ \t]{0,3}"
    r"(?:\([^()]{0,40}\)[ \t]{0,3})?"
    r"(?:(?:is|would be|should be)\b|[:：=]|[-–—](?=\s))[ \t*_\"'`:($\[]{0,9}(?:option\s)?",
    re.IGNORECASE,
)
_CHOSEN = re.compile(
    r"(?:[\w,’'-]{1,20}[ \t]){0,6}?(?:choose|select|pick|say|answer|option)[ \t*_\"'`:($\[]{1,9}",
    re.IGNORECASE,
)
_EDGE = DECORATION + "#-–—•|=>"


def find_final_choice(
    text: str, marker: str, menu: Menu, fences: Fences | None = None
) -> VerdictLine:
    """The choice that a reply ends in, or else the one that it begins with.

    Words such as `Your option:` or the marker may come before it, and an explanation after it. A
    line that the texts contain is a quotation. Several lines that state different choices one after
    another are the menu, said again.
    """
    if marker:
        try:
            return find_verdict_line(text, marker, menu, fences)
        except UnreadableError as problem:
            if problem.reason == "off_menu":
                raise
    lines = [line for line in _lines(text) if not (fences and _is_quoted(line, fences))]
    for place, stated in _candidates(lines, menu):
        said = lines[place]
        rest = "\n".join(line for at, line in enumerate(lines) if at != place).strip()
        return VerdictLine(stated.choice, said.strip(), rest, stated.said)
    last = lines[-1].strip() if lines else ""
    several = bool(last) and menu.names_several(last)
    lack = f"'{last[:60]}' names several choices" if several else "it does not end in a choice"
    raise UnreadableError(
        lack if text.strip() else "the reply is empty",
        wanted=f"End your reply with exactly one of these, alone on the last line: {_shown(menu)}.",
    )


def _candidates(lines: list[str], menu: Menu) -> Iterator[tuple[int, Stated]]:
    """Lines that state a choice, the best first."""
    led = [_after_lead(line, menu) for line in lines]
    for place in reversed(range(len(lines))):
        stated = led[place]
        if stated:
            yield place, stated
    bare = [_bare(line, menu) for line in lines]
    for place in reversed(range(len(lines))):
        stated = bare[place]
        if stated and not _is_in_list(bare, place):
            yield place, stated
    ends = [(place, menu.stated(lines[place])) for place in {len(lines) - 1, 0} if lines]
    found = [(place, stated) for place, stated in ends if stated]
    if len({stated.choice for _, stated in found}) == 1:
        yield found[0]


def _lines(text: str) -> list[str]:
    """The lines that say something; of code and block quotes only the last line of the reply."""
    last = last_line_in_block(text)
    lines = [*without_blocks(text).split("\n"), last[1] if last else ""]
    return [line.strip() for line in lines if line.strip(_EDGE)]


def _is_quoted(line: str, fences: Fences) -> bool:
    """Whether a line of several words is in the texts; one word may be there by chance."""
    return len(line.split()) > 2 and fences.quotes(line.strip(_EDGE))


def _after_lead(line: str, menu: Menu) -> Stated | None:
    plain = line.lstrip(_EDGE)
    for pattern in (_LEAD, _CHOSEN):
        lead = pattern.match(plain)
        if lead:
            return menu.stated(plain[lead.end() :])
    return None


def _bare(line: str, menu: Menu) -> Stated | None:
    """The choice that is all that a line says, perhaps with its letter: `D. Fabricated`."""
    stated = menu.stated(line)
    if not stated:
        return None
    rest = line.replace("\\boxed", "").replace("\\text", "").strip(_EDGE + "$:,!")
    for word in (
        stated.said,
        *(each for each, choice in menu.words.items() if choice == stated.choice),
    ):
        if menu.exactly(rest):
            return stated
        if rest.casefold().startswith(word.casefold()):
            rest = rest[len(word) :].strip(_EDGE + ":,")
    return stated if not rest or menu.exactly(rest) == stated.choice else None


def _is_in_list(bare: list[Stated | None], place: int) -> bool:
    stated = bare[place]
    beside = (bare[at] for at in (place - 1, place + 1) if 0 <= at < len(bare))
    return any(each and stated and each.choice != stated.choice for each in beside)


def _shown(menu: Menu) -> str:
    others = [word for word, choice in menu.words.items() if len(word) <= 3 and word != choice]
    return ", ".join(others or menu)
