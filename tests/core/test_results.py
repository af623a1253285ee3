"""An example with what a detector said of it."""

import json

import pytest

from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.results import Result, is_flagged
from assay.core.spans import Span
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.texts import Response, Source
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
