"""Fitting a calibration on labelled scores."""

import numpy as np
import pytest

from assay.detectors.embedded.calibration import Calibration, log_odds
from assay.evaluation.calibrating import (
    MOST_UNSURE,
    LabelledScores,
    Read,
    change,
    cross_validated,
    fit,
    measure,
    rescaled,
)
from assay.metrics import balanced_accuracy, calibration_error

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
    found = measure(given, Read.by(fit(given, OWN), given.scores))
    assert all(each.low is not None and each.n for each in found.values())
    assert found["balanced accuracy"].n == 200
    sure = found["share that is sure"].value
    assert sure is not None
    assert found["balanced accuracy where sure"].n == round(200 * sure)
