import numpy as np
import pytest

from assay.metrics import (
    Hits,
    confusion_matrix,
    confusion_tables,
    estimate_from_tables,
    hit_tables,
    matrix_tables,
    paired_tables,
    rates,
    run_tables,
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


def test_tables_of_one_run_are_those_of_its_confusion_matrix(labels: Labels) -> None:
    gold, predicted = labels
    groups = np.arange(400) // 7
    runs = run_tables([5 * gold + predicted], groups=groups, shape=(5, 5))
    single = confusion_tables(gold, predicted, groups=groups, classes=5)
    assert (runs.values[:, 0] == single.values).all()
    rate = rates.averaged(rates.macro_f1)
    assert estimate_from_tables(rate, runs) == estimate_from_tables(rates.macro_f1, single)


def test_items_that_do_not_count_in_a_run_are_left_out_of_it() -> None:
    # Group a: the first run has both items, the second none; nothing counts in group c.
    tables = run_tables([[0, 1, 3, -1], [-1, -1, 2, -1]], groups=["a", "a", "b", "c"])
    assert tables.values.tolist() == [
        [[[1, 1], [0, 0]], [[0, 0], [0, 0]]],
        [[[0, 0], [0, 1]], [[0, 0], [1, 0]]],
    ]
    assert (tables.groups, tables.n) == (2, 1)


def test_an_average_is_undefined_where_that_of_one_run_is() -> None:
    tables = run_tables([[0, 3], [0, -1]], groups=["a", "b"])
    assert estimate_from_tables(rates.averaged(rates.recall), tables).value == 1
    assert estimate_from_tables(rates.averaged(rates.specificity), tables).value is None


def test_tables_of_runs_without_items_are_empty() -> None:
    assert run_tables([[-1], [-1]], groups=["a"]).n == 0
    assert run_tables([[]], groups=np.zeros(0, str)).total.tolist() == [[[0, 0], [0, 0]]]
