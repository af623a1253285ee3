"""VeriGray's protocols, class-wise F1 and selective prediction, against the released matrices."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import Verdict, taxonomy
from assay.evaluation.evaluate import Evaluation, evaluate
from assay.evaluation.policy import GoldPolicy
from assay.metrics import Resampling
from tests.evaluation.opinions import Make, predicted

pytestmark = pytest.mark.shared_data

GRAY7 = taxonomy("gray7")
ONCE = Resampling(replicates=1)
NAMES = {"precision": "precision", "recall": "recall", "F1": "f1"}


@pytest.fixture(scope="module", params=["GPT-5", "DeepSeek-R1"])
def released(request: pytest.FixtureRequest, shared_data: Path) -> dict[str, Any]:
    """The matrix of one detector, with the authors' figures; rows and columns in our order."""
    document = json.loads((shared_data / "verigray/confusions.json").read_bytes())
    assert tuple(document["labels"]) == GRAY7.names
    return next(each for each in document["figures"] if each["detector"] == request.param)


@pytest.fixture
def evaluated(released: dict[str, Any], make_annotated: Make) -> Callable[..., Evaluation]:
    """Sentences that are labelled and judged as in the matrix."""
    cells = np.argwhere(np.ones((7, 7))).repeat(np.ravel(released["matrix"]), axis=0)
    gold, said = ([GRAY7.names[at] for at in side] for side in cells.T)
    annotated = [make_annotated("a", " ".join(gold))]
    run = predicted(annotated, lambda unit: Verdict(unit.id, GRAY7[said[int(unit.id[1:]) - 1]]))

    def at(threshold: str | None = None) -> Evaluation:
        policy = GoldPolicy("sentence", "corpus", "verigray")
        return evaluate(annotated, run, policy, threshold=threshold, resampling=ONCE)

    return at


def test_both_protocols_are_the_authors_without_any_threshold(
    released: dict[str, Any], evaluated: Callable[..., Evaluation]
) -> None:
    result = evaluated()
    wanted = released["thresholds"][-1]
    assert wanted["lowest_faithful_label"] == "implicitly-supported"
    found = result.figures
    assert found["balanced accuracy"].value == pytest.approx(wanted["balanced_accuracy"])
    for name, theirs in NAMES.items():
        assert found[name].value == pytest.approx(wanted[theirs])
    assert found["ranking loss"].value == pytest.approx(released["ranking_loss"])
    assert found["ranking loss"].n == np.sum(released["matrix"])


def test_other_thresholds_are_the_authors_too(
    released: dict[str, Any], evaluated: Callable[..., Evaluation]
) -> None:
    for wanted in released["thresholds"]:
        found = evaluated(wanted["lowest_faithful_label"]).figures
        assert found["balanced accuracy"].value == pytest.approx(wanted["balanced_accuracy"])
        assert found["F1"].value == pytest.approx(wanted["f1"])


def test_class_f1_has_all_seven_classes(
    released: dict[str, Any], evaluated: Callable[..., Evaluation]
) -> None:
    matrix, found = np.array(released["matrix"]), evaluated().class_f1
    for at, name in enumerate(GRAY7.names):
        right, others = matrix[at, at], matrix[at].sum() + matrix[:, at].sum()
        assert found[name].value == pytest.approx(2 * right / others)
        assert found[name].n == matrix[at].sum()
    values = [each.value or 0 for each in found.values()]
    assert sum(values) / 7 == pytest.approx(released["macro_f1"])


def test_selective_prediction_is_that_of_figure_5(
    released: dict[str, Any], evaluated: Callable[..., Evaluation]
) -> None:
    matrix, found = np.array(released["matrix"]), evaluated().acceptance
    assert [each.label for each in found] == list(GRAY7.names[4:])
    for place, each in enumerate(found, start=4):
        accepted = matrix[:, place:].sum()
        assert each.coverage.value == pytest.approx(accepted / matrix.sum())
        assert each.risk.value == pytest.approx(matrix[:2, place:].sum() / accepted)
    if released["detector"] == "GPT-5":
        pairs = [(each.coverage.value, each.risk.value) for each in found]
        assert np.round(np.array(pairs, dtype=float), 3).tolist() == [
            [0.850, 0.079],
            [0.833, 0.079],
            [0.637, 0.065],
        ]
