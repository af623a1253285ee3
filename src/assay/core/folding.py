"""From the units of a response up to one outcome for all of it."""

from collections.abc import Iterable, Sequence
from typing import Literal

from assay.core.judgements import Judgement
from assay.core.labels import Label, worst
from assay.core.taxonomies import BINARY
from assay.core.units import RESPONSE
from assay.core.verdicts import (
    FAITHFUL_FROM,
    NO_ATTRIBUTES,
    Attributes,
    Failure,
    Outcome,
    Verdict,
)

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
    mean: the mean score, or where no unit has one the share of faithful units among those that
    state a fact; faithful from 0.5 on.
    any: unfaithful if any part is unfaithful.
    By worst and any it is unsure if some part is and no other is unfaithful for sure; where one is,
    those decide that are sure.
    Where parts failed, only `worst` and `any` can give a verdict, and only one that leans to
    unfaithful: whether anybody is sure of it changes nothing about what is judged.
    """
    given = tuple(outcomes)
    verdicts = [outcome for outcome in given if isinstance(outcome, Verdict)]
    failures = [outcome for outcome in given if isinstance(outcome, Failure)]
    if not verdicts:
        return _nothing_judged(unit, failures)
    score = _mean(verdicts) if rule == "mean" else _lowest(verdicts)
    label = _label(verdicts, score, rule)
    note = f"{rule} of {len(verdicts)} unit{'s' if len(verdicts) > 1 else ''}" + (
        f", {len(failures)} failed" if failures else ""
    )
    unsure = rule != "mean" and _is_unsure(verdicts)
    attributes = Attributes(unsure=True) if unsure else NO_ATTRIBUTES
    folded = Verdict(unit, label, score, note=note, attributes=attributes)
    if failures and (rule == "mean" or folded.leaning != "unfaithful"):
        first = failures[0]
        detail = f"only a part of it was judged: {len(failures)} of {len(given)} units failed"
        return Failure(unit, first.reason, detail, first.raw)
    return folded


def _nothing_judged(unit: str, failures: Sequence[Failure]) -> Failure:
    if not failures:
        return Failure(unit, "missing", "the response has no units")
    return Failure(unit, failures[0].reason, failures[0].detail, failures[0].raw)


def _is_unsure(verdicts: list[Verdict]) -> bool:
    """True if what the parts add up to hangs on one that is unsure."""
    some = any(verdict.attributes.unsure for verdict in verdicts)
    return some and all(verdict.coarse != "unfaithful" for verdict in verdicts)


def _mean(verdicts: list[Verdict]) -> float | None:
    """The mean score; without scores the share of supported units, as RAGAS counts claims."""
    scores = [verdict.score for verdict in verdicts if verdict.score is not None] or [
        float(verdict.leaning == "faithful") for verdict in verdicts if verdict.leaning != "no-fact"
    ]
    return sum(scores) / len(scores) if scores else None


def _lowest(verdicts: list[Verdict]) -> float | None:
    return min((verdict.score for verdict in verdicts if verdict.score is not None), default=None)


def _label(verdicts: list[Verdict], score: float | None, rule: Rule) -> Label | None:
    sure = [verdict for verdict in verdicts if not verdict.attributes.unsure]
    if any(verdict.coarse == "unfaithful" for verdict in sure):
        verdicts = sure  # the whole is sure of nothing that no part is sure of
    labels = [verdict.label for verdict in verdicts if verdict.label]
    if rule == "mean":
        # What states no fact at all says nothing that is not in the source.
        return BINARY.labels[score is None or score >= FAITHFUL_FROM]
    if not labels:
        return None
    if rule == "any":
        return BINARY.labels[all(label.coarse != "unfaithful" for label in labels)]
    return worst([label for label in labels if label.coarse != "no-fact"] or labels)
