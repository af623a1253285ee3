"""Checks the figures that a sentence states against those of its source."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from typing import Literal

from assay.core.texts import Source, Span
from assay.text.calculations.claims import SHARES, ComputedClaim, read_claim, written_value
from assay.text.calculations.counts import count_rows
from assay.text.calculations.figures import PlacedFigure, SourceFigures
from assay.text.calculations.pairs import pairs, triples
from assay.text.calculations.ranks import check_ranks, may_rank
from assay.text.calculations.reckonings import Reckoning, agrees
from assay.text.calculations.relevance import WordRelevance
from assay.text.calculations.search import FigureSearch
from assay.text.calculations.series import read_figures
from assay.text.calculations.sums import sums
from assay.text.calculations.times import moments, spans
from assay.text.quantities import find_quantities

Outcome = Literal["right", "wrong", "open"]

LONGEST_SENTENCE = 2_000
_MOST_POOL = 40
# How many more plausible results may go before the one that agrees, by the digits of the stated
# figure: with few digits, some result agrees by chance.
_MOST_CHANCE = 0.2
_CHANCE = 0.02  # for a score of 0, ten times as much for each 2 points
_UNCUED = 0.2
_FRACTION = 2  # percentage points that a fraction such as a third stands for
_FINE = 50
_DIVISIONS = ("share", "growth", "ratio", "average", "rate")
_SMALL = 20
_STRONG = {"difference", "share", "ratio", "average"}
_BOUND_KNOWN = 3.0
_MOST_MATCHES = 5  # the most plausible results that agree are weighed
_OUTDONE = 1.0
_MOST_DECIMALS = 6
_BOUND = 5.0  # the score of a reckoning whose cue, words and noun all agree
_FEW = 10
_MOST_RECKONINGS = 20_000
# Kinds that are copied far more often than computed.
_COPIED = ("year", "date", "day", "month", "clock", "clock12", "date?")
_DIGITS_OF_A_FRACTION = 2


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


@dataclass(frozen=True, slots=True)
class _Settled:
    """One stated figure and the reckoning that settles it."""

    outcome: Outcome
    figure: PlacedFigure
    found: Reckoning | None = None
    is_firm: bool = False


def check_figures(
    sentence: str,
    source: Source | str,
    question: str = "",
    language: str = "en",
    evidence: Sequence[Span] = (),
) -> Calculation | None:
    """The outcome for the figures that a sentence states and its source lacks; None without any.

    >>> source = "The lower hall seats 112 people and the upper hall 19."
    >>> check_figures("Together the halls seat 131 people.", source).reason
    '112 people + 19 = 131'
    """
    text = source if isinstance(source, str) else source.text
    if len(sentence) > LONGEST_SENTENCE or not (
        may_rank(sentence) or find_quantities(sentence, language)
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
        return over_rows or _as_if_computed(claim, known, text)
    if over_rows is not None and over_rows.is_firm and over_rows.outcome == "wrong":
        return over_rows
    settled = [_settle(figure, claim, known) for figure in claim.stated]
    return _joined(settled, claim, known, text)


def _as_if_computed(claim: ComputedClaim, source: SourceFigures, text: str) -> Calculation | None:
    """The outcome for a figure that the source has, of something else: right, or nothing.

    It may be copied, so only a cue and figures that are named well make it a computed one.
    """
    if len(claim.known) != 1 or not claim.cues & _STRONG or claim.known[0].kind in _COPIED:
        return None
    settled = _settle(claim.known[0], claim, source)
    found = settled.found
    if settled.outcome != "right" or found is None or found.score < _BOUND_KNOWN:
        return None
    return _joined([settled], claim, source, text)


def _over_rows(claim: ComputedClaim, source: SourceFigures, text: str) -> Calculation | None:
    """The verdict of a table's rows on a rank, a comparison or a count."""
    ranking = check_ranks(claim, source)
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
    if counted is None or not counted.is_firm:
        return None
    quantity = counted.figure.quantity
    is_right = counted.number == quantity.value
    rows = (source.view.to_original(*row) for row in counted.rows)
    return Calculation(
        "right" if is_right else "wrong",
        counted.said if is_right else f"{counted.said}, not {counted.figure.text}",
        ((quantity.start, quantity.end),),
        tuple(Span.cut(text, start, end, "source") for start, end in rows),
        True,
    )


def _settle(stated: PlacedFigure, claim: ComputedClaim, source: SourceFigures) -> _Settled:
    relevance = WordRelevance(claim, source)
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
    best = _best_match(stated, found, lambda each: _is_cued(search, each))
    if best is not None:
        return _Settled("right", stated, best, best.is_firm)
    firm = [each for each in found if each.is_firm]
    values = {each.value for each in firm}
    if len(values) == 1 and not any(_matches(stated, each) is not False for each in found):
        return _Settled("wrong", stated, firm[0], True)
    top = max(found, key=lambda each: each.score, default=None)
    is_bound = top is not None and top.score >= _BOUND and search.has_cue(top.operation)
    if is_bound and not any(_matches(stated, each) is not False for each in found):
        return _Settled("wrong", stated, top)
    return _Settled("open", stated)


