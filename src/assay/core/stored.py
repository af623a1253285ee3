"""Units and outcomes in the form in which they are kept: nothing of them is lost.

What stands in the texts anyway is not written again: of the whole response only its kind.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, get_args

from assay.core.errors import InputError
from assay.core.records import (
    Record,
    failure_record,
    outcome_record,
    read_span,
    read_unit,
    read_verdict,
    span_record,
)
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.units import Relation, Unit, UnitKind
from assay.core.verdicts import Failure, FailureReason, Outcome, Verdict


def unit_record(unit: Unit, response: str) -> Record:
    """A unit; of the whole response only its kind is written."""
    if unit == _whole(response):
        return {"kind": "response"}
    record: Record = {"kind": unit.kind, "text": unit.text}
    if unit.spans:
        record["spans"] = [_span(span) for span in unit.spans]
    return {**record, **_link(unit, response)}


def read_unit_record(record: Mapping[str, Any], response: str) -> Unit:
    """The unit that `unit_record` wrote, its spans checked against the response."""
    kind = on_menu(record["kind"], get_args(UnitKind))
    if "text" not in record:
        return _whole(response)
    spans = tuple(read_span(each, response, "response") for each in record.get("spans", ()))
    if "first" not in record:
        return Unit(kind, record["text"], spans)
    first, second = (
        read_unit_record(record[end], response) if record[end] else None
        for end in ("first", "second")
    )
    cue = read_span(record["cue"], response, "response") if record["cue"] else None
    return Relation(kind, record["text"], spans, record["name"], first, second, cue)


def stored_outcome(outcome: Outcome, response: str) -> Record:
    """An outcome with its unit, its judge and the taxonomy of its label; what is empty is not."""
    if isinstance(outcome, Failure):
        said = failure_record(outcome)
    else:
        _require_storable(outcome)
        said = outcome_record(outcome)
        said["taxonomy"] = outcome.label.taxonomy if outcome.label else None
    for name in ("text", "start", "end", "unit"):
        said.pop(name, None)
    kept = {name: value for name, value in said.items() if value not in (None, "", [])}
    judge = {"judge": outcome.judge} if outcome.judge else {}
    return {"unit": unit_record(outcome.unit, response), **judge, **kept}


def read_stored_outcome(record: Mapping[str, Any], source: str, response: str) -> Outcome:
    """The outcome that `stored_outcome` wrote, its spans checked against both texts."""
    unit = read_unit_record(record["unit"], response)
    judge = record.get("judge", "")
    if "reason" in record:
        reason = on_menu(record["reason"], get_args(FailureReason))
        return Failure(unit, reason, record.get("detail", ""), record.get("raw", ""), judge)
    menu = taxonomy(record.get("taxonomy", BINARY.name))
    verdict = read_verdict(record, unit, source, menu)
    if verdict is None:
        raise InputError("a verdict has neither a label nor a score")
    return replace(verdict, judge=judge)


def judged_record(outcome: Outcome, response: str) -> Record:
    """An outcome on a unit of any kind, as it stands in the JSON document."""
    unit = outcome.unit
    record: Record = {"kind": unit.kind, **outcome_record(outcome)}
    if unit.spans and (len(unit.spans) > 1 or unit.spans[0].text != unit.text):
        record["spans"] = [_span(span) for span in unit.spans]
    return {**record, **_link(unit, response)}


def read_judged_unit(record: Mapping[str, Any], response: str) -> Unit:
    """The unit of a record that `judged_record` wrote."""
    if "spans" not in record and "first" not in record:
        return read_unit(record, response, on_menu(record["kind"], get_args(UnitKind)))
    if "spans" not in record and record.get("start") is not None:
        record = {**record, "spans": [{name: record[name] for name in ("start", "end", "text")}]}
    return read_unit_record(record, response)


def on_menu(value: Any, choices: tuple[str, ...]) -> Any:
    """The value, if it is one of the choices; otherwise raises."""
    if value not in choices:
        raise InputError(f"{value!r} is not one of {', '.join(choices)}")
    return value


def _whole(response: str) -> Unit:
    return Unit.at("response", Span.cut(response, 0, len(response), "response"))


def _link(unit: Unit, response: str) -> Record:
    """What a relation has beyond other units."""
    if not isinstance(unit, Relation):
        return {}
    return {
        "name": unit.name,
        "first": unit_record(unit.first, response) if unit.first else None,
        "second": unit_record(unit.second, response) if unit.second else None,
        "cue": _span(unit.cue) if unit.cue else None,
    }


def _span(span: Span) -> Record:
    if span.side != "response":
        raise InputError(f"a unit lies in the response, not at {span}")
    return span_record(span)


def _require_storable(verdict: Verdict) -> None:
    menus = {each.label.taxonomy for each in verdict.interpretations}
    if menus - {verdict.label.taxonomy if verdict.label else BINARY.name}:
        raise InputError("the readings of a verdict have labels of another taxonomy than its own")
    if any(span.side != "source" for span in verdict.evidence):
        raise InputError("the evidence of a verdict does not lie in the source")
