"""Fitting a calibration on labelled scores."""

import numpy as np
import pytest

from assay.detectors.embedded.calibration import Calibration, log_odds
from assay.evaluation.calibration.fits import (
    LEAST_SCALE,
    MOST_SCALE,
    MOST_UNSURE,
    LabelledScores,
    Read,
    band,
    change,
    cross_validated,
    fit,
    measure,
    rescaled,
    tells_apart,
)
from assay.evaluation.calibration.worth import needed, warning_of_band
from assay.metrics import balanced_accuracy, calibration_error, proportion

OWN = Calibration(0.5, 0.1)


def drawn(n: int, scale: float, shift: float, seed: int = 0, per_source: int = 2) -> LabelledScores:
    """Scores whose true log-odds are `scale` times theirs, plus `shift`."""
    random = np.random.default_rng(seed)
    values = random.normal(0, 2, n)
    true = 1 / (1 + np.exp(-(scale * values + shift)))
    scores = np.round(1 / (1 + np.exp(-values)), 4)
    groups = np.array([str(number // per_source) for number in range(n)])
    return LabelledScores(scores, random.random(n) < true, groups)


def test_scale_and_shift_are_found_again() -> None:
    made = fit(drawn(6000, 0.6, -1.0), OWN)
    scale, shift = change(OWN, made)
    assert scale == pytest.approx(0.6, abs=0.05)
    assert shift == pytest.approx(-1.0, abs=0.1)


def test_scores_read_by_the_new_calibration_are_the_old_ones_rescaled() -> None:
    given = drawn(500, 0.6, -1.0)
    made = fit(given, OWN)
    logits = [(1.5, 0.2, -0.4), (-2.0, 0.3, 1.0)]
    before = np.array([OWN.chances(each)[0] for each in logits])
    after = [made.chances(each)[0] for each in logits]
    assert rescaled(before, *change(OWN, made)) == pytest.approx(after, abs=1e-6)


def test_threshold_lies_where_both_classes_are_found_equally_well() -> None:
    # Log-odds of -1 + 0.6 z: the best cut for balanced accuracy is where the two densities cross.
    given = drawn(6000, 0.6, -1.0)
    made = fit(given, OWN)
    after = rescaled(given.scores, *change(OWN, made))
    best = max(
        balanced_accuracy(given.faithful, after >= cut) or 0 for cut in np.linspace(0.05, 0.95, 181)
    )
    assert balanced_accuracy(given.faithful, after >= made.threshold) == pytest.approx(
        best, abs=0.01
    )


def test_band_holds_the_threshold_and_leaves_most_units_outside() -> None:
    given = drawn(2000, 0.5, 0.0)
    made = fit(given, OWN, sure=0.9)
    read = Read.by(made, rescaled(given.scores, *change(OWN, made)))
    assert made.unsure[0] <= made.threshold <= made.unsure[1]
    assert 0 < read.unsure.mean() <= MOST_UNSURE + 0.01


def test_verdicts_outside_of_the_band_are_right_as_often_as_wanted() -> None:
    given = drawn(4000, 1.2, 0.0)
    made = fit(given, OWN, sure=0.85)
    read = Read.by(made, rescaled(given.scores, *change(OWN, made)))
    sure = ~read.unsure
    for called in (True, False):
        some = sure & (read.called == called)
        assert (given.faithful[some] == called).mean() >= 0.85
    wider = fit(given, OWN, sure=0.9)
    assert wider.unsure[0] < made.unsure[0]


def test_few_rows_change_little() -> None:
    random = np.random.default_rng(1)
    few = LabelledScores(
        np.round(random.uniform(0.3, 0.7, 20), 4),
        np.arange(20) % 2 == 0,
        np.array(list(map(str, range(20)))),
    )
    made = fit(few, OWN)
    scale, shift = change(OWN, made)
    assert 0.3 < scale < 1.5
    assert abs(shift) < 0.5
    assert abs(log_odds(made.threshold)) < 0.5


def test_rows_that_are_separated_perfectly_do_not_run_away() -> None:
    scores = np.concatenate((np.full(30, 0.2), np.full(30, 0.8)))
    given = LabelledScores(scores, scores > 0.5, np.array(list(map(str, range(60)))))
    made = fit(given, OWN)
    assert change(OWN, made)[0] < 5
    assert 0.3 < made.threshold < 0.7


def test_without_a_class_nothing_is_fitted() -> None:
    given = drawn(50, 1.0, 0.0)
    one = LabelledScores(given.scores, np.ones(50, np.bool_), given.groups)
    assert fit(one, OWN) == OWN


def test_cross_validation_never_fits_on_the_source_it_reads() -> None:
    # Sources of ten sentences whose labels are the opposite of the others': a calibration that saw
    # its own source would do better on it than one that did not.
    given = drawn(400, 1.0, 0.0, per_source=10)
    flipped = np.isin(given.groups, ["0"])
    odd = LabelledScores(given.scores, given.faithful ^ flipped, given.groups)
    read = cross_validated(odd, OWN)
    alone = fit(odd[~flipped], OWN)
    held = rescaled(odd.scores, *change(OWN, alone))
    assert abs(read.chances[flipped] - held[flipped]).mean() < 0.02


def test_calibration_error_falls_on_unseen_sources() -> None:
    given = drawn(1500, 0.4, -1.2)
    read = cross_validated(given, OWN)
    before = calibration_error(given.faithful, given.scores)
    after = calibration_error(given.faithful, read.chances)
    assert before is not None
    assert after is not None
    assert after < before / 3


def test_figures_have_n_and_intervals() -> None:
    given = drawn(200, 1.0, 0.0)
    read = Read.by(fit(given, OWN), given.scores)
    found = measure(given, read)
    assert found["precision of unfaithful"].n == int((~read.called).sum())
    assert found["recall of unfaithful"].n == int((~given.faithful).sum())
    called = read.called & ~read.unsure
    assert found["precision of faithful where sure"].n == int(called.sum())
    assert all(each.low is not None and each.n for each in found.values())
    assert found["balanced accuracy"].n == 200
    sure = found["share that is sure"].value
    assert sure is not None
    assert found["balanced accuracy where sure"].n == round(200 * sure)


def confident(mean: float, wrong: float, seed: int, n: int = 200) -> LabelledScores:
    """Scores of a model that is sure of itself, and wrong on a share of the units."""
    random = np.random.default_rng(seed)
    faithful = random.random(n) < 0.6
    leaning = np.where(faithful ^ (random.random(n) < wrong), 1, -1)
    values = leaning * random.normal(mean, 1.5, n)
    scores = np.round(1 / (1 + np.exp(-values)), 4)
    return LabelledScores(scores, faithful, np.array(list(map(str, range(n)))))


def loss(given: LabelledScores, scale: float, shift: float) -> float:
    odds = scale * given.log_odds + shift
    misfit = np.logaddexp(0, np.where(given.faithful, -odds, odds)).sum()
    return float(misfit + ((scale - 1) / 0.5) ** 2 / 2 + shift**2 / 2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("mean", [3, 5, 7])
@pytest.mark.parametrize("wrong", [0.05, 0.1, 0.2])
def test_confident_scores_with_errors_are_fitted_at_the_least_loss(mean: int, wrong: float) -> None:
    for seed in range(3):
        given = confident(mean, wrong, seed)
        scale, shift = change(OWN, fit(given, OWN))
        found = loss(given, scale, shift)
        assert found <= loss(given, 1, 0)
        around = [(0.02, 0.0), (-0.02, 0.0), (0.0, 0.02), (0.0, -0.02)]
        assert found <= min(loss(given, scale + a, shift + b) for a, b in around)


def test_scale_stays_within_bounds() -> None:
    values = np.concatenate((np.full(3000, 0.02), np.full(3000, -0.02)))
    scores = 1 / (1 + np.exp(-values * 25))
    given = LabelledScores(scores, values > 0, np.array(list(map(str, range(6000)))))
    near = LabelledScores(0.5 + values / 4, given.faithful, given.groups)
    for each in (given, near):
        assert change(OWN, fit(each, OWN))[0] <= MOST_SCALE
    turned = LabelledScores(scores, values < 0, given.groups)
    scale, shift = change(OWN, fit(turned, OWN))
    assert scale == pytest.approx(LEAST_SCALE, abs=1e-5)
    assert abs(shift) < 0.01
    assert not tells_apart(turned)
    assert tells_apart(given)


def right_where_sure(given: LabelledScores, sure: float) -> tuple[float, float]:
    made = fit(given, OWN, sure)
    read = Read.by(made, rescaled(given.scores, *change(OWN, made)))
    right = (read.called == given.faithful)[~read.unsure]
    return float(right.mean()), float(read.unsure.mean())


def test_more_is_never_bought_with_less() -> None:
    random = np.random.default_rng(3)
    for _ in range(5):
        scores = np.round(random.random(200), 4)
        groups = np.array(list(map(str, range(200))))
        given = LabelledScores(scores, random.random(200) < scores, groups)
        found = [right_where_sure(given, sure) for sure in (0.6, 0.8, 0.9, 0.95, 0.99)]
        rights = [right for right, _ in found]
        assert min(np.diff(rights)) > -0.01
        assert [share for _, share in found] == sorted(share for _, share in found)


def test_band_is_as_wide_as_it_may_be_where_nothing_is_right_often_enough() -> None:
    # Below the threshold and above it six of ten are right, however far away.
    scores = np.linspace(0.02, 0.98, 200).round(4)
    right = np.arange(200) % 10 < 6
    faithful = np.where(scores > 0.5, right, ~right)
    low, high = band(scores, faithful, 0.5, 0.8)
    assert ((scores > low) & (scores < high)).sum() == int(MOST_UNSURE * 200)
    assert band(scores, faithful, 0.5, 0.5) == (0.5, 0.5)


def test_units_with_the_same_score_are_all_inside_or_all_outside() -> None:
    scores = np.repeat([0.1, 0.3, 0.7, 0.9], 30)
    right = np.concatenate([np.arange(30) % 10 < n for n in (10, 5, 5, 10)])
    faithful = np.where(scores > 0.5, right, ~right)
    low, high = band(scores, faithful, 0.5, 0.9)
    inside = (scores > low) & (scores < high)
    assert inside.sum() in (0, 30)
    assert inside.mean() <= MOST_UNSURE


def easy(n: int) -> LabelledScores:
    """As many faithful as unfaithful units, all with clear scores."""
    faithful = np.arange(n) % 2 == 0
    scores = np.where(faithful, 0.97, 0.03) + np.arange(n) / n / 100
    return LabelledScores(scores, faithful, np.arange(n).astype(str))


@pytest.mark.parametrize(("n", "is_little"), [(20, True), (100, False)])
def test_a_band_that_easy_rows_remove_is_told_with_how_many_it_takes(
    n: int, is_little: bool
) -> None:
    own, given = Calibration(1.0, 0.0, 0.5, (0.3, 0.7)), easy(n)
    made = fit(given, own)
    assert made.unsure[0] == made.unsure[1]
    told = warning_of_band(given, own, made, 0.8)
    assert told.startswith("the not-sure band is gone")
    assert ("10 verdicts are unfaithful and 10 verdicts are faithful" in told) == is_little
    assert ("it takes 16 of each kind, all right, to show that 0.8" in told) == is_little
    assert warning_of_band(given, own, own, 0.8) == ""


@pytest.mark.parametrize("sure", [0.6, 0.8, 0.95])
def test_so_many_right_verdicts_show_that_they_are_right_often_enough(sure: float) -> None:
    count = needed(sure)
    lows = [proportion(each, each).low or 0 for each in (count - 1, count)]
    assert lows[0] < sure <= lows[1]
