"""What can be wrong with what somebody wrote about a unit of a form."""

from collections.abc import Iterator
from typing import Literal, get_args

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
from assay.core.taxonomies import taxonomy
from assay.core.verdicts import Verdict
from assay.evaluation.errors.answers import OPEN

State = Literal["incorrect", "ambiguous", "system-error"]
STATES: tuple[State, ...] = get_args(State)
# Problems of evidence: verifying refuses such a revision and goes on with the others.
NO_EVIDENCE = "no-evidence"
Wrong = str | tuple[str, str]  # what is wrong, and a code where programs ask for it


def name_of(form: Judgement) -> str:
    """Who filled in a form; empty where it has no name."""
    return " ".join(form.author.name.split())


def state_of(finding: Finding) -> str:
    """What was decided about a unit; `open` where nothing is said."""
    verdict = finding.verdict
    return (verdict.attributes.decision if verdict else "") or OPEN


def unknown_decision(state: str) -> str:
    """What is wrong with a decision that there is not."""
    return f"the decision is one of {', '.join((OPEN, *STATES))}, not '{state}'"


def faults_of(finding: Finding, form: Judgement, gold: Label, line: Annotated) -> Iterator[Wrong]:
    """All that is wrong with what somebody wrote about one unit."""
    yield from general_faults(finding, form)
    state, verdict = state_of(finding), finding.verdict
    if verdict is None or verdict.label is None or state not in (OPEN, *STATES):
        return
    if state == OPEN:
        if verdict.label != gold or verdict.note.strip():
            yield "something is written there, but its decision is open"
        return
    if state != "incorrect":
        if verdict.label != gold:
            yield f"it is {state}, so the label stays {gold}, but {verdict.label} is written there"
        return
    if verdict.label.taxonomy != gold.taxonomy:
        menu = ", ".join(taxonomy(gold.taxonomy).names)
        yield f"the gold is of {gold.taxonomy}, and {verdict.label} is not; choose of {menu}"
    elif verdict.label == gold:
        yield f"the label is {gold} already; an incorrect one needs another"
    else:
        yield from _without_grounds(verdict, line)


def general_faults(finding: Finding, form: Judgement) -> Iterator[str]:
    """What is wrong with what somebody wrote, whatever it is about."""
    state, verdict = state_of(finding), finding.verdict
    if verdict is None or verdict.label is None:
        yield "it has no verdict with a label"
        return
    if state not in (OPEN, *STATES):
        yield unknown_decision(state)
    if name_of(form) == GOLD.name:
        yield f"'{GOLD.name}' is the name of the corpus; write your own"
    if state == OPEN:
        return
    if not name_of(form):
        yield f"it is {state}, but its author has no name"
    if not verdict.note.strip():
        yield "a decision needs a reason; write it as the note"


def _without_grounds(verdict: Verdict, line: Annotated) -> Iterator[Wrong]:
    """What a revised label lacks, and what it cites that the source does not contain."""
    if verdict.label is None:
        return
    spans, lost = locate_cited(line.example.source.text, verdict.attributes.cited)
    for quote in lost:
        yield f"the evidence {quote[:60]!r} is not in the source word for word", NO_EVIDENCE
    source = line.example.source.text.strip()
    for span in dict.fromkeys((*verdict.evidence, *spans)):
        if not says_something(span.text) and span.text.strip() != source:
            yield (
                f"the evidence {span.text[:60]!r} says nothing; quote three words or more, "
                "or a number or a name",
                NO_EVIDENCE,
            )
    given = Grounds(
        bool(verdict.evidence or spans or lost),
        bool(verdict.external),
        bool(verdict.attributes.nothing_found),
    )
    missing = missing_grounds(verdict.label, given)
    if missing:
        yield missing.message, NO_EVIDENCE
    readings = missing_readings(verdict)
    if readings:
        yield readings.message
