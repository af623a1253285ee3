"""Outcomes to JSON and back."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core import (
    Answers,
    ExternalEvidence,
    Failure,
    InputError,
    Interpretation,
    Reading,
    Span,
    Unit,
    UnknownNameError,
    Verdict,
)
from assay.core.errors import SpanError
from assay.core.records import failure_record, outcome_record, read_span, read_unit, read_verdict
from assay.core.spans import Side
from assay.core.taxonomies import GRAY7

ANSWER = st.sampled_from([True, False, None])
PLAIN_ANSWERS = st.builds(Answers, *[ANSWER] * 6)
READINGS = st.lists(st.builds(Reading, st.text(), PLAIN_ANSWERS), max_size=3).map(tuple)
ANSWERS = st.builds(Answers, *[ANSWER] * 6, READINGS)
LABELS = st.sampled_from(GRAY7.labels)
SHARES = st.none() | st.floats(0, 1)


@st.composite
def spans(draw: st.DrawFn, text: str, side: Side) -> Span:
    end = draw(st.integers(0, len(text)))
    return Span.cut(text, draw(st.integers(0, end)), end, side)


@st.composite
def verdicts(draw: st.DrawFn, source: str, response: str) -> Verdict:
    return Verdict(
        Unit.at("sentence", draw(spans(response, "response"))),
        draw(LABELS),
        score=draw(SHARES),
        confidence=draw(SHARES),
        note=draw(st.text()),
        evidence=draw(st.lists(spans(source, "source"), max_size=3).map(tuple)),
        external=draw(st.lists(st.builds(ExternalEvidence, *[st.text()] * 5)).map(tuple)),
        answers=draw(st.none() | ANSWERS),
        interpretations=draw(st.lists(st.builds(Interpretation, LABELS, st.text())).map(tuple)),
    )


@given(st.text(), st.text(), st.data())
def test_verdict_is_the_same_after_json_and_back(
    source: str, response: str, data: st.DataObject
) -> None:
    verdict = data.draw(verdicts(source, response))
    record = json.loads(json.dumps(outcome_record(verdict)))
    unit = read_unit(record, response, "sentence")
    assert read_verdict(record, unit, source, GRAY7) == verdict


def test_record_of_a_verdict_is_what_the_document_promises() -> None:
    unit = Unit.at("sentence", Span.cut("It sat.", 0, 7, "response"))
    evidence = (Span.cut("The cat sat.", 4, 11, "source"),)
    record = outcome_record(Verdict(unit, GRAY7["no-fact"], 0.25, 0.5, "why", evidence))
    assert record == {
        "text": "It sat.",
        "start": 0,
        "end": 7,
        "label": "no-fact",
        "score": 0.25,
        "confidence": 0.5,
        "note": "why",
        "evidence": [{"start": 4, "end": 11, "text": "cat sat"}],
        "answers": None,
    }


def test_failure_has_no_label_and_no_score_in_its_record() -> None:
    record = outcome_record(Failure(Unit("sentence", "It sat."), "parse", "no verdict found"))
    assert (record["label"], record["score"], record["confidence"]) == (None, None, None)
    assert read_verdict(record, Unit("sentence", "It sat."), "", GRAY7) is None


def test_record_of_a_failure_says_where_and_why() -> None:
    unit = Unit.at("sentence", Span.cut("It sat.", 0, 7, "response"))
    assert failure_record(Failure(unit, "parse", "no verdict found")) == {
        "unit": {"kind": "sentence", "text": "It sat.", "start": 0, "end": 7},
        "reason": "parse",
        "detail": "no verdict found",
    }


def test_unit_without_a_place_keeps_its_wording() -> None:
    unit = Unit("claim", "The cat sat")
    record = outcome_record(Verdict(unit, score=1.0))
    assert read_unit(record, "anything", "claim") == unit


def test_label_off_the_menu_raises() -> None:
    with pytest.raises(UnknownNameError, match="gray7 label 'faithful'"):
        read_verdict({"label": "faithful"}, Unit("claim", "x"), "", GRAY7)


def test_evidence_that_is_no_longer_there_raises() -> None:
    record = {"label": "no-fact", "evidence": [{"start": 0, "end": 3, "text": "cat"}]}
    with pytest.raises(SpanError, match="reads 'dog', not 'cat'"):
        read_verdict(record, Unit("claim", "x"), "dog", GRAY7)


@pytest.mark.parametrize(
    "record", [{}, {"start": 0, "end": 1}, {"start": "x", "end": 1, "text": "a"}]
)
def test_span_record_without_its_three_fields_raises(record: dict[str, object]) -> None:
    with pytest.raises(InputError, match="a span needs start, end and text"):
        read_span(record, "abc", "source")
