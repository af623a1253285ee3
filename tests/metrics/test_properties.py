"""What holds for every metric that compares gold truth with a prediction."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from assay.metrics import (
    accuracy,
    auroc,
    balanced_accuracy,
    brier_score,
    calibration_error,
    cohen_kappa,
    f1,
    macro_f1,
    precision,
    ranking_loss,
    recall,
    selective_area,
    specificity,
)
from assay.metrics.arrays import Bools, Floats

Metric = Callable[[ArrayLike, ArrayLike], float | None]

# Label metrics take predicted truth values, score metrics a score that is higher for more faithful.
LABEL_METRICS: dict[str, Metric] = {
    "accuracy": accuracy,
    "balanced_accuracy": balanced_accuracy,
    "precision": precision,
    "recall": recall,
    "specificity": specificity,
    "f1": f1,
    "macro_f1": macro_f1,
    "cohen_kappa": cohen_kappa,
}
SCORE_METRICS: dict[str, Metric] = {
    "auroc": auroc,
    "ranking_loss": ranking_loss,
    "selective_area": selective_area,
    "calibration_error": calibration_error,
    "brier_score": brier_score,
}
METRICS = {**LABEL_METRICS, **SCORE_METRICS}
LOWER_IS_BETTER = {"ranking_loss", "calibration_error", "brier_score"}
LOWEST = {"cohen_kappa": -1.0}
SYMMETRIC = ["accuracy", "f1", "macro_f1", "cohen_kappa"]
BLIND_TO_THE_NAMES = ["accuracy", "balanced_accuracy", "macro_f1", "cohen_kappa"]

ITEMS = st.lists(st.tuples(st.booleans(), st.integers(0, 8)), max_size=30)
Items = list[tuple[bool, int]]
quick = settings(deadline=None, max_examples=60)


def arrays_of(items: Items, name: str) -> tuple[Bools, Bools | Floats]:
    """Gold, and a prediction of the kind that the metric takes: labels or scores in eighths."""
    gold = np.array([item[0] for item in items], dtype=bool)
    score = np.array([item[1] / 8 for item in items])
    return gold, score >= 0.5 if name in LABEL_METRICS else score


@pytest.mark.parametrize("name", METRICS)
def test_without_items_it_is_undefined(name: str) -> None:
    assert METRICS[name]([], []) is None


@pytest.mark.parametrize("name", METRICS)
@quick
@given(items=ITEMS)
def test_it_is_a_number_in_its_range_or_undefined(name: str, items: Items) -> None:
    value = METRICS[name](*arrays_of(items, name))
    assert value is None or LOWEST.get(name, 0.0) <= value <= 1
    assert value is None or type(value) is float


@pytest.mark.parametrize("name", METRICS)
@quick
@given(items=ITEMS, seed=st.integers(0, 9))
def test_order_of_items_does_not_matter(name: str, items: Items, seed: int) -> None:
    gold, predicted = arrays_of(items, name)
    order = np.random.default_rng(seed).permutation(len(items))
    value = METRICS[name](gold[order], predicted[order])
    assert value == pytest.approx(METRICS[name](gold, predicted), abs=1e-12)


@pytest.mark.parametrize("name", METRICS)
@quick
@given(items=ITEMS)
def test_items_counted_twice_change_nothing(name: str, items: Items) -> None:
    gold, predicted = arrays_of(items, name)
    value = METRICS[name](np.tile(gold, 2), np.tile(predicted, 2))
    assert value == pytest.approx(METRICS[name](gold, predicted), abs=1e-12)


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"selective_area"}))
@quick
@given(items=ITEMS)
def test_perfect_prediction_is_best(name: str, items: Items) -> None:
    gold = np.array([True, False] + [item[0] for item in items])
    predicted = gold if name in LABEL_METRICS else gold.astype(float)
    assert METRICS[name](gold, predicted) == (0 if name in LOWER_IS_BETTER else 1)


@pytest.mark.parametrize("name", sorted(set(METRICS) - {"selective_area"}))
def test_opposite_prediction_is_worst(name: str) -> None:
    gold = np.array([True, False, True, False])
    predicted = ~gold if name in LABEL_METRICS else (~gold).astype(float)
    worst = 1 if name in LOWER_IS_BETTER else LOWEST.get(name, 0)
    assert METRICS[name](gold, predicted) == worst


@pytest.mark.parametrize("name", SYMMETRIC)
@quick
@given(items=ITEMS)
def test_gold_and_prediction_may_change_places(name: str, items: Items) -> None:
    gold, predicted = arrays_of(items, name)
    expected = METRICS[name](gold, predicted)
    assert METRICS[name](predicted, gold) == pytest.approx(expected, abs=1e-12)


@quick
@given(items=ITEMS)
def test_precision_is_recall_the_other_way_round(items: Items) -> None:
    gold, predicted = arrays_of(items, "precision")
    assert METRICS["precision"](gold, predicted) == METRICS["recall"](predicted, gold)


@quick
@given(items=ITEMS)
def test_specificity_is_recall_with_the_names_exchanged(items: Items) -> None:
    gold, predicted = arrays_of(items, "specificity")
    exchanged = ~gold, ~np.asarray(predicted, bool)
    assert METRICS["specificity"](gold, predicted) == METRICS["recall"](*exchanged)


@pytest.mark.parametrize("name", BLIND_TO_THE_NAMES)
@quick
@given(items=ITEMS)
def test_faithful_and_unfaithful_may_change_places(name: str, items: Items) -> None:
    gold, predicted = arrays_of(items, name)
    expected = METRICS[name](gold, predicted)
    assert METRICS[name](~gold, ~np.asarray(predicted, bool)) == pytest.approx(expected, abs=1e-12)


@quick
@given(items=ITEMS)
def test_reversed_scores_mirror_auroc(items: Items) -> None:
    gold, score = arrays_of(items, "auroc")
    value = METRICS["auroc"](gold, score)
    mirrored = None if value is None else 1 - value
    assert METRICS["auroc"](gold, 1 - score) == pytest.approx(mirrored, abs=1e-12)
    assert METRICS["auroc"](~gold, score) == pytest.approx(mirrored, abs=1e-12)
    assert METRICS["ranking_loss"](gold, score) == pytest.approx(mirrored, abs=1e-12)


@pytest.mark.parametrize("name", ["auroc", "ranking_loss", "selective_area"])
@quick
@given(items=ITEMS)
def test_only_the_order_of_scores_matters(name: str, items: Items) -> None:
    gold, score = arrays_of(items, name)
    assert METRICS[name](gold, np.exp(score) * 7 - 100) == METRICS[name](gold, score)


@quick
@given(items=ITEMS)
def test_brier_score_is_blind_to_the_names(items: Items) -> None:
    gold, score = arrays_of(items, "brier_score")
    expected = METRICS["brier_score"](gold, score)
    assert METRICS["brier_score"](~gold, 1 - score) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", SCORE_METRICS)
def test_score_metrics_refuse_nan(name: str) -> None:
    with pytest.raises(ValueError, match="NaN"):
        METRICS[name]([True, False], [0.5, float("nan")])
