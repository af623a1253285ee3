"""Tasks about the errors of the gold, as people left them: one may have several annotators.

A task is a proposal: an error that a detector describes, or the explanation of a response.
"""

from collections.abc import Iterable, Iterator, Sequence

from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Finding, Judgement
from assay.core.problems import Problem
from assay.core.taxonomies import BINARY, FINAL4
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict
from assay.decisions.forms import (
    NOBODY,
    FormLine,
    name_of,
    other_text,
    refuse_problems,
    signature_faults,
    state_of,
)
from assay.decisions.proposals import OPEN, DescribedError, PersonDecision, Proposal
from assay.evaluation.localization.gold import DECISIONS
from assay.evaluation.localization.inconsistencies import final4

PROPOSAL_DECISIONS = ("known", "new", "none", "unsure")
EXPLANATION_DECISIONS = ("kept", "split", "replaced", "discarded", "unsure")
# What was done to get at a description (A.2 of the paper); a wrong one is taken out.
OPERATIONS = ("none", "extraction", "decomposition", "vague", "missing", "irrelevant", "wrong")
_ON_PROPOSALS = (OPEN, *PROPOSAL_DECISIONS)
_ONLY_IN_FORMS = (*_ON_PROPOSALS, "kept")  # data has what comes of them


def has_form(task: Annotated) -> bool:
    """True if people are asked for decisions there, or have made some: it is a task, not data."""
    return any(each.author == NOBODY for each in task.judgements) or any(
        _is_form(each, task) for each in task.gold
    )


def _is_form(judgement: Judgement, task: Annotated) -> bool:
    """True if decisions are those of a form: what is made of them supersedes an explanation.

    A form has no explanation of its own; it stands beside the judgement that gives one.
    """
    if any(each.attributes.decision in _ONLY_IN_FORMS for each in judgement.verdicts):
        return True
    whole = judgement.finding(RESPONSE)
    return (
        whole is not None
        and state_of(whole) in DECISIONS
        and not judgement.supersedes
        and not _explanation_of(judgement)
        and any(map(_explanation_of, task.gold))
    )


def _explanation_of(judgement: Judgement) -> str:
    whole = judgement.finding(RESPONSE)
    words = whole.verdict.attributes.explanation if whole and whole.verdict else ""
    return words if words.strip() else ""


def is_explanation(task: Proposal) -> bool:
    """True for a task about the explanation of a response, and not about an error."""
    return task.unit.id == RESPONSE


def read_tasks(
    lines: Sequence[FormLine], corpus: Sequence[Annotated], *, drop_unsure: bool = False
) -> list[Proposal]:
    """All tasks with the decisions of all annotators; raises with all that cannot be used.

    An example that the data does not have is a fault, unless it may have been dropped before.
    """
    known = {each.id: each for each in corpus}
    dropped = {each.annotated.id for each in lines if drop_unsure and _is_unsure(each.annotated)}
    tasks: dict[tuple[str, str], Proposal] = {}
    problems: list[Problem] = []
    for line in lines:
        id = line.annotated.id
        if id not in known:
            if id not in dropped:
                problems.append(Problem(line.where, f"the data has no example '{id}'"))
            continue
        another = other_text(line.annotated.example, known[id].example)
        if another:
            problems.append(Problem(line.where, another))
            continue
        faults: list[str] = []
        for task in _tasks(line, known[id], faults):
            tasks[task.key] = _joined(task, tasks.get(task.key), faults)
        problems += [Problem(line.where, f"example '{id}', {each}") for each in faults]
    refuse_problems(problems, field="tasks")
    return list(tasks.values())


def _is_unsure(task: Annotated) -> bool:
    return any(
        verdict.attributes.decision == "unsure" for said in task.gold for verdict in said.verdicts
    )


def _joined(task: Proposal, before: Proposal | None, faults: list[str]) -> Proposal:
    """The task with the decisions of those who decided it in other files."""
    if before is None:
        return task
    if (task.unit.text, task.origin) != (before.unit.text, before.origin):
        faults.append(
            f"{_name(task)}: it is another one in an earlier line; hand in copies of the same tasks"
        )
        return before
    return _with_decisions(before, task.decisions, faults)


def _with_decisions(
    task: Proposal, decisions: Iterable[PersonDecision], faults: list[str]
) -> Proposal:
    joined, twice = task.joined(decisions)
    faults += [f"{_name(task)}: {each} decided it twice, and differently" for each in twice]
    return joined


def _name(task: Proposal) -> str:
    return "the explanation" if is_explanation(task) else f"proposal {task.unit.id}"


