"""Results that agree with a stated figure, and not by chance."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from assay.text.calculations.claims import SHARES, written_value
from assay.text.calculations.figures import PlacedFigure
from assay.text.calculations.reckonings import Reckoning, agrees

# Results that agree by chance: how many are allowed depends on how plausible the best one is.
_MOST_CHANCE = 0.2
_CHANCE = 0.02  # for a score of 0, ten times as much for each 2 points
_UNCUED = 0.2
_FRACTION = 2  # percentage points that a fraction such as a third stands for
_FINE = 50
_DIVISIONS = ("share", "growth", "ratio", "average", "rate")
_SMALL = 20
_OUTDONE = 1.0
_MOST_MATCHES = 5  # the most plausible results that agree are weighed
_STEPPED = 3.0  # the least score of a result of two steps that is rounded


def best_match(
    stated: PlacedFigure, found: Sequence[Reckoning], cued: Callable[[Reckoning], bool]
) -> Reckoning | None:
    """The most plausible result that agrees, unless too many others are as plausible.

    Without a cue it must be the very value.
    """
    fitting = [
        each
        for each in found
        if matches(stated, each)
        and (cued(each) or (each.value == stated.value and not _is_of_cells(each)))
    ]
    for best in sorted(fitting, key=lambda each: (not each.is_firm, -each.score))[:_MOST_MATCHES]:
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
    if not is_exact and best.is_stepped and best.score < _STEPPED:
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
    """The number of results as plausible that are to be expected to agree by chance.

    These are the results as large as the figure, give or take a factor of two, times the part of
    that range that the stated figure takes up.
    """
    value = abs(stated.value)
    if not value:
        return 1.0
    is_count = stated.kind == "number" and value.denominator == 1 and best.operation == "total"
    near = {
        each.value
        for each in found
        if each.score >= best.score
        and value / 2 <= abs(each.value) <= value * 2
        and not (is_count and each.value.denominator > 1)
    }
    width = stated.quantity.step or (Fraction(_FRACTION) if stated.kind in SHARES else value / 50)
    if stated.kind == "factor":
        width = value / 25
    if best.value == stated.value:
        width = min(width, max(value / _FINE, Fraction(1, 100)) if value > _FINE else width)
        if best.operation in _DIVISIONS and min(e.value for e in best.operands) > _SMALL:
            width /= 5  # that division comes out even is rare
    return len(near) * float(width / (value * Fraction(3, 2)))


def matches(stated: PlacedFigure, found: Reckoning) -> bool | None:
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
