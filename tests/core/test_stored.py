"""Units and outcomes in the form in which they are kept."""

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import (
    Answers,
    ExternalEvidence,
    Failure,
    InputError,
    Interpretation,
    Outcome,
    Relation,
    Span,
    Unit,
    Verdict,
)
from assay.core.errors import SpanError
from assay.core.stored import (
    judged_record,
    read_judged_unit,
    read_stored_outcome,
    read_unit_record,
    stored_outcome,
    unit_record,
)
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.core.units import UnitKind

SOURCE = "The cat 😀 sat on a mat."
RESPONSE = "It sat. 😀 Then it ate, so it slept."
WHOLE = Unit.at("response", Span.cut(RESPONSE, 0, len(RESPONSE), "response"))


def place(start: int, end: int) -> Span:
    return Span.cut(RESPONSE, start, end, "response")


CLAIM = Unit("claim", "The cat sat", (place(0, 7),))
LINK = Relation("relation", "ate, so slept", (place(8, 20),), "cause", CLAIM, None, place(22, 24))
UNITS = (
    WHOLE,
    CLAIM,
    LINK,
    Unit("claim", "The cat sat"),
    Unit("span", "It, so", (place(0, 2), place(22, 24))),
    Unit.at("sentence", place(0, 7)),
    Relation("relation", "It sat.", (place(0, 7),), "", CLAIM, WHOLE),
)
OUTCOMES: tuple[Outcome, ...] = (
    Verdict(
        CLAIM,
        GRAY7["ambiguous"],
        0.25,
        0.5,
        "Two readings.",
        (Span.cut(SOURCE, 4, 9, "source"),),
        (ExternalEvidence("https://example.org", "a quote", "A title"),),
        Answers(True, several_readings=True),
        (Interpretation(GRAY7["fabricated"], "the cat"),),
        "somebody",
    ),
    Verdict(WHOLE, FAITHBENCH["benign"]),
    Verdict(LINK, score=0.0),
    Failure(WHOLE, "refused", "it would not say", "No."),
    Failure(LINK, "invalid"),
)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.kind)
def test_unit_is_read_back_as_it_was(unit: Unit) -> None:
    record = json.loads(json.dumps(unit_record(unit, RESPONSE)))
    assert read_unit_record(record, RESPONSE) == unit


def test_of_the_whole_response_only_the_kind_is_written() -> None:
    assert unit_record(WHOLE, RESPONSE) == {"kind": "response"}


@pytest.mark.parametrize("outcome", OUTCOMES, ids=lambda each: type(each).__name__)
def test_outcome_is_read_back_as_it_was(outcome: Outcome) -> None:
    record = json.loads(json.dumps(stored_outcome(outcome, RESPONSE)))
    assert read_stored_outcome(record, SOURCE, RESPONSE) == outcome


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.kind)
def test_unit_of_the_document_is_read_back_as_it_was(unit: Unit) -> None:
    record = json.loads(json.dumps(judged_record(Verdict(unit, score=0.5), RESPONSE)))
    assert read_judged_unit(record, RESPONSE) == unit
    assert (record["kind"], record["score"]) == (unit.kind, 0.5)


@given(
    st.sampled_from(get_args(UnitKind)),
    st.text(),
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 14)), max_size=3),
)
def test_any_unit_survives_both_forms(
    kind: UnitKind, text: str, places: list[tuple[int, int]]
) -> None:
    unit = Unit(kind, text, tuple(place(start, start + length) for start, length in places))
    assert read_unit_record(unit_record(unit, RESPONSE), RESPONSE) == unit
    judged = judged_record(Failure(unit, "parse"), RESPONSE)
    assert read_judged_unit(judged, RESPONSE) == unit


def test_unit_of_another_text_raises() -> None:
    with pytest.raises(SpanError, match="reads"):
        read_unit_record(unit_record(CLAIM, RESPONSE), "She sat. 😀 Then she ate.")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"unit": {"kind": "word"}}, "'word' is not one of response"),
        ({"unit": {"kind": "response"}, "reason": "tired"}, "'tired' is not one of parse"),
        ({"unit": {"kind": "response"}}, "neither a label nor a score"),
    ],
)
def test_record_that_says_nothing_known_raises(record: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_stored_outcome(record, SOURCE, RESPONSE)


def test_verdict_that_could_not_be_read_back_is_refused() -> None:
    on_source = Unit("span", "cat", (Span.cut(SOURCE, 4, 7, "source"),))
    with pytest.raises(InputError, match="lies in the response"):
        unit_record(on_source, RESPONSE)
    foreign = Verdict(
        WHOLE, GRAY7["ambiguous"], interpretations=(Interpretation(FAITHBENCH["benign"], "so"),)
    )
    with pytest.raises(InputError, match="another taxonomy"):
        stored_outcome(foreign, RESPONSE)
    with pytest.raises(InputError, match="does not lie in the source"):
        stored_outcome(Verdict(WHOLE, score=1.0, evidence=(place(0, 2),)), RESPONSE)
