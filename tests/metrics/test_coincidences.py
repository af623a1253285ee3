"""Agreement from coincidences: the same values as from ratings, and intervals over groups."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from assay.metrics import Resampling, Tables, estimate_from_tables, krippendorff_alpha, rates
from assay.metrics import agreement as agreement
from assay.metrics import coincidences as coincidences
from assay.metrics.arrays import Floats
from assay.metrics.coincidences import batch_alpha, count_batches
from assay.metrics.estimates import Estimate

rating = st.sampled_from([0.0, 1.0, 2.0, float("nan")])


def tables(
    raters: int, values: st.SearchStrategy[float] = rating
) -> st.SearchStrategy[list[list[float]]]:
    return st.integers(1, 12).flatmap(
        lambda units: st.lists(
            st.lists(values, min_size=units, max_size=units), min_size=raters, max_size=raters
        )
    )


def alone(ratings: list[list[float]]) -> list[int]:
    return list(range(len(ratings[0])))


def value(rate: object, found: Tables) -> float | None:
    return estimate_from_tables(rate, found).value  # type: ignore[arg-type]


@pytest.mark.parametrize("level", ["nominal", "ordinal"])
@given(ratings=tables(3))
def test_alpha_is_that_of_the_ratings(level: str, ratings: list[list[float]]) -> None:
    found = coincidences.coincidence_tables(ratings, groups=alone(ratings), classes=3)
    expected = krippendorff_alpha(ratings, level=level)  # type: ignore[arg-type]
    got = value(coincidences.alpha(level), found)  # type: ignore[arg-type]
    assert got == (None if expected is None else pytest.approx(expected, abs=1e-9))


@given(ratings=tables(3))
def test_raw_agreement_is_that_of_the_ratings(ratings: list[list[float]]) -> None:
    found = coincidences.raw_tables(ratings, groups=alone(ratings), classes=3)
    expected = agreement.raw_agreement(ratings)
    got = value(rates.share, found)
    assert got == (None if expected is None else pytest.approx(expected, abs=1e-9))


@given(ratings=tables(2, st.sampled_from([0.0, 1.0, 2.0])))
def test_fleiss_kappa_is_that_of_the_ratings(ratings: list[list[float]]) -> None:
    found = coincidences.coincidence_tables(ratings, groups=alone(ratings), classes=3)
    expected = agreement.fleiss_kappa(ratings)
    got = value(coincidences.fleiss_kappa, found)
    assert got == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_interval_is_wider_where_the_units_of_a_group_go_together() -> None:
    random = np.random.default_rng(1)
    groups = np.repeat(np.arange(40), 10)
    labels = np.repeat(random.integers(0, 2, 40), 10).astype(float)
    other = np.where(np.repeat(random.random(40) < 0.3, 10), 1 - labels, labels)
    ratings: Floats = np.stack([labels, other])

    def width(members: object) -> float:
        found = coincidences.coincidence_tables(ratings, groups=members, classes=2)  # type: ignore[arg-type]
        estimate = estimate_from_tables(coincidences.alpha(), found)
        assert estimate.low is not None
        assert estimate.high is not None
        return estimate.high - estimate.low

    assert width(groups) > 2 * width(np.arange(400))


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
