"""Superlatives and comparisons over figures of prose, and over values that a sentence states."""

import re
from collections.abc import Iterator
from fractions import Fraction

from assay.text.calculations.claims import ComputedClaim, written_value
from assay.text.calculations.figures import (
    DAYS_AND_MONTHS,
    SUMMARY,
    PlacedFigure,
    Series,
    SourceFigures,
    Stems,
    stems,
)
from assay.text.calculations.ranks import RowRank
from assay.text.calculations.relevance import named_items
from assay.text.quantities import find_quantities

_SIZES = ("area", "data", "volume", "number", "money", "percent", "length", "mass", "energy")
_TIMES = ("clock", "date", "day", "year", "month")
# What is ranked, and whether the most of it is meant; of a race the least time is the fastest.
_KINDS: dict[str, tuple[tuple[str, ...], int]] = {
    **dict.fromkeys(("heaviest", "heavier"), (("mass",), 1)),
    **dict.fromkeys(("lightest", "lighter"), (("mass",), -1)),
    **dict.fromkeys(("longest", "longer"), (("length", "duration"), 1)),
    **dict.fromkeys(("shortest", "shorter"), (("length", "duration"), -1)),
    **dict.fromkeys(("tallest", "taller", "deepest", "deeper", "widest"), (("length",), 1)),
    **dict.fromkeys(
        ("priciest", "dearest", "pricier", "dearer", "most expensive", "more expensive"),
        (("money",), 1),
    ),
    **dict.fromkeys(("cheapest", "cheaper", "least expensive"), (("money",), -1)),
    **dict.fromkeys(("hottest", "warmest", "hotter", "warmer", "mildest"), (("temperature",), 1)),
    **dict.fromkeys(("coldest", "colder", "coolest", "cooler"), (("temperature",), -1)),
    **dict.fromkeys(("wettest", "wetter"), (("length",), 1)),
    **dict.fromkeys(("driest", "drier"), (("length",), -1)),
    **dict.fromkeys(("fastest", "faster", "quickest", "quicker"), (("duration", "number"), -1)),
    **dict.fromkeys(("slowest", "slower"), (("duration", "number"), 1)),
    **dict.fromkeys(("largest", "larger", "biggest", "bigger", "greatest"), (_SIZES, 1)),
    **dict.fromkeys(("smallest", "smaller"), (_SIZES, -1)),
    **dict.fromkeys(("most", "highest", "higher", "more"), ((*_SIZES, "temperature"), 1)),
    **dict.fromkeys(
        ("fewest", "least", "lowest", "lower", "fewer", "less"), ((*_SIZES, "temperature"), -1)
    ),
    **dict.fromkeys(("latest", "later"), (_TIMES, 1)),
    **dict.fromkeys(("earliest", "earlier"), (_TIMES, -1)),
    "oldest": (("year", "date"), -1),
    "youngest": (("year", "date"), 1),
}
_WORDS = "|".join(sorted(_KINDS, key=len, reverse=True))
_RANKED = re.compile(rf"\b(?P<word>{_WORDS})\b(?: (?P<noun>[a-z]+))?", re.IGNORECASE)
_TOP = re.compile(r"(?:est|most|least)\b", re.IGNORECASE)
_NOBODY = re.compile(r"\b(?:nobody|no one|none|nothing|no other)\b", re.IGNORECASE)
_TURNED = re.compile(
    r"\b(?:not|never|neither|nor|except|without|if|at least|at most|than \d|one of|among|average"
    r"|total|combined|second|third|fourth|fifth|when|while|first|last)\b|n['’]t\b",
    re.IGNORECASE,
)
_THAN = re.compile(r"\bthan\b(?P<all> any| all| every| the other| either)?", re.IGNORECASE)
_SPEEDY = ("fastest", "faster", "quickest", "quicker", "slowest", "slower")
_LEAST = 3  # figures of one sentence that may refute a superlative
_EVERY = re.compile(r"\b(?:every|each|all)\b", re.IGNORECASE)


def may_be_extreme(text: str) -> bool:
    """True if a sentence ranks anything."""
    return bool(_RANKED.search(text))


