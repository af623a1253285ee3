"""What a verdict must have, and what a failure has not."""

import math

import pytest

from assay.core.errors import InputError
from assay.core.labels import Coarse
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.verdicts import Failure, Verdict


def test_verdict_without_label_and_score_raises() -> None:
    with pytest.raises(InputError, match="needs a label or a score"):
        Verdict("c1", confidence=0.5)


@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, math.inf])
def test_score_and_confidence_lie_between_0_and_1(value: float) -> None:
    with pytest.raises(InputError, match="a score lies between 0 and 1"):
        Verdict("c1", score=value)
    with pytest.raises(InputError, match="a confidence lies between 0 and 1"):
        Verdict("c1", BINARY["faithful"], confidence=value)


@pytest.mark.parametrize("score", [0, 0.0, 1, 1.0])
def test_bounds_are_allowed(score: float) -> None:
    assert Verdict("c1", score=score).score == score


@pytest.mark.parametrize(
    ("verdict", "coarse"),
    [
        (Verdict("s1", GRAY7["fabricated"], 0.9), "unfaithful"),  # the label counts
        (Verdict("s1", GRAY7["no-fact"], 0.1), "no-fact"),
        (Verdict("s1", GRAY7["ambiguous"]), "not-sure"),
        (Verdict("s1", score=0.5), "faithful"),
        (Verdict("s1", score=0.49), "unfaithful"),
    ],
)
def test_label_says_whether_it_is_faithful_or_else_the_score(
    verdict: Verdict, coarse: Coarse
) -> None:
    assert verdict.coarse == coarse


def test_loop_over_outcomes_meets_no_missing_attribute() -> None:
    failure = Failure("s1", "parse", "no JSON", raw="Hm.")
    assert (failure.label, failure.score, failure.confidence, failure.coarse) == (None,) * 4
    assert (failure.note, failure.evidence) == ("no JSON", ())
