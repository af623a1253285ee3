"""Both texts of an example as a reader sees them, and where units and evidence stand in them.

Places that a script reads are counted as browsers do, in UTF-16 units.
"""

import re
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.texts import Span
from assay.core.units import Unit, UnitKind
from assay.report.words import spelled_out
from assay.text.markup import is_html, visible
from assay.text.views import View

# A longer source is shown in windows around its evidence, and longer evidence by its two ends.
LONGEST_SOURCE = 200_000
LONGEST_EVIDENCE = 4_000
MARGIN = 400

Range = tuple[int, int]

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")

# What colours the text first; units of a later kind are coloured where they overlap no other.
_FIRST: tuple[UnitKind, ...] = (
    "sentence",
    "span",
    "inconsistency",
    "claim",
    "relation",
    "response",
)


def length_of(text: str) -> int:
    """The length of a text in a browser."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def whole_line_end(text: str, place: int) -> int:
    """The place, or the one before it where it cuts a line end of two characters in two."""
    return place - 1 if place and text[place - 1 : place + 1] == "\r\n" else place


class Places:
    """Counts places in a text as a browser does: in UTF-16 units."""

    def __init__(self, text: str) -> None:
        self._text = text

    @cached_property
    def _wide(self) -> list[int]:
        """The places of characters that are two units."""
        text = self._text
        return [] if text.isascii() else [each.start() for each in _ASTRAL.finditer(text)]

    def __call__(self, place: int) -> int:
        """The place at which a browser finds the code point of that number."""
        return place + bisect_left(self._wide, place) if self._wide else place

    def range(self, start: int, end: int) -> Range:
        """A range that cuts no line end of two characters in two."""
        return self(whole_line_end(self._text, start)), self(whole_line_end(self._text, end))


@dataclass(frozen=True, slots=True)
class SeenEdit:
    """A range of a source of which a reader sees something else, or nothing."""

    start: int
    end: int
    seen: str


class SeenTexts:
    """Both texts of an example as a reader sees them, passage by passage."""

    def __init__(self, example: Example) -> None:
        self._whole = example.source
        self._source = example.source.text
        self._response = example.response.text
        own = len(example.source.own_text) if example.source.outside else len(self._source)
        parts = [(each.start, each.end) for each in example.source.passages] or [(0, own)]
        overlap = any(start < end for (_, end), (start, _) in pairwise(parts))
        self._parts = [(0, own)] if overlap else parts

    @cached_property
    def edits(self) -> tuple[SeenEdit, ...]:
        """The ranges of HTML that are not seen as written; other texts have none."""
        return tuple(
            SeenEdit(start + each.start, start + each.end, each.seen)
            for start, end in self._parts
            if is_html(part := self._source[start:end])
            for each in _edits(visible(part))
        )

    @property
    def characters(self) -> int:
        """The number of characters of the source that are seen."""
        hidden = sum(each.end - each.start - len(each.seen) for each in self.edits)
        return len(self._source) - hidden

    def passage(self, span: Span) -> str:
        """The text of evidence as it is seen."""
        for start, end in self._parts if span.side == "source" else ():
            if start <= span.start < span.end <= end:
                view = visible(self._source[start:end])
                return view.text[slice(*view.from_original(span.start - start, span.end - start))]
        return span.text

    def quotes(self, spans: Iterable[Span]) -> list[tuple[str, str]]:
        """Pieces of evidence as the page shows them, each after the name of its passage."""
        return [(self._whole.passage_at(span.start), self._quote(span)) for span in spans]

    def _quote(self, span: Span) -> str:
        at = bisect_right(self.edits, span.start, key=lambda each: each.end)
        is_marked = at < len(self.edits) and self.edits[at].start < span.end
        return self.passage(span) if is_marked else span.text

    def sentence(self, text: str, spans: Sequence[Span]) -> tuple[View, Range]:
        """The view in which a unit is seen, and where in it."""
        if len(spans) == 1 and spans[0].text == text:
            view = visible(self._response)
            return view, view.from_original(spans[0].start, spans[0].end)
        view = visible(text)
        return view, (0, len(view.text))


def _edits(view: View) -> Iterator[SeenEdit]:
    """The ranges of a text that a view changes; together with all others they are the text."""
    position = end = 0
    seen: list[str] = []
    for character, start, stop in zip(view.text, view.starts, view.ends, strict=True):
        is_kept = start >= end and view.original[start:stop] == character
        if is_kept and (start > position or not seen):
            if start > position:
                yield SeenEdit(position, start, "".join(seen))
            position, seen = stop, []
        else:  # also a character that something was inserted before
            seen.append(character)
        end = max(end, stop)
    if position < len(view.original):
        yield SeenEdit(position, len(view.original), "".join(seen))


def snapped(place: Range, edits: Sequence[SeenEdit]) -> Range:
    """A range that cuts no edit in two."""
    start, end = place
    at = bisect_right(edits, start, key=lambda each: each.end)
    if at < len(edits) and edits[at].start < start:
        start = edits[at].start
    at = bisect_left(edits, end, key=lambda each: each.end)
    if at < len(edits) and edits[at].start < end:
        end = edits[at].end
    return start, end


def windows(length: int, evidence: Iterable[Range]) -> list[Range]:
    """The ranges of a long source that are shown, which are near evidence; none of a short one."""
    if length <= LONGEST_SOURCE:
        return []
    wanted = sorted(near for each in evidence for near in _near(*each)) or [(0, 2 * MARGIN)]
    found: list[Range] = []
    for start, end in wanted:
        start, end = max(0, start), min(length, end)
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _near(start: int, end: int) -> Iterator[Range]:
    if end - start <= LONGEST_EVIDENCE:
        yield start - MARGIN, end + MARGIN
    else:
        yield start - MARGIN, start + LONGEST_EVIDENCE // 2
        yield end - LONGEST_EVIDENCE // 2, end + MARGIN


@dataclass(frozen=True, slots=True)
class Replaced:
    """A range of a source, and what is seen in its place."""

    at: Range
    seen: str = ""


@dataclass(frozen=True, slots=True)
class Gap:
    """A place in a source where something too long to be shown is left out."""

    at: int
    characters: int


@dataclass(frozen=True, slots=True)
class PageSource:
    """A source on a page; one whose name is not shown has no `id`."""

    text: str
    id: str = ""
    edits: tuple[Replaced, ...] = ()
    gaps: tuple[Gap, ...] = ()


class ShownSource:
    """The windows of a source that a page shows, and places in them as a browser counts."""

    def __init__(
        self, text: str, edits: Sequence[SeenEdit] = (), shown: Sequence[Range] = ()
    ) -> None:
        """Shows all of the text unless some ranges are given."""
        self._all = edits
        self._whole = len(text)
        self._shown = list(self._windows(shown)) if shown else [(0, len(text))]
        self._text = "".join(text[a:b] for a, b in self._shown) if shown else text
        self._places = Places(self._text)

    def _windows(self, shown: Sequence[Range]) -> Iterator[Range]:
        """The ranges without the parts that they share once they cut no edit in two."""
        position = 0
        for start, end in (snapped(each, self._all) for each in shown):
            yield max(start, position), end
            position = end

    def range(self, start: int, end: int) -> Range:
        """The range of what is shown that a range of the source is, with all edits in it."""
        start, end = snapped((start, end), self._all)
        return self._places.range(self._place(start), self._place(end))

    def _place(self, place: int) -> int:
        """The place in what is shown; one that is left out stands where the gap is."""
        return sum(max(0, min(place, end) - start) for start, end in self._shown)

    def view(self, id: str = "") -> PageSource:
        """The source as a script reads it."""
        edits = tuple(
            Replaced(self.range(each.start, each.end), each.seen)
            for each in self._all
            if any(start <= each.start and each.end <= end for start, end in self._shown)
        )
        borders = [(0, 0), *self._shown, (self._whole, self._whole)]
        gaps = tuple(
            Gap(self._places(self._place(end)), start - end)
            for (_, end), (start, _) in pairwise(borders)
            if start > end
        )
        return PageSource(self._text, id, edits, gaps)


def placed(units: Mapping[int, Unit]) -> dict[int, list[Range]]:
    """The ranges of the response that each unit colours, by the unit's number.

    A unit without a place, or that overlaps one already placed, colours none.
    """
    taken: list[Range] = []
    found: dict[int, list[Range]] = {}
    if not units:
        return found
    for number, unit in sorted(units.items(), key=lambda each: _FIRST.index(each[1].kind)):
        ranges = sorted((span.start, span.end) for span in unit.spans if span.start < span.end)
        if ranges and all(_is_free(each, taken) for each in ranges):
            found[number] = ranges
            for each in ranges:
                insort(taken, each)
    return found


def _is_free(wanted: Range, taken: list[Range]) -> bool:
    start, end = wanted
    after = bisect_left(taken, wanted)
    before = taken[after - 1][1] if after else 0
    return before <= start and (after == len(taken) or end <= taken[after][0])


def marked_ranges(finding: Finding) -> Iterator[Range]:
    """The ranges of a unit's text that are marked; none if it does not quote a single place."""
    if not is_quoted(finding.unit):
        return
    offset, position = finding.unit.spans[0].start, 0
    for mark in sorted(finding.marks):
        start, end = max(mark.start - offset, position), min(mark.end - offset, len(finding.text))
        if mark.side == "response" and start < end:
            yield start, end
            position = end


def cut_runs(text: str, ranges: Iterable[Range]) -> Iterator[str]:
    """A text cut around some ranges in order: every other run, from the second on, is in one."""
    position = 0
    for start, end in ranges:
        yield from (text[position:start], text[start:end])
        position = end
    yield text[position:]


def is_quoted(unit: Unit) -> bool:
    """True if the text of a unit is that of the response at its only place."""
    return len(unit.spans) == 1 and unit.spans[0].text == unit.text


def display(text: str) -> str:
    """A text with plain line ends and without characters that hide or turn what stands there."""
    return spelled_out(text.replace("\r\n", "\n").replace("\r", "\n"))
