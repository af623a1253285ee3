"""Few groups: intervals that have a width, and that hold the true value as often as they say."""

from math import comb, sqrt

import numpy as np
import pytest

from assay.metrics import (
    Estimate,
    Hits,
    Resampling,
    auroc,
    auroc_interval,
    compare_rows,
    compare_tables,
    confusion_tables,
    estimate_from_rows,
    estimate_from_tables,
    hit_tables,
    matrix_tables,
    paired_tables,
    rates,
    run_tables,
    share_tables,
)
from assay.metrics.bootstrap import percentile_interval, resample
from assay.metrics.small_samples import jeffreys_draws
from assay.metrics.tables import Tables

QUICK = Resampling(replicates=400)


def _holds(interval: tuple[float, float] | None, value: float) -> bool:
    return interval is not None and interval[0] - 1e-9 <= value <= interval[1] + 1e-9


def _ends(estimate: Estimate) -> tuple[float, float]:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.low, estimate.high


@pytest.mark.parametrize(("right", "n"), [(0, 6), (1, 5), (4, 5), (5, 5), (13, 20)])
def test_a_share_of_few_has_the_interval_of_jeffreys(right: int, n: int) -> None:
    stats = pytest.importorskip("scipy.stats")
    parts = np.arange(n) < right
    found = estimate_from_tables(rates.share, share_tables(parts, np.ones(n)))
    low, high = stats.beta(right + 0.5, n - right + 0.5).ppf([0.025, 0.975])
    expected = (low if right else 0.0, high if right < n else 1.0)
    assert _ends(found) == pytest.approx(expected, abs=0.02)


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_intervals_of_accuracy_cover_where_the_bootstrap_does_not(n: int, p: float) -> None:
    # Exact: the chance of each count x, where the interval of x holds p.
    ours = plain = 0.0
    for right in range(n + 1):
        chance = comb(n, right) * p**right * (1 - p) ** (n - right)
        gold = np.arange(n) % 2 == 0
        tables = confusion_tables(gold, gold == (np.arange(n) < right))
        drawn = rates.accuracy(resample(tables, QUICK))
        ours += chance * _holds(_ends(estimate_from_tables(rates.accuracy, tables)), p)
        plain += chance * _holds(percentile_interval(drawn, 0.95), p)
    assert ours >= 0.9
    if p == 0.95:
        assert plain < 0.7


def _sample(random: np.random.Generator, groups: int, size: int, p: float) -> Tables:
    """Verdicts on groups of several items; some groups are harder than others (correlation ⅓)."""
    chance = np.repeat(random.beta(2 * p, 2 * (1 - p), groups), size)
    gold = random.random(groups * size) < 0.5
    right = random.random(groups * size) < chance
    return confusion_tables(
        gold, gold == right, groups=np.repeat(np.arange(groups), size), classes=2
    )


@pytest.mark.soak
@pytest.mark.parametrize("groups", [5, 10, 20])
@pytest.mark.parametrize("p", [0.5, 0.8, 0.95])
def test_intervals_of_grouped_items_cover_where_the_bootstrap_does_not(
    groups: int, p: float
) -> None:
    random = np.random.default_rng(0)
    found = [_sample(random, groups, 4, p) for _ in range(300)]
    ours = [_ends(estimate_from_tables(rates.accuracy, each, resampling=QUICK)) for each in found]
    drawn = [rates.accuracy(resample(each, QUICK)) for each in found]
    assert np.mean([_holds(each, p) for each in ours]) >= 0.9
    if p == 0.95:  # at a half the bootstrap is nearly right, with five groups too
        assert np.mean([_holds(percentile_interval(each, 0.95), p) for each in drawn]) < 0.88


def test_balanced_accuracy_of_four_constant_verdicts_is_not_certain() -> None:
    found = estimate_from_tables(rates.balanced_accuracy, matrix_tables([[0, 2], [0, 2]]))
    low, high = _ends(found)
    assert found.value == 0.5
    assert low < 0.4
    assert high > 0.6


def test_a_perfect_figure_of_many_groups_keeps_a_width() -> None:
    found = estimate_from_tables(rates.precision, matrix_tables([[3, 200], [0, 800]]))
    assert found.high == found.value == 1
    # Beta(3.5, 0.5) at 2.5 %
    assert found.low == pytest.approx(0.464, abs=0.03)


def test_many_groups_have_the_percentile_bootstrap() -> None:
    tables = matrix_tables([[30, 10], [10, 50]])
    plain = percentile_interval(rates.accuracy(resample(tables, Resampling())), 0.95)
    assert _ends(estimate_from_tables(rates.accuracy, tables)) == plain


