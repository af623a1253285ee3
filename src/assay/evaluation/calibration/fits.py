"""Fitting a calibration on labelled units, and what it would have given on units it has not seen.

Scale and shift of log-odds come from a logistic regression (Platt 1999), the band from `band`. A
normal prior around what the scores have now keeps a few rows from changing much, and bounds keep
any rows from turning the scores round or making them all 0 and 1. The threshold is the one of the
best balanced accuracy, the median over bootstrap samples of sources, drawn towards the present one
as long as there are few rows of the rarer class.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.calibration import Calibration, log_odds, logistic
from assay.evaluation.figures import AMONG, estimate_among
from assay.evaluation.shares import share_of
from assay.metrics import (
    Estimate,
    auroc,
    confusion_tables,
    estimate_from_tables,
    estimate_from_weights,
    rates,
    weighted_calibration_error,
)
from assay.metrics.arrays import Bools, Floats, Ints

MOST_UNSURE = 1 / 3  # of all units that may fall into the band
_LEAST_BESIDE = 5  # units on one side that stay outside


def band(chances: Floats, faithful: Bools, threshold: float, sure: float) -> tuple[float, float]:
    """The edges outside of which verdicts are right as often as wanted, if the units allow it.

    Each side holds the fewest units that leave a share of right ones outside that is high enough,
    or as many as it can where none is. Where both together would hold too many, they are divided
    so that the side on which verdicts are right less often is as good as it can be.
    """
    below, above = chances < threshold, chances >= threshold
    low = _Side.of(threshold - chances[below], ~faithful[below])
    high = _Side.of(chances[above] - threshold, faithful[above])
    inside, over = low.needed(sure), high.needed(sure)
    most = int(MOST_UNSURE * len(chances))
    if inside + over > most:
        inside = _division(low, high, (inside, over), most)
        over = most - inside
    return (
        round(max(0.0, threshold - low.reach(inside)), 4),
        round(min(1.0, threshold + high.reach(over)), 4),
    )


@dataclass(frozen=True, slots=True)
class _Side:
    """The units on one side of a threshold, from the nearest on."""

    distances: Floats
    shares: Floats  # by how many are inside: of the others, how many are right

    @classmethod
    def of(cls, distances: Floats, right: Bools) -> "_Side":
        """The share of a few units is drawn towards one half; units of one score go together."""
        order = np.argsort(distances, kind="stable")
        distances, right = distances[order], right[order]
        inside = np.arange(max(0, len(order) - _LEAST_BESIDE) + 1)
        # where a unit has the score of the one before it, the band ends before them
        is_new = np.append(True, np.diff(distances) > 0)[: len(inside)]
        ends = np.maximum.accumulate(np.where(is_new, inside, 0))
        hits = np.append(0, np.cumsum(right))
        shares = (hits[-1] - hits[ends] + 1) / (len(order) - ends + 2)
        return cls(distances, shares)

    def needed(self, sure: float) -> int:
        """The fewest units inside for a share of right ones outside, or all that it may hold."""
        enough = np.flatnonzero(self.shares >= sure)
        return int(enough[0]) if len(enough) else len(self.shares) - 1

    def reach(self, inside: int) -> float:
        """The distance from the threshold to half of the way beyond so many units."""
        if not inside:
            return 0.0
        return float((self.distances[inside - 1] + self.distances[inside]) / 2)


def _division(low: _Side, high: _Side, needed: tuple[int, int], most: int) -> int:
    """The number of units inside that lie below, as near as can be to what the sides need."""
    below = np.arange(max(0, most - needed[1]), min(needed[0], most) + 1)
    worse = np.minimum(low.shares[below], high.shares[most - below])
    best = below[worse == worse.max()]
    return int(best[np.argmin(np.abs(best - most * needed[0] / sum(needed)))])


FOLDS = 5
BAGS = 200
SURE = 0.8
_PULL = 10  # units of the rarer class that weigh as much as the present threshold
_DECIMALS = 4  # of a score
_NEAREST_THRESHOLD = 10.0**-_DECIMALS  # that a threshold comes to 0 and to 1


@dataclass(frozen=True, slots=True)
class LabelledScores:
    """Scores by the model's own calibration, beside what people say and where it comes from."""

    scores: Floats
    faithful: Bools
    groups: NDArray[np.str_]

    def __getitem__(self, rows: Ints | Bools) -> "LabelledScores":
        return LabelledScores(self.scores[rows], self.faithful[rows], self.groups[rows])

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def log_odds(self) -> Floats:
        """The scores as log-odds."""
        return log_odds_of(self.scores)

    @property
    def rarer(self) -> int:
        """The number of units of the smaller class."""
        faithful = int(self.faithful.sum())
        return min(faithful, len(self) - faithful)


