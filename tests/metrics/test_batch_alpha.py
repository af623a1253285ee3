"""Alpha by batch, averaged: against alpha of each batch, and hand arithmetic."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import ArrayLike

from assay.metrics import Resampling, krippendorff_alpha
from assay.metrics.batch_alpha import batch_alpha, count_batches
from assay.metrics.estimates import Estimate

NAN = float("nan")


def measured(table: ArrayLike, batches: ArrayLike, groups: Sequence[str] | None = None) -> Estimate:
    return batch_alpha(
        table,
        batches=batches,
        groups=groups or range(np.size(batches)),
        classes=3,
        resampling=Resampling(replicates=200),
    )


def test_it_is_the_mean_of_the_interval_alphas_of_the_batches() -> None:
    rng = np.random.default_rng(5)
    first = rng.integers(0, 3, 60)
    second = np.where(rng.random(60) < 0.3, rng.integers(0, 3, 60), first)
    table = np.array([first, second], dtype=float)
    table[1, :7] = NAN
    batches = np.repeat([1, 2, 3], 20)
    parts = (table[:, batches == number] for number in (1, 2, 3))
    alphas = [krippendorff_alpha(part, level="interval") or 0 for part in parts]
    found = measured(table, batches)
    assert found.value == pytest.approx(sum(alphas) / 3)
    assert (found.n, count_batches(table, batches=batches)) == (53, 3)
    assert (found.low or 0) < (found.value or 0) < (found.high or 0)
    assert (found.low or 0) + (found.high or 0) == pytest.approx(2 * (found.value or 0))


def test_a_batch_with_one_class_is_1_and_one_without_pairs_is_left_out() -> None:
    # Batch a: 0 0 and 2 2, alpha 1; b: everybody says 1; c: rated once each.
    table = np.array([[0, 2, 1, 1, 0], [0, 2, 1, 1, NAN]])
    assert measured(table, list("aabbc")).value == 1
    # Batch a: 0 2 and 2 0. D_o = 4; of 0, 0, 2, 2 two thirds of the pairs differ by 4: alpha -1/2.
    assert measured([[0, 2, 1, 1], [2, 0, 1, 1]], list("aabb")).value == pytest.approx(0.25)
    assert count_batches(table, batches=list("aabbc")) == 2


def test_without_a_unit_that_two_rated_it_is_undefined() -> None:
    assert measured([[0, NAN], [NAN, 1]], list("aa")) == Estimate(None, 0)


def test_one_source_a_batch_gives_no_interval() -> None:
    found = measured([[0, 2, 1, 0], [0, 1, 1, 0]], list("aabb"), groups=list("xxyy"))
    assert (found.low, found.high) == (None, None)


def test_more_batches_make_the_interval_narrower() -> None:
    one = np.array([[0, 0, 1, 1, 2, 2, 0, 1], [0, 1, 1, 1, 2, 1, 0, 0]])

    def width(count: int) -> float:
        found = measured(np.tile(one, count), np.repeat(np.arange(count), 8))
        return (found.high or 0) - (found.low or 0)

    # The spread of a mean of sixteen is a quarter; that replicates are lower on average remains.
    assert width(16) < 0.6 * width(1)
