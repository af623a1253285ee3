"""Texts cut for the page: the source at the borders of evidence, the response at its units."""

from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from assay.core.judgements import Finding
from assay.core.units import Unit, UnitKind
from assay.report.reading import Edit, snapped
from assay.report.tables import spelled_out

# A longer source is shown in windows around its evidence, and longer evidence by its two ends.
LONGEST_SOURCE = 200_000
LONGEST_EVIDENCE = 4_000
MARGIN = 400

Range = tuple[int, int]

# The windows are marks of a unit that does not exist: units are counted from 1.
_SHOWN = (0, 0)

# What colours the text first; units of a later kind are coloured where they overlap no other.
_FIRST: tuple[UnitKind, ...] = (
    "sentence",
    "span",
    "inconsistency",
    "claim",
    "relation",
    "response",
)


@dataclass(frozen=True, slots=True)
class Mark:
    """A range of the source that is evidence for the unit of that number; `rank` 0 is the best."""

    start: int
    end: int
    unit: int
    rank: int = 0


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of the source, and which evidence it is: pairs of a unit's number and a rank.

    What a reader sees of it is `seen`, unless that is the text itself.
    """

    text: str
    start: int
    marks: tuple[tuple[int, int], ...] = ()
    seen: str | None = None

    @property
    def units(self) -> tuple[int, ...]:
        """The numbers of all units that it is evidence for."""
        return tuple(dict.fromkeys(unit for unit, _ in self.marks))


@dataclass(frozen=True, slots=True)
class Gap:
    """A piece of the source that is too long to be shown."""

    characters: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the response, and the number of the unit that it belongs to, if any.

    A unit stands at its first piece and is `continued` at others. An inconsistency stands at none.
    """

    text: str
    unit: int | None = None
    continued: bool = False


def evidence_marks(findings: Sequence[Finding]) -> tuple[Mark, ...]:
    """Where the source is evidence, and for which finding, counted from 1."""
    return tuple(
        Mark(span.start, span.end, number, rank)
        for number, finding in enumerate(findings, start=1)
        for rank, span in enumerate(finding.evidence)
        if span.side == "source" and span.start < span.end
    )


def cut_source(
    text: str, marks: Sequence[Mark], edits: Sequence[Edit] = ()
) -> tuple[Segment | Gap, ...]:
    """The source in order, cut wherever evidence, or what is not seen as written, begins or ends.

    What is seen of something is part of the evidence if any of it is.
    """
    windows = [(0, len(text))] if len(text) <= LONGEST_SOURCE else _windows(len(text), marks)
    opening, closing = defaultdict(list), defaultdict(list)
    borders = {border for edit in edits for border in (edit.start, edit.end)}
    seen = {edit.start: edit.seen for edit in edits}
    for whole in (*marks, *(Mark(start, end, *_SHOWN) for start, end in windows)):
        start, end = snapped((whole.start, whole.end), edits)
        mark = replace(whole, start=start, end=end)
        opening[mark.start].append((mark.unit, mark.rank))
        closing[mark.end].append((mark.unit, mark.rank))
    active: Counter[tuple[int, int]] = Counter()
    parts: list[Segment | Gap] = []
    for start, end in pairwise(sorted({0, len(text), *borders, *opening, *closing})):
        active.update(opening[start])
        active.subtract(closing[start])
        if active[_SHOWN]:
            held = tuple(sorted(each for each in +active if each != _SHOWN))
            shown = display(seen[start]) if start in seen else None
            parts.append(Segment(_display(text, start, end), start, held, shown))
        else:
            parts.append(Gap(end - start))
    return tuple(_join_gaps(parts))


def _windows(length: int, marks: Iterable[Mark]) -> list[Range]:
    """The ranges around evidence, or the beginning where there is none."""
    wanted = sorted(near for mark in marks for near in _near(mark)) or [(0, 2 * MARGIN)]
    windows: list[Range] = []
    for start, end in wanted:
        start, end = max(0, start), min(length, end)
        if windows and start <= windows[-1][1]:
            windows[-1] = (windows[-1][0], max(end, windows[-1][1]))
        else:
            windows.append((start, end))
    return windows


def _near(mark: Mark) -> Iterator[Range]:
    if mark.end - mark.start <= LONGEST_EVIDENCE:
        yield mark.start - MARGIN, mark.end + MARGIN
    else:
        yield mark.start - MARGIN, mark.start + LONGEST_EVIDENCE // 2
        yield mark.end - LONGEST_EVIDENCE // 2, mark.end + MARGIN


def _join_gaps(parts: Iterable[Segment | Gap]) -> Iterator[Segment | Gap]:
    left_out = 0
    for part in parts:
        if isinstance(part, Gap):
            left_out += part.characters
            continue
        if left_out:
            yield Gap(left_out)
        left_out = 0
        yield part
    if left_out:
        yield Gap(left_out)


def cut_response(text: str, units: Sequence[Unit]) -> tuple[Piece, ...]:
    """The response in order, cut at its units, which are counted from 1.

    A unit without a place, or that overlaps one already placed, is left to be listed elsewhere.
    """
    pieces: list[Piece] = []
    position = 0
    for (start, end), number, continued in sorted(_placed(units)):
        if position < start:
            pieces.append(Piece(_display(text, position, start)))
        pieces.append(Piece(_display(text, start, end), number, continued))
        position = end
    if position < len(text):
        pieces.append(Piece(_display(text, position, len(text))))
    return tuple(pieces)


def _placed(units: Sequence[Unit]) -> Iterator[tuple[Range, int, bool]]:
    taken: list[Range] = []
    for number, unit in sorted(enumerate(units, start=1), key=lambda each: _order(each[1])):
        ranges = sorted((span.start, span.end) for span in unit.spans if span.start < span.end)
        if all(_is_free(each, taken) for each in ranges):
            for at, each in enumerate(ranges):
                insort(taken, each)
                yield each, number, at > 0 or unit.kind == "inconsistency"


def _is_free(wanted: Range, taken: list[Range]) -> bool:
    start, end = wanted
    after = bisect_left(taken, wanted)
    before = taken[after - 1][1] if after else 0
    return before <= start and (after == len(taken) or end <= taken[after][0])


def _order(unit: Unit) -> int:
    return _FIRST.index(unit.kind)


def marked_ranges(finding: Finding) -> Iterator[Range]:
    """Where in its text a unit has marks; one that does not quote one place shows none there."""
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
    """Whether the text of a unit is that of the response at its only place."""
    return len(unit.spans) == 1 and unit.spans[0].text == unit.text


def _display(text: str, start: int, end: int) -> str:
    """The characters of a range as a page shows them: with plain line ends, and spelled out.

    A line end of two characters that a border cuts in two must not become two line ends.
    """
    if text[start:end].endswith("\r") and text[end : end + 1] == "\n":
        end -= 1
    return display(text[start:end])


def display(text: str) -> str:
    """A text with plain line ends and without characters that hide or turn what stands there."""
    return spelled_out(text.replace("\r\n", "\n").replace("\r", "\n"))