def test_runs_of_one_detector_agree_on_what_is_added() -> None:
    once = run_tables([[0, 0, 3, 3]], groups=[0, 1, 2, 3])
    thrice = run_tables([[0, 0, 3, 3]] * 3, groups=[0, 1, 2, 3])
    rate = rates.averaged(rates.balanced_accuracy)
    assert _ends(estimate_from_tables(rate, once)) == pytest.approx(
        _ends(estimate_from_tables(rate, thrice))
    )


def test_kinds_are_as_large_as_a_group() -> None:
    # Four marked errors in two examples: one found, two missed, one marked without reason.
    kinds = hit_tables([Hits(1, 2, 2), Hits(0, 0, 1)]).kinds
    assert kinds is not None
    assert kinds.tolist() == [[2, 2, 2], [0, 2, 0], [0, 0, 2]]
    pairs = paired_tables([False, True], [False, True], [True, True]).kinds
    assert pairs is not None
    assert pairs.shape == (8, 2, 2, 2)  # two gold classes, what the first and the second say
    assert pairs.sum((1, 2, 3)).tolist() == [2] * 8
    assert jeffreys_draws(Tables(np.ones((3, 2)), np.ones(3, np.int64), 3)) is None


def test_equal_verdicts_on_a_handful_have_no_certain_difference() -> None:
    gold = [True, True, False, False]
    found = compare_tables(rates.balanced_accuracy, paired_tables(gold, gold, gold))
    low, high = _ends(found.difference)
    assert found.p_value == 1
    assert low < -0.1
    assert high > 0.1


def test_three_items_that_one_alone_gets_right_prove_nothing() -> None:
    gold = [True, True, True]
    found = compare_tables(rates.accuracy, paired_tables(gold, gold, [False] * 3))
    assert found.difference.value == found.difference.high == 1
    assert found.p_value is not None
    assert found.p_value > 0.05


def test_differences_of_few_cover() -> None:
    # The first is right with chance 0.9, the second with 0.6, apart from each other.
    random = np.random.default_rng(0)
    held = []
    for _ in range(300):
        gold = random.random(12) < 0.5
        said = [gold == (random.random(12) < chance) for chance in (0.9, 0.6)]
        found = compare_tables(rates.accuracy, paired_tables(gold, *said), resampling=QUICK)
        held.append(_holds(_ends(found.difference), 0.3))
    assert np.mean(held) >= 0.9


def test_what_is_no_count_has_no_interval_from_a_handful() -> None:
    values = np.arange(12) / 12
    few = estimate_from_rows(lambda rows: float(values[rows].mean()), 9)
    assert few.value == pytest.approx(4 / 12)
    assert (few.low, few.high) == (None, None)
    enough = estimate_from_rows(lambda rows: float(values[rows].mean()), 10)
    assert enough.low is not None
    stuck = estimate_from_rows(lambda _: 0.5, 12)
    assert (stuck.low, stuck.high) == (None, None)
    same = compare_rows(lambda _: 0.5, lambda _: 0.5, 12)
    assert (same.difference, same.p_value) == (Estimate(0.0, 12), 1.0)


def test_auroc_interval_by_hand() -> None:
    # |0.8 - θ| = 1.96 √V with V = θ (1 - θ) (1 + 4 (1 - θ) / (2 - θ) + 4 θ / (1 + θ)) / 24
    low, high = auroc_interval(0.8, 4, 6) or (0.0, 0.0)
    for end in (low, high):
        spread = 1 + 4 * (1 - end) / (2 - end) + 4 * end / (1 + end)
        assert abs(0.8 - end) == pytest.approx(1.959964 * sqrt(end * (1 - end) * spread / 24))
    assert 0.4 < low < 0.8 < high < 1
    assert auroc_interval(0.8, 0, 6) is None
    assert auroc_interval(0.0, 4, 6) == pytest.approx((0.0, 1 - auroc_interval(1.0, 4, 6)[0]))  # type: ignore[index]


@pytest.mark.soak
@pytest.mark.parametrize("each", [5, 10, 15])
def test_intervals_of_auroc_cover_where_the_bootstrap_does_not(each: int) -> None:
    # Scores of two normal distributions 1.812 apart: AUROC = Φ(1.812 / √2) = 0.9.
    random = np.random.default_rng(each)
    gold = np.arange(2 * each) < each
    ours, plain = [], []
    for _ in range(200):
        scores = random.normal(size=2 * each) + 1.812 * gold
        value = auroc(gold, scores)
        assert value is not None
        ours.append(_holds(auroc_interval(value, each, each), 0.9))
        drawn = random.integers(0, 2 * each, (200, 2 * each))
        found = [auroc(gold[rows], scores[rows]) for rows in drawn]
        plain.append(
            _holds(
                percentile_interval(np.array([np.nan if x is None else x for x in found]), 0.95),
                0.9,
            )
        )
    assert np.mean(ours) >= 0.9
    if each == 5:
        assert np.mean(plain) < 0.85
