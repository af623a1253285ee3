"""Checks the figures that a sentence states against those of its source."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from assay.core.texts import Source, Span
from assay.text.calculations.agreement import best_match, matches
from assay.text.calculations.chains import triples
from assay.text.calculations.claims import ComputedClaim, read_claim, written_value
from assay.text.calculations.conversions import Conversion, conversion_of, conversions
from assay.text.calculations.counts import count_rows, things
from assay.text.calculations.extremes import (
    check_every_column,
    check_extreme_value,
    check_extremes,
    counts_cells,
    may_be_extreme,
)
from assay.text.calculations.figures import PlacedFigure, SourceFigures
from assay.text.calculations.moments import moments
from assay.text.calculations.pairs import pairs
from assay.text.calculations.ranks import check_ranks, may_rank
from assay.text.calculations.reckonings import Reckoning
from assay.text.calculations.relevance import WordRelevance
from assay.text.calculations.search import FigureSearch
from assay.text.calculations.series import read_figures
from assay.text.calculations.sums import sums
from assay.text.calculations.times import spans
from assay.text.quantities import find_quantities

Outcome = Literal["right", "wrong", "open"]

LONGEST_SENTENCE = 2_000
_MOST_POOL = 40
_STRONG = {"difference", "share", "ratio", "average"}
_BOUND_KNOWN = 4.0
_FEW = 10
_MOST_RECKONINGS = 20_000
# Kinds that are copied far more often than computed.
COPIED = ("year", "date", "day", "month", "clock", "clock12", "date?")


@dataclass(frozen=True, slots=True)
class Calculation:
    """The outcome for the figures that a sentence states and its source lacks.

    `open` says that there are such figures, and that they could be neither confirmed nor refuted.
    `figures` are the ranges of the sentence that it is about, `operands` the places in the source.
    """

    outcome: Outcome
    reason: str = ""
    figures: tuple[tuple[int, int], ...] = ()
    operands: tuple[Span, ...] = ()
    is_firm: bool = False
    is_cued: bool = True
    is_same: bool = False  # nothing was computed: the source has the values in other forms


@dataclass(frozen=True, slots=True)
class _Settled:
    """One stated figure and the reckoning that settles it."""

    outcome: Outcome
    figure: PlacedFigure
    found: Reckoning | Conversion | None = None
    is_firm: bool = False


def check_figures(
    sentence: str,
    source: Source | str,
    question: str = "",
    language: str = "en",
) -> Calculation | None:
    """The outcome for the figures that a sentence states and its source lacks; None without any.

    >>> source = "The lower hall seats 112 people and the upper hall 19."
    >>> check_figures("Together the halls seat 131 people.", source).reason
    '112 + 19 = 131'
    """
    text = source if isinstance(source, str) else source.text
    if len(sentence) > LONGEST_SENTENCE or not (
        may_rank(sentence) or may_be_extreme(sentence) or find_quantities(sentence, language)
    ):
        return None
    known = read_figures(text, language)
    if not known.figures:
        return None
    claim = read_claim(sentence, known, question, language)
    if claim is None:
        return None
    over_rows = _over_rows(claim, known, text)
    if not claim.stated:
        return over_rows or _converted(claim, known, text) or _as_if_computed(claim, known, text)
    if over_rows is not None and over_rows.is_firm and over_rows.outcome == "wrong":
        return over_rows
    relevance = WordRelevance(claim, known)
    settled = [_settle(figure, claim, known, relevance) for figure in claim.stated]
    if over_rows is not None and over_rows.outcome == "right":
        settled = [each for each in settled if not _is_settled(each, over_rows, known)]
        if not settled:
            return over_rows
    return _joined(settled, claim, known, text)


def _is_settled(settled: _Settled, over_rows: Calculation, source: SourceFigures) -> bool:
    """True of an open figure that counts rows or columns which settle the sentence."""
    quantity = settled.figure.quantity
    is_own = (quantity.start, quantity.end) in over_rows.figures or bool(quantity.bound)
    return settled.outcome == "open" and (is_own or counts_cells(settled.figure, source))


def _as_if_computed(claim: ComputedClaim, source: SourceFigures, text: str) -> Calculation | None:
    """The outcome for a figure that the source has, of something else: right, or nothing.

    It may be copied, so only a cue and figures that are named well make it a computed one.
    """
    if len(claim.known) != 1 or not claim.cues & _STRONG or claim.known[0].kind in COPIED:
        return None
    settled = _settle(claim.known[0], claim, source, WordRelevance(claim, source))
    found = settled.found
    if settled.outcome != "right" or not isinstance(found, Reckoning):
        return None
    if found.score < _BOUND_KNOWN:
        return None
    if source.grids or found.value != claim.known[0].value:  # cells are copied more often
        return None
    return _joined([settled], claim, source, text)


def _over_rows(claim: ComputedClaim, source: SourceFigures, text: str) -> Calculation | None:
    """The verdict of a table's rows on a rank, a comparison or a count."""
    ranking = (
        check_ranks(claim, source)
        or check_every_column(claim, source)
        or check_extreme_value(claim, source)
        or check_extremes(claim, source)
    )
    if ranking is not None:
        places = dict.fromkeys(map(source.place_of, ranking.figures))
        return Calculation(
            "right" if ranking.is_right else "wrong",
            ranking.said,
            (ranking.place,),
            tuple(Span.cut(text, start, end, "source") for start, end in places),
            ranking.is_firm,
        )
    counted = count_rows(claim, source)
    if counted is None or not (counted.is_firm or counted.is_plain):
        return None
    quantity = counted.figure.quantity
    is_right = counted.number == quantity.value
    rows = (source.view.to_original(*row) for row in counted.rows)
    return Calculation(
        "right" if is_right else "wrong",
        counted.said if is_right else f"{counted.said}, not {counted.figure.text}",
        ((quantity.start, quantity.end),),
        tuple(Span.cut(text, start, end, "source") for start, end in rows),
        counted.is_firm,
    )


