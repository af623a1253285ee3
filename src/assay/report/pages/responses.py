"""A result as the page of a check shows it: a response with its source and all its units."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from assay.core.judgements import Finding, Judgement
from assay.core.results import Result, is_flagged, noun_of
from assay.core.taxonomies import GRAY7
from assay.core.texts import Source, Span
from assay.core.units import Unit
from assay.core.verdicts import FAITHFUL_FROM
from assay.report.pages.badges import Badge, outcome_badge, stance_of
from assay.report.pages.records import FOR_TEMPLATES
from assay.report.pages.texts import (
    PageSource,
    Range,
    SeenTexts,
    ShownSource,
    cut_runs,
    display,
    is_quoted,
    marked_ranges,
    whole_line_end,
    windows,
)
from assay.report.pages.views import (
    LONGEST_QUOTE,
    Quote,
    UnitView,
    UnitViews,
    coloured,
    is_in_source,
    underline,
)

LONGEST_COMPARED = 20_000  # characters of a unit whose words are compared with the evidence


@dataclass(frozen=True, slots=True)
class ResponsePiece:
    """A piece of the response in runs, and the unit that it belongs to, if any.

    A unit has its sign at its first piece; an inconsistency has it nowhere.
    """

    runs: tuple[str, ...]
    unit: UnitView | None = None
    is_first: bool = False


@dataclass(frozen=True, slots=True)
class FlaggedUnit:
    """A unit that needs a look, with its words and its evidence as a reader sees them."""

    unit: UnitView
    wording: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PageResponse:
    """A response, and every unit of it; `source` is the number of its source on the page.

    The first response to a source has it in `shown`. `judged` are the `counted` units with a
    verdict; `worst` is the number of the one to look at first, and 0 where there is none. `read`
    and `seen` are characters of the source. These three are left out where they are all of them.
    """

    source: int
    text: str
    units: tuple[UnitView, ...]
    tally: tuple[tuple[Badge, int], ...]
    worst: int
    counted: int
    noun: str
    characters: int
    judged: int | None = None
    read: int | None = None
    seen: int | None = None
    question: str = ""
    language: str = ""
    shown: PageSource | None = None
    badge: Badge = field(kw_only=True, metadata=FOR_TEMPLATES)
    pieces: tuple[ResponsePiece, ...] = field(default=(), metadata=FOR_TEMPLATES)
    flagged: tuple[FlaggedUnit, ...] = field(default=(), metadata=FOR_TEMPLATES)


def view_result(result: Result, threshold: float | None = FAITHFUL_FROM) -> PageResponse:
    """The view of a result on the page of a check, with its source."""
    example, judgement = result.example, result.judgement
    families = families_of(judgement)
    findings = [each for family in families for each in family]
    seen = SeenTexts(example)
    evidence = [(e.start, e.end) for each in findings for e in each.evidence if is_in_source(e)]
    length = len(example.source.text)
    source = ShownSource(example.source.text, seen.edits, windows(length, evidence))
    views = UnitViews(example, source)
    checked = _Checked(result, seen, views, threshold)
    ranges = coloured(findings)
    units = [checked.view(each, ranges.get(at, [])) for at, each in enumerate(findings)]
    start = 0
    for family in families:
        numbers = range(start + 2, start + len(family) + 1)
        units[start] = units[start]._replace(parts=tuple(numbers))
        start += len(family)
    judged = sum(each.verdict is not None for each in result.counted)
    tally = Counter(outcome_badge(each.outcome) for each in result.counted)
    return PageResponse(
        source=0,
        text=example.response.text,
        units=tuple(units),
        tally=tuple(tally.items()),
        worst=_worst(findings),
        counted=len(result.counted),
        judged=judged if judged < len(result.counted) else None,
        noun=noun_of(each.kind for each in result.counted),
        characters=length,
        read=judgement.characters_read if judgement.characters_read < length else None,
        seen=seen.characters if seen.edits else None,
        question=example.question,
        language=example.language,
        shown=source.view(),
        badge=outcome_badge(result.response.outcome),
        pieces=tuple(_pieces(example.response.text, findings, units, ranges)),
        flagged=tuple(
            FlaggedUnit(unit, each.text, tuple(_shorten(q) for _, q in seen.quotes(each.evidence)))
            for each, unit in zip(findings, units, strict=True)
            if unit.flagged
        ),
    )


def _worst(findings: list[Finding]) -> int:
    """The number of the least faithful unit; one without a verdict comes after unfaithful ones."""
    if not findings:
        return 0
    return 1 + min(range(len(findings)), key=lambda at: _rank(findings[at]))


def _rank(finding: Finding) -> tuple[int, float, float]:
    groups = ("unfaithful", None, "not-sure", "faithful", "no-fact")
    rank = finding.label.rank if finding.label else 0
    return groups.index(finding.coarse), rank, 1.0 if finding.score is None else finding.score


def families_of(judgement: Judgement) -> list[list[Finding]]:
    """Each finding that is no part of another unit judged, with what was said of its parts."""
    families: dict[str, list[Finding]] = {}
    for finding in judgement.findings:
        families.setdefault(_head(finding.unit, judgement), []).append(finding)
    # A part may be listed before what it is a part of.
    return [
        sorted(family, key=lambda each: each.unit.id != head) for head, family in families.items()
    ]


def _head(unit: Unit, judgement: Judgement) -> str:
    """The id of the outermost unit judged that a unit belongs to, or its own."""
    head, parent, seen = unit.id, unit.parent, {unit.id}
    while parent and parent not in seen:
        if judgement.finding(parent):
            head = parent
        seen.add(parent)
        owner = judgement.by_id.get(parent)
        parent = owner.parent if owner else ""
    return head


def _pieces(
    text: str, findings: list[Finding], units: list[UnitView], ranges: dict[int, list[Range]]
) -> Iterator[ResponsePiece]:
    """The response in order, cut at its units; words that the detector marked are runs."""
    position = 0
    for (start, end), at, place in sorted(
        (each, at, place) for at, own in ranges.items() for place, each in enumerate(own)
    ):
        start, end = whole_line_end(text, start), whole_line_end(text, end)
        unit, words = units[at], text[start:end]
        marked = marked_ranges(findings[at]) if unit.marked else ()
        if position < start:
            yield ResponsePiece((display(text[position:start]),))
        runs = tuple(map(display, cut_runs(words, marked)))
        yield ResponsePiece(runs, unit, is_first=not place and not unit.text)
        position = end
    if position < len(text):
        yield ResponsePiece((display(text[position:]),))


class _Checked:
    """Makes the views of units with what only this page shows: words to look at, and a stance."""

    def __init__(
        self,
        result: Result,
        seen: SeenTexts,
        views: UnitViews,
        threshold: float | None,
    ) -> None:
        self._example = result.example
        self._seen = seen
        self._views = views
        self._author = result.judgement.author.name
        self._threshold = threshold

    def view(self, finding: Finding, ranges: list[Range]) -> UnitView:
        stands_there = bool(ranges) and finding.kind != "inconsistency"
        unit = self._views.view(finding, ranges, "" if stands_there else finding.text)
        verdict = finding.verdict
        if not finding.marks and _is_compared(finding):
            unit = underline(unit, finding, self._absent(finding))
        return unit._replace(
            flagged=is_flagged(finding),
            words=_words(finding),
            stance=stance_of(verdict, self._author, self._threshold) if verdict else "",
            quotes=tuple(map(self._quote, unit.quotes, finding.evidence)),
        )

    def _quote(self, quote: Quote, span: Span) -> Quote:
        """The quote with the name of its passage."""
        named = quote.at and len(self._example.source.passages) > 1
        return Quote(quote.at, _passage(self._example.source, span.start)) if named else quote

    def _absent(self, finding: Finding) -> Iterator[Range]:
        """The ranges of words that the evidence lacks, both read as a reader sees them.

        A contradiction is one of the best evidence, whatever weaker evidence there is.
        """
        from assay.text.differences import find_absent  # a terminal shows none of this

        spans = finding.unit.spans
        passages = [self._seen.passage(span) for span in finding.evidence]
        view, (first, last) = self._seen.sentence(finding.text, spans)
        offset = spans[0].start if view.original != finding.text else 0
        is_against = finding.label == GRAY7["contradicting"]
        known = passages[:1] if is_against else passages
        position = 0
        for absent in find_absent(view.text[first:last], known, self._example.language):
            start, end = (
                place - offset for place in view.to_original(*(first + at for at in absent))
            )
            start, end = max(start, position), min(end, len(finding.text))
            if start < end:
                yield start, end
                position = end


def _is_compared(finding: Finding) -> bool:
    is_stated = finding.kind in ("sentence", "claim") and finding.coarse != "no-fact"
    return bool(finding.evidence) and is_stated and len(finding.text) <= LONGEST_COMPARED


def _words(finding: Finding) -> tuple[str, ...]:
    """The words of the response that an inconsistency, or a unit of several places, is about."""
    unit = finding.unit
    marks = () if is_quoted(unit) else finding.marks
    spans = unit.spans if unit.kind == "inconsistency" else marks
    return tuple(span.text[:LONGEST_QUOTE] for span in spans)


def _shorten(text: str) -> str:
    return f"{text[:LONGEST_QUOTE]}…" if len(text) > LONGEST_QUOTE else text


def _passage(source: Source, start: int) -> str:
    found = (each.name for each in source.passages if each.start <= start < each.end)
    return next(found, "")
