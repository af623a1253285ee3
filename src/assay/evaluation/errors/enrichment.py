"""Errors that a detector proposes for the gold, for people to accept or reject.

A task is an example with two judgements: what the detector proposes, and a form for a person, who
writes their name and a decision for each proposal, and may fix its wording, place and category.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Author, Finding, Judgement, Judgements
from assay.core.labels import Label
from assay.core.spans import Span
from assay.core.taxonomies import BINARY, FINAL4, GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Verdict
from assay.evaluation.asking import Progress, no_progress
from assay.evaluation.errors.analysis import judged_part
from assay.evaluation.errors.answers import NOBODY, OPEN, Filled, require_same_texts
from assay.evaluation.errors.explanations import today
from assay.evaluation.errors.gathering import describes_errors, is_localizer
from assay.evaluation.localization.inconsistencies import final4
from assay.evaluation.localization.matching import Case, Matcher, count_failures, match_predictions

RECALL = "localize-recall"

State = Literal["open", "accepted", "rejected", "unsure"]
STATES: tuple[State, ...] = get_args(State)


@dataclass(frozen=True, slots=True)
class Proposed:
    """The tasks, of one or more proposals each; `known` proposals are in the gold already.

    Some examples have no outcome, and some parts of responses are `unchecked`.
    """

    examples: int
    tasks: tuple[Annotated, ...]
    known: int
    failures: Counter[str]
    matcher_failures: Counter[str]
    unchecked: int = 0

    @property
    def proposals(self) -> int:
        """How many errors are proposed."""
        return sum(len(each.units) for task in self.tasks for each in task.recorded)

    @property
    def is_complete(self) -> bool:
        """Whether all was looked at."""
        return not (self.failures or self.matcher_failures or self.unchecked)

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain JSON values."""
        return {
            "tasks": len(self.tasks),
            "proposals": self.proposals,
            "examples": self.examples,
            "known": self.known,
            "failures": dict(self.failures),
            "unchecked": self.unchecked,
            "matcher_failures": dict(self.matcher_failures),
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """What became of one proposal: the error as the person who decided left it.

    `origin` says who proposed it, and `comment` is the person's.
    """

    example: str
    unit: Unit
    state: State = "open"
    category: Label | None = None
    evidence: tuple[Span, ...] = ()
    by: str = ""
    comment: str = ""
    origin: str = ""


def require_localizer(detector: str) -> None:
    """Raises if a detector of that name does not say what is wrong, so before it is asked."""
    if not is_localizer(detector):
        raise InputError(
            f"{detector} does not say what is wrong; a localizer does, such as {RECALL}",
            field="detector",
        )


async def propose_errors(
    dataset: str,
    corpus: Sequence[Annotated],
    predictions: Judgements,
    matcher: Matcher,
    progress: Progress = no_progress,
) -> Proposed:
    """What a localizer found and the gold does not have."""
    if not describes_errors(predictions):
        raise InputError(
            f"{predictions.reference} does not say what is wrong; a run of {RECALL} does",
            field="run",
        )
    judged = judged_part(dataset, corpus, predictions)
    cases = await match_predictions(judged, predictions, matcher, progress)
    origin = _origin(predictions, matcher)
    return Proposed(
        len(cases),
        tuple(_task(case, predictions.manifest.author, origin) for case in cases if case.unmatched),
        sum(len(case.predicted) - len(case.unmatched) for case in cases if not case.failure),
        *count_failures(cases),
        sum(case.unchecked for case in cases),
    )


def read_decisions(tasks: Iterable[Annotated], corpus: Iterable[Annotated]) -> list[Decision]:
    """What people decided about each proposal; a task that cannot be used raises."""
    known = {each.id: each.example for each in corpus}
    decisions: list[Decision] = []
    for task in tasks:
        if task.id not in known:
            raise InputError(f"the data has no example '{task.id}'", field="tasks")
        require_same_texts(Filled(task), known[task.id], "tasks")
        decisions += _decisions(task)
    return decisions


def _origin(predictions: Judgements, matcher: Matcher) -> str:
    """Who proposes, in words: kept with every proposal."""
    manifest = predictions.manifest
    prompts = ", ".join(f"{name} {digest}" for name, digest in manifest.prompt_digests.items())
    parts = {
        "by": manifest.model or manifest.author.name,
        "prompt": prompts,
        "in": predictions.reference,
        "matched by": matcher.name,
        "on": today(),
    }
    told = ", ".join(f"{name} {value}" for name, value in parts.items() if value)
    return f"Proposed {told}."


def _task(case: Case, author: Author, origin: str) -> Annotated:
    """What the detector proposes, and a form, on which it is not yet sure that it is wrong."""
    id, units = case.example.id, tuple(error.unit for error in case.unmatched)

    def verdicts(label: Label, **more: Any) -> tuple[Verdict, ...]:
        return tuple(
            Verdict(each.unit.id, label, evidence=each.evidence, error=each.category, **more)
            for each in case.unmatched
        )

    proposed = verdicts(BINARY["unfaithful"], note=origin)
    form = verdicts(GRAY7["ambiguous"], attributes=Attributes(decision=OPEN))
    proposal = Judgement(id, author, units, proposed, at=today())
    return Annotated(case.example, (proposal, Judgement(id, NOBODY, units, form)))


def _decisions(task: Annotated) -> Iterator[Decision]:
    """One for each proposal, in their order."""
    proposed = {each.id: each for said in task.recorded for each in said.findings}
    decided: dict[str, Decision] = {}
    for judgement in task.gold:
        for finding in judgement.findings:
            decision = _read(finding, judgement, proposed)
            if decision.state != "open":
                if finding.id in decided:
                    raise InputError(
                        f"example '{task.id}': the proposal {finding.id} is decided twice; keep "
                        "one of the two",
                        field="tasks",
                    )
                decided[finding.id] = decision
    for id, finding in proposed.items():
        yield decided.get(id) or Decision(task.id, finding.unit)


def _read(finding: Finding, judgement: Judgement, proposed: Mapping[str, Finding]) -> Decision:
    where = f"example '{judgement.example}', proposal {finding.id}"
    if finding.id not in proposed:
        raise InputError(f"{where}: nothing was proposed under this id", field="tasks")
    said = finding.verdict.attributes.decision if finding.verdict else ""
    state = next((each for each in STATES if each == (said or OPEN)), None)
    if state is None:
        raise InputError(
            f"{where}: the decision is one of {', '.join(STATES)}, not '{said}'", field="tasks"
        )
    if state != "open" and not judgement.author.name:
        raise InputError(f"{where}: it is {state}, but its author has no name", field="tasks")
    description = " ".join(finding.text.split())
    if not description:
        raise InputError(f"{where}: the description is empty", field="tasks")
    error = finding.verdict.error if finding.verdict else None
    if error and not final4(error):
        raise InputError(
            f"{where}: the category is one of {', '.join(FINAL4.names)}, not '{error}'",
            field="tasks",
        )
    return Decision(
        judgement.example,
        Unit(finding.id, "inconsistency", description, finding.unit.spans),
        state,
        error,
        finding.evidence,
        judgement.author.name,
        finding.note,
        proposed[finding.id].note,
    )
