"""Selective prediction by labels, and what says how sure a detector is."""

from collections.abc import Sequence

import pytest

from assay import Annotated, Verdict, taxonomy
from assay.evaluation.evaluate import Evaluation, evaluate
from assay.evaluation.policy import GoldPolicy
from assay.metrics import Resampling
from tests.evaluation.opinions import Make, predicted, scores

SENTENCES = GoldPolicy(unit="sentence")
FEW = Resampling(replicates=50)


def on(annotated: Sequence[Annotated], said: str, menu: str = "gray7") -> Evaluation:
    """The evaluation of a detector that gives the sentences of each example these labels."""
    names, labels = said.split(), taxonomy(menu)
    judgements = predicted(
        annotated, lambda unit: Verdict(unit.id, labels[names[int(unit.id[1:]) - 1]])
    )
    return evaluate(annotated, judgements, SENTENCES, resampling=FEW)


def test_coverage_and_risk_are_of_all_verdicts_from_a_label_upwards(make_annotated: Make) -> None:
    gold = "fabricated ambiguous explicitly-supported explicitly-supported"
    said = "out-dependent explicitly-supported implicitly-supported fabricated"
    result = on([make_annotated("a", gold)], said)
    # 3 of 4 are accepted, 1 of them fabricated; then 2 and 1, of which the ambiguous one is no
    # error.
    assert [(a.label, a.coverage.value, a.risk.value, a.risk.n) for a in result.acceptance] == [
        ("out-dependent", 0.75, pytest.approx(1 / 3), 3),
        ("implicitly-supported", 0.5, 0, 2),
        ("explicitly-supported", 0.25, 0, 1),
    ]
    assert result.acceptance[0].coverage.n == 4


def test_no_error_among_few_still_has_a_wide_interval(make_annotated: Make) -> None:
    few = [make_annotated(name, "explicitly-supported", source=name) for name in "ab"]
    result = on(few, "explicitly-supported")
    risk = result.acceptance[-1].risk
    assert (risk.value, risk.low) == (0, 0)
    assert (risk.high or 0) > 0.5


def test_thresholds_are_the_highest_degrees_of_any_taxonomy(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated explicitly-supported")]
    nli = on(annotated, "neutral entailment", "nli")
    assert [each.label for each in nli.acceptance] == ["neutral", "entailment"]
    assert on(annotated, "unfaithful faithful", "binary").acceptance == ()
    faithbench = on(annotated, "unwanted consistent", "faithbench")
    assert [each.label for each in faithbench.acceptance] == [
        "questionable",
        "benign",
        "consistent",
    ]


def test_labels_order_what_has_no_score(make_annotated: Make) -> None:
    gold = "fabricated contradicting implicitly-supported explicitly-supported"
    said = "out-dependent fabricated out-dependent explicitly-supported"
    result = on([make_annotated("a", gold)], said)
    # Pairs of a faithful and an unfaithful item: (I, F) tie, (I, C), (E, F), (E, C) right.
    assert result.confidence == "label"
    assert result.figures["AUROC"].value == pytest.approx(3.5 / 4)
    # Risks: E 0 of 1; with the two out-dependent 1 of 3; with fabricated 2 of 4.
    area = 1 / 4 * 0 + 2 / 4 * 1 / 3 + 1 / 4 * 2 / 4
    assert result.figures["risk-coverage area"].value == pytest.approx(area)
    assert result.figures["calibration error"].value is None
    assert result.figures["calibration error"].n == 0


def test_scores_come_before_labels(make_annotated: Make) -> None:
    annotated = [make_annotated("a", "fabricated explicitly-supported")]
    said = predicted(annotated, scores(".8 .2"))
    result = evaluate(annotated, said, SENTENCES, resampling=FEW)
    assert result.confidence == "score"
    assert result.figures["AUROC"].value == 0
    assert result.acceptance == ()
