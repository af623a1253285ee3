"""Quick figures on development rows, to compare runs; `training.evaluate` has the real ones."""

import numpy as np
from numpy.typing import NDArray

from assay.metrics import auroc, balanced_accuracy
from training.arrays import Arrays, rows_of_marks

Bools = NDArray[np.bool_]
Floats = NDArray[np.floating]
HALF = 0.5


def summary(arrays: Arrays, logits: Floats) -> dict[str, dict[str, float]]:
    """The figures of each group, for sentences and for whole responses."""
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    entailed = chances[:, 0] / chances.sum(axis=1)
    rows = rows_of_marks(arrays["mark_ends"])
    group = arrays["group"][rows]
    found: dict[str, dict[str, float]] = {}
    for number, name in enumerate(arrays["groups"]):
        marks = group == number
        targets, scores = arrays["targets"][marks], entailed[marks]
        known = targets >= 0
        figures = {"sentence_auc": auroc(targets[known] == 1, scores[known])}
        figures |= _response_figures(*_responses(arrays, rows[marks], scores))
        found[str(name)] = {
            key: round(value, 3) for key, value in figures.items() if value is not None
        }
    return found


def _responses(arrays: Arrays, rows: NDArray[np.int64], scores: Floats) -> tuple[Bools, Floats]:
    """Whether each response is faithful, and the lowest score among its sentences."""
    example = arrays["example"][rows]
    lowest = np.full(example.max() + 1, 2.0)
    np.minimum.at(lowest, example, scores)
    gold = np.zeros(example.max() + 1, dtype=int)
    gold[example] = arrays["responses"][rows]
    judged = np.unique(example)
    return gold[judged] == 1, lowest[judged]


def _response_figures(truth: Bools, scores: Floats) -> dict[str, float | None]:
    """AUC, balanced accuracy at one half and at the best cut; a share where all are alike."""
    if truth.all() or not truth.any():
        return {"called_faithful": float((scores >= HALF).mean())}
    cuts = np.quantile(scores, np.linspace(0.02, 0.98, 49))
    return {
        "response_auc": auroc(truth, scores),
        "bacc": balanced_accuracy(truth, scores >= HALF),
        "best_bacc": max(balanced_accuracy(truth, scores >= cut) or 0.0 for cut in cuts),
    }
