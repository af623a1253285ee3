"""How many responses are inconsistent and how many errors are known: the paper's Table 3."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.core.units import RESPONSE
from assay.evaluation.gold import gold_labels
from assay.evaluation.localization.gold import DISCARDED, gold_inconsistencies
from assay.evaluation.policy import USUAL


@dataclass(frozen=True, slots=True)
class Counts:
    """Examples by what the gold says of them, and their errors.

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


def count_gold(corpus: Iterable[Annotated]) -> Counts:
    """The counts of some examples."""
    states: Counter[str] = Counter()
    by_errors: Counter[int] = Counter()
    for annotated in corpus:
        if is_discarded(annotated):
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


def gold_label(annotated: Annotated) -> Label | None:
    """The label of the response that the corpus settled on, if there is one."""
    found = gold_labels(annotated, "response", "corpus")
    return found[0][1] if found else None


def is_unfaithful(annotated: Annotated) -> bool:
    """Whether the response counts as unfaithful, by its label or else by its errors."""
    label = gold_label(annotated)
    if label is None:
        return bool(gold_inconsistencies(annotated))
    return USUAL.is_faithful(label) is False


def is_discarded(annotated: Annotated) -> bool:
    """Whether a person found it useless to describe single errors of the response."""
    said = (judgement.finding(RESPONSE) for judgement in annotated.gold)
    verdicts = (each.verdict for each in said if each)
    return any(each.attributes.decision == DISCARDED for each in verdicts if each)