def _tasks(line: FormLine, annotated: Annotated, faults: list[str]) -> Iterator[Proposal]:
    """The tasks on a line, and all that is wrong with what people wrote there."""
    proposed = {each.id: each for said in line.annotated.recorded for each in said.findings}
    if not proposed:
        yield from _explanation(line, annotated, faults)
        return
    own = [each for each in line.annotated.gold if each.author == GOLD]
    forms = [each for each in line.annotated.gold if each.author != GOLD]
    for form in own:
        for finding in form.findings:
            if finding.verdict and finding.verdict.attributes.decision in _ON_PROPOSALS:
                wrong = signature_faults(finding, form, PROPOSAL_DECISIONS)
                faults += [f"proposal {finding.id}: {each}" for each in wrong]
    known = {unit.id for each in own for unit in each.units}
    strange = [unit.id for form in forms for unit in form.units if unit.id not in proposed]
    faults += [f"proposal {each}: nothing was proposed under this id" for each in strange]
    for id, finding in proposed.items():
        label = finding.label or BINARY["unfaithful"]
        task = Proposal(line.annotated, finding.unit, label, (), line.where, finding.note)
        said = [(form, form.finding(id)) for form in forms]
        read = [_decision(each, form, known, faults) for form, each in said if each]
        yield _with_decisions(task, filter(None, read), faults)


def _decision(
    finding: Finding, form: Judgement, known: set[str], faults: list[str]
) -> PersonDecision | None:
    """The decision of a person about a proposal; None while it is open, or cannot be used."""
    state, verdict = state_of(finding), finding.verdict
    if state == OPEN or verdict is None:
        return None
    wrong = list(signature_faults(finding, form, PROPOSAL_DECISIONS))
    if state == "known" and finding.unit.parent not in known:
        names = ", ".join(sorted(known)) or "none"
        wrong.append(
            f"it is known, but its parent '{finding.unit.parent}' is no error of the gold; these "
            f"are {names}"
        )
    if state == "new":
        wrong += _description_faults(finding)
    errors = (_described(finding),) if state == "new" else ()
    faults += [f"proposal {finding.id}: {each}" for each in wrong]
    return None if wrong else PersonDecision(name_of(form), state, verdict, errors, form.at)


def _explanation(line: FormLine, annotated: Annotated, faults: list[str]) -> Iterator[Proposal]:
    """The explanation of a response with what people made of it."""
    words = next(filter(None, map(_explanation_of, line.annotated.gold)), "")
    if not words:
        faults.append("there is nothing to decide: neither a proposal nor an explanation")
        return
    unit = Unit(RESPONSE, "response", words)
    task = Proposal(line.annotated, unit, BINARY["unfaithful"], (), line.where)
    earlier = {each.key for each in annotated.judgements}
    decisions = []
    for form in line.annotated.gold:
        finding = form.finding(RESPONSE)
        is_decided = bool(finding and finding.verdict and finding.verdict.attributes.decision)
        if not is_decided and form.author != NOBODY and form.key in earlier:
            continue  # what the data has
        if finding is None:
            faults.append("the explanation: there is no decision on the response")
        else:
            decisions.append(_rewriting(finding, form, faults))
    yield _with_decisions(task, filter(None, decisions), faults)


def _rewriting(finding: Finding, form: Judgement, faults: list[str]) -> PersonDecision | None:
    """The decision of a person about an explanation; None while it is open, or unusable."""
    state, verdict = state_of(finding), finding.verdict
    if state == OPEN or verdict is None:
        return None
    wrong = [
        f"the explanation: {each}"
        for each in signature_faults(finding, form, EXPLANATION_DECISIONS)
    ]
    said = {each.id: each for each in form.findings}
    wrong += [f"error {unit.id}: it has no verdict" for unit in form.units if unit.id not in said]
    listed = [each for each in said.values() if each.kind == "inconsistency"]
    for each in listed:
        wrong += [f"error {each.id}: {fault}" for fault in _description_faults(each)]
    errors = tuple(map(_described, listed)) if state in ("split", "replaced") else ()
    if state == "split" and all(is_wrong(each) for each in errors):
        wrong.append("the explanation: it is split, but no error is listed")
    faults += wrong
    return None if wrong else PersonDecision(name_of(form), state, verdict, errors, form.at)


def is_wrong(error: DescribedError) -> bool:
    """True if a person took the error out of the list."""
    return error.verdict.attributes.category == "wrong"


def _description_faults(finding: Finding) -> Iterator[str]:
    if not finding.text.split():
        yield "the description is empty"
    verdict = finding.verdict
    if verdict and verdict.error and not final4(verdict.error):
        yield f"the category is one of {', '.join(FINAL4.names)}, not '{verdict.error}'"
    operation = verdict.attributes.category if verdict else ""
    if operation and operation not in OPERATIONS:
        yield f"the operation is one of {', '.join(OPERATIONS)}, not '{operation}'"


def _described(finding: Finding) -> DescribedError:
    text = " ".join(finding.text.split())
    unit = Unit(finding.id, "inconsistency", text, finding.unit.spans)
    return DescribedError(unit, finding.verdict or Verdict(unit.id, score=0.0))