def check_extremes(claim: ComputedClaim, source: SourceFigures) -> RowRank | None:
    """The first superlative or comparison that figures of prose settle, never beyond doubt."""
    found = _RANKED.search(claim.text)
    if found is None or _TURNED.search(claim.text.replace("but not", "")):
        return None
    word = found["word"].lower()
    than = _THAN.search(claim.text, found.end("word"))
    if bool(_TOP.search(word)) == bool(than):
        return None  # more than what, or the most than
    if any(each.kind not in ("ordinal", "number") for each in claim.figures):
        return None
    counted = _counted(claim, source, found, than)
    if counted:
        return counted
    for series, is_whole in _candidates(source, word, (found["noun"] or "").lower()):
        if than is None:
            ranked = _superlative(claim, series, word, found.span(), is_whole)
        else:
            ranked = _compared(claim, series, word, found, than)
        if ranked:
            return ranked
    return None


def _counted(
    claim: ComputedClaim, source: SourceFigures, found: re.Match[str], than: re.Match[str] | None
) -> RowRank | None:
    """More nurses than doctors, if the source counts both once."""
    noun, word = found["noun"], found["word"].lower()
    if than is None or not noun or word not in ("more", "fewer"):
        return None
    other = claim.text[than.end() :].strip(" .!").rpartition(" ")[2]
    pair = []
    for name in (noun, other):
        own = [each for each in source.figures if {each.quantity.noun} == stems(name)]
        if len(own) != 1 or own[0].kind != "number":
            return None
        pair.append(own[0])
    sign = _KINDS.get(word, ((), 1))[1]
    is_right = sign * pair[0].value > sign * pair[1].value
    said = f"{pair[0].text} {noun} against {pair[1].text} {other}"
    return RowRank(is_right, said, tuple(pair), found.span(), False)


def _candidates(source: SourceFigures, word: str, noun: str) -> Iterator[tuple[Series, bool]]:
    """The series that an adjective may rank: those of one sentence first."""
    kinds, _ = _KINDS[word]
    prose = [each for each in source.series if each.form == "prose" and len(each.items) > 1]
    prose.sort(key=lambda each: len({item.sentence for item in each.items}) > 1)
    wanted = stems(noun)
    for series in prose:
        kind = series.kind.partition(":")[0]
        if kind not in kinds:
            continue
        if kind == "number" and not _is_of(series, wanted, word):
            continue
        yield series, len({item.sentence for item in series.items}) == 1


def _is_of(series: Series, wanted: Stems, word: str) -> bool:
    """True if numbers count what is ranked; seconds may lack their unit."""
    nouns = {item.quantity.noun for item in series.items}
    if word in _SPEEDY:
        return nouns <= {""} and all(item.value.denominator > 1 for item in series.items)
    return bool(wanted) and nouns <= wanted


def _parts(series: Series) -> list[int]:
    """The items without one that is the sum of the others."""
    total = sum(item.value for item in series.items)
    every = range(len(series.items))
    whole = [n for n in every if 2 * series.items[n].value == total]
    return [n for n in every if n not in whole or len(series.items) < _LEAST]


def _named(series: Series, words: Stems, parts: list[int]) -> list[int]:
    return [n for n in named_items(series, words) if n in parts]


def _superlative(
    claim: ComputedClaim, series: Series, word: str, place: tuple[int, int], is_whole: bool
) -> RowRank | None:
    parts = _parts(series)
    named = _named(series, claim.stems - series.head, parts)
    if is_whole and len(named) == 2 and named[0] == 0:
        named = named[1:]  # the words before a list are with its first figure
    if len(named) != 1:
        return None
    sign = _KINDS[word][1]
    own = series.items[named[0]]
    best = max(parts, key=lambda n: sign * series.items[n].value)
    is_right = sign * own.value >= sign * series.items[best].value
    if not is_right and not (is_whole and len(parts) >= _LEAST):
        return None
    if is_right and _may_be_beaten(series, parts, own, sign):
        return None
    return RowRank(
        is_right, _said(series, parts, word, sign), (own, series.items[best]), place, False
    )


def _compared(
    claim: ComputedClaim, series: Series, word: str, found: re.Match[str], than: re.Match[str]
) -> RowRank | None:
    parts, sign = _parts(series), _KINDS[word][1]
    before = stems(claim.text[: found.start()], claim.language) - series.head
    after = stems(claim.text[than.end() :], claim.language) - series.head
    if _NOBODY.search(claim.text[: found.start()]):
        theirs = _named(series, after, parts)
        return _top(series, parts, theirs, word, sign, found.span())
    ours = _named(series, before - after, parts)
    if than["all"]:
        return _top(series, parts, ours, word, sign, found.span())
    theirs = _named(series, after - before, parts)
    if len(ours) != 1 or len(theirs) != 1 or ours == theirs:
        return None
    one, other = series.items[ours[0]], series.items[theirs[0]]
    is_right = sign * one.value > sign * other.value
    said = f"{one.text} against {other.text}"
    return RowRank(is_right, said, (one, other), found.span(), False)


