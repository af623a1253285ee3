"""The figures of one detector, each with its n and an interval that resamples sources.

A detector may have run several times on the same items. Then each figure is the mean of those of
its runs, and each resample draws the same sources for all runs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.verdicts import Failure
from assay.evaluation.items import Judged
from assay.metrics import (
    Estimate,
    Resampling,
    Tables,
    auroc_interval,
    estimate_from_tables,
    estimate_from_weights,
    rates,
    run_tables,
    weighted_auroc,
    weighted_calibration_error,
    weighted_selective_area,
)
from assay.metrics.arrays import Bools, Floats
from assay.metrics.bootstrap import DEFAULT_RESAMPLING

Runs = Sequence[Sequence[Judged]]  # what each run says of the same items
Cell = tuple[int, int]
Confidence = Literal["score", "label", ""]  # what says how sure a detector is; "" is nothing

RATES = {
    "balanced accuracy": rates.balanced_accuracy,
    "precision": rates.precision,
    "recall": rates.recall,
    "specificity": rates.specificity,
    "F1": rates.f1,
    "macro F1": rates.macro_f1,
}

# What a figure is a share of, where that is not all items.
AMONG: dict[str, rates.Rate] = {
    "precision": lambda counts: counts[..., 0].sum(-1),  # called unfaithful
    "recall": lambda counts: counts[..., 0, :].sum(-1),  # unfaithful
    "specificity": lambda counts: counts[..., 1, :].sum(-1),  # faithful
}


def estimate_among(
    rate: rates.Rate,
    tables: Tables,
    among: rates.Rate | None,
    resampling: Resampling = DEFAULT_RESAMPLING,
) -> Estimate:
    """A rate whose n is the number of items it is a share of, in the run that has the fewest."""
    found = estimate_from_tables(rate, tables, resampling=resampling)
    return replace(found, n=int(among(tables.total).min())) if among else found


def measure(runs: Runs, resampling: Resampling) -> dict[str, Estimate]:
    """The figures of the binary reading, the ranking loss, and those that need confidences."""
    tables = count_cells(runs, _binary_cell)
    figures = {
        name: estimate_among(rates.averaged(rate), tables, AMONG.get(name), resampling)
        for name, rate in RATES.items()
    }
    figures["ranking loss"] = _ranking(runs, resampling)
    kind = confidence_of(runs)
    figures["AUROC"] = _from_confidences(runs, kind, weighted_auroc, resampling, auroc_interval)
    figures["risk-coverage area"] = _from_confidences(
        runs, kind, weighted_selective_area, resampling
    )
    figures["calibration error"] = _from_confidences(
        runs, "score", weighted_calibration_error, resampling
    )
    return figures


def count_cells(
    runs: Runs, cell: Callable[[Judged], Cell | None], shape: tuple[int, int] = (2, 2)
) -> Tables:
    """The number of items of each source in each cell of a table, run by run."""
    found = [[cell(each) for each in run] for run in runs]
    numbers = [[-1 if at is None else at[0] * shape[1] + at[1] for at in run] for run in found]
    return run_tables(numbers, groups=groups_of(runs[0]), shape=shape)


def _binary_cell(each: Judged) -> Cell | None:
    """Gold and prediction, where the reading counts the item and there is a verdict."""
    if each.item.faithful is None or each.faithful is None:
        return None
    return int(each.item.faithful), int(each.faithful)


def _ranking(runs: Runs, resampling: Resampling) -> Estimate:
    """VeriGray's second protocol: the full order of gold labels, predictions merged in two."""
    tables = count_cells(runs, _binary_cell)
    said = [each.item.gold for run in runs for each in run if each.faithful is not None]
    if len({label.taxonomy for label in said}) == 1:
        ranks = sorted({label.rank for label in said})
        place = {rank: number for number, rank in enumerate(ranks)}

        def cell(each: Judged) -> Cell | None:
            return None if each.faithful is None else (place[each.item.gold.rank], each.faithful)

        tables = count_cells(runs, cell, (len(ranks), 2))
    loss = rates.averaged(rates.ranking_loss)
    return estimate_from_tables(loss, tables, resampling=resampling)


def confidence_of(runs: Runs) -> Confidence:
    """The kind of a detector's confidence: its score, or else its label's place in the order."""
    outcomes = [each.outcome for run in runs for each in run]
    said = [outcome for outcome in outcomes if not isinstance(outcome, Failure)]
    if any(outcome.score is not None for outcome in said):
        return "score"
    menus = {outcome.label.taxonomy for outcome in said if outcome.label}
    return "label" if len(menus) == 1 else ""


def confidence(each: Judged, kind: Confidence) -> float | None:
    """A detector's confidence that an item is faithful, where the reading counts the item."""
    if each.item.faithful is None:
        return None
    if kind == "score":
        return each.outcome.score
    label = each.outcome.label
    return float(label.rank) if label and kind == "label" else None


def _from_confidences(
    runs: Runs,
    kind: Confidence,
    metric: Callable[[Bools, Floats], rates.Rate],
    resampling: Resampling,
    small: Callable[[float, int, int], tuple[float, float] | None] | None = None,
) -> Estimate:
    """A figure of confidences; `small` is its interval by the sources of each class."""
    given = [[confidence(each, kind) for each in run] for run in runs]
    values = np.array([[np.nan if x is None else x for x in run] for run in given], dtype=float)
    kept = np.flatnonzero(~np.isnan(values).all(0))  # an item that any run is sure about
    items = [runs[0][at] for at in kept.tolist()]
    truth, values = truths_of(each.item.faithful for each in items), values[:, kept]

    is_sure = ~np.isnan(values)
    parts = [
        (sure, metric(truth[sure], run[sure])) for sure, run in zip(is_sure, values, strict=True)
    ]

    def mean(weights: Floats) -> Floats:
        found: Floats = np.mean([rate(weights[:, sure]) for sure, rate in parts], axis=0)
        return found

    groups = groups_of(items)
    sources = [np.unique(groups[truth == of]).size for of in (True, False)]
    whole = estimate_from_weights(
        mean,
        len(items),
        groups=groups,
        resampling=resampling,
        small=(lambda value: small(value, *sources)) if small else None,
    )
    return replace(whole, n=int(is_sure.sum(1).min()))


def truths_of(values: Iterable[bool | None]) -> Bools:
    """Truth values as an array."""
    return np.array([bool(value) for value in values], dtype=np.bool_)


def groups_of(judged: Sequence[Judged]) -> NDArray[np.str_]:
    """The source of each item: what is resampled together."""
    return np.array([each.item.group for each in judged], dtype=np.str_)
