"""Several annotators of the same tasks: how far they agree, and which decision counts."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assay.core.errors import InputError, UnknownNameError
from assay.evaluation.errors.decisions import Decision, Task
from assay.metrics import (
    Estimate,
    cohen_kappa,
    estimate_from_rows,
    krippendorff_alpha,
    raw_agreement,
)

_RATINGS = {"known": 1.0, "new": 1.0, "none": 0.0}  # the paper's: is it an inconsistency?
_REWRITINGS = {"kept": 0.0, "split": 1.0, "replaced": 2.0, "discarded": 3.0}


@dataclass(frozen=True, slots=True)
class AnnotatorAgreement:
    """How far annotators decide the same tasks alike; n counts the tasks rated by several.

    Between two annotators `chance_corrected` is Cohen's kappa, among more Krippendorff's alpha.
    Intervals resample examples.
    """

    annotators: tuple[str, ...]
    raw: Estimate
    chance_corrected: Estimate
    measure: str

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "annotators": list(self.annotators),
            "raw": asdict(self.raw),
            self.measure: asdict(self.chance_corrected),
        }


@dataclass(frozen=True, slots=True)
class Conflict:
    """A task that annotators decided differently, with nothing to say whose decision counts."""

    task: Task

    def to_dict(self) -> dict[str, Any]:
        """Who decided what, as plain JSON values."""
        return {
            "example": self.task.example,
            "task": self.task.id,
            "text": self.task.text,
            "decisions": {
                each.by: {
                    "decision": each.state,
                    "errors": [error.unit.text for error in each.errors],
                }
                for each in self.task.decisions
            },
        }


@dataclass(frozen=True, slots=True)
class Settling:
    """Whose decision counts where annotators differ: one person's, that of most, or nobody's."""

    prefer: str = ""
    majority: bool = False

    def __post_init__(self) -> None:
        if self.prefer and self.majority:
            raise InputError(
                "either one annotator is preferred, or the majority decides", field="prefer"
            )


def measure_agreement(tasks: Iterable[Task]) -> AnnotatorAgreement | None:
    """How far annotators agree on proposals: known or new against none; unsure is no rating.

    None where no proposal was rated by two.
    """
    return _measure([task for task in tasks if task.is_proposal], _RATINGS)


def measure_explanation_agreement(tasks: Iterable[Task]) -> AnnotatorAgreement | None:
    """How far annotators decide alike what becomes of explanations; unsure is no rating.

    What they make of one that they split or replace is not compared.
    """
    return _measure([task for task in tasks if not task.is_proposal], _REWRITINGS)


def _measure(tasks: Iterable[Task], codes: Mapping[str, float]) -> AnnotatorAgreement | None:
    rated = [(task.example, _ratings(task, codes)) for task in tasks]
    return agreement_of(rated, classes=len(set(codes.values())))


def agreement_of(
    rated: Iterable[tuple[str, Mapping[str, float]]], classes: int
) -> AnnotatorAgreement | None:
    """How far people rate alike, from the example and the ratings by name of whatever they rate.

    None where nothing was rated by two.
    """
    twice = [(example, ratings) for example, ratings in rated if len(ratings) > 1]
    names = tuple(dict.fromkeys(name for _, ratings in twice for name in ratings))
    if not twice:
        return None
    table = np.array([[ratings.get(name, np.nan) for _, ratings in twice] for name in names])
    groups = np.array([example for example, _ in twice], dtype=np.str_)

    def raw(rows: Any) -> float | None:
        return raw_agreement(table[:, rows])

    def kappa(rows: Any) -> float | None:
        first, second = table[:, rows].astype(int)
        return cohen_kappa(first, second, classes=classes)

    def alpha(rows: Any) -> float | None:
        return krippendorff_alpha(table[:, rows])

    is_pair = len(names) == 2
    return AnnotatorAgreement(
        names,
        estimate_from_rows(raw, len(twice), groups=groups),
        estimate_from_rows(kappa if is_pair else alpha, len(twice), groups=groups),
        "cohen_kappa" if is_pair else "krippendorff_alpha",
    )


def settle(
    tasks: Sequence[Task], settling: Settling
) -> tuple[list[tuple[Task, Decision]], tuple[Conflict, ...]]:
    """The decision that counts for each decided task, and the tasks where none does."""
    names = list(dict.fromkeys(each.by for task in tasks for each in task.decisions))
    if settling.prefer and settling.prefer not in names:
        raise UnknownNameError("annotator", settling.prefer, names, field="prefer")
    settled, conflicts = [], []
    for task in tasks:
        decision = _chosen(task.decisions, settling)
        if decision:
            settled.append((task, decision))
        elif task.decisions:
            conflicts.append(Conflict(task))
    return settled, tuple(conflicts)


def _ratings(task: Task, codes: Mapping[str, float]) -> dict[str, float]:
    return {each.by: codes[each.state] for each in task.decisions if each.state in codes}


def _chosen(decisions: Sequence[Decision], settling: Settling) -> Decision | None:
    """What all decided alike, else what the preferred one, or more than half, decided."""
    counts = Counter(each.content for each in decisions)
    if len(counts) == 1:
        return decisions[0]
    if settling.prefer:
        return next((each for each in decisions if each.by == settling.prefer), None)
    most = [each for each in decisions if counts[each.content] * 2 > len(decisions)]
    return most[0] if settling.majority and most else None
