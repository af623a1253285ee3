"""Forms in which people decide about flags, and what they wrote there.

A form is a judgement by nobody with a verdict on each flagged unit, whose decision is open. A
person writes their name as its author and decides: the label is objectively `incorrect`, and
another one is given with its reason and evidence; both sides are defensible, `ambiguous`; or it is
a `system-error`: the label is right, and whoever disagrees errs. Several people may have a form
each. Whatever is wrong with a form is told with its place; nothing is dropped in silence.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assay.audit.faults import STATES, State, Wrong, faults_of, general_faults, name_of, state_of
from assay.audit.flagging import Labelled
from assay.audit.grounds import locate_cited
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Finding, Judgement
from assay.core.labels import Label
from assay.core.problems import Problem
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.evaluation.errors.answers import NOBODY, OPEN, Filled
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldUnit

_KINDS: tuple[GoldUnit, ...] = ("sentence", "response")


@dataclass(frozen=True, slots=True)
class Decision:
    """What one person decided about a flag; the verdict has the label, the reason and evidence.

    A revision without the evidence that it needs has a `refusal`: why it cannot be verified.
    """

    by: str
    state: State
    verdict: Verdict
    at: str = ""
    refusal: str = ""

    @property
    def content(self) -> tuple[str, Label | None]:
        """What has to be the same where two people decide alike."""
        return self.state, self.verdict.label if self.state == "incorrect" else None


@dataclass(frozen=True, slots=True)
class FlaggedUnit:
    """A unit that was flagged, its gold label, and what people decided; `where` is its line."""

    line: Annotated
    unit: Unit
    label: Label
    decisions: tuple[Decision, ...]
    where: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The ids of example and unit."""
        return self.line.id, self.unit.id


def make_form(line: Annotated, units: Iterable[Labelled]) -> Judgement:
    """A form about some units of an example, in their order; no earlier judgement has its key."""
    last = max((each.round for each in line.judgements), default=0)
    given = sorted(units, key=lambda each: (each[0].start or 0, each[0].id))
    return Judgement(
        line.id,
        NOBODY,
        tuple(unit for unit, _ in given),
        tuple(
            Verdict(unit.id, label, attributes=Attributes(decision=OPEN)) for unit, label in given
        ),
        round=last + 1,
    )


def is_form(judgement: Judgement) -> bool:
    """Whether a judgement is a form, filled in or not, and whatever was written there.

    What came of an audit supersedes something, and is none. Nobody else's verdicts have decisions;
    a judgement without any verdict is a form from which somebody deleted them.
    """
    if judgement.author.kind != "person" or judgement.supersedes:
        return False
    if not all(each.kind in _KINDS for each in judgement.units):
        return False
    if judgement.author == NOBODY or any(e.attributes.decision for e in judgement.verdicts):
        return True
    return judgement.author != GOLD and bool(judgement.units) and not judgement.outcomes


def forms_of(line: Annotated) -> list[Judgement]:
    """The forms of an example that no later judgement supersedes."""
    return [each for each in line.gold if is_form(each)]


def without_forms(line: Annotated) -> Annotated:
    """The example as it was before anybody was asked about it."""
    forms = {id(each) for each in forms_of(line)}
    return replace(line, judgements=tuple(e for e in line.judgements if id(e) not in forms))


def is_filled(finding: Finding) -> bool:
    """Whether somebody has decided about a unit of a form, or begun to write there."""
    verdict = finding.verdict
    return state_of(finding) != OPEN or bool(verdict and verdict.note.strip())


def with_evidence(
    lines: Iterable[Annotated], flags: Iterable[FlaggedUnit]
) -> tuple[Annotated, ...]:
    """The lines with the places of what people cite in their forms; what has none stays."""
    found: dict[str, dict[tuple[str, str], Verdict]] = {}
    for flag in flags:
        by_unit = found.setdefault(flag.line.id, {})
        by_unit |= {(e.by, flag.unit.id): e.verdict for e in flag.decisions if not e.refusal}
    return tuple(_with_places(line, found.get(line.id, {})) for line in lines)


