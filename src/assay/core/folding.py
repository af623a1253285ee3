"""From the units of a response up to one outcome for all of it."""

from collections.abc import Iterable, Sequence
from typing import Literal

from assay.core.judgements import Judgement
from assay.core.labels import Label, worst
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE
from assay.core.verdicts import FAITHFUL_FROM, Failure, Outcome, Verdict

Rule = Literal["worst", "mean", "any"]


def fold_judgement(judgement: Judgement, rule: Rule = "worst") -> Outcome:
    """The outcome for the response: as it was judged itself, or folded from its units."""
    itself = judgement.finding(RESPONSE)
    if itself is not None:
        return itself.outcome
    return fold_outcomes(RESPONSE, (each.outcome for each in judgement.counted), rule)


def fold_outcomes(unit: str, outcomes: Iterable[Outcome], rule: Rule = "worst") -> Outcome:
    """One outcome for a whole from those of its parts.

    worst: the least faithful label and the lowest score; no-fact counts only if all parts are.
    mean: faithful if the mean score is at least 0.5.
    any: unfaithful if any part is unfaithful.
    Where parts failed, only `worst` and `any` can give a verdict, and only an unfaithful one.
    """
    given = tuple(outcomes)
    verdicts = [outcome for outcome in given if isinstance(outcome, Verdict)]
    failures = [outcome for outcome in given if isinstance(outcome, Failure)]
    if not verdicts:
        return _nothing_judged(unit, failures)
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    score = _pool(scores, rule)
    label = _label(verdicts, score, rule)
    if label is None and score is None:
        return Failure(unit, "missing", "its units have neither the labels nor the scores to fold")
    note = f"{rule} of {len(verdicts)} units" + (f", {len(failures)} failed" if failures else "")
    folded = Verdict(unit, label, score, note=note)
    if failures and (rule == "mean" or folded.coarse != "unfaithful"):
        first = failures[0]
        detail = f"only a part of it was judged: {len(failures)} of {len(given)} units failed"
        return Failure(unit, first.reason, detail, first.raw)
    return folded


def _nothing_judged(unit: str, failures: Sequence[Failure]) -> Failure:
    if not failures:
        return Failure(unit, "missing", "the response has no units")
    return Failure(unit, failures[0].reason, failures[0].detail, failures[0].raw)


def _pool(scores: list[float], rule: Rule) -> float | None:
    if not scores:
        return None
    return sum(scores) / len(scores) if rule == "mean" else min(scores)


def _label(verdicts: list[Verdict], score: float | None, rule: Rule) -> Label | None:
    labels = [verdict.label for verdict in verdicts if verdict.label]
    if rule == "mean":
        return None if score is None else BINARY.labels[score >= FAITHFUL_FROM]
    if not labels:
        return None
    if rule == "any":
        return BINARY.labels[all(label.coarse != "unfaithful" for label in labels)]
    return worst([label for label in labels if label.coarse != "no-fact"] or labels)
