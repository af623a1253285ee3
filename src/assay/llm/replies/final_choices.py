"""The choice in which a reply ends, with or without words before it such as `Your option:`."""

import re

from assay.llm.fences import Fences
from assay.llm.replies.menus import DECORATION, Menu, Stated, without_markup
from assay.llm.replies.texts import UnreadableError
from assay.llm.replies.verdict_lines import (
    VerdictLine,
    find_verdict_line,
    last_line_in_block,
    without_blocks,
)

_OPENER = (
    r"(?:so|thus|hence|therefore|overall|finally|in (?:conclusion|summary|short)"
    r"|(?:based on|given|considering|since|because)\b[^,.;:]{1,80}(?=,))"
)
_OPEN = r"[ \t*_\"'`:($\[]{0,9}(?:(?:the\s)?option\s)?[*_\"'`($\[]{0,4}"
# What announces a choice, at the beginning of a line or sentence. With other words before it, as in
# "the document says that the answer is", it is about something else.
_LEAD = re.compile(
    rf"(?:(?:(?:{_OPENER}|but|and)[,:]?\s)?(?:"
    r"(?:(?:my|your|our|the|this|final|correct|right|best|overall|chosen|selected|predicted|single"
    r"|most|appropriate|suitable|fitting|likely)\s){0,4}"
    r"(?:option|answer|choice|label|category|verdict|classification|class|conclusion|judge?ment"
    r"|decision|prediction|output|result)\b[*_\"'`)]{0,4}[ \t]{0,3}(?:\([^()]{0,40}\)[ \t]{0,3})?"
    r"(?:(?:is|should be)\b|[:：=]|[-–—](?=\s))"
    r"|(?:i|we)(?:\swould|\swill|['’]d|['’]ll)?\s(?:choose|select|pick|say|answer|go with"
    r"|(?:classify|label|mark) (?:it|this|the [a-z]{1,20}) as)\b)"
    rf"|{_OPENER}[,:]){_OPEN}",
    re.IGNORECASE,
)
_OPTION = re.compile(r"(?:the\s)?option\s", re.IGNORECASE)
_SENTENCE = re.compile(r"[.!?;]['\"”’)*_]{0,4}\s{1,3}[*_]{0,3}(?=\w)")
_REASON = re.compile(r"(?:,|\s?[-–—]|\sbecause\b|\ssince\b)[\s*_]{1,4}[a-z]")
_TAKEN_BACK = re.compile(
    r"\W{0,9}(?:however|but|(?:no,? )?wait|actually|on second thought|correction)\b", re.IGNORECASE
)
_BARE_WORDS = 6  # a reply with more words explains its choice
_EDGE = DECORATION + "#-–—•|=>"


def find_final_choice(
    text: str, marker: str, menu: Menu, fences: Fences | None = None
) -> VerdictLine:
    """The choice that a reply states.

    Three kinds of lines state one: a line that is nothing else (`D. Fabricated`), an announcement
    (`So the answer is D, because ...`), and a first or last line that begins with a choice and
    explains it (`No, it adds a date`). The last line decides if it is of the first two kinds;
    otherwise all lines that state a choice must state the same. Lines in a row that state different
    choices in the same way are the menu, said again, and a line is taken back if the next begins
    with `However` or the like. Code, block quotes and lines that the texts contain state nothing,
    except that a reply may put its last line in a block.
    """
    if marker:
        try:
            return find_verdict_line(text, marker, menu, fences)
        except UnreadableError as problem:
            if problem.reason == "off_menu":
                raise
    lines = _own(without_blocks(text).split("\n"), fences)
    said = _decided(lines, menu)
    last = last_line_in_block(text)
    if last and not _stating(lines, menu):
        lines += _own([last[1]], fences)
        said = _decided(lines, menu)
    if said:
        place, stated = said
        rest = "\n".join(line for at, line in enumerate(lines) if at != place).strip()
        return VerdictLine(stated.choice, lines[place], rest, stated.said)
    raise UnreadableError(
        _lack(lines, menu) if text.strip() else "the reply is empty",
        wanted=f"End your reply with exactly one of these, alone on the last line: {_shown(menu)}.",
    )


def find_ruling(text: str, marker: str, menu: Menu, fences: Fences) -> VerdictLine:
    """The verdict line of a reply, or else its last line if that is nothing but a choice.

    A line that one of the texts has, too, may be repeated from there and rules nothing; neither
    does a list of several choices.
    """
    try:
        return find_verdict_line(text, marker, menu)  # no text has the marker
    except UnreadableError as problem:
        lines = _own(without_blocks(text).split("\n"), fences)
        choice, before = (_only(line, menu) for line in [*lines[:-3:-1], "", ""][:2])
        in_texts = (each for known in fences.texts.values() for each in known.splitlines())
        if problem.reason == "off_menu" or not choice or before:
            raise
        if any(_only(each, menu) for each in in_texts):
            raise
        return VerdictLine(choice, lines[-1], "\n".join(lines[:-1]), _bare(lines[-1]))


