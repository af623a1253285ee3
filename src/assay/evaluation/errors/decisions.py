"""What people decided in tasks, read from their files: one task may have several annotators."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Finding, Judgement
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.taxonomies import FINAL4
from assay.core.units import RESPONSE, Unit
from assay.evaluation.errors.answers import NOBODY, OPEN, Filled, require_same_texts
from assay.evaluation.localization.inconsistencies import final4

State = Literal["open", "known", "new", "none", "unsure", "kept", "split", "replaced", "discarded"]
PROPOSAL_STATES: tuple[State, ...] = ("open", "known", "new", "none", "unsure")
EXPLANATION_STATES: tuple[State, ...] = (
    "open",
    "kept",
    "split",
    "replaced",
    "discarded",
    "unsure",
)
# What was done to get at a description (A.2 of the paper); a wrong one is taken out.
Operation = Literal[
    "", "none", "extraction", "decomposition", "vague", "missing", "irrelevant", "wrong"
]
OPERATIONS: tuple[Operation, ...] = get_args(Operation)


@dataclass(frozen=True, slots=True)
class Described:
    """An error as a person left it, with what they did to describe it."""

    unit: Unit
    category: Label | None = None
    evidence: tuple[Span, ...] = ()
    note: str = ""
    operation: Operation = ""

    @property
    def words(self) -> tuple[str, tuple[Span, ...]]:
        """What tells it from other errors of the example."""
        return self.unit.text, self.unit.spans


@dataclass(frozen=True, slots=True)
class Decision:
    """What one person decided about one task, and the errors that there are for it."""

    by: str
    state: State
    errors: tuple[Described, ...] = ()
    known: str = ""  # the gold error that a proposal describes
    note: str = ""

    @property
    def content(self) -> tuple[object, ...]:
        """What comes of it: decisions with the same content do not contradict each other."""
        if self.state not in ("new", "split", "replaced"):
            return (self.state,)
        return self.state, *((each.words, each.category) for each in self.errors)


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to decide: a proposal by its id, or the explanation of a response."""

    example: str
    id: str
    text: str
    origin: str = ""
    decisions: tuple[Decision, ...] = ()

    @property
    def is_proposal(self) -> bool:
        """Whether it is a proposal, and not an explanation."""
        return self.id != RESPONSE


def read_tasks(
    files: Iterable[Filled], corpus: Sequence[Annotated], *, drop_unsure: bool = False
) -> list[Task]:
    """All tasks with the decisions of all annotators; what cannot be used raises.

    An example that the data does not have raises as well, unless it may have been dropped before.
    """
    known = {each.id: each for each in corpus}
    lines = list(files)
    dropped = {each.annotated.id for each in lines if drop_unsure and _is_unsure(each.annotated)}
    tasks: dict[tuple[str, str], Task] = {}
    for line in lines:
        id = line.annotated.id
        if id not in known and id not in dropped:
            raise line.refused(f"the data has no example '{id}'", "tasks")
        if id in known:
            require_same_texts(line, known[id].example, "tasks")
            try:
                for task in _tasks(line.annotated, known[id]):
                    tasks[id, task.id] = _joined(task, tasks.get((id, task.id)))
            except InputError as error:
                raise line.refused(f"example '{id}', {error}", "tasks") from None
    return list(tasks.values())


def _is_unsure(task: Annotated) -> bool:
    return any(
        verdict.attributes.decision == "unsure" for said in task.gold for verdict in said.verdicts
    )


def _joined(task: Task, before: Task | None) -> Task:
    """The task with the decisions of those who decided it in other files."""
    if before is None:
        return task
    if (task.text, task.origin) != (before.text, before.origin):
        raise InputError(
            f"{_name(task)}: it is another one in an earlier line; hand in copies of the same tasks"
        )
    return replace(task, decisions=tuple(_distinct((*before.decisions, *task.decisions), task)))


def _distinct(decisions: Iterable[Decision], task: Task) -> list[Decision]:
    """One decision for each person; two that differ raise."""
    found: dict[str, Decision] = {}
    for each in decisions:
        if found.setdefault(each.by, each).content != each.content:
            raise InputError(f"{_name(task)}: {each.by} decided it twice, and differently")
    return list(found.values())


def _name(task: Task) -> str:
    return f"proposal {task.id}" if task.is_proposal else "the explanation"


def _tasks(line: Annotated, annotated: Annotated) -> Iterator[Task]:
    proposed = {each.id: each for said in line.recorded for each in said.findings}
    if not proposed:
        yield _explanation(line, annotated)
        return
    forms = [each for each in line.gold if each.author != GOLD]
    own = [each for each in line.gold if each.author == GOLD]
    for form in own:
        _refuse_gold(form)
    known = {unit.id for each in own for unit in each.units}
    for form in forms:
        strange = next((unit.id for unit in form.units if unit.id not in proposed), None)
        if strange:
            raise InputError(f"proposal {strange}: nothing was proposed under this id")
    for id, finding in proposed.items():
        task = Task(line.id, id, finding.text, finding.note)
        said = [(form, form.finding(id)) for form in forms]
        read = [_decision(each, form, known) for form, each in said if each]
        yield replace(task, decisions=tuple(_distinct(filter(None, read), task)))


