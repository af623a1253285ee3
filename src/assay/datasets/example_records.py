"""A whole example as plain JSON values and back: texts, units, gold and recorded outcomes."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.records import (
    Record,
    failure_record,
    outcome_record,
    read_span,
    read_verdict,
    span_record,
)
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.texts import Passage, Response, Source
from assay.core.units import Relation, Unit, UnitKind
from assay.core.verdicts import Failure, FailureReason, Outcome, Verdict

FORMAT = "assay-example-1"
_ALWAYS = ("format", "id", "source", "response", "language")
_TEXTS = (*_ALWAYS, "source_id", "model", "question", "split", "task")


def example_record(example: Example) -> Record:
    """All that an example holds; what is empty is left out."""
    text = example.response.text
    passages = example.source.passages
    record: Record = {
        "format": FORMAT,
        "id": example.id,
        "source": example.source.text,
        "source_id": example.source.id,
        "source_passages": [
            {"name": each.name, "start": each.start, "end": each.end} for each in passages
        ],
        "response": text,
        "model": example.response.model,
        "question": example.question,
        "language": example.language,
        "split": example.split,
        "task": example.task,
        "units": [unit_record(unit, text) for unit in example.units],
        "gold": [_outcome(verdict, text) for verdict in example.gold],
        "recorded": [_outcome(outcome, text) for outcome in example.recorded],
    }
    return {name: value for name, value in record.items() if value or name in _ALWAYS}


def unit_record(unit: Unit, response: str) -> Record:
    """A unit; of the whole response only its kind is written."""
    if unit == _whole(response):
        return {"kind": "response"}
    record: Record = {"kind": unit.kind, "text": unit.text}
    if unit.spans:
        record["spans"] = [_span(span) for span in unit.spans]
    if isinstance(unit, Relation):
        record["name"] = unit.name
        record["first"] = unit_record(unit.first, response) if unit.first else None
        record["second"] = unit_record(unit.second, response) if unit.second else None
        record["cue"] = _span(unit.cue) if unit.cue else None
    return record


def read_record(record: Mapping[str, Any]) -> Example:
    """The example of a record, its spans checked against its texts; a damaged one raises."""
    if not isinstance(record, Mapping) or record.get("format") != FORMAT:
        raise InputError(f"not a record of the form '{FORMAT}'")
    try:
        return _read(record)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise InputError(f"the record '{record.get('id')}' is damaged: {error!r}") from None


def _read(record: Mapping[str, Any]) -> Example:
    for name in _TEXTS:
        if not isinstance(record.get(name, ""), str):
            raise InputError(f"'{name}' must be text, not {record[name]!r}")
    source, text = record["source"], record["response"]
    gold = [_read_outcome(each, source, text) for each in record.get("gold", ())]
    return Example(
        id=record["id"],
        source=Source(
            source,
            tuple(Passage(**each) for each in record.get("source_passages", ())),
            record.get("source_id", ""),
        ),
        response=Response(text, record.get("model", "")),
        question=record.get("question", ""),
        language=record["language"],
        units=tuple(_read_unit(each, text) for each in record.get("units", ())),
        gold=tuple(verdict for verdict in gold if isinstance(verdict, Verdict)),
        recorded=tuple(_read_outcome(each, source, text) for each in record.get("recorded", ())),
        split=record.get("split", ""),
        task=record.get("task", ""),
    )


def _whole(response: str) -> Unit:
    return Unit.at("response", Span.cut(response, 0, len(response), "response"))


def _span(span: Span) -> Record:
    if span.side != "response":
        raise InputError(f"a unit lies in the response, not at {span}")
    return span_record(span)


def _outcome(outcome: Outcome, response: str) -> Record:
    """An outcome with its unit, its judge and the taxonomy of its label."""
    if isinstance(outcome, Failure):
        said = {**failure_record(outcome), "raw": outcome.raw}
    else:
        _require_storable(outcome)
        said = outcome_record(outcome)
        said["taxonomy"] = outcome.label.taxonomy if outcome.label else None
    for name in ("text", "start", "end", "unit"):
        said.pop(name, None)
    kept = {name: value for name, value in said.items() if value not in (None, "", [])}
    judge = {"judge": outcome.judge} if outcome.judge else {}
    return {"unit": unit_record(outcome.unit, response), **judge, **kept}


def _require_storable(verdict: Verdict) -> None:
    menus = {each.label.taxonomy for each in verdict.interpretations}
    if menus - {verdict.label.taxonomy if verdict.label else BINARY.name}:
        raise InputError("the readings of a verdict have labels of another taxonomy than its own")
    if any(span.side != "source" for span in verdict.evidence):
        raise InputError("the evidence of a verdict does not lie in the source")


def _read_outcome(record: Mapping[str, Any], source: str, response: str) -> Outcome:
    unit = _read_unit(record["unit"], response)
    judge = record.get("judge", "")
    if "reason" in record:
        reason = _on_menu(record["reason"], get_args(FailureReason))
        return Failure(unit, reason, record.get("detail", ""), record.get("raw", ""), judge)
    menu = taxonomy(record.get("taxonomy", BINARY.name))
    verdict = read_verdict(record, unit, source, menu)
    if verdict is None:
        raise InputError("a verdict has neither a label nor a score")
    return replace(verdict, judge=judge)


def _read_unit(record: Mapping[str, Any], response: str) -> Unit:
    kind = _on_menu(record["kind"], get_args(UnitKind))
    if "text" not in record:
        return _whole(response)
    spans = tuple(read_span(each, response, "response") for each in record.get("spans", ()))
    if "first" not in record:
        return Unit(kind, record["text"], spans)
    first, second = (
        _read_unit(record[end], response) if record[end] else None for end in ("first", "second")
    )
    cue = read_span(record["cue"], response, "response") if record["cue"] else None
    return Relation(kind, record["text"], spans, record["name"], first, second, cue)


def _on_menu(value: Any, choices: tuple[str, ...]) -> Any:
    if value not in choices:
        raise InputError(f"{value!r} is not one of {', '.join(choices)}")
    return value
