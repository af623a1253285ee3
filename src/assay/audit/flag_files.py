"""Files of flags: read with everything that is wrong with them, copies of the same lines joined."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.audit.forms import forms_of, is_filled, read_forms, without_forms
from assay.core.codec import loads, read_example
from assay.core.errors import InputError, SpanError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.judgements import Finding, Judgement
from assay.core.problems import Problem
from assay.core.results import count_of
from assay.core.taxonomies import taxonomy
from assay.core.units import Unit
from assay.decisions.forms import FormLine, name_of, read_form_lines, unknown_decision
from assay.decisions.proposals import LABEL_DECISIONS, OPEN, Proposal


@dataclass(frozen=True, slots=True)
class FlagFiles:
    """The flags of some files, their lines, and all that is wrong in them."""

    lines: tuple[Annotated, ...]
    flags: tuple[Proposal, ...]
    problems: tuple[Problem, ...]


def read_flags(paths: Sequence[str], more: Iterable[Annotated] = ()) -> FlagFiles:
    """The flags of some files, which may be copies that several people filled in.

    `more` are lines that are open already, such as those of a studio. Without any flag it raises.
    """
    lines: dict[str, Annotated] = {}
    flags: dict[tuple[str, str], Proposal] = {}
    problems: list[Problem] = []
    files = [(path, *read_form_lines(path, field="flags", read=_read_flagged)) for path in paths]
    for path, given, unreadable in (*files, ("the project", [*map(FormLine, more)], [])):
        problems += unreadable
        if given and not any(forms_of(each.annotated) for each in given):
            examples = count_of(len(given), "example")
            message = (
                f"{examples} without a form to decide in: this is no file of flags, which "
                "flagging makes of data"
            )
            problems.append(Problem(path, message))
            continue
        found, wrong = read_forms(given)
        problems += wrong
        for filled in given:
            line = filled.annotated
            known = lines.get(line.id)
            if known and known.example != line.example:
                message = f"example '{line.id}' is another one in another file"
                problems.append(Problem(filled.where, message))
                continue
            lines[line.id] = _joined(known, line) if known else line
        for flag in found:
            known_flag = flags.get(flag.key)
            flags[flag.key], wrong = _merged(known_flag, flag) if known_flag else (flag, [])
            problems += wrong
    if not flags and not problems:
        raise InputError("there are no flags in what was given", field="flags")
    told = [replace(each, line=without_forms(lines[each.line.id])) for each in flags.values()]
    return FlagFiles(tuple(lines.values()), tuple(told), tuple(problems))


def _merged(one: Proposal, other: Proposal) -> tuple[Proposal, list[Problem]]:
    """A flag with the decisions of both copies; nobody may decide in two ways."""
    joined, twice = one.joined(other.decisions)
    wrong = ["its gold label differs in the files"] if one.label != other.label else []
    wrong += [f"{each} decides otherwise in {one.where}" for each in twice]
    place = f"example '{one.line.id}', unit {one.unit.id}"
    return joined, [Problem(other.where, f"{place}: {each}") for each in wrong]


def _joined(one: Annotated, other: Annotated) -> Annotated:
    """A line with what another copy of it has more; the forms of one person become one."""
    forms = forms_of(other)
    said = [e for e in other.judgements if e not in one.judgements and e not in forms]
    joined = one.with_judgements(*said)
    for form in forms:
        mine = [each for each in forms_of(joined) if name_of(each) == name_of(form)]
        if not mine:
            joined = joined.with_judgements(form)
        for unit in form.units if mine else ():
            at = next((each for each in mine if unit.id in each.by_id), mine[0])
            filled = _with_unit(at, unit, form.finding(unit.id))
            mine = [filled if each is at else each for each in mine]
            judgements = tuple(filled if each is at else each for each in joined.judgements)
            joined = replace(joined, judgements=judgements)
    return joined


def _with_unit(form: Judgement, unit: Unit, said: Finding | None) -> Judgement:
    """A form with what another copy of it says of a unit, unless it has a decision itself."""
    known = form.finding(unit.id)
    if said is None or (known and (is_filled(known) or not is_filled(said))):
        return form
    units = form.units if unit.id in form.by_id else (*form.units, unit)
    others = tuple(each for each in form.outcomes if each.unit != unit.id)
    return replace(form, units=units, outcomes=(*others, said.outcome))


def _read_flagged(line: bytes) -> tuple[Annotated | None, list[str]]:
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
    if wrong and not any(_may_be_form(each) for each in record["judgements"]):
        return None, wrong
    try:
        return read_example(json.dumps(record).encode(), "the line"), wrong
    except InputError as error:
        return None, [*wrong, f"example '{record.get('id', '')}': {error}"]


def _without_unknown_labels(record: Any) -> list[str]:
    """Takes units with a label that there is not out of what people wrote; what was wrong."""
    wrong: list[str] = []
    for judgement in filter(_may_be_form, record.get("judgements", [])):
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
    """Faults of the labels of a verdict, and then of its decision."""
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
    if wrong and state not in (OPEN, *LABEL_DECISIONS):
        wrong.append(unknown_decision(state, LABEL_DECISIONS))
    return wrong


def _with_quotes(record: Any) -> bool:
    """Turns the evidence of people's decisions into quotes without places; if there was any."""
    found = False
    for judgement in filter(_may_be_form, record.get("judgements", [])):
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


def _may_be_form(judgement: Any) -> bool:
    """True if somebody may have written in a judgement, as it stands in the file."""
    is_person = judgement.get("author", {}).get("kind") == "person"
    return is_person and not judgement.get("supersedes") and bool(judgement.get("units"))