def _top(
    series: Series, parts: list[int], named: list[int], word: str, sign: int, place: tuple[int, int]
) -> RowRank | None:
    """The item that nothing goes beyond; what does may be something else."""
    if len(named) != 1:
        return None
    own = series.items[named[0]]
    if any(sign * series.items[n].value > sign * own.value for n in parts):
        return None
    if _may_be_beaten(series, parts, own, sign):
        return None
    return RowRank(True, _said(series, parts, word, sign), (own,), place, False)


def _may_be_beaten(series: Series, parts: list[int], own: PlacedFigure, sign: int) -> bool:
    """True if what is as much as all others goes beyond it, and is not said to be their total."""
    return any(
        sign * item.value > sign * own.value
        for n, item in enumerate(series.items)
        if n not in parts and not series.labels[n] & SUMMARY
    )


def _said(series: Series, parts: list[int], word: str, sign: int) -> str:
    order = sorted(parts, key=lambda n: -sign * series.items[n].value)
    return f"{word}: {', '.join(series.items[n].text for n in order[:3])}"


def check_extreme_value(claim: ComputedClaim, source: SourceFigures) -> RowRank | None:
    """A value of a column that is said to be the highest or the lowest of it."""
    found = _RANKED.search(claim.text)
    values = [
        each for each in claim.figures if each.kind != "ordinal" and not counts_cells(each, source)
    ]
    if found is None or len(values) != 1 or not _TOP.search(found["word"]):
        return None
    if _TURNED.search(claim.text) or _THAN.search(claim.text):
        return None
    word = found["word"].lower()
    sign = _KINDS[word][1]
    columns = [
        each
        for each in source.series
        if each.form == "column" and each.is_whole and each.head and each.head <= claim.stems
    ]
    if len(columns) != 1 or len(columns[0].items) < _LEAST:
        return None
    series, stated = columns[0], values[0]
    own = [n for n, item in enumerate(series.items) if _is_value(item, stated)]
    best = max(series.items, key=lambda item: sign * item.value)
    if not own or (set(named_items(series, claim.stems - series.head)) - set(own)):
        return None
    if series.items[own[0]].value != best.value:
        return None  # it may be the highest of some rows that a condition chooses
    said = _said(series, list(range(len(series.items))), word, sign)
    return RowRank(True, said, (best,), found.span(), False)


def _is_value(item: PlacedFigure, stated: PlacedFigure) -> bool:
    kinds = {item.kind, stated.kind}
    return item.value == stated.value and (len(kinds) == 1 or "number" in kinds)


def counts_cells(figure: PlacedFigure, source: SourceFigures) -> bool:
    """True of the number of rows or columns: `the oldest of the five`, `in all three months`."""
    if figure.kind not in ("number", "duration"):
        return False
    value = written_value(figure) or next(iter(words_values(figure.text)), None)
    for grid in source.grids:
        times = sum(_is_time(stems(head)) for head in grid.heads)
        if value in {len(grid.rows), len(grid.rows) - 1, times}:
            return True
    return False


def words_values(text: str) -> Iterator[Fraction]:
    """The number that a text begins with in words."""
    yield from (each.value for each in find_quantities(text.partition(" ")[0])[:1])


def check_every_column(claim: ComputedClaim, source: SourceFigures) -> RowRank | None:
    """A row that is said to be the highest or lowest in every month, day or year of a table."""
    found = _RANKED.search(claim.text)
    if found is None or not _EVERY.search(claim.text) or not _TOP.search(found["word"]):
        return None
    if _TURNED.search(claim.text.replace("one of", "")) or _THAN.search(claim.text):
        return None
    sign = _KINDS[found["word"].lower()][1]
    columns = [each for each in source.series if each.form == "column" and _is_time(each.head)]
    if len(columns) < 2 or len({each.grid for each in columns}) > 1:
        return None
    used = []
    for series in columns:
        named = named_items(series, claim.stems)
        if len(named) != 1 or not series.is_whole:
            return None
        own = series.items[named[0]]
        used.append(own)
        if any(sign * item.value > sign * own.value for item in series.items):
            return RowRank(
                False, f"{own.text} is not the {found['word']}", (own,), found.span(), False
            )
    said = ", ".join(each.text for each in used)
    return RowRank(True, f"{found['word']}: {said}", tuple(used), found.span(), False)


def _is_time(head: Stems) -> bool:
    return bool(head & DAYS_AND_MONTHS) or any(each.isdigit() and len(each) == 4 for each in head)
