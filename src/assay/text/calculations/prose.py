"""The figures of prose: each with the words of its clause, and in series by what they count."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.text.calculations.figures import PlacedFigure, Series, stems
from assay.text.calculations.rates import in_cents, rate_after
from assay.text.quantities import Quantity

_LONGEST = 3_000  # characters of a sentence
_BESIDE = 300  # characters on each side of the figures of a longer one
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(]?[A-Z0-9ÄÖÜÉ])|\n+|;\s")
_CLAUSE = re.compile(
    r"[,:()](?=\s|$)|\(|\s[–—-]\s"
    r"|\b(?:and|while|but|whereas|against|versus|vs|compared|plus|then|with|to|from)\b"
)


def prose_figures(
    text: str, quantities: Sequence[Quantity], language: str
) -> Iterator[PlacedFigure]:
    """The figures of prose, with the words of their clauses and sentences."""
    if not quantities:
        return
    edges = [0, *(match.end() for match in _SENTENCE.finditer(text)), len(text)]
    by_sentence: dict[int, list[Quantity]] = defaultdict(list)
    for each in quantities:
        by_sentence[bisect_right(edges, each.start) - 1].append(each)
    for number, own in by_sentence.items():
        start = edges[number]
        end = edges[number + 1] if number + 1 < len(edges) else len(text)
        if end - start > _LONGEST:
            start, end = max(start, own[0].start - _BESIDE), min(end, own[-1].end + _BESIDE)
        whole = stems(text[start:end], language)
        for each, clause in zip(own, _clauses(text, own, start, end), strict=True):
            near = stems(_without(text, clause, own), language)
            yield PlacedFigure(
                _whole_units(text, each),
                text[each.start : each.end],
                labels=near,
                head=frozenset({each.noun} if each.noun else ()),
                around=whole - near,
                sentence=number,
                per=rate_after(text, each.end),
            )


def _whole_units(text: str, quantity: Quantity) -> Quantity:
    """Money in its whole unit, where the text counts cents."""
    if not quantity.kind.startswith("money") or not in_cents(text, quantity.end):
        return quantity
    return replace(quantity, value=quantity.value / 100, step=quantity.step / 100)


def _clauses(text: str, own: Sequence[Quantity], start: int, end: int) -> Iterator[tuple[int, int]]:
    """For each quantity of a sentence the clause around it, which holds no other."""
    cuts = [match.start() for match in _CLAUSE.finditer(text, start, end)]
    for number, each in enumerate(own):
        first = own[number - 1].end if number else start
        last = own[number + 1].start if number + 1 < len(own) else end
        before = [cut for cut in cuts if first <= cut < each.start]
        after = [cut for cut in cuts if each.end <= cut < last]
        # What stands between two figures is of the later one up to its first cut.
        yield (before[0] if before and number else first, after[0] if after else last)


def _without(text: str, clause: tuple[int, int], own: Sequence[Quantity]) -> str:
    start, end = clause
    parts, at = [], start
    for each in own:
        if start <= each.start and each.end <= end and each.kind not in ("year",):
            parts.append(text[at : each.start])
            at = each.end
    parts.append(text[at:end])
    return " ".join(parts)


def prose_series(figures: Sequence[PlacedFigure]) -> Iterator[Series]:
    """The figures of prose that count the same noun, or are amounts of one kind."""
    groups: dict[tuple[str, str], list[PlacedFigure]] = defaultdict(list)
    for each in figures:
        if each.place is None:
            noun = each.quantity.noun if each.kind == "number" else ""
            groups[each.kind, noun].append(each)
    by_sentence: dict[tuple[int, str], list[PlacedFigure]] = defaultdict(list)
    for each in figures:
        if each.place is None:
            by_sentence[each.sentence, each.kind].append(each)
    seen = set()
    for own in (*groups.values(), *by_sentence.values()):
        key = tuple((each.quantity.start, each.quantity.end) for each in own)
        if len(own) < 2 or key in seen:
            continue
        seen.add(key)
        shared = frozenset.intersection(*(each.labels | each.head for each in own))
        labels = tuple(each.labels - shared for each in own)
        tags = tuple(each.around for each in own)
        yield Series("prose", shared, tuple(own), labels, tags)
