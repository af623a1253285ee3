"""Lists in prose: entries with letters, numbers or bullets, or the word None."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from types import MappingProxyType

from assay.llm.fences import Fences
from assay.llm.replies.menus import DECORATION, Menu, choice_of
from assay.llm.replies.texts import UnreadableError

_ENTRY = re.compile(
    r"^[ \t>#*_]{0,9}(?:(?P<letter>\(?(?:(?:[A-Z]{1,2}|[IVX]{1,5}|\d{1,3})(?:[.):]|\s?[-–—](?=\s))"
    r"|(?:[a-z]|[ivx]{1,5})[.)]))|[-•*–])[*_]{0,3}(?:[ \t]+|$)"
)
# Where an entry may begin in the middle of a line; before a name, "B." is an initial.
_INLINE = re.compile(
    r"(?<=[.;!?)\"”])(?<!\b[A-Z]\.)(?<!\b(?:Dr|Mr|Ms|St)\.)(?<!\b(?:Mrs|Sen|Gov|Gen|Rep|Col)\.)"
    r"(?<!\bProf\.)\s+[*_]{0,3}(?=\(?(?P<letter>[A-Za-z]|\d{1,3})[.)][*_]{0,3}\s)"
)
_PART = re.compile(
    r"[ \t>*_•-]{0,9}(?P<name>fact|span|quote|text|description|explanation|inconsistency)"
    r"[*_]{0,3}[ \t]{0,3}:[*_]{0,3}[ \t]*",
    re.IGNORECASE,
)
_ABOUT = (
    r"(?: (?:in|with|between|and|by|from) (?:the|this) (?:summary|response|source|article|text))"
)
_FOUND = r"(?: (?:(?:was|were|are|is|have been) )?(?:found|identified|detected|present|to report))?"
_SUITS = r"(?:fully |factually |entirely ){0,2}(?:consistent|supported|correct|accurate)"
_NONE = re.compile(
    rf"none{_FOUND}{_ABOUT}{{0,3}}|n/?a"
    r"|(?:there (?:are|is|were|was) )?no (?:factual )?(?:inconsistenc(?:y|ies)|errors?|mistakes?)"
    rf"{_FOUND}{_ABOUT}{{0,3}}|the (?:summary|response|text) is {_SUITS}{_ABOUT}{{0,3}}",
    re.IGNORECASE,
)
# Words behind a choice against the text that speak for it.
_PRAISE = re.compile(
    r"there (?:are|is|were|was) no(?:ne| (?:factual )?(?:inconsistenc|error|mistake))"
    rf"|(?:the|this) (?:fact|sentence|statement|summary|response|text) is "
    rf"(?:not inconsistent|{_SUITS})",
    re.IGNORECASE,
)
_WORD_NONE = re.compile(r"none(?: (?:found|identified|detected|were found))?|n/?a", re.IGNORECASE)
_FIRST_WORD = re.compile(r"[\W_]{0,9}(\w{1,40})\b")
_QUOTE_MARK = re.compile(r"^[ \t]*>[ \t]?", re.MULTILINE)
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
    """The entries below the last marker, or of the whole reply if no marker is wanted.

    None, or words that say the same, are an empty list; None as the last line is one even after
    bullets, which are then reasoning. Without the marker that is wanted, a reply can only say None.
    A choice that stands for `faithful` at the beginning is an empty list too; with entries below it
    the reply contradicts itself. What follows another choice is one entry if nothing is listed.
    Entries that the fenced texts contain are left out. Raises if there is nothing.
    """
    found = split_at_marker(text, marker, fences) if marker else ("", text)
    lines = [line for line in (found or ("", text))[1].splitlines() if not _is_code_mark(line)]
    own = [line for line in lines if not (fences and _is_quoted(line, fences))]
    start, *below = [line for line in own if line.strip(DECORATION)] or [""]
    if choices and _is_clean(start, choices):
        if _entries(below):
            raise UnreadableError(
                f"the reply begins with '{_bare(start)[:40]}' and lists something all the same",
                wanted="Give this answer alone, or the other one and the list.",
            )
        return ()
    entries = _entries([part for line in own for part in _parts(line)])
    last = next((_bare(line) for line in reversed(lines) if line.strip(DECORATION)), "")
    if entries and not _WORD_NONE.fullmatch(last):
        kept = tuple(each for each in entries if not _NONE.fullmatch(_bare(each.description)))
        if kept and not found:
            raise UnreadableError(f"there is no '{marker}:'", wanted=_wanted(marker))
        return kept
    if _NONE.fullmatch(_bare(start)):
        return ()
    explained = _after_choice(start, below, choices)
    if explained:
        return (LetteredEntry("", explained),)
    if explained is None and (_NONE.fullmatch(last) or "[]" in map(str.strip, lines)):
        return ()
    problem = "the reply has no list" if last else "the list is missing"
    raise UnreadableError(problem, wanted=_wanted(marker, choices))


def _after_choice(start: str, below: list[str], choices: Mapping[str, str]) -> str | None:
    """The text behind a choice other than `faithful`, if that is an error in words.

    Nothing, or praise, is an empty string; a reply that does not begin with such a choice is None.
    """
    first = _FIRST_WORD.match(start)
    others = tuple(word for word, label in choices.items() if label != "faithful")
    if not first or choice_of(first[1], others) is None:
        return None
    rest = _bare(" ".join((start[first.end() :], *below)).lstrip(" ,.:;-–—*_"))
    return "" if _NONE.fullmatch(rest) or _PRAISE.match(rest) else rest


def _is_clean(line: str, choices: Mapping[str, str]) -> bool:
    """True if a line states a choice for `faithful`; an entry does so only if it is that word."""
    if _ENTRY.match(line):
        words = tuple(word for word, label in choices.items() if label == "faithful")
        return choice_of(_bare(line), words) is not None
    stated = Menu.of((), choices).stated(_bare(line))
    return stated is not None and stated.choice == "faithful"


def _wanted(marker: str, choices: Mapping[str, str] = MappingProxyType({})) -> str:
    if choices:
        return f"Answer {' or '.join(choices)}; list what is wrong, if anything is."
    under = f" under '{marker}:'" if marker else ""
    return f"List each entry with a letter{under}, or say None."


def split_at_marker(text: str, marker: str, fences: Fences | None) -> tuple[str, str] | None:
    """The texts before and below the last line that begins with the marker; None without one.

    A marker that the texts contain, with what stands behind or below it, is quoted and does not
    count. One in a block quote counts only if there is no other.
    """
    words = r"[ \t*_-]+".join(map(re.escape, marker.split()))
    lead = re.compile(
        rf"^(?P<quote>[ \t]*>)?[ \t>#*_\"'-]{{0,9}}(?:\d{{1,2}}[.)][ \t*_]{{1,9}})?"
        rf"(?P<marker>{words})\b[\"'*_]{{0,4}}[ \t]*:?[\"'*_]{{0,4}}",
        re.IGNORECASE | re.MULTILINE,
    )
    places = [each for each in lead.finditer(text) if not _is_repeated(each, text, fences)]
    places = [each for each in places if not each["quote"]] or places
    return (text[: places[-1].start()], text[places[-1].end() :]) if places else None


def _is_repeated(place: re.Match[str], text: str, fences: Fences | None) -> bool:
    """True if the texts contain a marker and the first words behind or below it."""
    below = _QUOTE_MARK.sub("", text[place.end() : place.end() + 500]).lstrip()
    first = below.partition("\n")[0].strip(DECORATION.replace("[", "").replace("]", ""))
    if not fences or not first:
        return False
    shown = text[place.start("marker") : place.end()].strip(" *_\"'")
    return any(fences.quotes(f"{each} {first}") for each in (shown, shown.rstrip(":")))


def _parts(line: str) -> list[str]:
    """A line, cut where entries with the next letters of the first one's row begin."""
    start = _ENTRY.match(line)
    letter = (start["letter"] or "").strip("().:-–— ") if start else ""
    cuts = [0]
    for place in _INLINE.finditer(line) if letter else ():
        if place["letter"] == _next(letter):
            cuts.append(place.end())
            letter = place["letter"]
    return [line[start:end].rstrip() for start, end in pairwise([*cuts, len(line)])]


def _next(letter: str) -> str:
    return str(int(letter) + 1) if letter.isdecimal() else chr(ord(letter[0]) + 1)


def _is_code_mark(line: str) -> bool:
    return line.strip().startswith(("```", "~~~"))


def _is_quoted(line: str, fences: Fences) -> bool:
    """True if an entry stands in the texts with its letter; its words alone may be there."""
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
