"""Metrics: pure functions on arrays that import nothing else of Assay.

True is faithful, the class of interest is the unfaithful one, scores rise with faithfulness, and
what is undefined is None.
"""

from assay.metrics import rates
from assay.metrics.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha, raw_agreement
from assay.metrics.bootstrap import (
    Resampling,
    estimate_from_rows,
    estimate_from_tables,
    estimate_from_weights,
)
from assay.metrics.calibration import (
    ReliabilityBin,
    brier_score,
    calibration_error,
    reliability_table,
    weighted_calibration_error,
)
from assay.metrics.classification import (
    accuracy,
    balanced_accuracy,
    class_f1,
    class_recall,
    f1,
    macro_f1,
    precision,
    recall,
    specificity,
)
from assay.metrics.comparison import Comparison, McNemar, compare_rows, compare_tables, mcnemar
from assay.metrics.confusion import (
    class_rates_from_confusion,
    confusion_matrix,
    from_confusion,
    merge_classes,
)
from assay.metrics.corrected import CorrectedRate, corrected_rate, judge_slope
from assay.metrics.estimates import Estimate, proportion, wilson_interval
from assay.metrics.localization import (
    Hits,
    add_hits,
    character_hits,
    example_hits,
    matching_hits,
)
from assay.metrics.pairs import holm, holm_rows, pairwise_gaps, pairwise_p_values, rank_sets
from assay.metrics.ranking import auroc, ranking_loss, ranking_loss_from_confusion, weighted_auroc
from assay.metrics.selective import (
    RiskCoverage,
    risk_at_coverage,
    risk_coverage,
    selective_area,
    weighted_selective_area,
)
from assay.metrics.small_samples import auroc_interval
from assay.metrics.standings import (
    average_ranks,
    kendall_tau,
    ranks,
    spearman_rho,
)
from assay.metrics.tables import (
    Tables,
    confusion_tables,
    hit_tables,
    matrix_tables,
    paired_hit_tables,
    paired_tables,
    run_tables,
    share_tables,
)
from assay.metrics.transitions import (
    FirstErrors,
    first_errors,
    transition_counts,
    transition_probabilities,
)

__all__ = [
    "Comparison",
    "CorrectedRate",
    "Estimate",
    "FirstErrors",
    "Hits",
    "McNemar",
    "ReliabilityBin",
    "Resampling",
    "RiskCoverage",
    "Tables",
    "accuracy",
    "add_hits",
    "auroc",
    "auroc_interval",
    "average_ranks",
    "balanced_accuracy",
    "brier_score",
    "calibration_error",
    "character_hits",
    "class_f1",
    "class_rates_from_confusion",
    "class_recall",
    "cohen_kappa",
    "compare_rows",
    "compare_tables",
    "confusion_matrix",
    "confusion_tables",
    "corrected_rate",
    "estimate_from_rows",
    "estimate_from_tables",
    "estimate_from_weights",
    "example_hits",
    "f1",
    "first_errors",
    "fleiss_kappa",
    "from_confusion",
    "hit_tables",
    "holm",
    "holm_rows",
    "judge_slope",
    "kendall_tau",
    "krippendorff_alpha",
    "macro_f1",
    "matching_hits",
    "matrix_tables",
    "mcnemar",
    "merge_classes",
    "paired_hit_tables",
    "paired_tables",
    "pairwise_gaps",
    "pairwise_p_values",
    "precision",
    "proportion",
    "rank_sets",
    "ranking_loss",
    "ranking_loss_from_confusion",
    "ranks",
    "rates",
    "raw_agreement",
    "recall",
    "reliability_table",
    "risk_at_coverage",
    "risk_coverage",
    "run_tables",
    "selective_area",
    "share_tables",
    "spearman_rho",
    "specificity",
    "transition_counts",
    "transition_probabilities",
    "weighted_auroc",
    "weighted_calibration_error",
    "weighted_selective_area",
    "wilson_interval",
]