@dataclass(frozen=True, slots=True)
class Read:
    """Scores as some calibration reads them: probabilities, labels, and what is not sure."""

    chances: Floats
    called: Bools  # faithful
    unsure: Bools

    @classmethod
    def by(cls, calibration: Calibration, chances: Floats) -> "Read":
        """The scores of a calibration as it reads them."""
        low, high = calibration.unsure
        scores = np.round(chances, _DECIMALS)
        return cls(chances, scores >= calibration.threshold, (scores > low) & (scores < high))


def fit(given: LabelledScores, own: Calibration, sure: float = SURE) -> Calibration:
    """The calibration that fits labelled units; `own` is the one that their scores are by.

    Where a class is missing, nothing can be fitted, and `own` stays.
    """
    if not given.rarer:
        return own
    scale, shift = scaling(given.log_odds, given.faithful)
    chances = np.round(rescaled(given.scores, scale, shift), _DECIMALS)
    before = scale * log_odds(own.threshold) + shift
    found = round(_threshold(chances, given, before), _DECIMALS)
    threshold = min(max(found, _NEAREST_THRESHOLD), 1 - _NEAREST_THRESHOLD)
    return Calibration(
        scale=round(own.scale * scale, 6),
        shift=round(own.shift * scale + shift, 6),
        threshold=threshold,
        unsure=band(chances, given.faithful, threshold, sure),
    )


def tells_apart(given: LabelledScores) -> bool:
    """True if higher scores are a sign of being faithful at all, as the labels have it."""
    order = auroc(given.faithful, given.scores)
    if order is None or order <= 1 / 2:
        return False
    return scaling(given.log_odds, given.faithful)[0] > LEAST_SCALE


def change(own: Calibration, other: Calibration) -> tuple[float, float]:
    """The scale and shift that lead from the log-odds of one calibration to those of another."""
    scale = other.scale / own.scale
    return scale, other.shift - own.shift * scale


def cross_validated(given: LabelledScores, own: Calibration, sure: float = SURE) -> Read:
    """The reading of each unit by a calibration fitted without its source."""
    chances = np.empty(len(given))
    called, unsure = np.empty(len(given), np.bool_), np.empty(len(given), np.bool_)
    for held in _folds(given.groups):
        made = fit(given[~held], own, sure)
        read = Read.by(made, rescaled(given.scores[held], *change(own, made)))
        chances[held], called[held], unsure[held] = read.chances, read.called, read.unsure
    return Read(chances, called, unsure)


def measure(given: LabelledScores, read: Read) -> dict[str, Estimate]:
    """Figures of how scores are read, with intervals over sources.

    Those of all units count a label that is not sure like any other; `sure` ones leave it out.
    """
    gold, sure = given.faithful, ~read.unsure
    every, where_sure = (
        confusion_tables(gold[kept], read.called[kept], groups=given.groups[kept])
        for kept in (np.ones(len(given), np.bool_), sure)
    )
    return {
        "balanced accuracy": estimate_from_tables(rates.balanced_accuracy, every),
        "precision of unfaithful": estimate_among(rates.precision, every, AMONG["precision"]),
        "recall of unfaithful": estimate_among(rates.recall, every, AMONG["recall"]),
        "calibration error": estimate_from_weights(
            weighted_calibration_error(gold, read.chances), len(given), groups=given.groups
        ),
        "share that is sure": share_of(zip(given.groups.tolist(), sure.tolist(), strict=True)),
        "balanced accuracy where sure": estimate_from_tables(rates.balanced_accuracy, where_sure),
        "precision of unfaithful where sure": estimate_among(
            rates.precision, where_sure, AMONG["precision"]
        ),
        "precision of faithful where sure": estimate_among(
            _faithful_precision, where_sure, lambda counts: counts[..., 1].sum(-1)
        ),
    }


def _faithful_precision(counts: Floats) -> Floats:
    return rates.class_precision(counts)[..., 1]


