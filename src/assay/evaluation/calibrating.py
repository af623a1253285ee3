"""Fitting a calibration on labelled units, and what it would have given on units it has not seen.

Scale and shift come from logistic regression on the log-odds of the scores (Platt 1999), with a
normal prior around what the model has now, so that a few rows change little. The threshold is the
one of the best balanced accuracy, the median over bootstrap samples of sources, drawn towards the
present one as long as there are few rows of the rarer class. The band around it reaches as far as
needed for the verdicts outside of it to be right as often as wanted.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.calibration import Calibration, log_odds, logistic
from assay.metrics import (
    Estimate,
    balanced_accuracy,
    calibration_error,
    estimate_from_rows,
    precision,
    recall,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rows = NDArray[np.int64]

FOLDS = 5
BAGS = 200
SURE = 0.8
MOST_UNSURE = 1 / 3  # of all units that may fall into the band
_SCALE_SPREAD, _SHIFT_SPREAD = 0.5, 1.0  # of the prior
_PULL = 10  # units of the rarer class that weigh as much as the present threshold
_LEAST_BESIDE = 5  # units on one side of an edge of the band
_NEAREST = 5e-5  # scores have four decimals


@dataclass(frozen=True, slots=True)
class LabelledScores:
    """Scores by the model's own calibration, beside what people say and where it comes from."""

    scores: Floats
    faithful: Bools
    groups: NDArray[np.str_]

    def __getitem__(self, rows: Rows | Bools) -> "LabelledScores":
        return LabelledScores(self.scores[rows], self.faithful[rows], self.groups[rows])

    def __len__(self) -> int:
        return len(self.scores)

    @property
    def log_odds(self) -> Floats:
        """The scores as log-odds."""
        kept = np.clip(self.scores, _NEAREST, 1 - _NEAREST)
        found: Floats = np.log(kept / (1 - kept))
        return found

    @property
    def rarer(self) -> int:
        """How many units the smaller class has."""
        faithful = int(self.faithful.sum())
        return min(faithful, len(self) - faithful)


@dataclass(frozen=True, slots=True)
class Read:
    """What scores are read as by some calibration: probabilities, labels, and what is not sure."""

    chances: Floats
    called: Bools  # faithful
    unsure: Bools

    @classmethod
    def by(cls, calibration: Calibration, chances: Floats) -> "Read":
        """The scores of a calibration as it reads them."""
        low, high = calibration.unsure
        called = chances >= calibration.threshold
        return cls(chances, called, (chances > low) & (chances < high))


def fit(given: LabelledScores, own: Calibration, sure: float = SURE) -> Calibration:
    """The calibration that fits labelled units; `own` is the one that their scores are by.

    Where a class is missing, nothing can be fitted, and `own` stays.
    """
    if not given.rarer:
        return own
    scale, shift = _scaling(given.log_odds, given.faithful)
    chances = rescaled(given.scores, scale, shift)
    before = scale * log_odds(own.threshold) + shift
    threshold = round(_threshold(chances, given, before), 4)
    return Calibration(
        scale=round(own.scale * scale, 6),
        shift=round(own.shift * scale + shift, 6),
        threshold=threshold,
        unsure=_band(chances, given.faithful, threshold, sure),
    )


def rescaled(scores: Floats, scale: float, shift: float) -> Floats:
    """Probabilities with other log-odds."""
    kept = np.clip(scores, _NEAREST, 1 - _NEAREST)
    found: Floats = 1 / (1 + np.exp(-(scale * np.log(kept / (1 - kept)) + shift)))
    return found


def change(own: Calibration, other: Calibration) -> tuple[float, float]:
    """The scale and shift that lead from the log-odds of one calibration to those of another."""
    scale = other.scale / own.scale
    return scale, other.shift - own.shift * scale


