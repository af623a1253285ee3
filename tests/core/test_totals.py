"""What results add up to."""

from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.results import Result
from assay.core.taxonomies import GRAY7
from assay.core.texts import Response, Source
from assay.core.totals import Totals, noun_of
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict

UNITS = (
    Unit("s1", "sentence", "b"),
    Unit("s2", "sentence", "b"),
    Unit("s3", "sentence", "b"),
    Unit("s1.c1", "claim", "b", parent="s1"),
    Unit("s1.c2", "claim", "b", parent="s1"),
)
EXAMPLE = Example("1", Source("0123456789"), Response("b"))


def result(*outcomes: Outcome, read: int = 1) -> Result:
    judgement = Judgement("1", Author("d"), UNITS, outcomes, 10, read)
    return Result(EXAMPLE, judgement)


def test_totals_count_labels_failures_and_characters() -> None:
    totals = Totals()
    said = (Verdict("s1", GRAY7["no-fact"]), Verdict("s2", score=0.5), Failure("s3", "parse"))
    for read in (10, 4):
        totals.add(result(*said, read=read))
    assert (totals.examples, totals.units) == (2, 6)
    assert totals.labels == {"no-fact": 2, "score only": 2}
    assert totals.failures == {"parse": 2}
    assert (totals.characters, totals.characters_read) == (20, 14)
    assert totals.coverage == 1 - 2 / 6


def test_coverage_of_nothing_is_undefined() -> None:
    assert Totals().coverage is None


def test_parts_of_sentences_are_counted_apart_and_their_failures_are_failures() -> None:
    totals = Totals()
    parts = (Failure("s1.c1", "parse"), Verdict("s1.c2", score=1))
    totals.add(result(Verdict("s1", GRAY7["no-fact"]), *parts))
    assert (totals.units, totals.noun, totals.labels) == (1, "sentence", {"no-fact": 1})
    assert (totals.parts, totals.failures) == ({"claim": 2}, {"parse": 1})
    assert (totals.unjudged, totals.coverage) == (0, 1)


def test_claims_count_where_their_sentence_was_not_judged() -> None:
    totals = Totals()
    totals.add(result(Failure("s1.c1", "parse"), Verdict("s1.c2", score=1)))
    assert (totals.units, totals.noun, totals.parts, totals.coverage) == (2, "claim", {}, 0.5)


def test_units_of_different_kinds_are_called_units() -> None:
    assert noun_of(["claim", "claim"]) == "claim"
    assert noun_of(["claim", "sentence"]) == "unit"
    assert noun_of([]) == "sentence"
