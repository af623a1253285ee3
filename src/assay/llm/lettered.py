"""Lists in prose: entries with letters, numbers or bullets, or the word None."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from assay.llm.choices import DECORATION
from assay.llm.fences import Fences
from assay.llm.menus import Menu
from assay.llm.replies import UnreadableError

_ENTRY = re.compile(
    r"^[ \t>#*_]{0,9}(?:(?P<letter>\(?(?:[A-Z]{1,2}|\d{1,3})(?:[.):]|\s?[-–—](?=\s)))|[-•*–])"
    r"[*_]{0,3}(?:[ \t]+|$)"
)
_PART = re.compile(
    r"[ \t>*_•-]{0,9}(?P<name>fact|span|quote|text|description|explanation|inconsistency)"
    r"[*_]{0,3}[ \t]{0,3}:[*_]{0,3}[ \t]*",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"(?:none(?: (?:found|identified|detected|were found))?|n/?a"
    r"|(?:there (?:are|were) )?no (?:factual )?(?:inconsistenc(?:y|ies)|errors?|mistakes?)\b"
    r"[\w ,]{0,80}|the (?:summary|response) is (?:factually )?(?:fully )?consistent\b[\w ,]{0,80})",
    re.IGNORECASE,
)
_FACTS = frozenset({"fact", "span", "quote", "text"})


@dataclass(frozen=True, slots=True)
class LetteredEntry:
    """One entry: its letter, if it has one, what it says, and the words it is about, if named."""

    letter: str
    description: str
    fact: str = ""


def find_lettered(
    text: str, marker: str, choices: Mapping[str, str], fences: Fences | None = None
) -> tuple[LetteredEntry, ...]:
    """The entries below the last marker, or of the whole reply if there is none.

    None, or words that say the same, are an empty list. Entries that the fenced texts contain are
    left out. Raises if there is nothing.
    """
    lines = [line for line in _below(text, marker).splitlines() if not _is_code_mark(line)]
    entries = _entries([line for line in lines if not (fences and _is_quoted(line, fences))])
    if entries:
        return tuple(each for each in entries if not _NONE.fullmatch(_bare(each.description)))
    said = [_bare(line) for line in lines if line.strip(DECORATION)]
    if any(_NONE.fullmatch(each) for each in said[:1] + said[-1:]) or "[]" in map(str.strip, lines):
        return ()
    stated = Menu.of((), choices).stated(said[0]) if said and choices else None
    if stated and stated.choice == "faithful":
        return ()
    wanted = f" under '{marker}:'" if marker else ""
    problem = "the reply has no list and does not say None" if said else "the list is missing"
    raise UnreadableError(problem, wanted=f"List each entry with a letter{wanted}, or say None.")


def _below(text: str, marker: str) -> str:
    """What follows the last place of the marker at the beginning of a line; else the whole text."""
    if not marker:
        return text
    words = r"[ \t*_-]+".join(map(re.escape, marker.split()))
    lead = re.compile(
        rf"^[ \t>#*_\"'-]{{0,9}}{words}[\"'*_]{{0,4}}[ \t]*:?[\"'*_]{{0,4}}", re.I | re.M
    )
    places = list(lead.finditer(text))
    return text[places[-1].end() :] if places else text


def _is_code_mark(line: str) -> bool:
    return line.strip().startswith(("```", "~~~"))


def _is_quoted(line: str, fences: Fences) -> bool:
    """Whether an entry stands in the texts with its letter; its words alone may be there."""
    return bool(_ENTRY.match(line)) and fences.quotes(line)


def _bare(text: str) -> str:
    return " ".join(text.split()).strip(DECORATION + "-:;•")


def _entries(lines: list[str]) -> list[LetteredEntry]:
    """The entries that lines begin; letters, where there are any, come before bullets."""
    starts = [_ENTRY.match(line) for line in lines]
    if any(each and each["letter"] for each in starts):
        starts = [each if each and each["letter"] else None for each in starts]
    places = [place for place, each in enumerate(starts) if each]
    entries = []
    for place, end in pairwise([*places, len(lines)]):
        start = starts[place]
        first = lines[place][start.end() :] if start else ""
        letter = (start["letter"] or "") if start else ""
        entry = _entry(letter.strip("().:-–— "), [first, *lines[place + 1 : end]])
        if entry.description:
            entries.append(entry)
    return entries


def _entry(letter: str, lines: list[str]) -> LetteredEntry:
    """An entry of plain words, or one with a fact and a description on lines of their own."""
    parts: dict[bool, list[str]] = {True: [], False: []}  # whether it is the fact
    is_fact = False
    for line in lines:
        named = _PART.match(line)
        if named:
            is_fact = named["name"].casefold() in _FACTS
        elif not line.strip() and parts[False]:
            break  # what follows an empty line is no longer about the entry
        parts[is_fact].append(line[named.end() :] if named else line)
    fact, said = (" ".join(" ".join(parts[each]).split()) for each in (True, False))
    return LetteredEntry(letter, (said or fact).strip("*_ "), fact.strip('*_"“” ') if said else "")