def _reckonings(search: FigureSearch) -> Iterator[Reckoning]:
    yield from chain(sums(search), pairs(search), spans(search), moments(search), triples(search))


def _best_match(
    stated: PlacedFigure, found: Sequence[Reckoning], cued: Callable[[Reckoning], bool]
) -> Reckoning | None:
    """The most plausible result that agrees, unless too many others are as plausible.

    Without a cue it must be the very value.
    """
    matches = [
        each
        for each in found
        if _matches(stated, each)
        and (cued(each) or (each.value == stated.value and not _is_of_cells(each)))
    ]
    for best in sorted(matches, key=lambda each: (not each.is_firm, -each.score))[:_MOST_MATCHES]:
        if best.is_firm:
            return best
        if _is_outdone(best, stated, found):
            continue
        allowed = min(_MOST_CHANCE, _CHANCE * 10 ** (best.score / 2))
        if _chance(stated, best, found) <= allowed * (1.0 if cued(best) else _UNCUED):
            return best
    return None


def _is_outdone(best: Reckoning, stated: PlacedFigure, found: Sequence[Reckoning]) -> bool:
    """True if the sentence names other figures far better."""
    is_exact = best.value == stated.value
    if not is_exact and best.is_stepped and best.score < _BOUND_KNOWN:
        return True
    if best.operation == "ratio":
        allowed = _OUTDONE
    elif all(each.place for each in best.operands) or not is_exact:
        allowed = 2 * _OUTDONE
    else:
        return False
    top = max(each.score for each in found if each.operation == best.operation)
    return top - best.score > allowed


def _is_of_cells(found: Reckoning) -> bool:
    """True of a result of single cells, which without a cue agrees by chance; not of a series."""
    places = [each.place for each in found.operands if each.place]
    if not places:
        return False
    rows, columns = {place[:2] for place in places}, {place[::2] for place in places}
    is_series = len(places) > 2 and min(len(rows), len(columns)) == 1
    return not (found.operation == "total" and (is_series or found.is_whole))


def _chance(stated: PlacedFigure, best: Reckoning, found: Sequence[Reckoning]) -> float:
    """How many results as plausible are to be expected to agree by chance.

    These are the results as large as the figure, give or take a factor of two, times the part of
    that range that the stated figure takes up.
    """
    value = abs(stated.value)
    if not value:
        return 1.0
    near = {
        each.value
        for each in found
        if each.score >= best.score and value / 2 <= abs(each.value) <= value * 2
    }
    width = stated.quantity.step or (Fraction(_FRACTION) if stated.kind in SHARES else value / 50)
    if stated.kind == "factor":
        width = value / 25
    if best.value == stated.value:
        width = min(width, max(value / _FINE, Fraction(1, 100)) if value > _FINE else width)
        if best.operation in _DIVISIONS and min(e.value for e in best.operands) > _SMALL:
            width /= 5  # that division comes out even is rare
    return len(near) * float(width / (value * Fraction(3, 2)))


def _is_cued(search: FigureSearch, found: Reckoning) -> bool:
    if found.operation in ("share", "span", "moment", "ratio", "growth", "rate"):
        return True
    is_bounded = search.stated.quantity.bound not in ("", "about")
    return search.has_cue(found.operation) and not is_bounded


def _matches(stated: PlacedFigure, found: Reckoning) -> bool | None:
    """True if a result is the stated figure, also where one of the two lacks a unit."""
    if stated.kind == found.kind or (stated.kind in SHARES and found.kind in SHARES):
        return agrees(stated.quantity, found.value)
    if found.kind == "number" and stated.kind not in SHARES:
        written = written_value(stated)
        if written is None or stated.kind == "number" or stated.kind.startswith("money"):
            return agrees(stated.quantity, found.value) or written == found.value
        scale = stated.value / written if written else Fraction(1)
        step = stated.quantity.step / (scale or 1)
        return agrees(replace(stated.quantity, value=written, step=step), found.value)
    if stated.kind == "number" and found.kind.startswith("money"):
        return agrees(stated.quantity, found.value)
    return False


def _digits(stated: PlacedFigure) -> int:
    """The significant digits of a stated figure."""
    if stated.quantity.step == 0:
        return _DIGITS_OF_A_FRACTION
    value = written_value(stated) or stated.value / (stated.quantity.step or 1)
    for _ in range(_MOST_DECIMALS):
        if value.denominator == 1:
            break
        value *= 10
    written = str(int(abs(value))).rstrip("0")
    return max(1, len(written))


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
        any(each.figure.kind not in _COPIED for each in chosen) and "computed" in claim.cues,
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