def _threshold(chances: Floats, given: LabelledScores, before: float) -> float:
    """The score of the best balanced accuracy; `before` are the log-odds of the present one."""
    order = np.argsort(chances, kind="stable")
    ranked, faithful = chances[order], given.faithful[order].astype(float)
    numbers = np.unique(given.groups[order], return_inverse=True)[1]
    ends = np.append(np.flatnonzero(np.diff(ranked)) + 1, len(ranked))
    random = np.random.default_rng(0)
    found = []
    for _ in range(BAGS):
        drawn = np.bincount(random.integers(0, numbers.max() + 1, numbers.max() + 1))
        weights = np.pad(drawn, (0, numbers.max() + 1 - len(drawn)))[numbers]
        good, bad = np.cumsum(weights * faithful), np.cumsum(weights * (1 - faithful))
        if not (good[-1] and bad[-1]):
            continue
        gain = np.append(0, (bad / bad[-1] - good / good[-1])[ends - 1])
        found.append(_middle(ranked, np.append(0, ends), gain))
    here = float(np.median(found)) if found else before
    share = given.rarer / (given.rarer + _PULL)
    return logistic(before + (here - before) * share)


def _middle(ranked: Floats, cuts: Ints, gain: Floats) -> float:
    """The log-odds in the middle between the units on both sides of the best cut."""
    cut = int(cuts[int(np.argmax(gain))])
    below = ranked[cut - 1] if cut else ranked[0] / 2
    above = ranked[cut] if cut < len(ranked) else (1 + ranked[-1]) / 2
    return (log_odds(float(below)) + log_odds(float(above))) / 2


def _folds(groups: NDArray[np.str_]) -> Sequence[Bools]:
    """The rows of each fold; the rows of a source are all in one."""
    names, numbers = np.unique(groups, return_inverse=True)
    shuffled = np.random.default_rng(0).permutation(len(names))
    parts = np.array_split(shuffled, min(FOLDS, len(names)))
    return [np.isin(numbers, part) for part in parts]


LEAST_SCALE, MOST_SCALE = 0.05, 10.0
MOST_SHIFT = 10.0
_SCALE_SPREAD, _SHIFT_SPREAD = 0.5, 1.0  # of the prior
_NEAREST = 5e-5  # scores have four decimals
_STEPS = 100
_SMALLEST_PART = 2.0**-40  # of a step


def log_odds_of(scores: Floats) -> Floats:
    """Scores as log-odds, which are finite also for 0 and 1."""
    kept = np.clip(scores, _NEAREST, 1 - _NEAREST)
    found: Floats = np.log(kept / (1 - kept))
    return found


def rescaled(scores: Floats, scale: float, shift: float) -> Floats:
    """Probabilities with other log-odds."""
    return _chances(scale * log_odds_of(scores) + shift)


def scaling(values: Floats, faithful: Bools) -> tuple[float, float]:
    """Scale and shift of the most likely logistic curve under the prior, within bounds.

    A scale at `LEAST_SCALE` says that higher values are no sign of being faithful.
    """
    ones = np.ones((len(values), 1))
    spreads = np.array([_SCALE_SPREAD, _SHIFT_SPREAD])
    both = np.column_stack((values, ones))
    scale, shift = _most_likely(both, faithful, np.array([1.0, 0.0]), spreads)
    kept = min(max(scale, LEAST_SCALE), MOST_SCALE)
    if kept != scale:  # the best shift for that scale is another one
        (shift,) = _most_likely(ones, faithful, np.zeros(1), spreads[1:], kept * values)
    return round(float(kept), 6), round(float(min(max(shift, -MOST_SHIFT), MOST_SHIFT)), 6)


def _most_likely(
    design: Floats,
    faithful: Bools,
    prior: Floats,
    spreads: Floats,
    offset: Floats | float = 0.0,
) -> Floats:
    """The coefficients of the least penalized loss, by Newton's method.

    The loss is convex, but a full step may overshoot where scores are near 0 and 1; a step is
    halved until the loss falls enough.
    """
    weights = 1 / spreads**2

    def loss(at: Floats) -> float:
        odds = design @ at + offset
        misfit = np.logaddexp(0, np.where(faithful, -odds, odds)).sum()
        return float(misfit + (weights * (at - prior) ** 2).sum() / 2)

    made, now = prior, loss(prior)
    for _ in range(_STEPS):
        chances = _chances(design @ made + offset)
        slope = design.T @ (chances - faithful) + weights * (made - prior)
        curve = (design * (chances * (1 - chances))[:, None]).T @ design + np.diag(weights)
        step = np.linalg.solve(curve, slope)
        gain, part = float(slope @ step), 1.0
        while (then := loss(made - part * step)) > now - part * gain / 4 and part > _SMALLEST_PART:
            part /= 2
        if then >= now:
            break
        made, now = made - part * step, then
        if np.abs(part * step).max() < 1e-9:
            break
    return made


def _chances(odds: Floats) -> Floats:
    found: Floats = (1 + np.tanh(odds / 2)) / 2
    return found
