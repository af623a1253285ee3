"""From the units of a response up to one verdict on all of it."""

import asyncio
from collections.abc import Callable
from typing import cast

import pytest

from assay.core import Example, Failure, Outcome, Unit, UnknownNameError, Verdict
from assay.core.taxonomies import BINARY, GRAY7
from assay.detectors import Detector, fold, load_detector
from assay.detectors.fold import Rule, fold_outcomes
from assay.detectors.judges.protocol import Judge
from assay.llm.scripted import Scripted
from tests.detectors.judges.scripts import MILL, RESPONSE, echo

WHOLE = Unit("response", "It sat. It ate.")
PART = Unit("sentence", "It sat.")
FAILED = Failure(PART, "parse", "no JSON", raw="Well.")


def says(name: str | None, score: float | None = None) -> Verdict:
    return Verdict(PART, GRAY7[name] if name else None, score)


def folded(rule: Rule, *outcomes: Outcome) -> Verdict:
    result = fold_outcomes(WHOLE, outcomes, rule)
    assert isinstance(result, Verdict)
    assert result.unit is WHOLE
    return result


def test_worst_takes_the_least_faithful_label_and_the_lowest_score() -> None:
    result = folded("worst", says("explicitly-supported", 0.3), says("fabricated", 0.6))
    assert (str(result.label), result.score) == ("fabricated", 0.3)
    assert result.note == "worst of 2 units"


def test_no_fact_does_not_pull_a_response_down() -> None:
    result = folded("worst", says("no-fact"), says("explicitly-supported", 0.9))
    assert (str(result.label), result.score) == ("explicitly-supported", 0.9)


def test_response_of_nothing_but_no_fact_is_no_fact() -> None:
    result = folded("worst", says("no-fact"), says("no-fact"))
    assert (str(result.label), result.score) == ("no-fact", None)


@pytest.mark.parametrize(
    ("scores", "mean", "label"),
    [((0.2, 0.6), 0.4, "unfaithful"), ((0.2, 0.8), 0.5, "faithful")],
)
def test_mean_is_faithful_from_one_half(
    scores: tuple[float, float], mean: float, label: str
) -> None:
    result = folded("mean", *(says("fabricated", score) for score in scores))
    assert result.score == pytest.approx(mean)
    assert result.label == BINARY[label]


@pytest.mark.parametrize(
    ("names", "label"),
    [
        (("explicitly-supported", "contradicting"), "unfaithful"),
        (("explicitly-supported", "fabricated"), "unfaithful"),
        (("explicitly-supported", "out-dependent", "no-fact"), "faithful"),
    ],
)
def test_any_unfaithful_unit_makes_the_response_unfaithful(
    names: tuple[str, ...], label: str
) -> None:
    assert folded("any", *map(says, names)).label == BINARY[label]


@pytest.mark.parametrize("rule", ["worst", "mean", "any"])
def test_all_failed_is_a_failure_with_the_first_reason(rule: Rule) -> None:
    result = fold_outcomes(WHOLE, [FAILED, Failure(PART, "refused")], rule)
    assert isinstance(result, Failure)
    assert (result.unit, result.reason, result.detail) == (WHOLE, "parse", "no JSON")


@pytest.mark.parametrize("rule", ["worst", "any"])
def test_unfaithful_unit_decides_whatever_failed(rule: Rule) -> None:
    result = folded(rule, FAILED, says("fabricated", 0.1))
    assert result.label in (GRAY7["fabricated"], BINARY["unfaithful"])
    assert result.note == f"{rule} of 1 units, 1 failed"
    assert folded(rule, FAILED, says(None, 0.4)).score == 0.4


@pytest.mark.parametrize("name", ["explicitly-supported", "no-fact", "ambiguous", None])
@pytest.mark.parametrize("rule", ["worst", "any", "mean"])
def test_what_was_judged_in_part_is_not_taken_for_faithful(rule: Rule, name: str | None) -> None:
    result = fold_outcomes(WHOLE, [says(name, 0.9), FAILED, says(name, 0.9), FAILED], rule)
    detail = "only a part of it was judged: 2 of 4 units failed"
    assert result == Failure(WHOLE, "parse", detail, raw="Well.")


def test_mean_of_a_part_is_no_mean_of_the_whole() -> None:
    assert isinstance(fold_outcomes(WHOLE, [says("fabricated", 0.0), FAILED], "mean"), Failure)


def test_response_without_units_is_a_failure() -> None:
    result = fold_outcomes(WHOLE, [])
    assert isinstance(result, Failure)
    assert (result.reason, result.detail) == ("missing", "the response has no units")


def test_mean_of_labels_without_scores_is_a_failure() -> None:
    result = fold_outcomes(WHOLE, [says("fabricated")], "mean")
    assert isinstance(result, Failure)
    assert "neither the labels nor the scores" in result.detail


def test_scores_without_labels_fold_to_a_score() -> None:
    result = folded("worst", says(None, 0.7), says(None, 0.4))
    assert (result.label, result.score) == (None, 0.4)


def test_folded_detector_judges_responses(
    make_example: Callable[..., Example], scripted: Callable[..., Detector]
) -> None:
    judge = fold(scripted(lambda unit: Verdict(unit, GRAY7["fabricated"], 0.5), name="judge"))
    (judgement,) = judge.detect([make_example(response="It sat. It ate.")])
    assert [each.unit.text for each in judgement.outcomes] == ["It sat. It ate."]
    assert (judge.name, judge.unit_kind, judge.taxonomy) == ("judge worst", "response", GRAY7)
    assert fold(judge, "any").taxonomy == BINARY


def test_unknown_rule_raises_with_the_choices(scripted: Callable[..., Detector]) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown rule 'median'.* any, mean, worst"):
        fold(scripted(says), "median")  # type: ignore[call-overload]


def test_fold_of_a_judge_is_a_judge() -> None:
    claims = cast(Judge, load_detector("judge-claims", Scripted(echo)))
    folded_judge = fold(claims)
    assert isinstance(folded_judge, Judge)
    assert folded_judge.client is claims.client
    assert folded_judge.prompt_digests == claims.prompt_digests
    (verdict,) = asyncio.run(folded_judge.judge(MILL)).verdicts
    assert (verdict.unit.kind, verdict.unit.text) == ("response", RESPONSE)
    assert (verdict.label, verdict.note) == (BINARY["faithful"], "worst of 3 units")
    assert next(folded_judge.detect([MILL])).verdicts == (verdict,)


def test_fold_of_a_detector_that_asks_no_model_is_no_judge(
    scripted: Callable[..., Detector],
) -> None:
    assert not isinstance(fold(scripted(says)), Judge)


def test_fold_of_a_response_without_claims_is_a_failure_that_says_so() -> None:
    claims = cast(Judge, load_detector("judge-claims", Scripted(['{"claims": []}'])))
    (failure,) = asyncio.run(fold(claims).judge(MILL)).failures
    assert failure.reason == "missing"
    assert "finds no claim" in failure.detail


def test_claims_and_relations_count_through_their_sentences() -> None:
    claim, link = Unit("claim", "It sat."), Unit("relation", "cause: It sat → It ate")
    parts = (Failure(link, "parse"), Verdict(claim, GRAY7["no-fact"], 0.1))
    result = folded("worst", says("explicitly-supported", 0.9), *parts)
    assert (str(result.label), result.score) == ("explicitly-supported", 0.9)
    assert result.note == "worst of 1 units"