def _with_places(line: Annotated, found: dict[tuple[str, str], Verdict]) -> Annotated:
    forms = {id(each) for each in forms_of(line)}
    judgements = tuple(
        replace(
            each,
            outcomes=tuple(found.get((name_of(each), one.unit), one) for one in each.outcomes),
        )
        if id(each) in forms
        else each
        for each in line.judgements
    )
    return replace(line, judgements=judgements)


def read_forms(lines: Iterable[Filled]) -> tuple[list[FlaggedUnit], list[Problem]]:
    """What people decided on some lines, and all that is wrong with it."""
    found: list[FlaggedUnit] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for filled in lines:
        id = filled.annotated.id
        if id in seen:
            message = f"example '{id}' stands on another line already, {seen[id]}"
            problems.append(Problem(filled.where, message))
            continue
        seen[id] = filled.where
        units, wrong = _read_line(filled)
        found += units
        problems += wrong
    return found, problems


def _read_line(filled: Filled) -> tuple[list[FlaggedUnit], list[Problem]]:
    line = without_forms(filled.annotated)
    gold = {
        unit.id: (unit, label)
        for kind in _KINDS
        for unit, label in gold_labels(line, kind, "corpus")
    }
    decided: dict[str, list[Decision]] = {}
    problems: list[Problem] = []
    forms = forms_of(filled.annotated)
    if not forms:
        message = f"example '{line.id}' has no form; is this a file of flags?"
        return [], [Problem(filled.where, message)]
    for form in forms:
        for finding in _findings(form):
            place = f"example '{line.id}', unit {finding.id}"
            known = gold.get(finding.id)
            wrong: list[Wrong] = []
            if known and known[0].text == finding.text:
                wrong = list(faults_of(finding, form, known[1], line))
                decided.setdefault(finding.id, [])
                if any(each.by == name_of(form) for each in decided[finding.id]):
                    wrong.append(f"{name_of(form)} decides about it twice")
                elif state_of(finding) != OPEN and not any(isinstance(e, str) for e in wrong):
                    refusal = "; ".join(each[0] for each in wrong)
                    decided[finding.id].append(_decision(finding, form, line, refusal))
            else:
                wrong = [
                    f"it reads {finding.text[:60]!r}, in the gold {known[0].text[:60]!r}"
                    if known
                    else f"unknown unit; the gold has {_some(gold)}",
                    *general_faults(finding, form),
                ]
            problems += [_problem(filled.where, f"{place}: ", each) for each in wrong]
    units = [
        FlaggedUnit(line, *gold[id], tuple(some), filled.where) for id, some in decided.items()
    ]
    return units, problems


def _findings(form: Judgement) -> Iterator[Finding]:
    """Every unit of a form; one whose verdict somebody deleted is told."""
    said = {each.id: each for each in form.findings}
    for unit in form.units:
        yield said.get(unit.id) or Finding(unit, Verdict(unit.id, score=0.0))


def _problem(where: str, place: str, wrong: Wrong) -> Problem:
    message, code = (wrong, "") if isinstance(wrong, str) else wrong
    return Problem(where, place + message, code=code)


def _decision(finding: Finding, form: Judgement, line: Annotated, refusal: str) -> Decision:
    """A decision in which nothing but the evidence is wrong; what it cites becomes spans."""
    state = next(each for each in STATES if each == state_of(finding))
    verdict = finding.verdict
    if verdict is None:  # told before
        raise TypeError("a decision without a verdict")
    spans, _ = locate_cited(line.example.source.text, verdict.attributes.cited)
    evidence = tuple(dict.fromkeys((*verdict.evidence, *spans)))
    if not refusal:
        verdict = replace(verdict, attributes=replace(verdict.attributes, cited=""))
    return Decision(name_of(form), state, replace(verdict, evidence=evidence), form.at, refusal)


def _some(known: Sequence[str] | dict[str, Any]) -> str:
    names = list(known)
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") or "no unit"
