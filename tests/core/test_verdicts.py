"""What a verdict must have."""

import math

import pytest

from assay.core import Example, Failure, InputError, Judgement, Response, Source, Unit, Verdict
from assay.core.taxonomies import BINARY

UNIT = Unit("claim", "The cat sat.")


def test_verdict_without_label_and_score_raises() -> None:
    with pytest.raises(InputError, match="needs a label or a score"):
        Verdict(UNIT, confidence=0.5)


@pytest.mark.parametrize("value", [-0.01, 1.01, math.nan, math.inf])
def test_score_and_confidence_lie_between_0_and_1(value: float) -> None:
    with pytest.raises(InputError, match="a score lies between 0 and 1"):
        Verdict(UNIT, score=value)
    with pytest.raises(InputError, match="a confidence lies between 0 and 1"):
        Verdict(UNIT, BINARY["faithful"], confidence=value)


@pytest.mark.parametrize("score", [0, 0.0, 1, 1.0])
def test_bounds_are_allowed(score: float) -> None:
    assert Verdict(UNIT, score=score).score == score


def test_judgement_keeps_verdicts_and_failures_apart() -> None:
    verdict, failure = Verdict(UNIT, score=0.5), Failure(UNIT, "parse")
    example = Example("1", Source("a"), Response("b"))
    judgement = Judgement(example, (failure, verdict), characters_read=1)
    assert judgement.verdicts == (verdict,)
    assert judgement.failures == (failure,)


def test_unit_without_spans_has_no_place() -> None:
    assert UNIT.start is None
    assert UNIT.end is None