def _decision(finding: Finding, form: Judgement, known: set[str]) -> Decision | None:
    """What a person decided about a proposal; None while it is open."""
    where = f"proposal {finding.id}"
    state = _state(finding, PROPOSAL_STATES, where)
    if state == "open":
        return None
    _require_name(form, state, where)
    if state == "known" and finding.unit.parent not in known:
        names = ", ".join(sorted(known)) or "none"
        raise InputError(
            f"{where}: it is known, but its parent '{finding.unit.parent}' is no error of the "
            f"gold; these are {names}"
        )
    errors = (_described(finding, where),) if state == "new" else ()
    parent = finding.unit.parent if state == "known" else ""
    return Decision(form.author.name, state, errors, parent, finding.note)


def _explanation(line: Annotated, annotated: Annotated) -> Task:
    """The explanation of a response with what people made of it."""
    earlier = {each.key for each in annotated.judgements}
    task = Task(line.id, RESPONSE, _explanation_text(line))
    decisions = []
    for form in line.gold:
        finding = form.finding(RESPONSE)
        is_decided = bool(finding and finding.verdict and finding.verdict.attributes.decision)
        if not is_decided and form.author != NOBODY and form.key in earlier:
            continue  # what the data has
        if finding is None:
            raise InputError("the explanation: there is no decision on the response")
        decision = _rewriting(finding, form)
        if decision:
            decisions.append(decision)
    return replace(task, decisions=tuple(_distinct(decisions, task)))


def _explanation_text(line: Annotated) -> str:
    for judgement in line.gold:
        finding = judgement.finding(RESPONSE)
        if finding and finding.verdict and finding.verdict.attributes.explanation:
            return finding.verdict.attributes.explanation
    raise InputError("there is nothing to decide: neither a proposal nor an explanation")


def _rewriting(finding: Finding, form: Judgement) -> Decision | None:
    """What a person made of an explanation; None while it is open."""
    where = "the explanation"
    state = _state(finding, EXPLANATION_STATES, where)
    if state == "open":
        return None
    _require_name(form, state, where)
    listed = [each for each in _units(form) if each.kind == "inconsistency"]
    described = tuple(_described(each, f"error {each.id}") for each in listed)
    errors = described if state in ("split", "replaced") else ()
    if state == "split" and not any(each.operation != "wrong" for each in errors):
        raise InputError(f"{where}: it is split, but no error is listed")
    return Decision(form.author.name, state, errors, note=finding.note)


def _units(form: Judgement) -> list[Finding]:
    """All units of a form; one that a person added needs a verdict to count."""
    said = {each.id: each for each in form.findings}
    lost = next((unit.id for unit in form.units if unit.id not in said), None)
    if lost:
        raise InputError(f"error {lost}: it has no verdict")
    return list(said.values())


def _described(finding: Finding, where: str) -> Described:
    text = " ".join(finding.text.split())
    if not text:
        raise InputError(f"{where}: the description is empty")
    verdict = finding.verdict
    error = verdict.error if verdict else None
    if error and not final4(error):
        raise InputError(
            f"{where}: the category is one of {', '.join(FINAL4.names)}, not '{error}'"
        )
    said = verdict.attributes.category if verdict else ""
    operation = next((each for each in OPERATIONS if each == said), None)
    if operation is None:
        raise InputError(
            f"{where}: the operation is one of {', '.join(OPERATIONS[1:])}, not '{said}'"
        )
    unit = Unit(finding.id, "inconsistency", text, finding.unit.spans)
    return Described(unit, error, finding.evidence, finding.note, operation)


def _state(finding: Finding, states: Sequence[State], where: str) -> State:
    said = (finding.verdict.attributes.decision if finding.verdict else "") or OPEN
    state = next((each for each in states if each == said), None)
    if state is None:
        raise InputError(f"{where}: the decision is one of {', '.join(states)}, not '{said}'")
    return state


def _require_name(form: Judgement, state: State, where: str) -> None:
    if not form.author.name:
        raise InputError(f"{where}: it is {state}, but its author has no name")
    if form.author == GOLD:
        raise InputError(f"{where}: '{GOLD.name}' is the name of the corpus; write your own")


def _refuse_gold(form: Judgement) -> None:
    """Raises if somebody signed decisions on proposals with the corpus's own name."""
    for state in PROPOSAL_STATES:
        for verdict in form.verdicts:
            if verdict.attributes.decision == state:
                _require_name(form, state, f"proposal {verdict.unit}")
