"""Quick figures and scores on development rows, by hand."""

import json
from pathlib import Path

import numpy as np
import pytest

from assay.metrics import Resampling
from training.arrays import rows_of_marks, save_arrays
from training.evaluate import Estimator, Scores, shown
from training.measures import summary

pytestmark = pytest.mark.soak

# Two examples of one set: the first faithful; the second in two rows, with one wrong sentence.
ARRAYS = {
    "mark_ends": np.array([2, 3, 4]),
    "groups": np.array(["qa"]),
    "group": np.array([0, 0, 0]),
    "targets": np.array([1, 1, 1, 0]),
    "responses": np.array([1, 0, 0]),
    "example": np.array([0, 1, 1]),
    "sentences": np.array([0, 1, 0, 1]),
}
CHANCES = np.array([[0.9, 0.05, 0.05], [0.8, 0.1, 0.1], [0.7, 0.2, 0.1], [0.75, 0.2, 0.05]])


def test_marks_know_their_rows() -> None:
    assert rows_of_marks(ARRAYS["mark_ends"]).tolist() == [0, 0, 1, 2]


def test_quick_figures_follow_from_the_chances() -> None:
    # The wrong sentence (0.75) scores below two of three right ones; as a response 0.7 < 0.8.
    figures = summary(ARRAYS, np.log(CHANCES))["qa"]
    assert figures == {"sentence_auc": 0.667, "response_auc": 1.0, "bacc": 0.5, "best_bacc": 1.0}


def test_set_of_one_class_has_the_share_that_is_called_faithful() -> None:
    alike = {**ARRAYS, "targets": np.full(4, -1), "responses": np.ones(3)}
    assert summary(alike, np.log(CHANCES))["qa"] == {"called_faithful": 1.0}


@pytest.fixture
def scores(tmp_path: Path) -> Scores:
    save_arrays(tmp_path / "development.npz", ARRAYS)
    rows = [
        {"group": "qa", "cluster": "a", "sentences": ["x", "y"], "response": 1,
         "labels": ["faithful", "benign"], "faithful": [1, 0]},
        {"group": "qa", "cluster": "b", "sentences": ["x", "y"], "response": 0,
         "labels": ["questionable", "unwanted"], "faithful": [0, 0]},
    ]  # fmt: skip
    (tmp_path / "development.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return Scores(tmp_path, np.log(CHANCES), 1.0, 0.0)


def test_scores_without_calibration_are_the_chances(scores: Scores) -> None:
    np.testing.assert_allclose(np.concatenate(scores.sentences), CHANCES[:, 0])
    np.testing.assert_allclose(scores.responses("qa").scores, [0.8, 0.7])


def test_lenient_reading_leaves_questionable_sentences_out(scores: Scores) -> None:
    assert scores.labelled("qa").gold.tolist() == [True, False, False, False]
    assert scores.labelled("qa", lenient=True).gold.tolist() == [True, True, False]


def test_share_that_is_noticed_comes_with_its_count(scores: Scores) -> None:
    noticed = Estimator(Resampling(replicates=10)).noticed(scores.labelled("qa"))
    assert (noticed.value, noticed.n) == (0.0, 4)
    assert shown(noticed).endswith("n=4")
    assert shown(None) == "-"
    assert shown(0.25) == "0.250"
