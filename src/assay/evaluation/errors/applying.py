"""What people decided, taken into the gold: the data afterwards, and what became of the tasks."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.core.examples import Annotated
from assay.evaluation.errors.counts import Counts, count_gold, is_unfaithful
from assay.evaluation.errors.decisions import Decision, Task
from assay.evaluation.errors.reconciling import (
    AnnotatorAgreement,
    Conflict,
    Settling,
    measure_agreement,
    measure_explanation_agreement,
    settle,
)
from assay.evaluation.errors.rewriting import apply_decisions
from assay.metrics import Estimate, proportion


@dataclass(frozen=True, slots=True)
class Enriched:
    """The examples with what was decided, what became of the tasks, and the gold before and after.

    Where annotators are in `conflicts` that nobody settled, there are no examples. `added` counts
    the errors that are new in the gold, `already` those that it has in the same words;
    `newly_unfaithful` counts responses in which people had found nothing before.
    """

    annotated: tuple[Annotated, ...]
    proposals: Counter[str]
    explanations: Counter[str]
    operations: Counter[str]
    before: Counts
    after: Counts
    added: int
    already: int
    newly_unfaithful: int
    dropped: int
    agreement: AnnotatorAgreement | None = None
    conflicts: tuple[Conflict, ...] = ()
    explanation_agreement: AnnotatorAgreement | None = None

    @property
    def shares(self) -> dict[str, Estimate]:
        """Each decision about proposals as a share of those that were decided."""
        decided = self.proposals.total() - self.proposals["open"] - self.proposals["conflict"]
        return {
            state: proportion(self.proposals[state], decided)
            for state in ("known", "new", "none", "unsure")
            if decided
        }

    @property
    def operation_shares(self) -> dict[str, Estimate]:
        """What was done to get at descriptions, as shares (the paper's Figure 2)."""
        total = self.operations.total()
        return {each: proportion(count, total) for each, count in self.operations.items()}

    def to_dict(self) -> dict[str, Any]:
        """Everything but the examples as plain JSON values."""
        return {
            "proposals": dict(self.proposals),
            "shares": {state: asdict(each) for state, each in self.shares.items()},
            "explanations": dict(self.explanations),
            "operations": {name: asdict(each) for name, each in self.operation_shares.items()},
            "agreement": self.agreement.to_dict() if self.agreement else None,
            "explanation_agreement": (
                self.explanation_agreement.to_dict() if self.explanation_agreement else None
            ),
            "conflicts": [each.to_dict() for each in self.conflicts],
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "added": self.added,
            "already": self.already,
            "newly_unfaithful": self.newly_unfaithful,
            "dropped": self.dropped,
            "examples": len(self.annotated),
        }


def apply_tasks(
    corpus: Sequence[Annotated],
    tasks: Sequence[Task],
    settling: Settling | None = None,
    *,
    drop_unsure: bool = False,
) -> Enriched:
    """The corpus with what people decided; examples with an unsure decision may be dropped.

    Nothing is applied while decisions of annotators contradict each other.
    """
    settled, conflicts = settle(tasks, settling or Settling())
    before = count_gold(corpus)
    unsure = {task.example for task, said in settled if said.state == "unsure" and drop_unsure}
    by_example: dict[str, list[tuple[Task, Decision]]] = {}
    for task, decision in settled:
        by_example.setdefault(task.example, []).append((task, decision))
    applied = [
        apply_decisions(each, by_example.get(each.id, []))
        for each in corpus
        if each.id not in unsure and not conflicts
    ]
    annotated = tuple(each for each, _, _ in applied)
    return Enriched(
        annotated,
        _states([each for each in tasks if each.is_proposal], settled, conflicts),
        _states([each for each in tasks if not each.is_proposal], settled, conflicts),
        _operations(settled),
        before,
        before if conflicts else count_gold(annotated),
        sum(added for _, added, _ in applied),
        sum(already for _, _, already in applied),
        sum(
            is_unfaithful(after) and not is_unfaithful(old)
            for old, after in zip(
                (each for each in corpus if each.id not in unsure), annotated, strict=False
            )
        ),
        len(unsure & {each.id for each in corpus}),
        measure_agreement(tasks),
        conflicts,
        measure_explanation_agreement(tasks),
    )


def _states(
    tasks: Sequence[Task],
    settled: Sequence[tuple[Task, Decision]],
    conflicts: Sequence[Conflict],
) -> Counter[str]:
    """How many tasks there are by what was decided, open and conflicting ones among them."""
    known = {(task.example, task.id): decision.state for task, decision in settled}
    fought = {(each.task.example, each.task.id) for each in conflicts}
    keys = [(task.example, task.id) for task in tasks]
    return Counter("conflict" if key in fought else known.get(key, "open") for key in keys)


def _operations(settled: Iterable[tuple[Task, Decision]]) -> Counter[str]:
    """What was done to explanations, a discarded one among them; only where people said so."""
    found: Counter[str] = Counter()
    for task, decision in settled:
        if not task.is_proposal:
            found.update(each.operation for each in decision.errors if each.operation)
            found["discarded"] += decision.state == "discarded"
            found["none"] += decision.state == "kept"
    return +found
