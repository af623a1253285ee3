"""An example with what a detector said of it."""

import json

import pytest

from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.results import Result, Totals, is_flagged, noun_of
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.texts import Response, Source, Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict

TEXT = "It sat. It ate."
EXAMPLE = Example("1", Source("The cat sat."), Response(TEXT))
UNITS = (
    Unit.response(TEXT),
    Unit.at("sentence", Span.cut(TEXT, 0, 7, "response"), "s1"),
    Unit.at("sentence", Span.cut(TEXT, 8, 15, "response"), "s2"),
    Unit("s1.c1", "claim", "It sat.", parent="s1"),
    Unit("c1", "claim", "There is a cat."),
)
GOOD = Verdict("s1", GRAY7["explicitly-supported"], 0.9, 0.8, "as it says")
BAD = Verdict("s2", GRAY7["fabricated"], 0.1)
FAILED = Failure("s2", "parse", "no JSON", raw="???")


def result(*outcomes: Outcome) -> Result:
    return Result(EXAMPLE, Judgement("1", Author("d"), UNITS, outcomes, 12, 5))


def test_response_is_as_bad_as_its_worst_sentence() -> None:
    found = result(GOOD, BAD)
    assert found.label == "fabricated"
    assert (found.score, found.coverage) == (0.1, 1)
    assert (found.response.kind, found.response.text) == ("response", TEXT)


def test_coverage_is_the_share_of_units_with_a_verdict() -> None:
    found = result(GOOD, FAILED)
    assert (found.coverage, found.failures) == (0.5, (FAILED,))
    assert result().coverage == 0


def test_response_that_was_judged_in_part_has_a_label_only_if_it_is_bad_anyway() -> None:
    assert result(GOOD, FAILED).response.failure
    assert (result(GOOD, FAILED).label, result(GOOD, FAILED).score) == (None, None)
    assert result(BAD, Failure("s1", "parse")).label == "fabricated"


def test_parts_of_sentences_do_not_count_again() -> None:
    part = Failure("s1.c1", "parse")
    found = result(GOOD, part, BAD)
    assert [each.id for each in found.counted] == ["s1", "s2"]
    assert [each.id for each in found.units] == ["s1", "s2", "s1.c1"]
    assert [each.id for each in found.sentences] == ["s1", "s2"]
    assert found.label == "fabricated"
    assert found.coverage == 1


def test_response_that_was_judged_itself_counts_and_not_its_parts() -> None:
    whole = Verdict("response", GRAY7["explicitly-supported"], 0.7)
    found = result(whole, Failure("c1", "parse"), BAD)
    assert found.label == "explicitly-supported"
    assert (found.score, found.coverage) == (0.7, 1)
    assert result(Failure("response", "parse"), GOOD).response.failure


def test_loop_over_findings_needs_no_care_for_failures() -> None:
    found = [
        (each.label, each.score, each.coarse, each.note) for each in result(GOOD, FAILED).units
    ]
    assert found == [
        ("explicitly-supported", 0.9, "faithful", "as it says"),
        (None, None, None, "no JSON"),
    ]


@pytest.mark.parametrize(
    ("outcome", "flagged"),
    [
        (Verdict("c1", GRAY7["fabricated"]), True),
        (Verdict("c1", GRAY7["ambiguous"]), True),
        (Verdict("c1", GRAY7["no-fact"]), False),
        (Verdict("c1", GRAY7["implicitly-supported"], 0.1), False),
        (Verdict("c1", FAITHBENCH["questionable"]), True),
        (Verdict("c1", score=0.49), True),
        (Verdict("c1", score=0.5), False),
        (Failure("c1", "refused"), True),
    ],
)
def test_flagged_is_what_is_unfaithful_unsure_or_without_a_verdict(
    outcome: Outcome, flagged: bool
) -> None:
    assert is_flagged(Finding(UNITS[-1], outcome)) is flagged


def test_line_of_a_document_has_what_the_units_add_up_to() -> None:
    line = json.loads(result(GOOD, FAILED).to_json())
    assert line["response"] == {"label": None, "score": None, "coverage": 0.5}
    assert json.loads(result(GOOD, BAD).to_json())["response"] == {
        "label": "fabricated",
        "score": 0.1,
        "coverage": 1.0,
    }
    assert (line["source_characters"], line["characters_read"]) == (12, 5)


TOTALS_UNITS = (
    Unit("s1", "sentence", "b"),
    Unit("s2", "sentence", "b"),
    Unit("s3", "sentence", "b"),
    Unit("s1.c1", "claim", "b", parent="s1"),
    Unit("s1.c2", "claim", "b", parent="s1"),
)
TOTALS_EXAMPLE = Example("1", Source("0123456789"), Response("b"))


def result_of_totals(*outcomes: Outcome, read: int = 1) -> Result:
    judgement = Judgement("1", Author("d"), TOTALS_UNITS, outcomes, 10, read)
    return Result(TOTALS_EXAMPLE, judgement)


def test_totals_count_labels_failures_and_characters() -> None:
    totals = Totals()
    said = (Verdict("s1", GRAY7["no-fact"]), Verdict("s2", score=0.5), Failure("s3", "parse"))
    for read in (10, 4):
        totals.add(result_of_totals(*said, read=read))
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
    totals.add(result_of_totals(Verdict("s1", GRAY7["no-fact"]), *parts))
    assert (totals.units, totals.noun, totals.labels) == (1, "sentence", {"no-fact": 1})
    assert (totals.parts, totals.failures) == ({"claim": 2}, {"parse": 1})
    assert (totals.unjudged, totals.coverage) == (0, 1)


def test_claims_count_where_their_sentence_was_not_judged() -> None:
    totals = Totals()
    totals.add(result_of_totals(Failure("s1.c1", "parse"), Verdict("s1.c2", score=1)))
    assert (totals.units, totals.noun, totals.parts, totals.coverage) == (2, "claim", {}, 0.5)


def test_units_of_different_kinds_are_called_units() -> None:
    assert noun_of(["claim", "claim"]) == "claim"
    assert noun_of(["claim", "sentence"]) == "unit"
    assert noun_of([]) == "sentence"
