"""From several outcomes on the same unit to one."""

import pytest

from assay.core import Failure, Outcome, Span, Unit, Verdict
from assay.core.taxonomies import ERROR5, GRAY7
from assay.detectors.counting import count_votes

UNIT = Unit("sentence", "It sat.")


def says(name: str, score: float | None = None) -> Verdict:
    return Verdict(UNIT, GRAY7[name], score, note=f"I say {name}.")


FAILED = Failure(UNIT, "parse", "no JSON", raw="Well.")


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
    result = counted(says("no-fact"), FAILED, says("no-fact"))
    assert str(result.label) == "no-fact"
    assert result.confidence == pytest.approx(2 / 3)
    assert result.note.startswith("2 of 3 agree.")


@pytest.mark.parametrize("verdicts", [1, 2])
def test_half_of_the_voters_or_fewer_are_no_quorum(verdicts: int) -> None:
    result = count_votes([*[says("no-fact")] * verdicts, *[FAILED] * 2])
    detail = f"2 of {verdicts + 2} failed: no JSON"
    assert result == Failure(UNIT, "parse", detail, raw="Well.")


def test_kind_of_error_is_the_speakers() -> None:
    wrong = Verdict(UNIT, GRAY7["fabricated"], error=ERROR5["fabricated-link"])
    assert counted(says("no-fact"), wrong, wrong).error == ERROR5["fabricated-link"]


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


def test_failures_are_told_with_their_reasons() -> None:
    votes = [says("no-fact")] * 4
    result = counted(*votes, FAILED, FAILED, Failure(UNIT, "refused"))
    assert result.note == "4 of 7 agree. 3 failed (parse, refused). I say no-fact."


def test_all_failed_keeps_a_raw_reply() -> None:
    result = count_votes([FAILED, FAILED])
    assert isinstance(result, Failure)
    assert result.raw == "Well."


def test_votes_on_both_sides_are_told() -> None:
    result = counted(says("fabricated"), says("fabricated"), says("explicitly-supported"))
    assert result.note == (
        "2 of 3 agree. The votes lie on both sides of faithful and unfaithful. I say fabricated."
    )


@pytest.mark.parametrize("other", ["no-fact", "out-dependent", "contradicting"])
def test_different_labels_on_one_side_are_not_both_sides(other: str) -> None:
    assert "both sides" not in counted(says("fabricated"), says(other)).note


def test_scores_on_both_sides_of_a_half_are_told() -> None:
    assert "both sides" in counted(Verdict(UNIT, score=0.4), Verdict(UNIT, score=0.6)).note
    assert "both sides" not in counted(Verdict(UNIT, score=0.5), Verdict(UNIT, score=0.6)).note
