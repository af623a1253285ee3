"""Detectors compared with gold labels: one, or several on the same items."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import stdev
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.folding import Rule
from assay.core.judgements import Judgements, Manifest
from assay.core.stages import StageUses
from assay.core.verdicts import Failure
from assay.datasets.selection import ExampleEntry, choose, entry_of
from assay.evaluation.figures import Confidence, confidence_of, measure
from assay.evaluation.items import (
    Item,
    Judged,
    find_items,
    find_outcomes,
    judge_items,
    require_gold,
)
from assay.evaluation.label_figures import (
    Acceptance,
    ClassMatrix,
    count_classes,
    measure_acceptance,
    measure_classes,
)
from assay.evaluation.policy import GoldPolicy, Invalid, Threshold, find_threshold
from assay.evaluation.references import refuse_repeated
from assay.metrics import Estimate, Resampling

# One set of judgements, or several runs of one detector, whose figures are averaged.
Predictions = Judgements | tuple[Judgements, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of a measurement: the gold, the threshold, the folding of parts."""

    policy: GoldPolicy = field(default_factory=GoldPolicy)
    threshold: Threshold = None
    rules: tuple[Rule, ...] = ("worst",)
    resampling: Resampling = field(default_factory=Resampling)
    entries: tuple[ExampleEntry, ...] = ()  # of the whole corpus, where only a part is evaluated
    task: str = ""  # the part that is evaluated
    split: str = ""
    invalid: Invalid = "apart"
    protocol: str = ""  # whether a paper evaluates on this corpus in this way, in words
    by_task: bool = True  # also what comes out for each task, where there are several
    by_model: bool = False  # also the ranks among detectors that ask the same model

    def describe(self) -> str:
        """The settings in words: the protocol, the reading of predictions, the intervals."""
        if self.threshold is None:
            cut = "predictions read the same way, those of other taxonomies by their coarse reading"
        elif isinstance(self.threshold, str):
            cut = f"predictions on this scale are faithful from {self.threshold} upwards"
        else:
            cut = f"predictions are faithful from a score of {self.threshold} upwards"
        chosen = (self.task and f"task {self.task}", self.split and f"split {self.split}")
        part = ", ".join(filter(None, chosen))
        parts = [*filter(None, (self.protocol, part and f"only {part}")), cut]
        if self.invalid == "unfaithful":
            parts.append("invalid responses count as predicted unfaithful")
        if self.policy.unit == "response" and len(self.rules) == 1:
            parts.append(f"smaller units folded by {self.rules[0]}")
        parts.append(f"{self.resampling.confidence:.0%} intervals by source")
        return "; ".join(parts)


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """The figures of one detector.

    The figures of several runs are averages; `runs` has what came out for each, and `judged` what
    they say of the items, run after run. `tasks` has what came out for the items of each task,
    where there are several.
    """

    detector: str
    judged: tuple[Judged, ...]
    failures: Counter[str]
    figures: dict[str, Estimate]
    class_f1: dict[str, Estimate] = field(default_factory=dict)
    classes: ClassMatrix | None = None  # where there are labels
    acceptance: tuple[Acceptance, ...] = ()
    confidence: Confidence = ""  # what AUROC and the risk-coverage area go by
    invalid: int = 0  # responses called invalid that count as predicted unfaithful
    tasks: dict[str, "Evaluation"] = field(default_factory=dict)
    runs: tuple["Evaluation", ...] = ()
    seconds: float | None = None
    cost: float | None = None
    stages: StageUses = ()  # the work of each part of a combined detector
    manifest: Manifest | None = None  # of the predictions; each of several runs has its own

    def __repr__(self) -> str:
        figure = self.figures.get("balanced accuracy")
        return f"<{self.detector}: {len(self.items)} items, balanced accuracy {figure}>"

    @property
    def by_run(self) -> tuple[tuple[Judged, ...], ...]:
        """The judged items of each run."""
        return tuple(run.judged for run in self.runs) or (self.judged,)

    @property
    def items(self) -> tuple[Item, ...]:
        """The items, each once."""
        return tuple(each.item for each in self.by_run[0])

    @property
    def model(self) -> str:
        """The model that it asks, as the manifest names it; empty where it names none."""
        manifests = (run.manifest for run in self.runs or (self,))
        return ", ".join(dict.fromkeys(each.model for each in manifests if each and each.model))

    @property
    def n(self) -> int:
        """The items that the reading counts."""
        return sum(item.faithful is not None for item in self.items)

    @property
    def coverage(self) -> float | None:
        """The share of all items with a verdict; of several runs, the mean."""
        return 1 - self.failures.total() / len(self.judged) if self.judged else None

    @property
    def judges_responses_only(self) -> bool:
        """True if it has no verdict on any item, since these are smaller than what it judges."""
        runs = self.runs or (self,)
        return all(
            run.manifest is not None
            and run.manifest.unit_kind == "response"
            and all(each.item.unit.kind != "response" for each in run.judged)
            and run.failures["missing"] == len(run.judged)
            for run in runs
        )

    def spread(self, figure: str) -> float | None:
        """The standard deviation of a figure over the runs, with n - 1; None for a single run."""
        values = [run.figures[figure].value for run in self.runs]
        known = [value for value in values if value is not None]
        return stdev(known) if len(known) == len(values) > 1 else None

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain JSON values; the items themselves are left out."""
        found = {
            "detector": self.detector,
            "manifest": self.manifest.to_dict() if self.manifest else None,
            "items": len(self.items),
            "n": self.n,
            "coverage": self.coverage,
            "failures": dict(self.failures),
            "invalid_as_unfaithful": self.invalid,
            "seconds": self.seconds,
            "cost": self.cost,
            **({"stages": [each.to_dict() for each in self.stages]} if self.stages else {}),
            "confidence": self.confidence or None,
            "figures": {name: asdict(each) for name, each in self.figures.items()},
            "class_f1": {name: asdict(each) for name, each in self.class_f1.items()},
            "classes": asdict(self.classes) if self.classes else None,
            "acceptance": [each.to_dict() for each in self.acceptance],
        }
        if self.tasks:
            found["tasks"] = {name: _part(each) for name, each in self.tasks.items()}
        if self.runs:
            found["spread"] = {name: self.spread(name) for name in self.figures}
            found["runs"] = [run.to_dict() for run in self.runs]
        return found


def _part(evaluation: Evaluation) -> dict[str, Any]:
    """The figures of a task, without those of the detector as a whole."""
    found = evaluation.to_dict()
    for name in ("detector", "manifest", "seconds", "cost", "stages", "runs"):
        found.pop(name, None)
    return found


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
    predictions: Sequence[Predictions],
    settings: Settings,
) -> tuple[Evaluation, ...]:
    """Measures several detectors on the same items, under each rule of folding."""
    refuse_repeated(dataset, (each.id for each in annotated))
    known = {each.id for each in annotated} | {each.id for each in settings.entries}
    kept = sampled(annotated, predictions, settings.entries)
    if annotated and not kept:
        raise InputError(f"the runs leave out all examples of {dataset} that are chosen here")
    items = find_items(kept, settings.policy)
    require_gold(items, dataset, kept, settings.policy.unit)
    if not predictions:
        raise InputError("there is nothing to evaluate", code="no-judgements")
    found = tuple(
        _evaluate(items, kept, runs_of(each), settings, rule, known)
        for each in predictions
        for rule in settings.rules
    )
    _refuse_unused(settings.threshold, found)
    if all(each.judges_responses_only for each in found):
        names = ", ".join(each.detector for each in found)
        raise InputError(
            f"whole responses are judged by {names}, but the items here are sentences",
            field="unit",
            code="whole-responses",
        )
    return found


def runs_of(predictions: Predictions) -> tuple[Judgements, ...]:
    """The runs of a detector, of which there is mostly one."""
    return predictions if isinstance(predictions, tuple) else (predictions,)


def sampled(
    annotated: Sequence[Annotated],
    predictions: Sequence[Predictions],
    entries: Sequence[ExampleEntry] = (),
) -> Sequence[Annotated]:
    """The examples that every one of the runs was meant to judge: a run may be of a sample.

    `entries` are of the whole corpus, from which a run drew its sample, where these are a part.
    """
    kept, whole = annotated, entries or [entry_of(each) for each in annotated]
    for each in (run for one in predictions for run in runs_of(one)):
        inside = _meant(each.manifest, whole)
        if 0 < len(inside) < len(whole):  # none: it is about other data, which is told later
            kept = [one for one in kept if one.id in inside]
    return kept


def _meant(run: Manifest, whole: Sequence[ExampleEntry]) -> set[str]:
    """The ids of the examples that a run was meant to judge.

    One that an older Assay made did not note them; its sample is drawn again, by position.
    """
    if run.example_ids:
        return {one.id for one in whole} & set(run.example_ids)
    part = [one for one in whole if run.split in ("", one.split) and run.task in ("", one.task)]
    if run.sample is not None and run.examples == len(part) > run.sample:
        part = choose(part, run.sample, run.seed or 0)
    return {one.id for one in part}


def name_of(predictions: Judgements) -> str:
    """The name of a detector in tables: its reference, or its own if the corpus recorded it."""
    kind, _, rest = predictions.reference.partition(":")
    return rest.rpartition("@")[0] if kind == "recorded" else predictions.reference


def _evaluate(
    items: Sequence[Item],
    annotated: Sequence[Annotated],
    predictions: Sequence[Judgements],
    settings: Settings,
    rule: Rule,
    known: Collection[str],
) -> Evaluation:
    _refuse_other_prompts(predictions)
    runs = []
    for each in predictions:
        outcomes = find_outcomes(items, annotated, each, rule, known)
        judged = judge_items(items, outcomes, settings.policy, settings.threshold, settings.invalid)
        run = _measure(name_of(each), [judged], settings)
        run = replace(run, seconds=each.seconds, cost=each.cost, stages=each.stages)
        runs.append(replace(run, manifest=each.manifest))
    whole = runs[0] if len(runs) == 1 else _average(runs, settings)
    name = whole.detector if len(settings.rules) == 1 else f"{whole.detector} ({rule})"
    return replace(whole, detector=name, tasks=_by_task(whole, settings))


def _measure(name: str, runs: Sequence[tuple[Judged, ...]], settings: Settings) -> Evaluation:
    judged = tuple(each for run in runs for each in run)
    failed = [(e.outcome.reason, e.faithful) for e in judged if isinstance(e.outcome, Failure)]
    return Evaluation(
        detector=name,
        judged=judged,
        failures=Counter(reason for reason, read in failed if read is None),
        figures=measure(runs, settings.resampling),
        class_f1=measure_classes(runs, settings.resampling),
        classes=count_classes(runs),
        acceptance=measure_acceptance(runs, settings.resampling),
        confidence=confidence_of(runs),
        invalid=sum(read is not None for _, read in failed),
    )


def _average(runs: Sequence[Evaluation], settings: Settings) -> Evaluation:
    """One row for several runs: the mean of each figure, also of their time and cost."""
    whole = _measure("+".join(run.detector for run in runs), [r.judged for r in runs], settings)
    return replace(
        whole,
        runs=tuple(runs),
        seconds=_mean([run.seconds for run in runs]),
        cost=_mean([run.cost for run in runs]),
    )


def _refuse_other_prompts(runs: Sequence[Judgements]) -> None:
    """Raises if runs to be averaged asked with different prompts; some may not tell which."""
    asked = [(name_of(run), run.manifest.prompt_digests) for run in runs]
    (first, prompts), *others = [each for each in asked if each[1]] or [("", {})]
    for name, digests in others:
        if digests != prompts:
            shown = ", ".join(sorted({name for name, _ in prompts.items() ^ digests.items()}))
            raise InputError(
                f"only runs with the same prompts are averaged, and those of {first} and {name} "
                f"differ: {shown}"
            )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(values) if len(known) == len(values) else None


def _by_task(whole: Evaluation, settings: Settings) -> dict[str, Evaluation]:
    """The evaluation of each task, in the order of the data; none where all have the same."""
    names = list(dict.fromkeys(item.task for item in whole.items))
    if len(names) < 2 or not settings.by_task:
        return {}
    found = {}
    for name in names:
        parts = [tuple(e for e in run if e.item.task == name) for run in whole.by_run]
        singles = [_measure(whole.detector, [part], settings) for part in parts]
        found[name or "none"] = singles[0] if len(parts) == 1 else _average(singles, settings)
    return found


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