def cross_validated(given: LabelledScores, own: Calibration, sure: float = SURE) -> Read:
    """How each unit would be read by a calibration fitted without its source."""
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
    gold, called, sure = given.faithful, read.called, ~read.unsure

    def over(statistic: Callable[[Bools, Bools], float | None], kept: Bools) -> Estimate:
        places = np.flatnonzero(kept)
        return estimate_from_rows(
            lambda rows: statistic(gold[places[rows]], called[places[rows]]),
            len(places),
            groups=given.groups[places],
        )

    every = np.ones(len(given), np.bool_)
    return {
        "balanced accuracy": over(balanced_accuracy, every),
        "precision of unfaithful": over(precision, every),
        "recall of unfaithful": over(recall, every),
        "calibration error": estimate_from_rows(
            lambda rows: calibration_error(gold[rows], read.chances[rows]),
            len(given),
            groups=given.groups,
        ),
        "share that is sure": estimate_from_rows(
            lambda rows: float(sure[rows].mean()), len(given), groups=given.groups
        ),
        "balanced accuracy where sure": over(balanced_accuracy, sure),
        "precision of unfaithful where sure": over(precision, sure),
        "precision of faithful where sure": over(_faithful_precision, sure),
    }


def _faithful_precision(gold: Bools, called: Bools) -> float | None:
    return precision(~gold, ~called)


def _scaling(values: Floats, faithful: Bools) -> tuple[float, float]:
    """Scale and shift of the most likely logistic curve under the prior, by Newton's method."""
    made = np.array([1.0, 0.0])
    design = np.column_stack((values, np.ones(len(values))))
    weights = 1 / np.array([_SCALE_SPREAD, _SHIFT_SPREAD]) ** 2
    for _ in range(50):
        chances = 1 / (1 + np.exp(-np.clip(design @ made, -30, 30)))
        slope = design.T @ (chances - faithful) + weights * (made - (1, 0))
        curve = (design * (chances * (1 - chances))[:, None]).T @ design + np.diag(weights)
        step = np.linalg.solve(curve, slope)
        made = made - step
        if np.abs(step).max() < 1e-9:
            break
    return max(round(float(made[0]), 6), 0.05), round(float(made[1]), 6)


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


def _middle(ranked: Floats, cuts: Rows, gain: Floats) -> float:
    """The log-odds in the middle between the units on both sides of the best cut."""
    cut = int(cuts[int(np.argmax(gain))])
    below = ranked[cut - 1] if cut else ranked[0] / 2
    above = ranked[cut] if cut < len(ranked) else (1 + ranked[-1]) / 2
    return (log_odds(float(below)) + log_odds(float(above))) / 2


def _band(chances: Floats, faithful: Bools, threshold: float, sure: float) -> tuple[float, float]:
    """The edges outside of which verdicts are right as often as wanted, if the units allow it."""
    below, above = chances < threshold, chances >= threshold
    low = _edge(threshold - chances[below], ~faithful[below], sure)
    high = _edge(chances[above] - threshold, faithful[above], sure)
    inside = np.sort(np.abs(chances - threshold)[_within(chances, threshold, low, high)])
    most = int(MOST_UNSURE * len(chances))
    if len(inside) > most:
        reach = float(inside[most])
        low, high = min(low, reach), min(high, reach)
    return round(max(0.0, threshold - low), 4), round(min(1.0, threshold + high), 4)


def _within(chances: Floats, threshold: float, low: float, high: float) -> Bools:
    found: Bools = (chances > threshold - low) & (chances < threshold + high)
    return found


def _edge(distances: Floats, right: Bools, sure: float) -> float:
    """How far from the threshold verdicts begin to be right often enough, all further ones taken.

    A share of few units is drawn towards one half. Where none is high enough, the best is taken.
    """
    if not len(distances):
        return 0.0
    order = np.argsort(-distances, kind="stable")
    hits, counts = np.cumsum(right[order]), np.arange(1, len(order) + 1)
    shares = (hits + 1) / (counts + 2)
    shares[: min(_LEAST_BESIDE, len(shares)) - 1] = 0
    enough = np.flatnonzero(shares >= sure)
    last = int(enough[-1]) if len(enough) else int(np.argmax(shares))
    if last == len(order) - 1:
        return 0.0
    furthest = distances[order]
    return float((furthest[last] + furthest[last + 1]) / 2)


def _folds(groups: NDArray[np.str_]) -> Sequence[Bools]:
    """The rows of each fold; the rows of a source are all in one."""
    names, numbers = np.unique(groups, return_inverse=True)
    shuffled = np.random.default_rng(0).permutation(len(names))
    parts = np.array_split(shuffled, min(FOLDS, len(names)))
    return [np.isin(numbers, part) for part in parts]
