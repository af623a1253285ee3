"""Where detectors go wrong: their errors by gold label, as in FaithBench's figure 3."""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from assay.board.results import ErrorDistribution
from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.evaluation.comparison import EvaluationReport


def error_distributions(
    report: EvaluationReport, unit: Literal["response", "sentence"]
) -> Iterator[ErrorDistribution]:
    """For each detector, how many of its errors have each gold label, in the order of the menu.

    Kinds of a label count as that label. Items that the reading leaves out have no errors.
    """
    for evaluation in report.evaluations:
        errors: Counter[Label] = Counter()
        gold: Counter[Label] = Counter()
        for each in evaluation.judged:
            if each.faithful is None or each.item.faithful is None:
                continue
            label = each.item.gold
            whole = taxonomy(label.taxonomy)[label.parent] if label.parent else label
            gold[whole] += 1
            errors[whole] += each.is_error
        order = sorted(gold, key=lambda label: (label.taxonomy, label.rank, label.name))
        yield ErrorDistribution(
            evaluation.detector,
            unit,
            {label.name: errors[label] for label in order},
            {label.name: gold[label] for label in order},
        )
