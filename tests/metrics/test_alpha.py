from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.metrics import krippendorff_alpha
from assay.metrics.alpha import Level
from assay.metrics.arrays import Floats

NAN = float("nan")
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
# Krippendorff 2011, section C: 4 observers, 12 units, missing values.
PUBLISHED = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
    [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
]


@pytest.fixture(scope="session")
def package() -> Any:
    return pytest.importorskip("krippendorff")


@pytest.mark.parametrize(
    ("level", "value"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)]
)
def test_published_example_comes_back(level: Level, value: float) -> None:
    assert krippendorff_alpha(PUBLISHED, level=level) == pytest.approx(value, abs=5e-4)


def test_two_raters_by_hand() -> None:
    # Units (0,0) (0,0) (1,1) (1,0): D_o = 1/4; 5 zeros and 3 ones: D_e = 2 x 5 x 3 / (8 x 7)
    expected = 1 - (1 / 4) / (30 / 56)
    for level in LEVELS:
        alpha = krippendorff_alpha([[0, 0, 1, 1], [0, 0, 1, 0]], level=level)
        assert alpha == pytest.approx(expected)


def test_ordinal_difference_counts_the_ratings_between() -> None:
    # Ratings 0 0 | 1 1 | 2 0: counts 3 2 1, midranks 1.5 4 5.5.
    # D_o = 2 x 4² / 6. D_e = 2 (6 x 2.5² + 3 x 4² + 2 x 1.5²) / 30 = 180 / 30.
    assert krippendorff_alpha([[0, 1, 2], [0, 1, 0]], level="ordinal") == pytest.approx(
        1 - (32 / 6) / (180 / 30)
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "ratings",
    [[[0, 1, 2]], [[NAN, NAN], [NAN, NAN]], [[], []], [[NAN, 1], [0, NAN]], [[0.1] * 3] * 3],
    ids=["one rater", "all missing", "no units", "nothing rated twice", "constant"],
)
def test_alpha_is_undefined(level: Level, ratings: list[list[float]]) -> None:
    assert krippendorff_alpha(ratings, level=level) is None


@pytest.mark.parametrize("level", LEVELS)
def test_perfect_agreement_is_one(level: Level) -> None:
    assert krippendorff_alpha([[0, 1, 5]] * 3, level=level) == pytest.approx(1)


def test_masked_and_nan_are_the_same() -> None:
    masked = np.ma.masked_invalid(PUBLISHED)
    assert krippendorff_alpha(masked) == krippendorff_alpha(PUBLISHED)


def test_only_the_order_matters_to_the_ordinal_level() -> None:
    stretched = np.exp(PUBLISHED)
    expected = krippendorff_alpha(PUBLISHED, level="ordinal")
    assert krippendorff_alpha(stretched, level="ordinal") == pytest.approx(expected)


def test_a_far_zero_point_does_not_change_the_interval_level() -> None:
    shifted = np.array(PUBLISHED) + 1e9
    expected = krippendorff_alpha(PUBLISHED, level="interval")
    assert krippendorff_alpha(shifted, level="interval") == pytest.approx(expected)


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(ValueError, match="nominal, ordinal or interval"):
        krippendorff_alpha(PUBLISHED, level="ratio")  # type: ignore[arg-type]


def test_infinite_ratings_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        krippendorff_alpha(np.array([[0, np.inf], [0, 1]]))


RATINGS = arrays(
    np.float64,
    st.tuples(st.integers(2, 5), st.integers(1, 8)),
    elements=st.sampled_from([0.0, 1.0, 2.0, 5.5, NAN]),
)


@settings(deadline=None, max_examples=150)
@given(ratings=RATINGS, level=st.sampled_from(LEVELS))
def test_agrees_with_the_krippendorff_package(package: Any, ratings: Floats, level: Level) -> None:
    ours = krippendorff_alpha(ratings, level=level)
    if ours is not None:
        theirs = package.alpha(reliability_data=ratings, level_of_measurement=level)
        assert ours == pytest.approx(theirs, abs=1e-9)


@settings(deadline=None)
@given(ratings=RATINGS, level=st.sampled_from(LEVELS), seed=st.integers(0, 99))
def test_order_of_raters_and_units_does_not_matter(
    ratings: Floats, level: Level, seed: int
) -> None:
    random = np.random.default_rng(seed)
    shuffled = random.permutation(random.permutation(ratings, axis=0), axis=1)
    expected = krippendorff_alpha(ratings, level=level)
    assert krippendorff_alpha(shuffled, level=level) == pytest.approx(expected, abs=1e-9)
