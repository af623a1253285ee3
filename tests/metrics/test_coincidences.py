"""Agreement from coincidences: the same values as from ratings, and intervals over groups."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import (
    Tables,
    agreement,
    coincidences,
    estimate_from_tables,
    krippendorff_alpha,
    rates,
)
from assay.metrics.arrays import Floats

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
