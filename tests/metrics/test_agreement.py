from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.metrics import cohen_kappa, fleiss_kappa, krippendorff_alpha, raw_agreement
from assay.metrics.agreement import Level
from assay.metrics.arrays import Floats

NAN = float("nan")
# Fleiss 1971 as commonly reprinted: 10 units by 14 raters in 5 classes, kappa 0.210.
FLEISS_COUNTS = [
    [0, 0, 0, 0, 14],
    [0, 2, 6, 4, 2],
    [0, 0, 3, 5, 6],
    [0, 3, 9, 2, 0],
    [2, 2, 8, 1, 1],
    [7, 7, 0, 0, 0],
    [3, 2, 6, 3, 0],
    [2, 5, 3, 2, 2],
    [6, 5, 2, 1, 0],
    [0, 2, 2, 3, 7],
]


def test_raw_agreement_of_two_raters_is_the_share_alike() -> None:
    assert raw_agreement([[0, 1, 2, 2], [0, 1, 2, 1]]) == 0.75


def test_each_unit_counts_the_same_however_often_it_is_rated() -> None:
    # unit 1: of 3 pairs 1 agrees; unit 2: its only pair agrees; unit 3: rated once, left out
    ratings = np.array([[0, 4, 1], [0, 4, NAN], [1, NAN, NAN]])
    assert raw_agreement(ratings) == pytest.approx((1 / 3 + 1) / 2)


def test_masked_ratings_are_missing() -> None:
    ratings = np.ma.array([[0, 1], [0, 0]], mask=[[False, False], [False, True]])
    assert raw_agreement(ratings) == 1


@pytest.mark.parametrize("ratings", [[[0, 1, 2]], [[], []], [[NAN, 1], [0, NAN]]])
def test_agreement_needs_two_ratings_of_a_unit(ratings: list[list[float]]) -> None:
    assert raw_agreement(ratings) is None


def test_cohen_kappa_by_hand() -> None:
    # p_o = 7/10; first: 4 and 6, second: 5 and 5; p_e = 0.4 x 0.5 + 0.6 x 0.5 = 0.5
    first = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]
    second = [0, 0, 0, 1, 0, 0, 1, 1, 1, 1]
    assert cohen_kappa(first, second) == pytest.approx((0.7 - 0.5) / 0.5)


def test_cohen_kappa_is_undefined_without_variation() -> None:
    assert cohen_kappa([1, 1, 1], [1, 1, 1]) is None
    assert cohen_kappa([], []) is None
    assert cohen_kappa([1, 1, 1], [0, 0, 0]) == 0


def test_cohen_kappa_agrees_with_sklearn(sklearn_metrics: Any, random: np.random.Generator) -> None:
    first, second = random.integers(0, 4, (2, 200))
    theirs = sklearn_metrics.cohen_kappa_score(first, second)
    assert cohen_kappa(first, second, classes=4) == pytest.approx(theirs)


def test_fleiss_kappa_of_the_reprinted_example() -> None:
    ratings = np.array([np.repeat(range(5), counts) for counts in FLEISS_COUNTS]).T
    assert fleiss_kappa(ratings) == pytest.approx(0.20993, abs=5e-6)


def test_fleiss_kappa_is_undefined_without_variation_or_a_second_rater() -> None:
    assert fleiss_kappa([[1, 1], [1, 1]]) is None
    assert fleiss_kappa([[1, 0]]) is None
    assert fleiss_kappa([[], []]) is None


def test_fleiss_kappa_refuses_missing_ratings() -> None:
    with pytest.raises(ValueError, match="krippendorff_alpha"):
        fleiss_kappa(np.array([[1, 0], [NAN, 0]]))


def test_fleiss_kappa_is_alpha_without_its_correction(random: np.random.Generator) -> None:
    # 1 - alpha = (1 - kappa) (n - 1) / n for n ratings
    ratings = random.integers(0, 3, (4, 50))
    kappa, alpha = fleiss_kappa(ratings), krippendorff_alpha(ratings)
    assert kappa is not None
    assert alpha == pytest.approx(1 - (1 - kappa) * 199 / 200)


def test_ratings_have_two_axes() -> None:
    with pytest.raises(ValueError, match="raters x units"):
        raw_agreement([1, 2, 3])


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
    [
        [[0, 1, 2]],
        [[NAN, NAN], [NAN, NAN]],
        [[], []],
        [[NAN, 1], [0, NAN]],
        [[0.1] * 3] * 3,
    ],
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
