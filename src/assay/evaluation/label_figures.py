"""Figures of labels rather than of the binary reading.

Classes: the matrix of gold and predicted ones, and F1 of each. Some labels are kinds of another, as
`unwanted.intrinsic` is of `unwanted`. A detector that names no kinds, such as FaithJudge's ternary
judge, is compared with the classes that they belong to.

Acceptance: what remains if only verdicts from a label upwards are accepted. VeriGray, section 5.3:
the confidence of a detector is the degree of faithfulness of its label, and the thresholds are the
three highest degrees.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.evaluation.figures import AMONG, Cell, Runs, count_cells
from assay.evaluation.items import Judged
from assay.metrics import Estimate, Resampling, estimate_from_tables, rates
from assay.metrics.arrays import Floats


@dataclass(frozen=True, slots=True)
class ClassMatrix:
    """Counts of items by gold class (row) and predicted class (column), over all runs."""

    gold: tuple[str, ...]
    predicted: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def folds_kinds(judged: Sequence[Judged]) -> bool:
    """True if kinds count as their classes: predictions are of the gold's menu, and none a kind."""
    said = [each.outcome.label for each in judged if each.outcome.label]
    menus = {each.item.gold.taxonomy for each in judged}
    return any(label.taxonomy in menus for label in said) and not any(x.parent for x in said)


def class_of(label: Label) -> Label:
    """The label itself, or the one that it is a kind of."""
    return taxonomy(label.taxonomy)[label.parent] if label.parent else label


def count_classes(runs: Runs) -> ClassMatrix | None:
    """The matrix of what has a predicted label; None where nothing has, or menus are mixed."""
    pairs = _pairs(runs)
    sides = [{pair[side] for pair in pairs} for side in (0, 1)]
    if not pairs or any(len({label.taxonomy for label in side}) > 1 for side in sides):
        return None
    rows, columns = (_in_order(side) for side in sides)
    counted = Counter((gold.name, said.name) for gold, said in pairs)
    counts = tuple(tuple(counted[row, column] for column in columns) for row in rows)
    return ClassMatrix(rows, columns, counts)


def measure_classes(runs: Runs, resampling: Resampling) -> dict[str, Estimate]:
    """F1 of every class, where detector and gold use the same menu; n counts its gold items."""
    pairs = _pairs(runs)
    menus = {label.taxonomy for pair in pairs for label in pair}
    if len(menus) != 1:
        return {}
    is_folded = folds_kinds([each for run in runs for each in run])
    labels = [each for each in taxonomy(menus.pop()) if not (is_folded and each.parent)]
    return {each.name: _f1(each, runs, is_folded, resampling) for each in labels}


def _f1(wanted: Label, runs: Runs, is_folded: bool, resampling: Resampling) -> Estimate:
    """F1 of one class against all others."""

    def cell(each: Judged) -> Cell | None:
        said = each.outcome.label
        if said is None:
            return None
        gold = class_of(each.item.gold) if is_folded else each.item.gold
        return int(gold != wanted), int(said != wanted)

    tables = count_cells(runs, cell)
    found = estimate_from_tables(rates.averaged(rates.f1), tables, resampling=resampling)
    return replace(found, n=int(AMONG["recall"](tables.total).min()))


def _pairs(runs: Runs) -> list[tuple[Label, Label]]:
    """Gold and predicted label of everything that has both, with kinds folded or not."""
    every = [each for run in runs for each in run]
    is_folded = folds_kinds(every)
    return [
        (class_of(each.item.gold) if is_folded else each.item.gold, each.outcome.label)
        for each in every
        if each.outcome.label
    ]


def _in_order(labels: set[Label]) -> tuple[str, ...]:
    """The names of labels of one menu, in its order."""
    menu = taxonomy(next(iter(labels)).taxonomy)
    return tuple(label.name for label in menu if label in labels)


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
