"""What an author says of a unit, and whether that speaks against its label."""

from dataclasses import replace

from assay import Author, Judgement
from assay.audit.disagreement import Comparing, Reason, outcome_on, reason_against
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Failure, Verdict
from assay.text.sentences import find_sentences
from tests.audit.ferries import NO, RESPONSE, YES, detector

S1, S2, S3 = find_sentences(RESPONSE)


def claims(*outcomes: Failure | Verdict) -> Judgement:
    """Claims about the first sentence."""
    units = tuple(Unit(each.unit, "claim", "It crosses.", S1.spans) for each in outcomes)
    return Judgement("a", Author("c"), units, outcomes)


def test_unit_is_found_by_its_place_whatever_its_id() -> None:
    moved = Unit("x7", "sentence", S2.text, S2.spans)
    said = Judgement("a", Author("d"), (moved,), (Verdict("x7", NO),))
    assert outcome_on(S2, said) == Verdict("x7", NO)
    missing = outcome_on(S1, said)
    assert isinstance(missing, Failure)
    assert missing.reason == "missing"


def test_worst_claim_counts_and_a_failed_one_leaves_it_open() -> None:
    good, bad = Verdict("c1", YES), Verdict("c2", NO)
    lost = Failure("c3", "parse")
    assert outcome_on(S1, claims(good, bad, lost)) == bad
    left = outcome_on(S1, claims(good, lost))
    assert isinstance(left, Failure)
    assert left.reason == "parse"


def test_band_takes_no_disagreement_away() -> None:
    """What an author is not sure of speaks against a label as it would without a band."""
    unsure = Attributes(unsure=True)
    doubted = Verdict("c1", NO, note="Hardly.", attributes=unsure)
    lost = Failure("c2", "parse")
    assert outcome_on(S1, claims(doubted, lost)) == doubted
    against = reason_against((S1, YES), claims(doubted, lost), Comparing())
    assert isinstance(against, Reason)
    assert against.coarse == "not-sure"
    nothing = Verdict("c3", GRAY7["no-fact"])
    fine = Verdict("c4", GRAY7["implicitly-supported"], attributes=unsure)
    assert outcome_on(S1, claims(fine, nothing)) == nothing  # as if it were sure
    sure = Verdict("c5", NO, 0.4)
    assert outcome_on(S1, claims(replace(doubted, score=0.3), sure)) == sure


def test_response_is_folded_from_its_sentences() -> None:
    (said,) = detector("d", a="++-")
    whole = outcome_on(Unit("response", "response", RESPONSE), said)
    assert whole.label == NO


def test_reason_carries_what_the_detector_says() -> None:
    (said,) = detector("d", a="-+x")
    comparing = Comparing()
    against = reason_against((S1, YES), said, comparing)
    assert against == Reason(
        "d", "detector", "unfaithful", "binary", "unfaithful", None, "- of s1", 1.0
    )
    assert reason_against((S2, YES), said, comparing) == Verdict("s2", YES, note="+ of s2")
    assert isinstance(reason_against((S3, YES), said, comparing), Failure)
    assert reason_against((S1, GRAY7["ambiguous"]), said, comparing) is None  # binary cannot tell


def test_reason_against_a_response_is_that_of_its_worst_sentence() -> None:
    (said,) = detector("d", a="++-")
    against = reason_against((Unit("response", "response", RESPONSE), YES), said, Comparing())
    assert isinstance(against, Reason)
    assert against.note == "s3: - of s3"
