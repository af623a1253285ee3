"""Errors that a model proposes for the gold, as tasks that people accept or reject."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.labels import Label
from assay.core.records import Record, read_span, span_record
from assay.core.runs import Run
from assay.core.spans import Span
from assay.core.taxonomies import FINAL4
from assay.core.units import Unit
from assay.evaluate.errors.explanations import today
from assay.evaluate.errors.items import numbered, text_digest
from assay.evaluate.errors.lines import read_lines, text_in
from assay.evaluate.localization.cases import Case, make_cases
from assay.evaluate.localization.matching import Matcher

State = Literal["open", "accepted", "rejected", "unsure"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class Task:
    """One proposed error of an example; `by` and `comment` are of the person who decided."""

    id: str
    example: Example
    unit: Unit
    category: Label | None = None
    evidence: tuple[Span, ...] = ()
    proposed_by: Mapping[str, Any] = field(default_factory=dict)
    state: State = "open"
    by: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Proposed:
    """The tasks; `known` proposals are in the gold already.

    Some examples have no outcome, and some parts of responses are `unchecked`.
    """

    examples: int
    tasks: tuple[Task, ...]
    known: int
    failures: Counter[str]
    matcher_failures: Counter[str]
    unchecked: int = 0

    @property
    def is_complete(self) -> bool:
        """Whether all was looked at."""
        return not (self.failures or self.matcher_failures or self.unchecked)


def propose(judgements: Sequence[Judgement], matcher: Matcher, origin: Record) -> Proposed:
    """What a localizer found and the gold does not have."""
    cases = make_cases(judgements, matcher)
    failed = [case for case in cases if case.failure]
    return Proposed(
        len(cases),
        tuple(task for case in cases for task in _tasks(case, origin)),
        sum(len(case.predicted) - len(case.unmatched) for case in cases if not case.failure),
        Counter(c.failure.reason for c in failed if c.failure and not c.failed_matcher),
        Counter(c.failure.reason for c in failed if c.failure and c.failed_matcher),
        sum(case.unchecked for case in cases),
    )


def origin_of(name: str, run: Run, matcher: str) -> Record:
    """Who proposes: kept with every task."""
    return {
        "model": run.model,
        "detector": run.detector,
        "prompts": dict(run.prompt_digests),
        "run": name,
        "dataset": run.dataset,
        "matcher": matcher,
        "date": today(),
        "version": run.version,
    }


def task_record(task: Task) -> Record:
    """One line; `state`, `by` and `comment` are for people, who may also mend what is proposed."""
    example = task.example
    return {
        "id": task.id,
        "state": task.state,
        "by": task.by,
        "comment": task.comment,
        "description": task.unit.text,
        "category": task.category.name if task.category else "",
        "spans": [span_record(span) for span in task.unit.spans],
        "evidence": [span_record(span) for span in task.evidence],
        "states": list(STATES),
        "categories": {label.name: label.meaning for label in FINAL4},
        "example": example.id,
        "proposed_by": dict(task.proposed_by),
        "question": example.question,
        "response": example.response.text,
        "source": example.source.text,
    }


def read_tasks(path: str, examples: Sequence[Example]) -> list[Task]:
    """The tasks of a file about these examples; a line that cannot be used raises."""
    known = {example.id: example for example in examples}
    return [_read(record, known, where) for where, record in read_lines(path)]


def _tasks(case: Case, origin: Record) -> list[Task]:
    example = case.example
    ids = numbered(f"{example.id}:{text_digest(example, e.unit)}" for e in case.unmatched)
    return [
        Task(key, example, error.unit, error.category, error.evidence, origin)
        for key, error in zip(ids, case.unmatched, strict=True)
    ]


def _read(record: Mapping[str, Any], known: Mapping[str, Example], where: str) -> Task:
    state = text_in(record, "state", where) or "open"
    if state not in STATES:
        raise InputError(f"{where}: the state is one of {', '.join(STATES)}, not '{state}'")
    key = text_in(record, "example", where)
    if key not in known:
        raise InputError(f"{where}: the data has no example '{key}'")
    example = known[key]
    _require_same(record, example, where)
    by = text_in(record, "by", where)
    if state != "open" and not by:
        raise InputError(f"{where}: it is {state}, but there is no name under 'by'")
    try:
        return _task(record, example, state, where)
    except InputError as error:
        raise InputError(f"{where}: {str(error).removeprefix(f'{where}: ')}") from None


def _task(record: Mapping[str, Any], example: Example, state: str, where: str) -> Task:
    description = " ".join(text_in(record, "description", where).split())
    if not description:
        raise InputError("the description is empty")
    category = text_in(record, "category", where)
    spans = _spans(record, "spans", example.response.text)
    return Task(
        text_in(record, "id", where),
        example,
        Unit("inconsistency", description, tuple(read_span(*each, "response") for each in spans)),
        FINAL4[category] if category else None,
        tuple(
            read_span(*each, "source") for each in _spans(record, "evidence", example.source.text)
        ),
        _origin(record),
        next(each for each in STATES if each == state),
        text_in(record, "by", where),
        text_in(record, "comment", where),
    )


def _origin(record: Mapping[str, Any]) -> Mapping[str, Any]:
    origin = record.get("proposed_by") or {}
    if not isinstance(origin, dict) or not isinstance(origin.get("prompts") or {}, dict):
        raise InputError("'proposed_by', and 'prompts' in it, are objects; leave them as they were")
    return origin


def _spans(record: Mapping[str, Any], name: str, text: str) -> list[tuple[Mapping[str, Any], str]]:
    given = record.get(name) or []
    if not isinstance(given, list) or not all(isinstance(each, dict) for each in given):
        raise InputError(f"'{name}' is a list of places, not {given!r}")
    return [(each, text) for each in given]


def _require_same(record: Mapping[str, Any], example: Example, where: str) -> None:
    """Raises if the texts are not those that the task was made for."""
    for name, text in (("response", example.response.text), ("source", example.source.text)):
        if record.get(name) != text:
            raise InputError(
                f"{where}: the {name} of example '{example.id}' is another text than in the data; "
                "apply tasks to the data that they were made for"
            )
