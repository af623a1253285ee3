"""A line of flags as somebody left it: what can be read of it, and what is wrong."""

import json
from typing import Any

from assay.audit.faults import STATES, unknown_decision
from assay.core.codec import loads, read_example
from assay.core.errors import InputError, SpanError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.taxonomies import taxonomy
from assay.evaluation.errors.answers import OPEN


def read_flagged(line: bytes) -> tuple[Annotated | None, list[str]]:
    """The example on a line, and what is wrong with labels that people wrote there.

    Units with such a label are left out, so that all that is wrong with the others is told too.
    Evidence whose place is wrong is looked for by its words. Whatever else is wrong raises.
    """
    try:
        return read_example(line, "the line"), []
    except (SpanError, UnknownNameError) as error:
        record: Any = loads(line)
        wrong = _without_unknown_labels(record)
        has_quotes = _with_quotes(record)
        if not wrong and not has_quotes:
            raise InputError(f"example '{record.get('id', '')}': {error}") from None
    if wrong and not any(_is_form(each) for each in record["judgements"]):
        return None, wrong
    try:
        return read_example(json.dumps(record).encode(), "the line"), wrong
    except InputError as error:
        return None, [*wrong, f"example '{record.get('id', '')}': {error}"]


def _without_unknown_labels(record: Any) -> list[str]:
    """Takes units with a label that there is not out of what people wrote; what was wrong."""
    wrong: list[str] = []
    for judgement in filter(_is_form, record.get("judgements", [])):
        kept = []
        for unit in judgement["units"]:
            found = _unknown_labels(unit.get("verdict") or {}, judgement.get("taxonomy", ""))
            place = f"example '{record.get('id', '')}', unit {unit.get('id', '')}: "
            wrong += [place + each for each in found]
            if not found:
                kept.append(unit)
        judgement["units"] = kept
    return wrong


def _unknown_labels(verdict: Any, menu: str) -> list[str]:
    """What is wrong with the labels of a verdict, and then with its decision."""
    wrong = []
    readings = [each.get("label") for each in verdict.get("interpretations") or []]
    for label in (verdict.get("label"), verdict.get("error"), *readings):
        try:
            if isinstance(label, dict):
                taxonomy(label.get("taxonomy", ""))[label.get("label", "")]
            elif label is not None:
                taxonomy(menu)[label]
        except UnknownNameError as error:
            wrong.append(str(error))
    state = (verdict.get("attributes") or {}).get("decision") or OPEN
    if wrong and state not in (OPEN, *STATES):
        wrong.append(unknown_decision(state))
    return wrong


def _with_quotes(record: Any) -> bool:
    """Turns the evidence of people's decisions into quotes without places; if there was any."""
    found = False
    for judgement in filter(_is_form, record.get("judgements", [])):
        for unit in judgement["units"]:
            verdict = unit.get("verdict") or {}
            attributes = verdict.get("attributes") or {}
            if attributes.get("decision") and verdict.get("evidence"):
                quotes = [each.get("text", "") for each in verdict.pop("evidence")]
                cited = "\n".join(" ".join(each.split()) for each in quotes)
                before = attributes.get("cited", "")
                verdict["attributes"] = attributes | {"cited": f"{before}\n{cited}".strip()}
                found = True
    return found


def _is_form(judgement: Any) -> bool:
    """Whether somebody may have written in a judgement, as it stands in the file."""
    is_person = judgement.get("author", {}).get("kind") == "person"
    return is_person and not judgement.get("supersedes") and bool(judgement.get("units"))
