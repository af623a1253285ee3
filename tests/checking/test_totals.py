"""What results add up to."""

from assay.checking import Checked
from assay.checking.totals import Totals
from assay.core import Example, Failure, Judgement, Response, Source, Unit, Verdict
from assay.core.taxonomies import GRAY7

UNIT = Unit("sentence", "b")
EXAMPLE = Example("1", Source("0123456789"), Response("b"))


def test_totals_count_labels_failures_and_characters() -> None:
    totals = Totals()
    outcomes = (Verdict(UNIT, GRAY7["no-fact"]), Verdict(UNIT, score=0.5), Failure(UNIT, "parse"))
    for read in (10, 4):
        totals.add(Checked(Judgement(EXAMPLE, outcomes, characters_read=read)))
    assert (totals.examples, totals.units) == (2, 6)
    assert totals.labels == {"no-fact": 2, "score only": 2}
    assert totals.failures == {"parse": 2}
    assert (totals.characters, totals.characters_read) == (20, 14)
    assert totals.coverage == 1 - 2 / 6


def test_coverage_of_nothing_is_undefined() -> None:
    assert Totals().coverage is None


def test_parts_of_sentences_are_counted_apart_and_their_failures_are_failures() -> None:
    totals = Totals()
    claim = Unit("claim", "b")
    outcomes = (Verdict(UNIT, GRAY7["no-fact"]), Failure(claim, "parse"), Verdict(claim, score=1))
    totals.add(Checked(Judgement(EXAMPLE, outcomes, characters_read=1)))
    assert (totals.units, totals.noun, totals.labels) == (1, "sentence", {"no-fact": 1})
    assert (totals.parts, totals.failures) == ({"claim": 2}, {"parse": 1})
    assert (totals.unjudged, totals.coverage) == (0, 1)
