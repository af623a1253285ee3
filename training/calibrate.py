"""Step 4: fit the calibration on development sources and write it into the model's card.

    python -m training.calibrate --prepared prepared --trained out/student [--model MODEL]

A sentence's score is `logistic(scale * margin + shift)`. The shift puts the threshold of one half
where responses of RAGTruth's development sources are told apart best, on average over its three
tasks; the scale then makes the scores of their sentences as probable as they say. The error that
is reported comes from halves of the sources: fitted on one, measured on the other.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.detectors.embedded.verdicts import ENTAILED_FROM
from assay.detectors.embedded.weights import SHIPPED
from assay.metrics import balanced_accuracy, calibration_error
from training.evaluate import RAGTRUTH, Judged, Scores, read_logits
from training.ship import write_card

_GRID = np.linspace(-3.0, 3.0, 121)
_SMOOTH = 13  # neighbouring thresholds that are averaged, so that no single response decides


def fit(scores: Scores, half: int | None = None) -> tuple[float, float]:
    """Scale and shift from all sources, or from one half of them; the scores are uncalibrated."""
    threshold = _threshold(scores, half)
    sentences = _half_of(scores.labelled(*RAGTRUTH), half)
    margins = _logit(sentences.scores) - threshold
    signed = np.where(sentences.gold, -margins, margins)
    scales = np.linspace(0.2, 2.0, 181)
    losses = [np.logaddexp(0, scale * signed).mean() for scale in scales]
    scale = float(scales[int(np.argmin(losses))])
    return scale, -scale * threshold


def _threshold(scores: Scores, half: int | None) -> float:
    """The margin that tells responses apart best, on average over the tasks."""
    curves = []
    for task in RAGTRUTH:
        responses = _half_of(scores.responses(task), half)
        margins = _logit(responses.scores)
        curves.append([balanced_accuracy(responses.gold, margins >= cut) or 0.5 for cut in _GRID])
    mean = np.convolve(np.mean(curves, axis=0), np.ones(_SMOOTH) / _SMOOTH, mode="same")
    inner = slice(_SMOOTH, -_SMOOTH)
    return float(_GRID[inner][int(np.argmax(mean[inner]))])


def _half_of(judged: Judged, half: int | None) -> Judged:
    """Those whose source is in one half of all sources; without a half, all."""
    if half is None:
        return judged
    inside = {
        name for number, name in enumerate(sorted(set(judged.clusters))) if number % 2 == half
    }
    kept = np.array([name in inside for name in judged.clusters])
    clusters = [name for name in judged.clusters if name in inside]
    return Judged(judged.scores[kept], judged.gold[kept], clusters)


def _logit(values: NDArray[np.float64]) -> NDArray[np.float64]:
    values = values.clip(1e-7, 1 - 1e-7)
    return np.log(values) - np.log1p(-values)


def _check(fitted: Scores, half: int) -> str:
    """What a fit to one half gives on the other."""
    sentences = _half_of(fitted.labelled(*RAGTRUTH), 1 - half)
    error = calibration_error(sentences.gold, sentences.scores)
    accuracies = []
    for task in RAGTRUTH:
        scores, gold, _ = _half_of(fitted.responses(task), 1 - half)
        accuracies.append(balanced_accuracy(gold, scores >= ENTAILED_FROM))
    return f"on the other half ECE {error:.3f}, BAcc {accuracies}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--prepared", type=Path, required=True)
    parser.add_argument("--trained", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    options = parser.parse_args(arguments)
    logits = read_logits(options.trained)
    plain = Scores(options.prepared, logits, 1.0, 0.0)
    for half in (0, 1):
        scale, shift = fit(plain, half)
        fitted = Scores(options.prepared, logits, scale, shift)
        print(
            f"fitted on half {half}: scale {scale:.2f}, shift {shift:.2f}; {_check(fitted, half)}"
        )
    scale, shift = fit(plain)
    write_card(options.model, {"calibration": {"scale": round(scale, 3), "shift": round(shift, 3)}})
    print(json.dumps({"scale": scale, "shift": shift}))


if __name__ == "__main__":
    main()
