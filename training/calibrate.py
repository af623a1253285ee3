"""Step 4: fit the calibration by cross-validation and write it into the model's card.

    python -m training.calibrate --prepared prepared --trained out/fold-0 out/fold-1 ...
        [--model MODEL] [--alarms 0.15] [--misses 0.1]

A sentence's score is `logistic(scale * margin + shift)`. The shift puts the threshold of one half
where faithful and unfaithful are told apart best, on average over four kinds of text: RAGTruth's
three tasks, of sources that each fold kept apart, and everyday texts, which all kept apart. The
scale makes the scores of RAGTruth's sentences as probable as they say.

The band of what is not sure goes as far down as it must for no more than `--alarms` of the faithful
everyday responses to be called unfaithful, and as far up as it must for no more than `--misses` of
the unfaithful sentences to be called faithful; neither edge lies farther from one half than `MOST`.
What is reported comes from leaving out one fold after the other: fitted on the rest, measured on
it.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.calibration import Calibration
from assay.detectors.embedded.detector import SHIPPED
from assay.metrics import balanced_accuracy, calibration_error
from training.evaluate import RAGTRUTH, THRESHOLD, Judged, Scores
from training.evaluate_large import Trained, rows_of, together
from training.everyday import COMPOSED, WHOLE, WRITTEN
from training.ship import write_card

Floats = NDArray[np.float64]
MOST = 0.4  # that an edge of the band lies from one half
_GRID = np.linspace(-3.0, 3.0, 121)
_SMOOTH = 13  # neighbouring thresholds that are averaged, so that no single response decides


class Fold(NamedTuple):
    """What one run says, uncalibrated, of its own quarter of RAGTruth and of everyday texts."""

    ragtruth: Scores
    everyday: Scores


class Bounds(NamedTuple):
    """Shares outside the band: faithful responses called unfaithful, and the other way round."""

    alarms: float
    misses: float


def fit(folds: Sequence[Fold], bounds: Bounds) -> Calibration:
    """The calibration by some folds."""
    threshold = _threshold(folds)
    sentences = together([fold.ragtruth.labelled(*RAGTRUTH) for fold in folds])
    margins = logit(sentences.scores) - threshold
    signed = np.where(sentences.gold, -margins, margins)
    scales = np.linspace(0.2, 2.0, 181)
    losses = [np.logaddexp(0, scale * signed).mean() for scale in scales]
    scale = round(float(scales[int(np.argmin(losses))]), 3)
    shift = round(-scale * threshold, 3)
    return Calibration(scale, shift, THRESHOLD, _band(folds, scale, shift, bounds))


def _threshold(folds: Sequence[Fold]) -> float:
    """The margin that tells texts apart best, on average over tasks and everyday ones."""
    tasks = [together([fold.ragtruth.responses(task) for fold in folds]) for task in RAGTRUTH]
    daily = [
        together([fold.everyday.responses(WHOLE) for fold in folds]),
        together([fold.everyday.labelled(WRITTEN, COMPOSED) for fold in folds]),
    ]
    curves = [*(_accuracies([task]) for task in tasks), _accuracies(daily)]
    mean = np.convolve(np.mean(curves, axis=0), np.ones(_SMOOTH) / _SMOOTH, mode="same")
    inner = slice(_SMOOTH, -_SMOOTH)
    return float(_GRID[inner][int(np.argmax(mean[inner]))])


def _accuracies(sets: Sequence[Judged]) -> Floats:
    """The mean balanced accuracy of some sets at each threshold."""
    curves = [
        [balanced_accuracy(each.gold, logit(each.scores) >= cut) or THRESHOLD for cut in _GRID]
        for each in sets
        if len(each.gold)
    ]
    return np.asarray(np.mean(curves or [[THRESHOLD] * len(_GRID)], axis=0))


def _band(folds: Sequence[Fold], scale: float, shift: float, bounds: Bounds) -> tuple[float, float]:
    """The edges of what is not sure."""
    whole = together([fold.everyday.responses(WHOLE) for fold in folds])
    said = [fold.ragtruth.labelled(*RAGTRUTH) for fold in folds]
    said += [fold.everyday.labelled(WRITTEN, COMPOSED) for fold in folds]
    sentences = together(said)
    faithful = calibrated(whole.scores[whole.gold], scale, shift)
    unfaithful = calibrated(sentences.scores[~sentences.gold], scale, shift)
    low = float(np.quantile(faithful, bounds.alarms)) if len(faithful) else THRESHOLD
    high = float(np.quantile(unfaithful, 1 - bounds.misses)) if len(unfaithful) else THRESHOLD
    low, high = np.clip((low, high), (THRESHOLD - MOST, THRESHOLD), (THRESHOLD, THRESHOLD + MOST))
    return round(float(low), 3), round(float(high), 3)


def calibrated(scores: Floats, scale: float, shift: float) -> Floats:
    """Uncalibrated scores as the calibration gives them."""
    return np.asarray(1 / (1 + np.exp(-(scale * logit(scores) + shift))))


def logit(values: Floats) -> Floats:
    """The log-odds of some probabilities."""
    values = values.clip(1e-7, 1 - 1e-7)
    return np.asarray(np.log(values) - np.log1p(-values))


def check(fold: Fold, fitted: Calibration) -> dict[str, float]:
    """What a calibration gives on a fold that it was not fitted on."""

    def scored(judged: Judged) -> Judged:
        return judged._replace(scores=calibrated(judged.scores, fitted.scale, fitted.shift))

    sentences = scored(fold.ragtruth.labelled(*RAGTRUTH))
    responses = scored(fold.ragtruth.responses(*RAGTRUTH))
    whole = scored(fold.everyday.responses(WHOLE))
    daily = scored(fold.everyday.labelled(WRITTEN, WHOLE, COMPOSED))
    found = {
        "ECE": calibration_error(sentences.gold, sentences.scores) or 0.0,
        "unsure sentences": _unsure(sentences, fitted),
        "unsure responses": _unsure(responses, fitted),
        "everyday unsure sentences": _unsure(daily, fitted),
    }
    for task in RAGTRUTH:
        judged = scored(fold.ragtruth.responses(task))
        found[task] = balanced_accuracy(judged.gold, judged.scores >= THRESHOLD) or 0.0
    named = {"": responses, "everyday sentences ": daily, "everyday whole ": whole}
    for name, judged in named.items():
        for title, gold in (("faithful", True), ("unfaithful", False)):
            own = rows_of(judged, np.flatnonzero(judged.gold == gold))
            if len(own.gold):
                found[f"{name}{title} flagged"] = float((own.scores < THRESHOLD).mean())
                surely = float((own.scores <= fitted.unsure[0]).mean())
                found[f"{name}{title} surely flagged"] = surely
    return found


def _unsure(judged: Judged, fitted: Calibration) -> float:
    low, high = fitted.unsure
    return float(((judged.scores > low) & (judged.scores < high)).mean())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, nargs="+", required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    parser.add_argument("--alarms", type=float, default=0.15)
    parser.add_argument("--misses", type=float, default=0.1)
    options = parser.parse_args(arguments)
    bounds = Bounds(options.alarms, options.misses)
    folds = []
    for folder in options.trained:
        run = Trained(options.prepared, folder)
        if run.crossed is None or run.everyday is None:
            raise SystemExit(f"{folder} has no figures of a fold and of everyday texts")
        folds.append(Fold(run.crossed, run.everyday))
    checks = []
    for number, fold in enumerate(folds):
        fitted = fit([*folds[:number], *folds[number + 1 :]] or folds, bounds)
        checks.append(check(fold, fitted))
        print(f"without fold {number}: {fitted}")
    for name in checks[0]:
        values = [each[name] for each in checks if name in each]
        print(f"- {name}: {np.mean(values):.3f}, folds {min(values):.3f} to {max(values):.3f}")
    fitted = fit(folds, bounds)
    write_card(options.model, {"calibration": fitted.card()})
    print(json.dumps(fitted.card()))


if __name__ == "__main__":
    main()
