"""Rates corrected by labels, by hand and in simulations in which the truth is known."""

import numpy as np
import pytest

from assay.metrics import Estimate, corrected_rate, judge_slope
from assay.metrics.arrays import Bools


def words(letters: str) -> list[bool]:
    return [letter == "+" for letter in letters]


def test_errors_of_the_judge_are_taken_out() -> None:
    # 30 of 100 by the judge, 20 by people; 330 of 1,000 others: 0.33 + 0.20 - 0.30.
    gold, judge = words("+" * 20 + "." * 80), words("+" * 30 + "." * 70)
    found = corrected_rate(gold, judge, words("+" * 330 + "." * 670), slope=2.0)
    assert found.rate.value == pytest.approx(0.23)
    assert (found.rate.n, found.others, found.weight) == (100, 1000, 1.0)
    # Errors: -1 ten times, 0 ninety times, and 1 and -1, which are added; n = 102.
    mean = -10 / 102
    errors = (11 * (-1 - mean) ** 2 + 90 * mean**2 + (1 - mean) ** 2) / 102**2
    variance = (errors + 0.33 * 0.67 / 1000) * 1102 / 1101
    # Student's quantile with 99 degrees of freedom is 1.984217.
    assert found.rate.high == pytest.approx(0.33 + mean + 1.984217 * variance**0.5)
    assert found.rate.low == pytest.approx(0.33 + mean - 1.984217 * variance**0.5)


def test_a_slope_is_covariance_by_variance() -> None:
    # Labelled: cov = 1/4 - 1/4 x 2/4 = 1/8; of all six verdicts half are True: variance 1/4.
    assert judge_slope(words("+..."), words("++.."), words("+.")) == pytest.approx(0.5)
    assert judge_slope(words("+."), words(".."), words(".")) == 0
    assert judge_slope([], [], words("+.")) == 0


def test_the_weight_is_less_the_fewer_the_others() -> None:
    gold = words("+" * 20 + "." * 80)
    found = corrected_rate(gold, gold, gold, slope=1.0)
    assert found.weight == 0.5  # 1 / (1 + 100 / 100)
    assert found.rate.value == pytest.approx(0.2)


def test_a_judge_that_says_nothing_of_the_labels_has_no_weight() -> None:
    found = corrected_rate(words("+." * 20), words("++.." * 10), words("+" * 99 + "."))
    assert (found.weight, found.rate.value) == (0, 0.5)


def test_a_judge_without_an_error_among_few_labels_is_not_certain() -> None:
    gold = words("." * 20)
    found = corrected_rate(gold, gold, words("." * 1000), slope=2.0).rate
    assert (found.value, found.low) == (0, 0)
    assert found.high is not None
    # Of 22 errors one is 1 and one -1: 2 / 22², with 1,022 groups; 19 degrees of freedom.
    weight = 2 / (1 + 20 / 1000)
    assert weight > 1  # and so it is 1
    assert found.high == pytest.approx(2.093024 * (2 / 22**2 * 1022 / 1021) ** 0.5)


def test_items_of_one_group_count_together() -> None:
    gold, judge, others = words("+..+" * 100), words("+.+." * 100), words("+..." * 500)
    alone = corrected_rate(gold, judge, others, slope=1.0).rate
    groups = np.repeat(np.arange(100), 4), 100 + np.repeat(np.arange(500), 4)
    together = corrected_rate(gold, judge, others, slope=1.0, groups=groups).rate
    assert together.value == alone.value
    assert (together.high or 0) < (alone.high or 0)  # every group has the same errors
    mixed = np.tile(np.arange(4), 100), np.tile(np.arange(4), 500)  # each of one kind
    assert (corrected_rate(gold, judge, others, slope=1.0, groups=mixed).rate.high or 0) > (
        alone.high or 0
    )


def test_without_labels_or_others_it_is_undefined_and_one_group_has_no_interval() -> None:
    assert corrected_rate([], [], words("+.")).rate == Estimate(None, 0)
    assert corrected_rate(words("+."), words("+."), []).rate == Estimate(None, 2)
    one = corrected_rate(words("+."), words("+."), words("+."), groups=([0, 0], [1, 2]))
    assert (one.rate.value, one.rate.low) == (0.5, None)


def test_a_rate_lies_between_0_and_1() -> None:
    gold, judge = words("." * 30), words("+" * 10 + "." * 20)
    found = corrected_rate(gold, judge, words("+" * 10 + "." * 90), slope=2.0).rate
    assert (found.value, found.low) == (0, 0)  # 0.1 - 0.33


def drawn(random: np.random.Generator, rate: float, n: int) -> tuple[Bools, Bools]:
    """Truth and a judge that finds 60 % of what is True and has 20 % false alarms."""
    gold = random.random(n) < rate
    return gold, np.where(gold, random.random(n) < 0.6, random.random(n) < 0.2)


def test_it_covers_the_truth_where_the_rate_by_the_judge_does_not(
    random: np.random.Generator,
) -> None:
    rates, times = (0.05, 0.15, 0.3), 400
    holds, values, naive, widths, by_people = [], [], [], [], []
    for _ in range(times):
        llms = [drawn(random, rate, 550) for rate in rates]
        gold = np.concatenate([truth[:50] for truth, _ in llms])
        judge = np.concatenate([said[:50] for _, said in llms])
        slope = judge_slope(gold, judge, np.concatenate([said[50:] for _, said in llms]))
        for rate, (truth, said) in zip(rates, llms, strict=True):
            found = corrected_rate(truth[:50], said[:50], said[50:], slope=slope).rate
            assert found.value is not None
            assert found.low is not None
            assert found.high is not None
            holds.append(found.low <= rate <= found.high)
            values.append(found.value - rate)
            mean = said.mean()
            naive.append(abs(mean - rate) <= 1.96 * (mean * (1 - mean) / 550) ** 0.5)
            widths.append(found.high - found.low)
            people = corrected_rate(truth[:50], said[:50], said[50:], slope=0.0).rate
            by_people.append((people.high or 0) - (people.low or 0))
    assert np.mean(holds) >= 0.94
    assert abs(np.mean(values)) < 0.005
    assert np.mean(naive) < 0.4
    assert np.mean(widths) < np.mean(by_people)


@pytest.mark.parametrize("rate", [0.03, 0.3])
@pytest.mark.parametrize("judge", [(0.9, 0.05), (0.5, 0.5)])
def test_it_covers_with_few_labelled_sources_of_several_items(
    random: np.random.Generator, rate: float, judge: tuple[float, float]
) -> None:
    # Four items a source, whose correlation is a third; people labelled ten sources of 110.
    groups, held = np.repeat(np.arange(110), 4), []
    for _ in range(200):
        gold = random.random(440) < np.repeat(random.beta(2 * rate, 2 - 2 * rate, 110), 4)
        hits, alarms = (random.random(440) < chance for chance in judge)
        said = np.where(gold, hits, alarms)
        found = corrected_rate(
            gold[:40], said[:40], said[40:], slope=0.5, groups=(groups[:40], groups[40:])
        ).rate
        held.append((found.low or 0) <= rate <= (found.high or 0))
    assert np.mean(held) >= 0.93
