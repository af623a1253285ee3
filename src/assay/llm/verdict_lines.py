"""Verdicts on a line of their own, such as `Final classification: Consistent`."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from unicodedata import normalize

from assay.llm.fences import Fences
from assay.llm.quotations import ends_quotation, without_quotations
from assay.llm.replies import UnreadableError
from assay.llm.spelling import DECORATION, choice_of, menu_pattern

_LEAD = "#*_-–—•|=()[]0123456789.: \t"  # what may stand before a verdict that leads its line
_SIGN = re.compile(r"[\s*_`\"'”’)\]}>]*(?P<sign>(?:is[\s*_]*)?[:：=]|is\b|[-–—](?=\s))?[\s*_]*")
_INVISIBLE = re.compile("[\u00ad\u034f\u200b-\u200f\u2060-\u2064\ufeff]")


@dataclass(frozen=True, slots=True)
class _Statement:
    """What follows a marker; `leads` if the marker is the first thing on its line."""

    verdict: str
    leads: bool
    has_sign: bool


def marker_for(fences: Fences, phrase: str) -> str:
    """The phrase before the verdict; with the fences' code where a text holds all its words.

    No text holds the code, so a verdict line that the reply quotes from a text is never read.
    """
    words = _bare(phrase).split()
    texts = map(_bare, fences.texts.values())
    is_known = any(all(word in text for word in words) for text in texts)
    return f"{phrase} {fences.code}" if is_known else phrase


def read_verdict_line(text: str, marker: str, choices: Iterable[str]) -> str:
    """The choice that the last verdict of a reply states; code and quotations do not count.

    Lines that begin with the marker come before mentions in the middle of a line, of which only
    those count that name a choice and nothing else. Anything but one choice raises.
    """
    menu = tuple(choices)
    mention = None
    for statement in _statements(text, _marker_pattern(marker)):
        choice = _stated(statement.verdict, menu)
        if statement.leads and choice:
            return choice
        if statement.leads and statement.has_sign:
            raise _not_a_choice(statement.verdict, marker, menu)
        mention = mention or choice
    if mention:
        return mention
    problem = f"no line '{marker}: ...' states a verdict" if text.strip() else "the reply is empty"
    raise UnreadableError(problem, wanted=_wanted(marker, menu))


def _statements(text: str, marker: re.Pattern[str]) -> Iterator[_Statement]:
    """What follows each marker, the last first; quoted markers and those without more left out."""
    quoted = re.compile(rf"{marker.pattern}\W*\w", re.IGNORECASE)
    following = ""
    for line in reversed(without_quotations(text, quoted).splitlines()):
        end = len(line)
        for place in reversed(list(marker.finditer(line))):
            sign = _SIGN.match(line, place.end(), end)
            more = line[sign.end() if sign else place.end() : end]
            is_last = end == len(line)
            end = place.start()
            if is_last and not more.strip(DECORATION):
                more = following if _stands_alone(following) else ""
            if more.strip(DECORATION) and not ends_quotation(more):
                leads = not line[: min(end, 80)].strip(_LEAD) and end <= 80
                yield _Statement(more, leads, bool(sign and sign["sign"]))
        if line.strip():
            following = line


def _marker_pattern(marker: str) -> re.Pattern[str]:
    words = r"[ \t*_`()\[\]{}<>-]+".join(map(re.escape, marker.split()))
    return re.compile(rf"(?<![^\W_]){words}(?![^\W_])", re.IGNORECASE)


def _stands_alone(line: str) -> bool:
    return len(line.split()) <= 4


def _stated(verdict: str, menu: tuple[str, ...]) -> str | None:
    """The one choice that a text names first, with nothing after it but another sentence."""
    named = {choice_of(each, menu) for each in menu_pattern(menu).findall(verdict)}
    first = re.split(r"[.;!]", verdict.lstrip(DECORATION), maxsplit=1)[0]
    choice = choice_of(first, menu)
    return choice if named == {choice} else None


def _not_a_choice(verdict: str, marker: str, menu: Sequence[str]) -> UnreadableError:
    wanted = _wanted(marker, menu)
    shown = verdict.strip()[:60]
    if len(menu_pattern(tuple(menu)).findall(verdict)) > 1:
        return UnreadableError(f"'{shown}' names several verdicts", wanted=wanted)
    problem = f"'{shown}' is not one of {', '.join(menu)}"
    return UnreadableError(problem, wanted=wanted, reason="off_menu")


def _wanted(marker: str, menu: Sequence[str]) -> str:
    choices = " or ".join(f"'{marker}: {choice}'" for choice in menu)
    return f"End your reply with exactly one of these lines: {choices}."


def _bare(text: str) -> str:
    """A text without case, wide letters and invisible signs, none of which shall hide a phrase."""
    if not text.isascii():
        text = _INVISIBLE.sub("", normalize("NFKC", text))
    return text.casefold()
