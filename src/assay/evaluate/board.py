"""Several detectors on one corpus, under one reading."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.checking.loading import JudgeChoice, learns_from_peers, load_judge
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.detectors.fold import Rule
from assay.detectors.recorded import RecordedDetector
from assay.detectors.registry import DETECTORS
from assay.detectors.replay import Replay
from assay.evaluate.comparison import not_significantly_worse
from assay.evaluate.evaluation import Evaluation, evaluate
from assay.evaluate.items import Item, Reading, find_items
from assay.evaluate.judged import Threshold
from assay.evaluate.predictions import (
    Predictions,
    recorded_judges,
    recorded_predictions,
    refuse_repeated,
    refuse_unknown,
    run_predictions,
)
from assay.evaluate.runs.data import Survey
from assay.evaluate.runs.summary import replay_run
from assay.metrics import Resampling
from assay.store.folder import RunsFolder


@dataclass(frozen=True, slots=True)
class EvaluationReport:
    """What came out: one evaluation a detector, and which of them may be called the best."""

    dataset: str
    reading: str
    repairs: str
    evaluations: tuple[Evaluation, ...]
    best: tuple[str, ...]
    examples: dict[str, Example]
    labels: str = ""  # how the corpus's labels came about, in the words of its card


@dataclass(frozen=True, slots=True)
class Settings:
    """How detectors are measured: the reading, where scores are cut, how parts are folded."""

    reading: Reading = field(default_factory=Reading)
    threshold: Threshold = None
    rules: tuple[Rule, ...] = ("worst",)
    resampling: Resampling = field(default_factory=Resampling)
    left_out: frozenset[str] = frozenset()  # ids of the corpus that are not evaluated
    model: str = ""  # whom judges ask
    runs: str | None = None  # where runs are kept

    def describe(self) -> str:
        """Where predictions are cut and how intervals are made, in words."""
        cut = "as labelled" if self.threshold is None else f"from {self.threshold} upwards"
        parts = [f"predictions are faithful {cut}"]
        if self.reading.unit == "response" and len(self.rules) == 1:
            parts.append(f"smaller units folded by {self.rules[0]}")
        parts.append(f"{self.resampling.confidence:.0%} intervals by source")
        return "; ".join(parts)


def evaluate_judges(
    dataset: str, examples: Sequence[Example], judges: Sequence[str], settings: Settings
) -> tuple[Evaluation, ...]:
    """Evaluates judges by name: a recorded detector of the corpus, a file, or a detector to run."""
    refuse_repeated(dataset, (example.id for example in examples))
    examples = sampled(examples, judges, settings)
    items = find_items(examples, settings.reading)
    if not items:
        raise InputError(f"{dataset} has no gold labels at {settings.reading.unit} level")
    names = list(judges) or recorded_judges(examples)
    if settings.model and not any(map(_asks_model, names)):
        raise InputError("no detector here asks a model; leave out --model")
    if not names:
        raise InputError(f"{dataset} has no recorded detectors; name a file or a detector")
    return tuple(
        evaluate(
            items,
            _find(name, examples, items, rule, settings),
            threshold=settings.threshold,
            resampling=settings.resampling,
        )
        for name in names
        for rule in settings.rules
    )


def _asks_model(name: str) -> bool:
    entry = DETECTORS.get(name.partition(":")[0])
    return entry is not None and entry.asks_model


def _find(
    name: str, examples: Sequence[Example], items: Sequence[Item], rule: Rule, settings: Settings
) -> Predictions:
    """The predictions, named with their rule where the same run is folded in several ways."""
    found = find_predictions(name, examples, items, rule, settings)
    if len(settings.rules) == 1:
        return found
    return replace(found, detector=f"{found.detector} ({rule})")


def make_report(
    dataset: str,
    examples: Sequence[Example],
    judges: Sequence[str],
    settings: Settings,
    repairs: str = "",
) -> EvaluationReport:
    """All that a page or table about an evaluation shows."""
    evaluations = evaluate_judges(dataset, examples, judges, settings)
    everything = len(examples)
    examples = sampled(examples, judges, settings)
    menus = dict.fromkeys(each.item.gold.taxonomy for each in evaluations[0].judged)
    return EvaluationReport(
        dataset=dataset,
        reading="; ".join(
            (
                settings.reading.describe(menus),
                settings.describe(),
                *_left_out(len(examples), everything),
                *_unlabelled(evaluations, examples),
            )
        ),
        repairs=repairs,
        evaluations=evaluations,
        best=tuple(not_significantly_worse(evaluations, settings.resampling)),
        examples={example.id: example for example in examples},
    )


def sampled(
    examples: Sequence[Example], judges: Sequence[str], settings: Settings
) -> Sequence[Example]:
    """The examples that all runs among the judges were meant to judge: a run may be of a sample."""
    kept = examples
    for name in judges:
        kind, _, rest = name.partition(":")
        if kind != "run":
            continue
        with RunsFolder(settings.runs).open(rest) as journal:
            run = journal.run
        chosen = Survey(run.examples, "").choose(run.sample, run.seed or 0)
        if chosen is not None and run.examples == len(examples):
            inside = {examples[position].id for position in chosen}
            kept = [example for example in kept if example.id in inside]
    return kept


def _left_out(kept: int, everything: int) -> list[str]:
    """Says that only a sample was judged, if so."""
    return [f"only the {kept:,} of {everything:,} examples of the run's sample"] * (
        kept < everything
    )


def _unlabelled(evaluations: Sequence[Evaluation], examples: Sequence[Example]) -> list[str]:
    """Says how many examples have no gold label at this level, if any."""
    labelled = {each.item.example for each in evaluations[0].judged}
    open_ones = len(examples) - len(labelled)
    return [f"{open_ones:,} of {len(examples):,} examples have no gold label"] if open_ones else []


def find_predictions(
    name: str, examples: Sequence[Example], items: Sequence[Item], rule: Rule, settings: Settings
) -> Predictions:
    """The predictions that a name stands for."""
    judges = recorded_judges(examples)
    if name in judges:
        return recorded_predictions(examples, name, items, rule)
    kind, _, rest = name.partition(":")
    if kind == "run":
        replay, summary = replay_run(RunsFolder(settings.runs), rest)
        found = _replayed(name, replay, examples, items, rule, settings)
        cost = summary.usage.get("cost") if summary.run.model else None
        return replace(found, seconds=summary.usage.get("seconds"), cost=cost)
    if Path(name).suffix == ".json":
        return _replayed(name, RecordedDetector(name), examples, items, rule, settings)
    if kind in DETECTORS:
        peers = (lambda: examples) if learns_from_peers(name) else None
        models = (settings.model,) if settings.model and _asks_model(name) else ()
        return run_predictions(examples, load_judge(JudgeChoice(name, models), peers), items, rule)
    raise UnknownNameError(
        "detector, run:NAME, recorded detector or .json file", name, (*judges, *DETECTORS)
    )


def _replayed(
    name: str,
    replay: Replay,
    examples: Sequence[Example],
    items: Sequence[Item],
    rule: Rule,
    settings: Settings,
) -> Predictions:
    refuse_unknown(name, (id for id in replay.ids if id not in settings.left_out), examples)
    found = run_predictions(examples, replay, items, rule)
    return replace(found, detector=name, seconds=None)  # replaying tells no time
