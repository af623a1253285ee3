"""Fitting a calibration on labelled units, and what it would have given on units it has not seen.

Scale and shift come from `scaling`, the band from `banding`. The threshold is the one of the best
balanced accuracy, the median over bootstrap samples of sources, drawn towards the present one as
long as there are few rows of the rarer class.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.calibration import Calibration, log_odds, logistic
from assay.evaluation.banding import band
from assay.evaluation.figures import AMONG, estimate_among
from assay.evaluation.scaling import LEAST_SCALE, log_odds_of, rescaled, scaling
from assay.evaluation.shares import share_of
from assay.metrics import (
    Estimate,
    auroc,
    calibration_error,
    confusion_tables,
    estimate_from_rows,
    estimate_from_tables,
    rates,
)

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Rows = NDArray[np.int64]

FOLDS = 5
BAGS = 200
SURE = 0.8
_PULL = 10  # units of the rarer class that weigh as much as the present threshold
_DECIMALS = 4  # of a score
_NEAREST = 10.0**-_DECIMALS  # that a threshold comes to 0 and to 1


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
        return log_odds_of(self.scores)

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
    threshold = min(max(found, _NEAREST), 1 - _NEAREST)
    return Calibration(
        scale=round(own.scale * scale, 6),
        shift=round(own.shift * scale + shift, 6),
        threshold=threshold,
        unsure=band(chances, given.faithful, threshold, sure),
    )


def tells_apart(given: LabelledScores) -> bool:
    """Whether higher scores are a sign of being faithful at all, as the labels have it."""
    order = auroc(given.faithful, given.scores)
    if order is None or order <= 1 / 2:
        return False
    return scaling(given.log_odds, given.faithful)[0] > LEAST_SCALE


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
    gold, sure = given.faithful, ~read.unsure
    every, where_sure = (
        confusion_tables(gold[kept], read.called[kept], groups=given.groups[kept])
        for kept in (np.ones(len(given), np.bool_), sure)
    )
    return {
        "balanced accuracy": estimate_from_tables(rates.balanced_accuracy, every),
        "precision of unfaithful": estimate_among(rates.precision, every, AMONG["precision"]),
        "recall of unfaithful": estimate_among(rates.recall, every, AMONG["recall"]),
        "calibration error": estimate_from_rows(
            lambda rows: calibration_error(gold[rows], read.chances[rows]),
            len(given),
            groups=given.groups,
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


def _middle(ranked: Floats, cuts: Rows, gain: Floats) -> float:
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
