"""Error rates as data: the share of wrong verdicts in groups of items."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.evaluate.figures import groups_of
from assay.evaluate.judged import Judged
from assay.metrics import Estimate, confusion_tables, estimate_from_tables, proportion, rates
from assay.report.charts import Bar, Scope, positions


def error_bars(
    judged: Sequence[Judged], groups: Mapping[str, Sequence[int]], scope: Scope, words: str
) -> Iterator[Bar]:
    """The share of wrong verdicts in each group of items."""
    for name, group in groups.items():
        wrong = [at for at in group if judged[at].is_error]
        link = scope.link(wrong, f"wrong, {words.format(name)}")
        yield Bar(name, _error_rate([judged[at] for at in group]), link)


def _error_rate(judged: Sequence[Judged]) -> Estimate:
    """The share of wrong verdicts, with an interval that resamples sources.

    Where none or all are wrong every resample would be the same: there it is Wilson's interval.
    """
    counted = [e for e in judged if e.faithful is not None and e.item.faithful is not None]
    wrong = np.array([each.is_error for each in counted], dtype=np.bool_)
    if wrong.sum() in (0, wrong.size):
        return proportion(int(wrong.sum()), wrong.size)
    tables = confusion_tables(np.zeros(wrong.size, int), wrong, groups=groups_of(counted))
    return estimate_from_tables(lambda n: rates.ratio(n[..., 0, 1], n.sum((-2, -1))), tables)


def quarters(lengths: ArrayLike) -> dict[str, list[int]]:
    """Four groups of items by length; equal lengths stay together, so there may be fewer."""
    values = np.asarray(lengths)
    groups = positions(np.searchsorted(np.quantile(values, (0.25, 0.5, 0.75)), values).tolist())
    return {
        f"{values[group].min():,}–{values[group].max():,}": group
        for _, group in sorted(groups.items())
    }
