"""The figures of one detector, each with its n and an interval that resamples sources."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.core.taxonomies import taxonomy
from assay.evaluation.items import Judged
from assay.metrics import (
    Estimate,
    Resampling,
    auroc,
    calibration_error,
    confusion_tables,
    estimate_from_rows,
    estimate_from_tables,
    ranking_loss,
    rates,
    selective_area,
)

Bools = NDArray[np.bool_]
RATES = {
    "balanced accuracy": rates.balanced_accuracy,
    "precision": rates.precision,
    "recall": rates.recall,
    "F1": rates.f1,
    "macro F1": rates.macro_f1,
}


def measure(judged: Sequence[Judged], resampling: Resampling) -> dict[str, Estimate]:
    """The figures of the binary reading, the ranking loss, and those that need scores."""
    counted = [e for e in judged if e.item.faithful is not None and e.faithful is not None]
    tables = confusion_tables(
        truths_of(e.item.faithful for e in counted),
        truths_of(e.faithful for e in counted),
        groups=groups_of(counted),
    )
    figures = {
        name: estimate_from_tables(rate, tables, resampling=resampling)
        for name, rate in RATES.items()
    }
    figures["ranking loss"] = _ranking(judged, resampling)
    scored = [e for e in counted if e.outcome.score is not None]
    for name, metric in (
        ("AUROC", auroc),
        ("risk-coverage area", selective_area),
        ("calibration error", calibration_error),
    ):
        figures[name] = _scores(scored, metric, resampling)
    return figures


def _ranking(judged: Sequence[Judged], resampling: Resampling) -> Estimate:
    """VeriGray's second protocol: the full order of gold labels, predictions merged in two."""
    said = [e for e in judged if e.faithful is not None]
    if len({e.item.gold.taxonomy for e in said}) > 1:
        said = [e for e in said if e.item.faithful is not None]
        gold = np.array([bool(e.item.faithful) for e in said], dtype=float)
    else:
        gold = np.array([e.item.gold.rank for e in said], dtype=float)
    value = np.array([bool(e.faithful) for e in said], dtype=float)
    return estimate_from_rows(
        lambda rows: ranking_loss(gold[rows], value[rows]),
        len(said),
        groups=groups_of(said),
        resampling=resampling,
    )


def _scores(
    scored: Sequence[Judged],
    metric: Callable[[Bools, NDArray[np.float64]], float | None],
    resampling: Resampling,
) -> Estimate:
    truth = truths_of(e.item.faithful for e in scored)
    score = np.array([e.outcome.score for e in scored], dtype=float)
    return estimate_from_rows(
        lambda rows: metric(truth[rows], score[rows]),
        len(scored),
        groups=groups_of(scored),
        resampling=resampling,
    )


def measure_classes(judged: Sequence[Judged], resampling: Resampling) -> dict[str, Estimate]:
    """F1 of every class, where detector and gold use the same menu; n counts its gold items."""
    labels = [(e.item.gold, e.outcome.label, e) for e in judged if e.outcome.label is not None]
    menus = {label.taxonomy for gold, said, _ in labels for label in (gold, said)}
    if len(menus) != 1:
        return {}
    menu = taxonomy(menus.pop())
    number = {label.name: position for position, label in enumerate(menu)}
    tables = confusion_tables(
        [number[gold.name] for gold, _, _ in labels],
        [number[said.name] for _, said, _ in labels],
        groups=groups_of([e for _, _, e in labels]),
        classes=len(number),
    )
    support = Counter(gold.name for gold, _, _ in labels)
    return {
        name: replace(
            estimate_from_tables(_class_rate(position), tables, resampling=resampling),
            n=support[name],
        )
        for name, position in number.items()
    }


def _class_rate(position: int) -> rates.Rate:
    return lambda counts: rates.class_f1(counts)[..., position]


def truths_of(values: Iterable[bool | None]) -> Bools:
    """Truth values as an array."""
    return np.array([bool(value) for value in values], dtype=np.bool_)


def groups_of(judged: Sequence[Judged]) -> NDArray[np.str_]:
    """The source of each item: what is resampled together."""
    return np.array([each.item.group for each in judged], dtype=np.str_)
