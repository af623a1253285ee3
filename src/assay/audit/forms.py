"""Forms in which people decide about flags, and what they wrote there.

A form has a verdict on each flagged unit, whose decision is open. A person decides: the label is
objectively `incorrect`, and another one is given with its reason and evidence; both sides are
defensible, `ambiguous`; or it is a `system-error`: the label is right, and whoever disagrees errs.
Several people may have a form each. Whatever is wrong with a form is told with its place.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from assay.audit.disagreement import Labelled
from assay.audit.grounds import (
    Grounds,
    locate_cited,
    missing_grounds,
    missing_readings,
    says_something,
)
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Finding, Judgement
from assay.core.labels import Label
from assay.core.problems import Problem
from assay.core.taxonomies import taxonomy
from assay.core.verdicts import Attributes, Verdict
from assay.decisions.forms import (
    NOBODY,
    FormLine,
    judgement_of,
    name_of,
    signature_faults,
    state_of,
)
from assay.decisions.proposals import LABEL_DECISIONS, OPEN, REVISED, PersonDecision, Proposal
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldUnit

# The code of problems of evidence: verifying refuses such a revision and goes on with the others.
NO_EVIDENCE = "no-evidence"
_KINDS: tuple[GoldUnit, ...] = ("sentence", "response")
_MOST_UNITS = 12  # of the gold that a message names


def make_form(line: Annotated, units: Iterable[Labelled]) -> Judgement:
    """A form about some units of an example, in their order; no earlier judgement has its key."""
    last = max((each.round for each in line.judgements), default=0)
    given = sorted(units, key=lambda each: (each[0].start or 0, each[0].id))
    undecided = Attributes(decision=OPEN)
    said = ((unit, Verdict(unit.id, label, attributes=undecided)) for unit, label in given)
    return judgement_of(line.id, NOBODY, said, round=last + 1)


def is_form(judgement: Judgement) -> bool:
    """True if a judgement is a form, filled in or not, and whatever was written there.

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
    """True if somebody has decided about a unit of a form, or begun to write there."""
    verdict = finding.verdict
    return state_of(finding) != OPEN or bool(verdict and verdict.note.strip())


def with_evidence(lines: Iterable[Annotated], flags: Iterable[Proposal]) -> tuple[Annotated, ...]:
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


def read_forms(lines: Iterable[FormLine]) -> tuple[list[Proposal], list[Problem]]:
    """The flags on some lines with the decisions of people, and all that is wrong there."""
    found: list[Proposal] = []
    problems: list[Problem] = []
    seen: dict[str, str] = {}
    for filled in lines:
        id = filled.annotated.id
        if id in seen:
            message = f"example '{id}' stands on another line already, {seen[id]}"
            problems.append(Problem(filled.where, message))
            continue
        seen[id] = filled.where
        flags, wrong = _read_line(filled)
        found += flags
        problems += wrong
    return found, problems


def _read_line(filled: FormLine) -> tuple[list[Proposal], list[Problem]]:
    line, forms = without_forms(filled.annotated), forms_of(filled.annotated)
    if not forms:
        message = f"example '{line.id}' has no form; is this a file of flags?"
        return [], [Problem(filled.where, message)]
    gold = {
        unit.id: (unit, label)
        for kind in _KINDS
        for unit, label in gold_labels(line, kind, "corpus")
    }
    flags: dict[str, Proposal] = {}
    problems: list[Problem] = []
    for form, finding in [(one, each) for one in forms for each in _findings(one)]:
        wrong, lacking = list(_general_faults(finding, form)), []
        known = gold.get(finding.id)
        if known is None:
            names = ", ".join(list(gold)[:_MOST_UNITS]) + ", ..." * (len(gold) > _MOST_UNITS)
            wrong.insert(0, f"unknown unit; the gold has {names or 'no unit'}")
        elif known[0].text != finding.text:
            read, other = finding.text[:60], known[0].text[:60]
            wrong.insert(0, f"it reads {read!r}, in the gold {other!r}")
        else:
            flag = flags.setdefault(finding.id, Proposal(line, *known, where=filled.where))
            wrong += _label_faults(finding, flag.label)
            lacking = list(_evidence_faults(finding, flag.label, line))
            if any(each.by == name_of(form) for each in flag.decisions):
                wrong.append(f"{name_of(form)} decides about it twice")
            elif state_of(finding) != OPEN and not wrong and finding.verdict:
                said = _decision(finding.verdict, form, line, "; ".join(lacking))
                flags[finding.id], _ = flag.joined([said])
        place = f"example '{line.id}', unit {finding.id}: "
        problems += [Problem(filled.where, place + each) for each in wrong]
        problems += [Problem(filled.where, place + each, code=NO_EVIDENCE) for each in lacking]
    return list(flags.values()), problems