def _only(line: str, menu: Menu) -> str | None:
    """The choice that a line is, apart from its markup."""
    return menu.exactly(_bare(line))


def _own(lines: list[str], fences: Fences | None) -> list[str]:
    """The lines that say something and are not quoted from the texts."""
    said = [line.strip() for line in lines if line.strip(_EDGE)]
    if len(said) == 1 and len(said[0].split()) <= _BARE_WORDS:
        return said  # a text cannot rule out a choice by containing it
    return [line for line in said if not (fences and _is_quoted(line, fences))]


def _is_quoted(line: str, fences: Fences) -> bool:
    """True if a line of several words is in the texts; one word may be there by chance."""
    return len(line.split()) > 1 and fences.quotes(line.strip(_EDGE))


def _decided(lines: list[str], menu: Menu) -> tuple[int, Stated] | None:
    """The line that decides and its choice; None if no line does, or if lines disagree."""
    stating = _stating(lines, menu)
    if not stating:
        return None
    place = max(stating)
    is_last = place == len(lines) - 1 and not _explained(lines[place], menu)
    agree = len({each.choice for each in stating.values()}) == 1
    return (place, stating[place]) if is_last or agree else None


def _stating(lines: list[str], menu: Menu) -> dict[int, Stated]:
    """The choices that lines state, by their places."""
    stating: dict[int, Stated] = {}
    for kind in (_explained, _led, _alone):
        found = [kind(line, menu) for line in lines]
        for place, stated in enumerate(found):
            is_at_end = place in (0, len(lines) - 1)
            if stated and (is_at_end or kind is not _explained) and not _is_in_list(found, place):
                stating[place] = stated
    for place, line in enumerate(lines[1:]):
        if _TAKEN_BACK.match(line):
            stating.pop(place, None)
    return stating


def _alone(line: str, menu: Menu) -> Stated | None:
    """The choice that is all that a line says, perhaps with its letter: `D. Fabricated`."""
    plain = _bare(line)
    stated = menu.stated(plain)
    if not stated:
        return None
    name = plain[len(stated.said) :].strip(_EDGE + ":,")
    is_all = menu.exactly(plain) or not name or menu.exactly(name) == stated.choice
    return stated if is_all else None


def _led(line: str, menu: Menu) -> Stated | None:
    """The choice that the last announcement of a line is about, explained or not."""
    plain = without_markup(line).lstrip(_EDGE)
    starts = [0, *(each.end() for each in _SENTENCE.finditer(plain))]
    leads = (_LEAD.match(plain, start) for start in reversed(starts))
    lead = next(filter(None, leads), None)
    return menu.stated(plain[lead.end() :]) if lead else None


def _explained(line: str, menu: Menu) -> Stated | None:
    """The choice that a line begins with, if it says more; `A. The ferry ...` is a list's entry."""
    plain = _bare(line)
    stated = menu.stated(plain)
    if not stated or _alone(line, menu):
        return None
    rest = plain[len(stated.said) :]
    named = menu.stated(rest.lstrip(_EDGE + ":"))
    is_letter = len(stated.said) == 1 and not (named and named.choice == stated.choice)
    return None if is_letter and not _REASON.match(rest) else stated


def _bare(line: str) -> str:
    """A line without what is around its words, and without `Option` before them."""
    plain = without_markup(line).strip(_EDGE + "$:,!")
    option = _OPTION.match(plain)
    return plain[option.end() :].strip(_EDGE) if option else plain


def _is_in_list(found: list[Stated | None], place: int) -> bool:
    stated = found[place]
    beside = (found[at] for at in (place - 1, place + 1) if 0 <= at < len(found))
    return any(each and stated and each.choice != stated.choice for each in beside)


def _lack(lines: list[str], menu: Menu) -> str:
    if lines and menu.names_several(lines[-1]):
        return f"'{lines[-1][:60]}' names several choices"
    if len({each.choice for each in _stating(lines, menu).values()}) > 1:
        return "its lines state different choices"
    return "it does not end in a choice"


def _shown(menu: Menu) -> str:
    others = [word for word, choice in menu.words.items() if len(word) <= 3 and word != choice]
    return ", ".join(others or menu.wanted)