def _converted(claim: ComputedClaim, source: SourceFigures, text: str) -> Calculation | None:
    """The verdict on figures that the source has in other forms."""
    found = conversions(claim, source, WordRelevance(claim, source))
    if not found:
        return None
    stated = [each.stated.quantity for each in found]
    places = dict.fromkeys(source.place_of(each.known) for each in found)
    return Calculation(
        "right",
        "; ".join(map(str, found)),
        tuple((each.start, each.end) for each in stated),
        tuple(Span.cut(text, start, end, "source") for start, end in places),
        is_same=True,
    )


def _settle(
    stated: PlacedFigure, claim: ComputedClaim, source: SourceFigures, relevance: WordRelevance
) -> _Settled:
    same = conversion_of(stated, source, relevance)
    if same and not same.is_same_form:
        return _Settled("right", stated, same)
    own = [each for each in claim.figures if each is not stated]
    nouns = {each.quantity.noun for each in own if each.kind == "number"} - {""}
    others = [
        each
        for each in source.figures
        if each.kind != "number" or each.quantity.noun not in nouns or each.place
    ]
    pool = (*relevance.pool(others, _MOST_POOL), *own)
    search = FigureSearch(claim, stated, source, relevance, pool)
    found = list(islice(_reckonings(search), _MOST_RECKONINGS))
    best = best_match(stated, found, lambda each: _is_cued(search, each))
    if best is not None:
        return _Settled("right", stated, best, best.is_firm)
    firm = [each for each in found if each.is_firm]
    values = {each.value for each in firm}
    if len(values) == 1 and not any(matches(stated, each) is not False for each in found):
        return _Settled("wrong", stated, firm[0], True)
    return _Settled("open", stated)


def _reckonings(search: FigureSearch) -> Iterator[Reckoning]:
    yield from chain(
        sums(search), pairs(search), spans(search), moments(search), things(search), triples(search)
    )


def _is_cued(search: FigureSearch, found: Reckoning) -> bool:
    if found.operation in ("share", "span", "moment", "ratio", "growth", "rate"):
        return True
    is_bounded = search.stated.quantity.bound not in ("", "about")
    return search.has_cue(found.operation) and not is_bounded


def _joined(
    settled: Sequence[_Settled], claim: ComputedClaim, source: SourceFigures, text: str
) -> Calculation | None:
    """One result for a sentence: wrong if any figure is, right if all are."""
    wrong = [each for each in settled if each.outcome == "wrong"]
    right = [each for each in settled if each.outcome == "right"]
    used = {id(operand) for each in right if each.found for operand in each.found.operands}
    left = [each for each in settled if each.outcome == "open" and id(each.figure) not in used]
    if right:
        left = [each for each in left if not _counts_few(each.figure)]
    chosen = wrong or left or right
    if not chosen:
        return None
    outcome = chosen[0].outcome
    operands = dict.fromkeys(
        source.place_of(operand)
        for each in chosen
        if each.found
        for operand in each.found.operands
        if not operand.is_own
    )
    return Calculation(
        outcome,
        "; ".join(_reason(each) for each in chosen if each.found),
        tuple((each.figure.quantity.start, each.figure.quantity.end) for each in chosen),
        tuple(Span.cut(text, start, end, "source") for start, end in operands),
        all(each.is_firm for each in chosen),
        any(each.figure.kind not in COPIED for each in chosen) and "computed" in claim.cues,
        all(isinstance(each.found, Conversion) for each in chosen),
    )


def _counts_few(figure: PlacedFigure) -> bool:
    """True of a small number, which often counts what a sentence itself lists."""
    written = written_value(figure) or figure.value / (figure.quantity.step or 1)
    return figure.kind in ("number", "duration") and written <= _FEW


def _reason(settled: _Settled) -> str:
    found = settled.found
    if found is None:
        return ""
    said = str(found)
    return said if settled.outcome == "right" else f"{said}, not {settled.figure.text}"
