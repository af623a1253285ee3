from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import ArrayLike

from assay.metrics import (
    Estimate,
    Hits,
    Resampling,
    accuracy,
    auroc,
    calibration_error,
    confusion_tables,
    estimate_from_rows,
    estimate_from_tables,
    estimate_from_weights,
    hit_tables,
    matrix_tables,
    rates,
    selective_area,
    weighted_auroc,
    weighted_calibration_error,
    weighted_selective_area,
)
from assay.metrics.arrays import Bools
from assay.metrics.bootstrap import percentile_interval, resampled_rows, symmetric_interval
from assay.metrics.standings import kendall_tau

Metric = Callable[[ArrayLike, ArrayLike], float | None]
Weighted = Callable[[ArrayLike, ArrayLike], rates.Rate]

QUICK = Resampling(replicates=300)


def width(estimate: Estimate) -> float:
    assert estimate.low is not None
    assert estimate.high is not None
    return estimate.high - estimate.low


def detector(random: np.random.Generator, n: int) -> tuple[Bools, Bools]:
    gold = random.random(n) < 0.8
    return gold, np.where(random.random(n) < 0.75, gold, ~gold)


def test_interval_holds_the_value(random: np.random.Generator) -> None:
    tables = confusion_tables(*detector(random, 50_000))
    for rate in (rates.accuracy, rates.balanced_accuracy, rates.f1, rates.macro_f1):
        estimate = estimate_from_tables(rate, tables, resampling=QUICK)
        assert estimate.low is not None
        assert estimate.value is not None
        assert estimate.high is not None
        assert estimate.low < estimate.value < estimate.high


def test_width_of_accuracy_is_that_of_the_normal_interval(random: np.random.Generator) -> None:
    # 2 x 1.96 x sqrt(0.8 x 0.2 / 10,000) = 0.0157
    tables = matrix_tables([[4000, 1000], [1000, 4000]])
    for seed in range(3):
        resampling = Resampling(replicates=4000, seed=seed)
        estimate = estimate_from_tables(rates.accuracy, tables, resampling=resampling)
        assert width(estimate) == pytest.approx(0.01568, rel=0.06)


def test_cells_and_rows_give_the_same_interval(random: np.random.Generator) -> None:
    gold, predicted = detector(random, 2000)
    resampling = Resampling(replicates=2000)
    cells = estimate_from_tables(
        rates.accuracy, confusion_tables(gold, predicted), resampling=resampling
    )
    rows = estimate_from_rows(
        lambda picked: accuracy(gold[picked], predicted[picked]), 2000, resampling=resampling
    )
    assert cells.value == rows.value
    assert width(cells) == pytest.approx(width(rows), rel=0.1)


def test_copies_within_a_group_widen_the_clustered_interval(random: np.random.Generator) -> None:
    # Ten copies of each item carry no news: the interval is √10 wider than it looks.
    gold, predicted = (np.repeat(x, 10) for x in detector(random, 300))
    source = np.repeat(np.arange(300), 10)
    resampling = Resampling(replicates=2000)
    alone = estimate_from_tables(
        rates.accuracy, confusion_tables(gold, predicted), resampling=resampling
    )
    clustered = estimate_from_tables(
        rates.accuracy, confusion_tables(gold, predicted, groups=source), resampling=resampling
    )
    assert width(clustered) == pytest.approx(10**0.5 * width(alone), rel=0.15)


def test_clustered_tables_and_rows_give_the_same_interval(random: np.random.Generator) -> None:
    gold, predicted = detector(random, 1000)
    source = np.arange(1000) // 8
    resampling = Resampling(replicates=2000)
    tables = confusion_tables(gold, predicted, groups=source)
    first = estimate_from_tables(rates.accuracy, tables, resampling=resampling)
    second = estimate_from_rows(
        lambda rows: accuracy(gold[rows], predicted[rows]),
        1000,
        groups=source,
        resampling=resampling,
    )
    assert width(first) == pytest.approx(width(second), rel=0.1)


