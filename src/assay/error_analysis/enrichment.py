"""Decisions of people taken into the gold: the data afterwards, and what became of the tasks."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.core.examples import Annotated
from assay.core.units import RESPONSE
from assay.decisions.agreement import AnnotatorAgreement, agreement_on
from assay.decisions.proposals import CONFLICT, OPEN, Decided, Proposal, Settling, settle
from assay.error_analysis.revisions import Settled, apply_decisions, gold_label, is_unfaithful
from assay.error_analysis.tasks import PROPOSAL_DECISIONS, is_explanation
from assay.evaluation.localization.gold import DISCARDED, gold_inconsistencies
from assay.metrics import Estimate, proportion

# Decisions as ratings; `unsure` is none.
_RATINGS = {"known": 1.0, "new": 1.0, "none": 0.0}  # the paper's: is it an inconsistency?
_REWRITINGS = {"kept": 0.0, "split": 1.0, "replaced": 2.0, "discarded": 3.0}


@dataclass(frozen=True, slots=True)
class Counts:
    """Examples by what the gold says of them, and their errors: the paper's Table 3.

    `by_errors` counts examples by the number of errors, where that is known. `discarded` ones are
    no part of the total, and of `unknown` ones the gold does not say whether they are consistent.
    """

    inconsistent: int
    consistent: int
    unknown: int
    discarded: int
    errors: int
    by_errors: Counter[int]

    @property
    def total(self) -> int:
        """All examples that were not discarded."""
        return self.inconsistent + self.consistent + self.unknown

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "inconsistent": self.inconsistent,
            "consistent": self.consistent,
            "unknown": self.unknown,
            "total": self.total,
            "discarded": self.discarded,
            "errors": self.errors,
            "by_errors": {str(number): self.by_errors[number] for number in sorted(self.by_errors)},
        }


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
    conflicts: tuple[Decided, ...] = ()
    explanation_agreement: AnnotatorAgreement | None = None

    @property
    def shares(self) -> dict[str, Estimate]:
        """Each decision about proposals as a share of those that were decided."""
        decided = self.proposals.total() - self.proposals[OPEN] - self.proposals[CONFLICT]
        return {
            state: proportion(self.proposals[state], decided)
            for state in PROPOSAL_DECISIONS
            if decided
        }

    @property
    def operation_shares(self) -> dict[str, Estimate]:
        """The operations that led to descriptions, as shares (the paper's Figure 2)."""
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
            "conflicts": [_conflict_record(each.proposal) for each in self.conflicts],
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "added": self.added,
            "already": self.already,
            "newly_unfaithful": self.newly_unfaithful,
            "dropped": self.dropped,
            "examples": len(self.annotated),
        }


def _conflict_record(task: Proposal) -> dict[str, Any]:
    example, id = task.key
    return {
        "example": example,
        "task": id,
        "text": task.unit.text,
        "decisions": {
            each.by: {
                "decision": each.state,
                "errors": [error.unit.text for error in each.errors],
            }
            for each in task.decisions
        },
    }


def apply_tasks(
    corpus: Sequence[Annotated],
    tasks: Sequence[Proposal],
    settling: Settling | None = None,
    *,
    drop_unsure: bool = False,
) -> Enriched:
    """The corpus with what people decided; examples with an unsure decision may be dropped.

    Nothing is applied while decisions of annotators contradict each other.
    """
    decided = settle(tasks, settling)
    conflicts = tuple(each for each in decided if each.state == CONFLICT)
    settled: list[Settled] = [(each.proposal, each.decision) for each in decided if each.decision]
    before = count_gold(corpus)
    unsure = {task.line.id for task, said in settled if said.state == "unsure" and drop_unsure}
    by_example: dict[str, list[Settled]] = {}
    for task, decision in settled:
        by_example.setdefault(task.line.id, []).append((task, decision))
    applied = [
        apply_decisions(each, by_example.get(each.id, []))
        for each in corpus
        if each.id not in unsure and not conflicts
    ]
    annotated = tuple(each for each, _, _ in applied)
    explanations = [each for each in decided if is_explanation(each.proposal)]
    proposals = [each for each in decided if not is_explanation(each.proposal)]
    return Enriched(
        annotated,
        Counter(each.state for each in proposals),
        Counter(each.state for each in explanations),
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
        agreement_on((each.proposal for each in proposals), _RATINGS),
        conflicts,
        agreement_on((each.proposal for each in explanations), _REWRITINGS),
    )


def _operations(settled: Iterable[Settled]) -> Counter[str]:
    """The operations on explanations, discarding among them, where people named one."""
    found: Counter[str] = Counter()
    for task, decision in settled:
        if is_explanation(task):
            operations = (each.verdict.attributes.category for each in decision.errors)
            found.update(filter(None, operations))
            found["discarded"] += decision.state == "discarded"
            found["none"] += decision.state == "kept"
    return +found


def count_gold(corpus: Iterable[Annotated]) -> Counts:
    """The counts of some examples."""
    states: Counter[str] = Counter()
    by_errors: Counter[int] = Counter()
    for annotated in corpus:
        if _is_discarded(annotated):
            states["discarded"] += 1
            continue
        errors = gold_inconsistencies(annotated)
        if errors is not None:
            by_errors[len(errors)] += 1
        if errors or is_unfaithful(annotated):
            states["inconsistent"] += 1
        else:
            known = errors is not None or gold_label(annotated) is not None
            states["consistent" if known else "unknown"] += 1
    return Counts(
        states["inconsistent"],
        states["consistent"],
        states["unknown"],
        states["discarded"],
        sum(number * count for number, count in by_errors.items()),
        by_errors,
    )


def _is_discarded(annotated: Annotated) -> bool:
    """True if a person found it useless to describe single errors of the response."""
    said = (judgement.finding(RESPONSE) for judgement in annotated.gold)
    verdicts = (each.verdict for each in said if each)
    return any(each.attributes.decision == DISCARDED for each in verdicts if each)
