"""From the units of a response up to one outcome for all of it."""

import pytest

from assay.core.folding import Rule, fold_judgement, fold_outcomes
from assay.core.judgements import Author, Judgement
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, Outcome, Verdict

FAILED = Failure("s1", "parse", "no JSON", raw="Well.")


def says(name: str | None, score: float | None = None) -> Verdict:
    return Verdict("s1", GRAY7[name] if name else None, score)


def folded(rule: Rule, *outcomes: Outcome) -> Verdict:
    result = fold_outcomes(RESPONSE, outcomes, rule)
    assert isinstance(result, Verdict)
    assert result.unit == RESPONSE
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
    result = fold_outcomes(RESPONSE, [FAILED, Failure("s1", "refused")], rule)
    assert isinstance(result, Failure)
    assert (result.unit, result.reason, result.detail) == (RESPONSE, "parse", "no JSON")


@pytest.mark.parametrize("rule", ["worst", "any"])
def test_unfaithful_unit_decides_whatever_failed(rule: Rule) -> None:
    result = folded(rule, FAILED, says("fabricated", 0.1))
    assert result.label in (GRAY7["fabricated"], BINARY["unfaithful"])
    assert result.note == f"{rule} of 1 unit, 1 failed"
    assert folded(rule, FAILED, says(None, 0.4)).score == 0.4


@pytest.mark.parametrize("name", ["explicitly-supported", "no-fact", "ambiguous", None])
@pytest.mark.parametrize("rule", ["worst", "any", "mean"])
def test_what_was_judged_in_part_is_not_taken_for_faithful(rule: Rule, name: str | None) -> None:
    result = fold_outcomes(RESPONSE, [says(name, 0.9), FAILED, says(name, 0.9), FAILED], rule)
    detail = "only a part of it was judged: 2 of 4 units failed"
    assert result == Failure(RESPONSE, "parse", detail, raw="Well.")


def test_mean_of_a_part_is_no_mean_of_the_whole() -> None:
    assert isinstance(fold_outcomes(RESPONSE, [says("fabricated", 0.0), FAILED], "mean"), Failure)


def test_response_without_units_is_a_failure() -> None:
    result = fold_outcomes(RESPONSE, [])
    assert isinstance(result, Failure)
    assert (result.reason, result.detail) == ("missing", "the response has no units")


@pytest.mark.parametrize(
    ("names", "share", "label"),
    [
        (("explicitly-supported", "fabricated", "contradicting"), 1 / 3, "unfaithful"),
        (("explicitly-supported", "fabricated"), 1 / 2, "faithful"),
        (("explicitly-supported", "no-fact"), 1.0, "faithful"),  # no fact, nothing to support
        (("explicitly-supported", "ambiguous", "ambiguous"), 1 / 3, "unfaithful"),
        (("fabricated",), 0.0, "unfaithful"),
        (("no-fact", "no-fact"), None, "faithful"),
    ],
)
def test_mean_of_labels_without_scores_is_the_share_of_supported_units(
    names: tuple[str, ...], share: float | None, label: str
) -> None:
    result = folded("mean", *map(says, names))
    assert (result.score, result.label) == (share, BINARY[label])


def test_scores_count_in_a_mean_where_there_are_some() -> None:
    assert folded("mean", says("fabricated", 0.4), says("explicitly-supported")).score == 0.4


def test_a_failed_claim_leaves_no_share() -> None:
    outcomes: list[Outcome] = [says("explicitly-supported"), says("fabricated"), FAILED]
    assert isinstance(fold_outcomes(RESPONSE, outcomes, "mean"), Failure)


def test_scores_without_labels_fold_to_a_score() -> None:
    result = folded("worst", says(None, 0.7), says(None, 0.4))
    assert (result.label, result.score) == (None, 0.4)


def judgement(*units: Unit) -> Judgement:
    """All units with a verdict each; parts are fabricated, wholes supported."""
    outcomes = (
        Verdict(unit.id, GRAY7["fabricated" if unit.parent else "explicitly-supported"])
        for unit in units
    )
    return Judgement("1", Author("a"), units, tuple(outcomes))


def test_claims_and_relations_count_through_their_sentences() -> None:
    sentence, claim = Unit("s1", "sentence", "It sat."), Unit("s1.c1", "claim", "It", parent="s1")
    result = fold_judgement(judgement(sentence, claim))
    assert (str(result.label), result.note) == ("explicitly-supported", "worst of 1 unit")


def test_parts_of_sentences_that_were_not_judged_count_themselves() -> None:
    claim = Unit("s1.c1", "claim", "It", parent="s1")
    assert str(fold_judgement(judgement(claim)).label) == "fabricated"


def test_response_that_was_judged_itself_is_taken_as_it_is() -> None:
    whole, error = Unit.response("It sat."), Unit("i1", "inconsistency", "Wrong.")
    assert fold_judgement(judgement(whole, error)).note == ""