@pytest.mark.parametrize(
    ("metric", "weighted"),
    [
        (auroc, weighted_auroc),
        (selective_area, weighted_selective_area),
        (calibration_error, weighted_calibration_error),
    ],
)
@pytest.mark.parametrize("decimals", [1, 12])  # with many ties, and with none
def test_rows_and_weights_give_the_same_estimate(
    random: np.random.Generator, metric: Metric, weighted: Weighted, decimals: int
) -> None:
    gold, _ = detector(random, 200)
    score = random.random(200).round(decimals)
    source = np.arange(200) // 3
    by_rows = estimate_from_rows(
        lambda rows: metric(gold[rows], score[rows]), 200, groups=source, resampling=QUICK
    )
    by_weights = estimate_from_weights(weighted(gold, score), 200, groups=source, resampling=QUICK)
    assert by_weights.n == by_rows.n
    shown = by_rows.value, by_rows.low, by_rows.high
    assert (by_weights.value, by_weights.low, by_weights.high) == pytest.approx(shown, rel=1e-12)


@pytest.mark.parametrize("weighted", [weighted_auroc, weighted_selective_area])
def test_nothing_has_no_weighted_value(weighted: Weighted) -> None:
    assert estimate_from_weights(weighted([], []), 0, groups=[]) == Estimate(None, 0)


def test_groups_are_drawn_whole() -> None:
    members = np.array([0, 1, 0, 1, 2])
    for rows in resampled_rows(members, Resampling(replicates=20)):
        counts = np.bincount(rows, minlength=5)
        assert counts[0] == counts[2]
        assert counts[1] == counts[3]
        assert counts[0] + counts[1] + counts[4] == 3


def test_same_seed_same_interval(random: np.random.Generator) -> None:
    tables = confusion_tables(*detector(random, 200))
    first, again, other = (
        estimate_from_tables(rates.f1, tables, resampling=Resampling(seed=seed))
        for seed in (1, 1, 2)
    )
    assert first == again != other


def test_intervals_cover_the_truth_nineteen_times_in_twenty() -> None:
    random = np.random.default_rng(5)
    covered = 0
    for seed in range(300):
        matrix = random.multinomial(400, [0.15, 0.05, 0.2, 0.6]).reshape(2, 2)
        resampling = Resampling(replicates=400, seed=seed)
        estimate = estimate_from_tables(
            rates.balanced_accuracy, matrix_tables(matrix), resampling=resampling
        )
        assert estimate.low is not None
        assert estimate.high is not None
        covered += estimate.low <= (0.75 + 0.75) / 2 <= estimate.high
    assert 0.92 <= covered / 300 <= 0.98


def test_only_clustered_intervals_cover_when_sources_differ() -> None:
    # Accuracy varies by source between 0.5 and 1 around 0.75; 20 items of each of 60 sources.
    random = np.random.default_rng(6)
    source = np.repeat(np.arange(60), 20)
    covered = {"alone": 0, "clustered": 0}
    for seed in range(200):
        right = random.random(1200) < np.repeat(random.uniform(0.5, 1, 60), 20)
        for name, groups in (("alone", None), ("clustered", source)):
            tables = confusion_tables(np.ones(1200, bool), right, groups=groups)
            resampling = Resampling(replicates=300, seed=seed)
            estimate = estimate_from_tables(rates.accuracy, tables, resampling=resampling)
            assert estimate.low is not None
            assert estimate.high is not None
            covered[name] += estimate.low <= 0.75 <= estimate.high
    assert covered["alone"] / 200 < 0.85
    assert 0.9 <= covered["clustered"] / 200 <= 0.99


def test_one_group_has_no_interval() -> None:
    tables = confusion_tables([False, True], [False, True], groups=["a", "a"])
    assert estimate_from_tables(rates.accuracy, tables) == Estimate(1.0, 2)
    assert estimate_from_rows(lambda _: 0.5, 2, groups=["a", "a"]) == Estimate(0.5, 2)
    assert estimate_from_rows(lambda _: 0.5, 1) == Estimate(0.5, 1)


