"""Scores of published methods as verdicts; no network is needed."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.system import bridge
from assay.core.texts import Response, Source
from assay.core.verdicts import Failure, Verdict
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.local import FittedCalibration, LocalOptions
from assay.detectors.published.scores import (
    Claim,
    Scored,
    ScoreDetector,
    ScoredUnit,
    capabilities,
)

SOURCE = "The ferry sank in 1986. Nobody was hurt."
EXAMPLE = Example("e", Source(SOURCE), Response("It sank. Ten died."), question="What happened?")


@dataclass
class Fixed:
    """Gives the same scores whatever it is asked, and notes what that was."""

    scores: Sequence[Scored | Failure]
    threshold: float = 0.5
    name: str = "fixed"
    version: str = "1"
    asked: list[Claim] = field(default_factory=list)

    def score(self, claims: Sequence[Claim]) -> Sequence[Scored | Failure]:
        self.asked += claims
        return self.scores[: len(claims)]


def judge(
    scorer: Fixed, kind: ScoredUnit = "sentence", local: LocalOptions | None = None
) -> Judgement:
    """The judgement of the example."""
    detector = ScoreDetector(scorer, capabilities(kind, marks=True), local or LocalOptions())

    async def collect() -> list[Judgement]:
        return [each async for each in detector.judge([EXAMPLE])]

    [judgement] = bridge.run(collect())
    return judgement


def test_each_sentence_is_a_claim_with_the_whole_source() -> None:
    scorer = Fixed([Scored(0.9), Scored(0.1)])
    found = judge(scorer)
    assert [claim.text for claim in scorer.asked] == ["It sank.", "Ten died."]
    assert {(claim.source, claim.question) for claim in scorer.asked} == {
        (SOURCE, "What happened?")
    }
    assert [str(each.outcome.label) for each in found.findings] == ["faithful", "unfaithful"]
    assert [each.outcome.score for each in found.findings] == [0.9, 0.1]


def test_response_is_one_claim_where_the_method_judges_responses() -> None:
    scorer = Fixed([Scored(0.7)])
    found = judge(scorer, "response")
    assert [claim.text for claim in scorer.asked] == ["It sank. Ten died."]
    assert [each.unit.kind for each in found.findings] == ["response"]


def test_threshold_of_the_method_decides_and_the_users_replaces_it() -> None:
    at = [Scored(0.4), Scored(0.6)]
    assert [str(each.label) for each in judge(Fixed(at, 0.3)).outcomes] == ["faithful"] * 2
    mine = judge(Fixed(at, 0.3), local=LocalOptions(threshold=0.5))
    assert [str(each.label) for each in mine.outcomes] == ["unfaithful", "faithful"]


def test_calibration_changes_scores_and_says_what_is_not_sure() -> None:
    fitted = FittedCalibration("fixed", "1", Calibration(1.0, 1.0, 0.5, (0.4, 0.8)))
    first, second = judge(
        Fixed([Scored(0.5), Scored(0.01)]), local=LocalOptions(calibration=fitted)
    ).outcomes
    assert first.score == pytest.approx(0.731059)  # 1 / (1 + exp(-1))
    assert (first.coarse, second.coarse) == ("not-sure", "unfaithful")
    assert first.note.startswith("Not sure")


def test_evidence_and_marks_are_places_of_their_texts() -> None:
    found = judge(Fixed([Scored(0.9), Scored(0.1, ((0, 23),), marks=((0, 3),), note="Why.")]))
    right, wrong = found.outcomes
    assert isinstance(right, Verdict)
    assert isinstance(wrong, Verdict)
    assert [span.text for span in wrong.evidence] == ["The ferry sank in 1986."]
    assert [(span.text, span.start) for span in wrong.marks] == [("Ten", 9)]
    assert (wrong.note, right.marks) == ("Why.", ())


def test_failure_is_that_of_its_unit_and_never_a_score() -> None:
    found = judge(Fixed([Failure("", "too_long", "too much"), Scored(0.2)]))
    failure, verdict = found.outcomes
    assert isinstance(failure, Failure)
    assert (failure.unit, failure.reason, verdict.score) == ("s1", "too_long", 0.2)


def test_characters_that_were_not_read_are_reported() -> None:
    assert judge(Fixed([Scored(0.9), Scored(0.9)])).characters_read == len(SOURCE)
    assert judge(Fixed([Scored(0.9, read=10), Scored(0.9, read=20)])).characters_read == 10
