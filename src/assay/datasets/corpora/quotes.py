"""Quoted pieces of a text, where a release says they are or where they are found."""

from typing import Any

from assay.core.spans import Side, Span
from assay.datasets.corpora.reading import locate
from assay.datasets.repairs import Repairs


def find_quote(
    whole: str, quote: Any, place: tuple[Any, Any], side: Side, repairs: Repairs
) -> Span | None:
    """The span of a quote; offsets that do not fit are mended, a quote found nowhere is None."""
    start, end = place
    if not isinstance(quote, str):
        return None
    if quote and isinstance(start, int) and start >= 0 and whole.startswith(quote, start):
        if end != start + len(quote):
            repairs.note("end-mended", "the end of a quote did not fit its length")
        return Span.cut(whole, start, start + len(quote), side)
    nearest = _nearest(whole, quote, start if isinstance(start, int) else 0)
    if nearest is None:
        repairs.note("quote-unlocated", "a quote is not in its text: it has no span")
        return None
    repairs.note("quote-moved", "a quote was not where its offsets say: the nearest place is taken")
    return Span.cut(whole, nearest, nearest + len(quote), side)


def _nearest(whole: str, quote: str, start: int) -> int | None:
    places = []
    found = locate(whole, quote)
    while found is not None:
        places.append(found)
        found = locate(whole, quote, found + 1)
    return min(places, key=lambda place: abs(place - start), default=None)