def test_undefined_value_has_no_interval() -> None:
    assert estimate_from_tables(rates.accuracy, confusion_tables([], [])) == Estimate(None, 0)
    assert estimate_from_rows(lambda _: None, 0, groups=[]) == Estimate(None, 0)


def test_a_value_that_is_often_undefined_has_no_bootstrap_interval() -> None:
    # One unfaithful item of 50 is missing from a replicate with chance 0.98^50 = 0.36.
    gold = np.arange(50) > 0
    estimate = estimate_from_tables(rates.recall, confusion_tables(gold, gold), resampling=QUICK)
    # Beta(1.5, 0.5) at 2.5 %
    assert estimate.low == pytest.approx(0.147, abs=0.02)
    assert estimate.high == 1
    rows = estimate_from_rows(lambda r: auroc(gold[r], gold[r]), 50, resampling=QUICK)
    assert rows == Estimate(1.0, 50)


def test_hits_of_examples_are_resampled(random: np.random.Generator) -> None:
    hits = [Hits(min(found, 2), 2, 3) for found in random.integers(0, 4, 400).tolist()]
    estimate = estimate_from_tables(rates.hit_f1, hit_tables(hits), resampling=QUICK)
    assert estimate.value == 2 * sum(hit.found for hit in hits) / (400 * 5)
    assert estimate.n == 400
    assert 0 < width(estimate) < 0.1


def test_hit_rates_are_those_of_hits() -> None:
    hits = Hits(2, 3, 8)
    counts = hit_tables([hits]).total
    names = (rates.hit_precision, rates.hit_recall, rates.hit_f1)
    assert [rate(counts).item() for rate in names] == [hits.precision, hits.recall, hits.f1]


def test_resampling_is_checked() -> None:
    with pytest.raises(ValueError, match="replicates must be 1 or more"):
        Resampling(replicates=0)
    with pytest.raises(ValueError, match="confidence"):
        Resampling(confidence=1)
    with pytest.raises(ValueError, match="3 rows need 3 groups"):
        estimate_from_rows(lambda _: 0.5, 3, groups=["a", "b"])


def test_symmetric_interval_by_hand() -> None:
    # Away by 0.3, 0.2, 0.1 and 0: the 2/3 quantile of 0, 0.1, 0.2, 0.3 is 0.2.
    found = symmetric_interval(np.array([0.5, 0.6, 0.7, 0.8]), 0.8, 2 / 3)
    assert found == pytest.approx((0.6, 1.0))
    # Away by 0.4 and 0, whose 3/4 quantile is 0.3; 1.2 is no correlation.
    cut = symmetric_interval(np.array([0.5, 0.9]), 0.9, 3 / 4)
    assert cut == pytest.approx((0.6, 1.0))
    assert symmetric_interval(np.array([0.8, 0.8]), 0.8, 0.95) is None
    assert symmetric_interval(np.array([0.8, np.nan]), 0.7, 0.95) is None


def test_symmetric_interval_holds_a_correlation_of_ranks_more_often(
    random: np.random.Generator,
) -> None:
    """Noise makes two rankings less alike, and those of replicates even less."""
    first = np.linspace(0.1, 0.2, 20)
    second = first + 0.03 * random.standard_normal(20)
    true = float(kendall_tau(first, second))
    symmetric, middle = 0, 0
    for _ in range(100):
        one, other = (random.random((300, 20)) < each for each in (first, second))
        value = float(kendall_tau(one.mean(0), other.mean(0)))
        weights = random.multinomial(300, [1 / 300] * 300, size=100) / 300
        drawn = kendall_tau(weights @ one, weights @ other)
        low, high = symmetric_interval(drawn, value, 0.95) or (value, value)
        symmetric += low <= true <= high
        low, high = percentile_interval(drawn, 0.95) or (value, value)
        middle += low <= true <= high
    assert symmetric > middle + 10
