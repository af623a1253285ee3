import numpy as np
import pytest

from assay.metrics import (
    Hits,
    confusion_matrix,
    confusion_tables,
    hit_tables,
    matrix_tables,
    paired_tables,
)
from assay.metrics.arrays import Ints

Labels = tuple[Ints, Ints]


def test_tables_of_lone_items_are_one_for_each_cell_that_occurs() -> None:
    tables = confusion_tables([0, 0, 1], [0, 0, 1])
    assert tables.copies.tolist() == [2, 1]
    assert tables.values.tolist() == [[[1, 0], [0, 0]], [[0, 0], [0, 1]]]


def test_total_is_the_confusion_matrix(labels: Labels) -> None:
    matrix = confusion_matrix(*labels, 5)
    for groups in (None, np.arange(400) // 7, [f"source {i % 9}" for i in range(400)]):
        tables = confusion_tables(*labels, groups=groups, classes=5)
        assert (tables.total == matrix).all()
        assert tables.n == 400
    assert (matrix_tables(matrix).total == matrix).all()


def test_groups_are_counted_without_gaps(labels: Labels) -> None:
    tables = confusion_tables(*labels, groups=np.arange(400) // 100 * 1000, classes=5)
    assert tables.groups == len(tables.values) == 4
    assert confusion_tables(*labels, classes=5).groups == 400


def test_paired_tables_hold_both_matrices(labels: Labels) -> None:
    gold, first = labels
    second = first[::-1]
    for groups in (None, np.arange(400) % 30):
        total = paired_tables(gold, first, second, groups=groups, classes=5).total
        assert (total[0] == confusion_matrix(gold, first, 5)).all()
        assert (total[1] == confusion_matrix(gold, second, 5)).all()


def test_hits_are_added_within_groups() -> None:
    hits = [Hits(1, 2, 3), Hits(0, 1, 0), Hits(2, 2, 2)]
    assert hit_tables(hits, groups=["a", "b", "a"]).values.tolist() == [[3, 4, 5], [0, 1, 0]]
    assert hit_tables(hits).total.tolist() == [3, 5, 5]
    assert hit_tables([]).total.tolist() == [0, 0, 0]


def test_without_items_the_total_is_zero() -> None:
    assert confusion_tables([], []).total.tolist() == [[0, 0], [0, 0]]
    assert confusion_tables([], [], groups=[]).total.tolist() == [[0, 0], [0, 0]]


def test_every_item_needs_a_group() -> None:
    with pytest.raises(ValueError, match="gold 2, groups 1"):
        confusion_tables([0, 1], [0, 1], groups=[0])