def _findings(form: Judgement) -> Iterator[Finding]:
    """Every unit of a form; one whose verdict somebody deleted is told."""
    said = {each.id: each for each in form.findings}
    for unit in form.units:
        yield said.get(unit.id) or Finding(unit, Verdict(unit.id, score=0.0))


def _general_faults(finding: Finding, form: Judgement) -> Iterator[str]:
    """Faults of a decision, whatever unit it is about."""
    verdict = finding.verdict
    if verdict is None or verdict.label is None:
        yield "it has no verdict with a label"
        return
    yield from signature_faults(finding, form, LABEL_DECISIONS)
    if state_of(finding) != OPEN and not verdict.note.strip():
        yield "a decision needs a reason; write it as the note"


def _label_faults(finding: Finding, gold: Label) -> Iterator[str]:
    """Faults of the label that somebody wrote beside a decision."""
    state, verdict = state_of(finding), finding.verdict
    if verdict is None or verdict.label is None or state not in (OPEN, *LABEL_DECISIONS):
        return
    label = verdict.label
    if state == OPEN:
        if label != gold or verdict.note.strip():
            yield "something is written there, but its decision is open"
    elif state != REVISED:
        if label != gold:
            yield f"it is {state}, so the label stays {gold}, but {label} is written there"
    elif label.taxonomy != gold.taxonomy:
        menu = ", ".join(taxonomy(gold.taxonomy).names)
        yield f"the gold is of {gold.taxonomy}, and {label} is not; choose of {menu}"
    elif label == gold:
        yield f"the label is {gold} already; an incorrect one needs another"
    else:
        readings = missing_readings(verdict)
        if readings:
            yield readings.message


def _evidence_faults(finding: Finding, gold: Label, line: Annotated) -> Iterator[str]:
    """Faults of the evidence for a revised label: missing, or not in the source."""
    verdict, source = finding.verdict, line.example.source.text
    if verdict is None or verdict.label is None or state_of(finding) != REVISED:
        return
    if verdict.label == gold or verdict.label.taxonomy != gold.taxonomy:
        return
    spans, lost = locate_cited(source, verdict.attributes.cited)
    for quote in lost:
        yield f"the evidence {quote[:60]!r} is not in the source word for word"
    for span in dict.fromkeys((*verdict.evidence, *spans)):
        if not says_something(span.text) and span.text.strip() != source.strip():
            yield (
                f"the evidence {span.text[:60]!r} says nothing; quote three words or more, "
                "or a number or a name"
            )
    given = Grounds(
        bool(verdict.evidence or spans or lost),
        bool(verdict.external),
        bool(verdict.attributes.nothing_found),
    )
    missing = missing_grounds(verdict.label, given)
    if missing:
        yield missing.message


def _decision(verdict: Verdict, form: Judgement, line: Annotated, refusal: str) -> PersonDecision:
    """A decision in which nothing but the evidence is wrong; what it cites becomes spans."""
    spans, _ = locate_cited(line.example.source.text, verdict.attributes.cited)
    evidence = tuple(dict.fromkeys((*verdict.evidence, *spans)))
    attributes = verdict.attributes if refusal else replace(verdict.attributes, cited="")
    told = replace(verdict, evidence=evidence, attributes=attributes)
    state = verdict.attributes.decision
    return PersonDecision(name_of(form), state, told, at=form.at, refusal=refusal)
