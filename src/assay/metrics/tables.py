"""Counts by group, in the form that the bootstrap resamples.

A metric that is a function of counts needs no rows to be resampled: drawing whole groups and adding
their tables of counts gives the same result. Where each item is its own group, all items of one
cell have the same table, and only the number of each matters.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.arrays import Floats, Ints, class_numbers, group_numbers, require_same_length
from assay.metrics.localization import Hits


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """Tables of counts (first axis: table) and the number of groups that have each of them.

    `n` is the number of items behind them all. `kinds` are the tables of groups of the mean size
    all of whose items are alike, one for each way they can be: what else there might have been.
    """

    values: Floats
    copies: Ints
    n: int
    kinds: Floats | None = None

    @property
    def total(self) -> Floats:
        """The counts of all groups together."""
        return np.tensordot(self.copies.astype(np.float64), self.values, 1)

    @property
    def groups(self) -> int:
        """The number of independent groups."""
        return int(self.copies.sum())


def confusion_tables(
    gold: ArrayLike, predicted: ArrayLike, *, groups: ArrayLike | None = None, classes: int = 2
) -> Tables:
    """One confusion matrix for each group; without `groups` every item stands alone.

    >>> tables = confusion_tables([False, True, True], [False, False, True], groups=[4, 4, 9])
    >>> tables.values.tolist()
    [[[1.0, 0.0], [1.0, 0.0]], [[0.0, 0.0], [0.0, 1.0]]]
    """
    tables = _count({"gold": gold, "predicted": predicted}, groups, classes)
    kinds = None if tables.kinds is None else tables.kinds[:, 0]
    return Tables(tables.values[:, 0], tables.copies, tables.n, kinds)


def paired_tables(
    gold: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    classes: int = 2,
) -> Tables:
    """Two confusion matrices for each group: of two detectors that judged the same items.

    >>> tables = paired_tables([False, True], [False, True], [True, True])
    >>> tables.total.tolist()
    [[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]]
    """
    return _count({"gold": gold, "first": first, "second": second}, groups, classes)


def run_tables(
    cells: ArrayLike,
    *,
    groups: ArrayLike,
    shape: tuple[int, int] = (2, 2),
    detectors: Sequence[int] = (),
) -> Tables:
    """One table of counts for each group and run, where several runs judged the same items.

    `cells` are runs x items: the number of the cell that an item falls into in a run, counted
    along the rows of the table, or -1 where it does not count. Resampling draws the same groups for
    all runs. `n` is that of the run with the fewest items. See `rates.averaged`. `detectors` says
    how many of the runs each has, where they are of several.

    >>> tables = run_tables([[0, 3, 3], [0, 2, -1]], groups=["a", "a", "b"])
    >>> tables.total.tolist(), tables.n
    ([[[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [1.0, 0.0]]], 2)
    """
    numbers = np.asarray(cells, dtype=np.int64)
    counted = (numbers >= 0).any(0)
    numbers, members = numbers[:, counted], group_numbers(np.asarray(groups)[counted], "groups")
    values = np.zeros((int(members.max(initial=-1)) + 1, len(numbers), shape[0] * shape[1]))
    run, item = np.nonzero(numbers >= 0)
    np.add.at(values, (members[item], run, numbers[run, item]), 1)
    copies = np.ones(len(values), np.int64)
    fewest = int((numbers >= 0).sum(1).min(initial=numbers.shape[1]))
    kinds = _cell_kinds(shape, detectors or (len(numbers),)) * _mean_size(run.size, values)
    return Tables(values.reshape(*values.shape[:2], *shape), copies, fewest, kinds)


def matrix_tables(matrix: ArrayLike) -> Tables:
    """The items of a confusion matrix, each standing alone.

    >>> matrix_tables([[3, 1], [0, 4]]).copies.tolist()
    [3, 1, 0, 4]
    """
    counts = np.asarray(matrix, dtype=np.int64)
    alone = np.eye(counts.size).reshape(counts.size, *counts.shape)
    return Tables(alone, counts.ravel(), int(counts.sum()), alone)


def hit_tables(hits: Sequence[Hits], *, groups: ArrayLike | None = None) -> Tables:
    """(found, predicted, gold) of each example, or of each group of examples.

    >>> hit_tables([Hits(1, 2, 3), Hits(0, 1, 1)], groups=["a", "a"]).values.tolist()
    [[1.0, 3.0, 4.0]]
    """
    values = np.array([(x.found, x.predicted, x.gold) for x in hits], np.float64).reshape(-1, 3)
    if groups is not None:
        numbers = group_numbers(groups, "groups")
        require_same_length(hits=values, groups=numbers)
        examples, values = values, np.zeros((int(numbers.max(initial=-1)) + 1, 3))
        np.add.at(values, numbers, examples)
    size = float((values @ [-1, 1, 1]).sum()) / max(len(values), 1)
    kinds = size * np.array([[1.0, 1.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    return Tables(values, np.ones(len(values), np.int64), len(hits), kinds)


def paired_hit_tables(
    first: Sequence[Hits], second: Sequence[Hits], *, groups: ArrayLike | None = None
) -> Tables:
    """The `hit_tables` of two localizers on the same examples, side by side.

    >>> paired_hit_tables([Hits(1, 1, 1)], [Hits(0, 0, 1)]).values.tolist()
    [[[1.0, 1.0, 1.0], [0.0, 0.0, 1.0]]]
    """
    sides = [hit_tables(hits, groups=groups) for hits in (first, second)]
    size = float(np.mean([(each.values @ [-1, 1, 1]).sum() for each in sides]))
    found, missed, spurious, nothing = (1, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)
    kinds = [*product((found, missed), repeat=2), *product((spurious, nothing), repeat=2)][:-1]
    values = np.stack([each.values for each in sides], axis=1)
    scaled = size / max(len(values), 1) * np.array(kinds, np.float64)
    return Tables(values, sides[0].copies, len(first), scaled)


def share_tables(parts: ArrayLike, wholes: ArrayLike) -> Tables:
    """(items that count, all items) of each group, for `rates.share`.

    >>> share_tables([1, 0, 1], [2, 2, 2]).values.tolist()
    [[1.0, 2.0], [0.0, 2.0], [1.0, 2.0]]
    """
    values = np.stack([np.asarray(parts, np.float64), np.asarray(wholes, np.float64)], axis=1)
    n = int(values[:, 1].sum())
    kinds = n / max(len(values), 1) * np.array([[1.0, 1.0], [0.0, 1.0]])
    return Tables(values, np.ones(len(values), np.int64), n, kinds)


def _count(labels: Mapping[str, ArrayLike], groups: ArrayLike | None, classes: int) -> Tables:
    """Confusion matrices of gold against each prediction; axes table, prediction, row, column."""
    numbers = {name: class_numbers(values, classes, name) for name, values in labels.items()}
    require_same_length(**numbers)
    gold, *predictions = numbers.values()
    if groups is None:
        return _lone_items(gold, predictions, classes)
    members = group_numbers(groups, "groups")
    require_same_length(gold=gold, groups=members)
    count = int(members.max(initial=-1)) + 1
    values = np.empty((count, len(predictions), classes, classes))
    for place, predicted in enumerate(predictions):
        cells = (members * classes + gold) * classes + predicted
        counted = np.bincount(cells, minlength=count * classes**2)
        values[:, place] = counted.reshape(count, classes, classes)
    kinds = _cell_kinds((classes, classes), (1,) * len(predictions)) * (gold.size / max(count, 1))
    return Tables(values, np.ones(count, np.int64), gold.size, kinds)


def _lone_items(gold: Ints, predictions: list[Ints], classes: int) -> Tables:
    """One table for each combination of labels that occurs, with the number of its items."""
    shape = (classes,) * (1 + len(predictions))
    copies = np.bincount(np.ravel_multi_index((gold, *predictions), shape))
    occurring = np.flatnonzero(copies)
    row, *columns = np.unravel_index(occurring, shape)
    values = np.zeros((occurring.size, len(columns), classes, classes))
    for place, column in enumerate(columns):
        values[np.arange(occurring.size), place, row, column] = 1
    kinds = _cell_kinds((classes, classes), (1,) * len(columns))
    return Tables(values, copies[occurring], gold.size, kinds)


def _cell_kinds(shape: tuple[int, int], detectors: Sequence[int]) -> Floats:
    """Tables of one item: each gold class with all that detectors of so many runs may say of it.

    All runs of a detector say the same.
    """
    rows, columns = shape
    said = list(product(range(columns), repeat=len(detectors)))
    kinds = np.zeros((rows, len(said), sum(detectors), rows, columns))
    for gold, (at, each) in product(range(rows), enumerate(said)):
        kinds[gold, at, np.arange(sum(detectors)), gold, np.repeat(each, detectors)] = 1
    return kinds.reshape(-1, *kinds.shape[2:])


def _mean_size(counted: int, values: Floats) -> float:
    """Items of a group in a run, in the mean; `values` are groups x runs x cells."""
    groups, runs = values.shape[:2]
    return float(counted / max(groups * runs, 1))
