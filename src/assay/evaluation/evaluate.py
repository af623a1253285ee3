"""Detectors held against gold labels: one, or several on the same items."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.folding import Rule
from assay.core.judgements import Judgements, Manifest
from assay.core.verdicts import Failure
from assay.datasets.selection import choose
from assay.evaluation.figures import measure, measure_classes
from assay.evaluation.items import Item, Judged, find_items, find_outcomes, judge_items
from assay.evaluation.policy import GoldPolicy, Threshold, find_threshold
from assay.evaluation.references import refuse_repeated
from assay.metrics import Estimate, Resampling


@dataclass(frozen=True, slots=True)
class Settings:
    """How detectors are measured: the gold, where predictions are cut, how parts are folded."""

    policy: GoldPolicy = field(default_factory=GoldPolicy)
    threshold: Threshold = None
    rules: tuple[Rule, ...] = ("worst",)
    resampling: Resampling = field(default_factory=Resampling)
    left_out: frozenset[str] = frozenset()  # ids of the corpus that are not evaluated

    def describe(self) -> str:
        """How predictions are read and how intervals are made, in words."""
        if self.threshold is None:
            cut = "predictions read the same way, those of other taxonomies by their coarse reading"
        elif isinstance(self.threshold, str):
            cut = f"predictions on this scale are faithful from {self.threshold} upwards"
        else:
            cut = f"predictions are faithful from a score of {self.threshold} upwards"
        parts = [cut]
        if self.policy.unit == "response" and len(self.rules) == 1:
            parts.append(f"smaller units folded by {self.rules[0]}")
        parts.append(f"{self.resampling.confidence:.0%} intervals by source")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What came out for one detector."""

    detector: str
    judged: tuple[Judged, ...]
    failures: Counter[str]
    figures: dict[str, Estimate]
    class_f1: dict[str, Estimate] = field(default_factory=dict)
    seconds: float | None = None
    cost: float | None = None
    manifest: Manifest | None = None  # of the predictions

    @property
    def n(self) -> int:
        """The items that the reading counts."""
        return sum(each.item.faithful is not None for each in self.judged)

    @property
    def coverage(self) -> float | None:
        """The share of all items with a verdict."""
        return 1 - self.failures.total() / len(self.judged) if self.judged else None

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain JSON values; the items themselves are left out."""
        return {
            "detector": self.detector,
            "manifest": asdict(self.manifest) if self.manifest else None,
            "items": len(self.judged),
            "n": self.n,
            "coverage": self.coverage,
            "failures": dict(self.failures),
            "seconds": self.seconds,
            "cost": self.cost,
            "figures": {name: asdict(each) for name, each in self.figures.items()},
            "class_f1": {name: asdict(each) for name, each in self.class_f1.items()},
        }


def evaluate(
    annotated: Sequence[Annotated],
    predictions: Judgements,
    policy: GoldPolicy | None = None,
    *,
    threshold: Threshold = None,
    rule: Rule = "worst",
    resampling: Resampling | None = None,
) -> Evaluation:
    """Measures the predictions of one detector against what people said."""
    settings = Settings(policy or GoldPolicy(), threshold, (rule,), resampling or Resampling())
    return evaluate_each("the data", annotated, [predictions], settings)[0]


def evaluate_each(
    dataset: str,
    annotated: Sequence[Annotated],
    predictions: Sequence[Judgements],
    settings: Settings,
) -> tuple[Evaluation, ...]:
    """Measures several detectors on the same items, under each rule of folding."""
    refuse_repeated(dataset, (each.id for each in annotated))
    known = {each.id for each in annotated} | settings.left_out
    annotated = sampled(annotated, predictions)
    items = find_items(annotated, settings.policy)
    if not items:
        raise InputError(f"{dataset} has no gold labels at {settings.policy.unit} level")
    if not predictions:
        raise InputError("there is nothing to evaluate", code="no-judgements")
    found = tuple(
        _evaluate(items, annotated, each, settings, rule, known)
        for each in predictions
        for rule in settings.rules
    )
    _refuse_unused(settings.threshold, found)
    return found


def sampled(
    annotated: Sequence[Annotated], predictions: Sequence[Judgements]
) -> Sequence[Annotated]:
    """The examples that every one of the runs was meant to judge: a run may be of a sample."""
    kept = annotated
    for each in predictions:
        run = each.manifest
        part = [one for one in annotated if not run.split or one.example.split == run.split]
        if run.sample is not None and run.examples == len(part) > run.sample:
            part = choose(part, run.sample, run.seed or 0)
        if 0 < len(part) < len(annotated):  # none: it is about other data, which is told later
            inside = {one.id for one in part}
            kept = [one for one in kept if one.id in inside]
    return kept


def name_of(predictions: Judgements) -> str:
    """What tables call a detector: its reference, or its name if the corpus recorded it."""
    kind, _, rest = predictions.reference.partition(":")
    return rest.rpartition("@")[0] if kind == "recorded" else predictions.reference


def _evaluate(
    items: Sequence[Item],
    annotated: Sequence[Annotated],
    predictions: Judgements,
    settings: Settings,
    rule: Rule,
    known: Collection[str],
) -> Evaluation:
    outcomes = find_outcomes(items, annotated, predictions, rule, known)
    judged = judge_items(items, outcomes, settings.policy, settings.threshold)
    name = name_of(predictions)
    return Evaluation(
        detector=name if len(settings.rules) == 1 else f"{name} ({rule})",
        judged=judged,
        failures=Counter(e.outcome.reason for e in judged if isinstance(e.outcome, Failure)),
        figures=measure(judged, settings.resampling),
        class_f1=measure_classes(judged, settings.resampling),
        seconds=predictions.seconds,
        cost=predictions.cost,
        manifest=predictions.manifest,
    )


def _refuse_unused(threshold: Threshold, evaluations: Sequence[Evaluation]) -> None:
    """Raises if the threshold is a label that no detector could have given."""
    if not isinstance(threshold, str):
        return
    said = [each.outcome for one in evaluations for each in one.judged if each.faithful is not None]
    menus = sorted({outcome.label.taxonomy for outcome in said if outcome.label})
    if said and not any(find_threshold(menu, threshold) for menu in menus):
        said_as = f"labels of {', '.join(menus)}" if menus else "scores"
        raise InputError(
            f"no prediction can have the threshold '{threshold}': they are {said_as}",
            field="threshold",
        )
