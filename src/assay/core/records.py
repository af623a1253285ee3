"""Outcomes as plain JSON values and back: one form for output, replay and storage."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from assay.core.decision import QUESTIONS, Answers, Interpretation, Reading
from assay.core.errors import InputError
from assay.core.labels import Label, Taxonomy
from assay.core.spans import Side, Span
from assay.core.taxonomies import taxonomy
from assay.core.units import Unit, UnitKind
from assay.core.verdicts import ExternalEvidence, Failure, Outcome, Verdict

Record = dict[str, Any]

_ALWAYS = ("address", "quote", "title")  # of evidence from outside


def outcome_record(outcome: Outcome) -> Record:
    """A unit with what was said of it; label and score are null where there is no verdict."""
    unit, verdict = outcome.unit, outcome if isinstance(outcome, Verdict) else None
    record: Record = {
        "text": unit.text,
        "start": unit.start,
        "end": unit.end,
        "label": verdict.label.name if verdict and verdict.label else None,
        "score": verdict.score if verdict else None,
        "confidence": verdict.confidence if verdict else None,
        "note": verdict.note if verdict else "",
        "evidence": [span_record(span) for span in verdict.evidence] if verdict else [],
        "answers": answers_record(verdict.answers) if verdict and verdict.answers else None,
    }
    if verdict and verdict.error:
        record["error"] = {"taxonomy": verdict.error.taxonomy, "label": verdict.error.name}
    if verdict and verdict.interpretations:
        record["interpretations"] = [
            {"label": each.label.name, "meaning": each.meaning} for each in verdict.interpretations
        ]
    if verdict and verdict.external:
        record["external"] = [
            {name: value for name, value in asdict(each).items() if value or name in _ALWAYS}
            for each in verdict.external
        ]
    return record


def failure_record(failure: Failure) -> Record:
    """A unit left without a verdict, why, and the reply that could not be used, if there is one."""
    unit = failure.unit
    where = {"kind": unit.kind, "text": unit.text, "start": unit.start, "end": unit.end}
    raw = {"raw": failure.raw} if failure.raw else {}
    return {"unit": where, "reason": failure.reason, "detail": failure.detail, **raw}


def span_record(span: Span) -> Record:
    """A span without its side, which the field it stands in tells."""
    return {"start": span.start, "end": span.end, "text": span.text}


def answers_record(answers: Answers) -> Record:
    """The answers by question; null is open."""
    record: Record = {question: answers[question] for question in QUESTIONS}
    if answers.readings:
        record["readings"] = [
            {"meaning": reading.meaning, "answers": answers_record(reading.answers)}
            for reading in answers.readings
        ]
    return record


def read_verdict(
    record: Mapping[str, Any], unit: Unit, source: str, taxonomy: Taxonomy
) -> Verdict | None:
    """The verdict of a record that `outcome_record` wrote, or None where it has none."""
    label, score = record.get("label"), record.get("score")
    if label is None and score is None:
        return None
    answers = record.get("answers")
    return Verdict(
        unit,
        taxonomy[label] if label is not None else None,
        score,
        record.get("confidence"),
        record.get("note", ""),
        tuple(read_span(each, source, "source") for each in record.get("evidence", ())),
        tuple(ExternalEvidence(**each) for each in record.get("external", ())),
        read_answers(answers) if answers else None,
        tuple(
            Interpretation(taxonomy[each["label"]], each["meaning"])
            for each in record.get("interpretations", ())
        ),
        error=_read_error(record.get("error")),
    )


def _read_error(record: Mapping[str, str] | None) -> Label | None:
    return None if record is None else taxonomy(record["taxonomy"])[record["label"]]


def read_span(record: Mapping[str, Any], whole: str, side: Side) -> Span:
    """The span of a record, checked against its text."""
    try:
        return Span(side, int(record["start"]), int(record["end"]), record["text"]).verify(whole)
    except (KeyError, TypeError, ValueError):
        raise InputError(f"a span needs start, end and text, not {dict(record)!r}") from None


def read_unit(record: Mapping[str, Any], response: str, kind: UnitKind) -> Unit:
    """The unit of a record; one without offsets has no span."""
    if record.get("start") is None:
        return Unit(kind, record["text"])
    return Unit.at(kind, read_span(record, response, "response"))


def read_answers(record: Mapping[str, Any]) -> Answers:
    """The answers of a record."""
    readings = tuple(
        Reading(each["meaning"], read_answers(each["answers"]))
        for each in record.get("readings", ())
    )
    return Answers(
        record.get("states_fact"),
        record.get("several_readings"),
        record.get("entailed"),
        record.get("explicit"),
        record.get("contradicted"),
        record.get("entailed_with_knowledge"),
        readings,
    )
