"""What several annotators say of the same place of a response, as one error."""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.core.labels import Label, worst
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.evaluate.localization.inconsistencies import Inconsistency
from assay.metrics import character_hits


@dataclass(frozen=True, slots=True)
class Account:
    """One annotator's description of one error; `is_made` where they only marked it."""

    judge: str
    unit: Unit
    verdict: Verdict
    is_made: bool = False
    category: Label | None = None


def pooled(accounts: Iterable[Account]) -> tuple[Inconsistency, ...]:
    """One inconsistency for each error, in the order in which errors are first met.

    An account joins the error whose words it shares most of, if another annotator gave it and none
    of this one's is there yet: two marks of one annotator are two errors.
    """
    errors: list[list[Account]] = []
    for account in accounts:
        free = [error for error in errors if account.judge not in {each.judge for each in error}]
        best = max(free, key=lambda error: _shared(account, error), default=None)
        if best is not None and _shared(account, best):
            best.append(account)
        else:
            errors.append([account])
    return tuple(map(_inconsistency, errors))


def shared_characters(first: Unit, second: Unit) -> int:
    """How many characters of the response both are about."""
    ranges = [[(span.start, span.end) for span in unit.spans] for unit in (first, second)]
    return character_hits(*ranges).found


def _shared(account: Account, error: list[Account]) -> int:
    return max(shared_characters(account.unit, each.unit) for each in error)


def _inconsistency(error: list[Account]) -> Inconsistency:
    """The error in the words of the first who described it; who only marked it comes later."""
    first, *others = sorted(error, key=lambda account: account.is_made)
    labels = [each.verdict.label for each in error if each.verdict.label]
    categories = [each.category for each in error if each.category]
    return Inconsistency(
        first.unit,
        categories[0] if categories else None,
        worst(labels).name if labels else "",
        tuple(dict.fromkeys(span for each in error for span in each.verdict.evidence)),
        tuple(each.unit for each in others),
        first.is_made,
    )
