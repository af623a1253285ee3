"""Superlatives and comparisons over the rows of a table: highest, second largest, more than."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.text.calculations.claims import ComputedClaim
from assay.text.calculations.figures import PlacedFigure, Series, SourceFigures, Stems, stems
from assay.text.calculations.relevance import named_items, parts_only

MOST = (
    "highest largest biggest greatest most longest tallest heaviest latest maximum priciest".split()
)
LEAST = "lowest smallest least fewest shortest cheapest lightest earliest minimum".split()
MORE = "more higher larger bigger greater longer taller heavier later pricier".split()
LESS = "fewer less lower smaller shorter cheaper lighter earlier".split()
_ORDINALS = {"second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3, "4th": 4}
_UPS = {**dict.fromkeys((*MOST, *MORE), 1), **dict.fromkeys((*LEAST, *LESS), -1)}
_SUPERLATIVE = re.compile(
    rf"\b(?:(?P<nth>{'|'.join(_ORDINALS)})[ -])?(?P<word>{'|'.join((*MOST, *LEAST))})\b"
    r"(?P<expensive> expensive)?",
    re.IGNORECASE,
)
_COMPARATIVE = re.compile(
    rf"\b(?P<word>{'|'.join((*MORE, *LESS))})\b[^.;,]{{0,80}}?\bthan\b(?P<any> any| all)?",
    re.IGNORECASE,
)
_TURNED = re.compile(
    r"\b(?:not|no|never|neither|nor|none|n't|except|without|only|if|least one|at least|at most"
    r"|than \d|any other|one of|among|average|total|combined|other than|after|before|when|while"
    r"|during)\b|n['’]t\b",
    re.IGNORECASE,
)
_PLAIN = stems("had has have was were is are sold recorded reached needed number month branch year")


@dataclass(frozen=True, slots=True)
class RowRank:
    """A row that a sentence ranks, and whether it has that rank."""

    is_right: bool
    said: str
    figures: tuple[PlacedFigure, ...]
    place: tuple[int, int]  # the words of the sentence that say so
    is_firm: bool


def may_rank(text: str) -> bool:
    """True if a sentence ranks or compares anything."""
    return bool(_COMPARATIVE.search(text) or _SUPERLATIVE.search(text))


def check_ranks(claim: ComputedClaim, source: SourceFigures) -> RowRank | None:
    """The first superlative or comparison that a table settles."""
    if not source.grids or _TURNED.search(claim.text) or _states_value(claim):
        return None
    found = _COMPARATIVE.search(claim.text)
    if found:
        return _compared(claim, source, found)
    found = _SUPERLATIVE.search(claim.text)
    return _superlative(claim, source, found) if found else None


def _states_value(claim: ComputedClaim) -> bool:
    """True if a figure is said to be the highest and so on: its row is then a condition."""
    return any(
        each.kind not in ("ordinal", "year", "date", "day", "month") for each in claim.figures
    )


def _column(claim: ComputedClaim, source: SourceFigures) -> tuple[Series, bool] | None:
    """The column that a sentence speaks of, and whether its head says so."""
    columns = [
        each
        for each in source.series
        if each.form == "column" and len(each.items) > 1 and each.kind != "ordinal"
    ]
    scored = [
        (len(each.head & claim.stems) / len(each.head), len(each.head & claim.stems), n, each)
        for n, each in enumerate(columns)
        if each.head & claim.stems
    ]
    scored.sort(key=lambda entry: (-entry[0], -entry[1], entry[2]))
    if scored and (len(scored) == 1 or scored[0][:2] != scored[1][:2]):
        share, _, _, series = scored[0]
        return series, share == 1
    return None


def _subject(claim: ComputedClaim, series: Series, text: Stems) -> list[int]:
    """The rows whose labels stand wholly in some words; those partly in others do not count."""
    del claim
    whole = [n for n, labels in enumerate(series.labels) if labels and labels <= text]
    if whole:
        longest = max(len(series.labels[n]) for n in whole)
        return [n for n in whole if len(series.labels[n]) == longest]
    return named_items(series, text)


def _superlative(
    claim: ComputedClaim, source: SourceFigures, found: re.Match[str]
) -> RowRank | None:
    column = _column(claim, source)
    if column is None:
        return None
    series, is_sure = column
    word = found["word"].lower()
    if word == "most" and not found["expensive"] and not claim.text[found.end() :].strip():
        return None
    named = _subject(claim, series, claim.stems - series.head)
    if len(named) != 1 or stems(found["word"]) & series.head:
        return None
    if not any(map(str.isalpha, series.labels[named[0]])) or set(
        named_items(series, claim.stems)
    ) - {*named}:
        return None
    parts = parts_only(series)
    if named[0] not in parts or len(parts) < 2:
        return None
    sign = _UPS[word]
    own = series.items[named[0]]
    rank = 1 + len(
        {series.items[n].value for n in parts if sign * series.items[n].value > sign * own.value}
    )
    wanted = _ORDINALS.get((found["nth"] or "").lower(), 1)
    order = sorted(parts, key=lambda n: -sign * series.items[n].value)
    first = series.items[order[min(wanted, len(order)) - 1]]
    said = _values(series, order[: max(3, wanted)], word)
    whole = all(labels <= claim.stems for labels in (series.labels[named[0]],))
    return RowRank(
        rank == wanted,
        said,
        (own, first),
        found.span(),
        is_sure
        and whole
        and series.is_whole
        and len(parts) == len(series.items)
        and _says_no_more(claim, series, named, word),
    )


def _compared(claim: ComputedClaim, source: SourceFigures, found: re.Match[str]) -> RowRank | None:
    column = _column(claim, source)
    if column is None:
        return None
    series, is_sure = column
    sign = _UPS[found["word"].lower()]
    before = stems(claim.text[: found.start()], claim.language) - series.head
    after = stems(claim.text[found.end() :], claim.language) - series.head
    ours, theirs = (_subject(claim, series, words) for words in (before, after))
    if len(ours) != 1 or found["any"] or len(theirs) != 1 or ours == theirs:
        return None
    one, other = series.items[ours[0]], series.items[theirs[0]]
    whole = series.labels[ours[0]] <= before and series.labels[theirs[0]] <= after
    said = f"{one.text} against {other.text}"
    is_right = sign * one.value > sign * other.value
    is_sure = is_sure and whole and _says_no_more(claim, series, (*ours, *theirs), found["word"])
    return RowRank(is_right, said, (one, other), found.span(), is_sure)


def _says_no_more(claim: ComputedClaim, series: Series, named: Sequence[int], word: str) -> bool:
    """True if a sentence has no words beside its rows and column, which might be a condition."""
    known = series.head.union(stems(word), *(series.labels[n] for n in named))
    return len(claim.stems - known - _PLAIN) == 0


def _values(series: Series, order: Sequence[int], word: str) -> str:
    listed = ", ".join(series.items[n].text for n in order)
    return f"{word}: {listed}"
