"""Several detectors, one verdict."""

from collections.abc import Callable

import pytest

from assay.core import Example, Failure, InputError, Outcome, Span, Unit, Verdict
from assay.core.taxonomies import BINARY, GRAY7
from assay.detectors import Detector, vote
from assay.detectors.vote import count_votes

Make = Callable[..., Example]
Script = Callable[..., Detector]
UNIT = Unit("sentence", "It sat.")


def says(name: str, score: float | None = None) -> Verdict:
    return Verdict(UNIT, GRAY7[name], score, note=f"I say {name}.")


FAILED = Failure(UNIT, "parse", "no JSON")


def counted(*outcomes: Outcome) -> Verdict:
    result = count_votes(outcomes)
    assert isinstance(result, Verdict)
    return result


def test_majority_wins_and_the_first_of_it_speaks() -> None:
    result = counted(says("no-fact", 0.2), says("fabricated", 0.4), says("fabricated", 0.6))
    assert str(result.label) == "fabricated"
    assert result.score == pytest.approx(0.4)  # (0.2 + 0.4 + 0.6) / 3
    assert result.confidence == pytest.approx(2 / 3)
    assert result.note == "2 of 3 agree. I say fabricated."


def test_tie_goes_to_the_less_faithful() -> None:
    result = counted(says("explicitly-supported"), says("contradicting"))
    assert str(result.label) == "contradicting"
    assert result.confidence == 0.5


def test_failures_do_not_vote_but_lower_the_confidence() -> None:
    result = counted(FAILED, says("no-fact"), FAILED)
    assert str(result.label) == "no-fact"
    assert result.confidence == pytest.approx(1 / 3)
    assert result.note.startswith("1 of 3 agree.")


def test_all_failed_is_a_failure_with_the_first_reason() -> None:
    result = count_votes([FAILED, Failure(UNIT, "refused")])
    assert isinstance(result, Failure)
    assert (result.reason, result.detail) == ("parse", "all 2 failed: no JSON")


def test_scores_without_labels_are_averaged() -> None:
    result = counted(Verdict(UNIT, score=0.25), Verdict(UNIT, score=0.75))
    assert result.label is None
    assert result.score == 0.5


def test_evidence_of_those_who_agree_is_kept_once() -> None:
    near, far = Span("source", 0, 3, "The"), Span("source", 4, 7, "cat")
    agree = [Verdict(UNIT, GRAY7["no-fact"], evidence=each) for each in ((near,), (near, far))]
    other = Verdict(UNIT, GRAY7["fabricated"], evidence=(Span("source", 8, 11, "sat"),))
    assert counted(*agree, other).evidence == (near, far)


def test_every_voter_is_asked_about_the_same_units(make_example: Make, scripted: Script) -> None:
    first = scripted(lambda unit: Verdict(unit, GRAY7["no-fact"]), name="a")
    second = scripted(lambda unit: Verdict(unit, GRAY7["fabricated"]), name="b")
    example = make_example(response="It sat. It ate.")
    (judgement,) = vote(first, second, second).detect([example])
    assert [str(each.label) for each in judgement.verdicts] == ["fabricated", "fabricated"]
    assert [each.unit.text for each in judgement.outcomes] == ["It sat.", "It ate."]
    assert vote(first, second, second).name == "vote of 1 x a, 2 x b"


def test_whole_responses_can_be_voted_on(make_example: Make, scripted: Script) -> None:
    judge = scripted(lambda unit: Verdict(unit, score=0.5), unit_kind="response")
    (judgement,) = vote(judge, judge).detect([make_example(response="It sat. It ate.")])
    assert [each.unit.kind for each in judgement.outcomes] == ["response"]


@pytest.mark.parametrize(
    ("difference", "message"),
    [({"taxonomy": BINARY}, "their taxonomy differs"), ({"unit_kind": "response"}, "unit_kind")],
)
def test_detectors_of_different_kinds_are_rejected(
    difference: dict[str, object], message: str, scripted: Script
) -> None:
    with pytest.raises(InputError, match=message):
        vote(scripted(says), scripted(says, **difference))


def test_vote_of_nobody_is_rejected() -> None:
    with pytest.raises(InputError, match="at least one detector"):
        vote()


def test_examples_are_taken_in_batches_of_32(make_example: Make, scripted: Script) -> None:
    stream = (make_example(id=str(number)) for number in range(1_000))
    judge = scripted(lambda unit: Verdict(unit, score=0.5))
    results = vote(judge, judge).detect(stream)
    assert next(results).example.id == "0"
    assert next(stream).id == "32"
