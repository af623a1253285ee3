"""Selective prediction by labels: what remains if only verdicts from a label upwards are accepted.

VeriGray, section 5.3: the confidence of a detector is the degree of faithfulness of its label, and
the thresholds are the three highest degrees.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.evaluation.figures import Cell, Runs, count_cells
from assay.evaluation.items import Judged
from assay.metrics import Estimate, Resampling, estimate_from_tables, rates
from assay.metrics.arrays import Floats

MOST_THRESHOLDS = 3


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The share of verdicts from a label upwards, and the share of unfaithful items among them."""

    label: str
    coverage: Estimate
    risk: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {"from": self.label, "coverage": asdict(self.coverage), "risk": asdict(self.risk)}


def measure_acceptance(runs: Runs, resampling: Resampling) -> tuple[Acceptance, ...]:
    """Coverage and selective risk at each threshold, from the lowest; over all items with a label.

    A gold label that the reading leaves out is no error: the item is accepted like any other and
    is not unfaithful. Labels of a taxonomy of two degrees leave nothing to choose.
    """
    given = [{e.outcome.label.taxonomy for e in run if e.outcome.label} for run in runs]
    menus = set().union(*given)
    if len(menus) != 1 or not all(given):  # of a run without labels nothing can be said
        return ()
    by_rank = _first_of_each_rank(tuple(taxonomy(menus.pop())))
    ranks = sorted(by_rank)
    if len(ranks) <= 2:
        return ()
    return tuple(
        _accepted_from(by_rank[rank], runs, resampling)
        for rank in ranks[max(1, len(ranks) - MOST_THRESHOLDS) :]
    )


def _accepted_from(lowest: Label, runs: Runs, resampling: Resampling) -> Acceptance:
    def cell(each: Judged) -> Cell | None:
        label = each.outcome.label
        return (each.item.faithful is not False, label.rank >= lowest.rank) if label else None

    tables = count_cells(runs, cell)
    coverage, risk = (
        estimate_from_tables(rates.averaged(rate), tables, resampling=resampling)
        for rate in (_coverage, _risk)
    )
    accepted = int(tables.total[..., 1].sum(-1).min())
    return Acceptance(lowest.name, coverage, replace(risk, n=accepted))


def _first_of_each_rank(labels: Sequence[Label]) -> dict[int, Label]:
    found: dict[int, Label] = {}
    for label in labels:
        found.setdefault(label.rank, label)
    return found


def _coverage(counts: Floats) -> Floats:
    """Accepted / judged: the second column is what is accepted."""
    return rates.ratio(counts[..., 1].sum(-1), counts.sum((-2, -1)))


def _risk(counts: Floats) -> Floats:
    """Unfaithful / accepted: the first row is the unfaithful one."""
    return rates.ratio(counts[..., 0, 1], counts[..., 1].sum(-1))
