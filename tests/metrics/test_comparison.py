from typing import Any

import numpy as np
import pytest

from assay.metrics import (
    Resampling,
    auroc,
    balanced_accuracy,
    compare_rows,
    compare_tables,
    mcnemar,
    paired_tables,
    rates,
)
from assay.metrics.arrays import Bools


def noisy(random: np.random.Generator, gold: Bools, right: float) -> Bools:
    return np.where(random.random(gold.size) < right, gold, ~gold)


def test_difference_is_first_minus_second(random: np.random.Generator) -> None:
    gold = random.random(2000) < 0.7
    first, second = noisy(random, gold, 0.9), noisy(random, gold, 0.7)
    result = compare_tables(rates.balanced_accuracy, paired_tables(gold, first, second))
    assert result.first == balanced_accuracy(gold, first)
    assert result.second == balanced_accuracy(gold, second)
    assert result.difference.low is not None
    assert result.difference.low > 0.1
    assert result.p_value == pytest.approx(2 / 1001)


def test_pairing_sees_what_separate_intervals_hide(random: np.random.Generator) -> None:
    # The second detector is the first with 2 % of its right answers spoilt.
    gold = random.random(3000) < 0.7
    first = noisy(random, gold, 0.8)
    second = np.where((first == gold) & (random.random(3000) < 0.02), ~gold, first)
    result = compare_tables(rates.accuracy, paired_tables(gold, first, second))
    assert result.p_value is not None
    assert result.p_value < 0.01


def test_equal_predictions_have_p_one(random: np.random.Generator) -> None:
    gold = random.random(200) < 0.7
    first = noisy(random, gold, 0.8)
    result = compare_tables(rates.f1, paired_tables(gold, first, first))
    low, high = result.difference.low, result.difference.high
    assert (result.difference.value, result.p_value) == (0, 1)
    assert low is not None
    assert high is not None
    assert low < 0 < high < 0.05


def test_p_values_are_small_no_more_often_than_they_should() -> None:
    random = np.random.default_rng(8)
    small = 0
    for seed in range(200):
        gold = random.random(300) < 0.6
        first, second = noisy(random, gold, 0.8), noisy(random, gold, 0.8)
        resampling = Resampling(replicates=200, seed=seed)
        tables = paired_tables(gold, first, second)
        p_value = compare_tables(rates.accuracy, tables, resampling=resampling).p_value
        small += p_value is not None and p_value <= 0.05
    assert 2 <= small <= 20


def test_copies_within_a_group_are_no_evidence(random: np.random.Generator) -> None:
    gold = random.random(60) < 0.7
    items = (gold, noisy(random, gold, 0.85), noisy(random, gold, 0.78))
    source = np.repeat(np.arange(60), 50)
    copied = [np.repeat(x, 50) for x in items]
    alone = compare_tables(rates.accuracy, paired_tables(*copied)).p_value
    clustered = compare_tables(rates.accuracy, paired_tables(*copied, groups=source)).p_value
    assert alone is not None
    assert clustered is not None
    assert alone < 0.01 < clustered


def test_scores_are_compared_by_rows(random: np.random.Generator) -> None:
    gold = random.random(400) < 0.7
    good, poor = gold + random.normal(0, 0.5, 400), gold + random.normal(0, 2, 400)
    result = compare_rows(
        lambda rows: auroc(gold[rows], good[rows]),
        lambda rows: auroc(gold[rows], poor[rows]),
        400,
        groups=np.arange(400) // 4,
        resampling=Resampling(replicates=200),
    )
    assert result.difference.n == 400
    assert result.p_value == pytest.approx(2 / 201)


def test_undefined_values_are_not_compared() -> None:
    result = compare_tables(rates.recall, paired_tables([True] * 9, [True] * 9, [False] * 9))
    assert (result.first, result.difference.value, result.p_value) == (None, None, None)
    empty = compare_rows(lambda _: None, lambda _: 0.5, 0)
    assert (empty.second, empty.difference.value, empty.p_value) == (0.5, None, None)


def test_one_group_gives_a_difference_without_p_value() -> None:
    tables = paired_tables([True, True], [True, True], [True, False], groups=["a", "a"])
    result = compare_tables(rates.accuracy, tables)
    assert (result.difference.value, result.difference.low, result.p_value) == (0.5, None, None)


def outcomes(only_first: int, only_second: int, both: int = 5) -> tuple[Bools, Bools]:
    first = np.repeat([True, False, True], [only_first, only_second, both])
    second = np.repeat([False, True, True], [only_first, only_second, both])
    return first, second


def test_few_discordant_items_are_tested_exactly() -> None:
    # 2 x (C(6,0) + C(6,1)) / 2^6 = 14 / 64
    result = mcnemar(*outcomes(5, 1))
    assert (result.only_first, result.only_second, result.test) == (5, 1, "exact")
    assert result.p_value == 14 / 64


@pytest.mark.parametrize(("b", "c"), [(0, 3), (7, 7), (4, 20), (24, 0)])
def test_exact_p_value_agrees_with_scipy(stats: Any, b: int, c: int) -> None:
    assert mcnemar(*outcomes(b, c)).p_value == pytest.approx(stats.binomtest(b, b + c).pvalue)


@pytest.mark.parametrize(("b", "c"), [(25, 0), (13, 12), (40, 25), (300, 260)])
def test_many_discordant_items_are_tested_by_chi_square(stats: Any, b: int, c: int) -> None:
    result = mcnemar(*outcomes(b, c))
    assert result.test == "chi-square"
    assert result.p_value == pytest.approx(stats.chi2.sf((abs(b - c) - 1) ** 2 / (b + c), 1))


def test_even_split_of_many_items_has_p_one() -> None:
    assert mcnemar(*outcomes(20, 20)).p_value == 1


def test_no_discordant_item_has_p_one_and_no_item_none() -> None:
    assert mcnemar(*outcomes(0, 0)).p_value == 1
    assert mcnemar([], []).p_value is None
