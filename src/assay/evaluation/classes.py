"""Gold classes against predicted ones: the matrix, and F1 of every class.

Some labels are kinds of another, as `unwanted.intrinsic` is of `unwanted`. A detector that names no
kinds, such as FaithJudge's ternary judge, is held against the classes that they belong to.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.evaluation.figures import AMONG, Cell, Runs, count_cells
from assay.evaluation.items import Judged
from assay.metrics import Estimate, Resampling, estimate_from_tables, rates


@dataclass(frozen=True, slots=True)
class ClassMatrix:
    """How often each gold class (row) was predicted as each class (column), over all runs."""

    gold: tuple[str, ...]
    predicted: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]


def folds_kinds(judged: Sequence[Judged]) -> bool:
    """Whether kinds count as their classes: predictions are of the gold's menu, and none a kind."""
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
