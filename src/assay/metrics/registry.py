"""The metrics that compare gold truth with a prediction, by name.

All take `(gold, predicted)`, gold being truth values with True = faithful, and give a number or
None. Label metrics take predicted truth values, score metrics a score that is higher for more
faithful (for calibration and Brier a probability).
"""

from collections.abc import Callable, Mapping

from numpy.typing import ArrayLike

from assay.metrics.agreement import cohen_kappa
from assay.metrics.calibration import brier_score, calibration_error
from assay.metrics.classification import (
    accuracy,
    balanced_accuracy,
    f1,
    macro_f1,
    precision,
    recall,
)
from assay.metrics.ranking import auroc, ranking_loss
from assay.metrics.selective import selective_area

Metric = Callable[[ArrayLike, ArrayLike], float | None]

LABEL_METRICS: Mapping[str, Metric] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "precision": precision,
    "recall": recall,
    "f1": f1,
    "macro_f1": macro_f1,
    "cohen_kappa": cohen_kappa,
}

SCORE_METRICS: Mapping[str, Metric] = {
    "auroc": auroc,
    "ranking_loss": ranking_loss,
    "selective_area": selective_area,
    "calibration_error": calibration_error,
    "brier_score": brier_score,
}

METRICS: Mapping[str, Metric] = {**LABEL_METRICS, **SCORE_METRICS}
