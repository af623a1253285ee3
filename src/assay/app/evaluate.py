"""Measuring detectors against gold labels, and two of them against each other."""

from dataclasses import dataclass, replace
from typing import cast, get_args

from assay.app.judging import Asking, Judging
from assay.core.errors import InputError, UnknownNameError
from assay.core.folding import Rule
from assay.core.judgements import Judgements
from assay.core.readings import reading as find_reading
from assay.datasets.selection import DataChoice, Loaded, load
from assay.evaluate import comparison
from assay.evaluate.comparison import EvaluationReport, PairComparison, make_report
from assay.evaluate.evaluation import Settings, evaluate_each
from assay.evaluate.items import find_items
from assay.evaluate.policy import GoldPolicy, GoldUnit, Pool
from assay.evaluate.references import recorded_detectors


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """The data, the detectors, and how both are read; without detectors, all recorded ones."""

    data: DataChoice
    asking: Asking
    detectors: tuple[str, ...] = ()
    reading: str = ""
    unit: str = "response"
    pool: str = "corpus"
    threshold: float | str | None = None
    fold: tuple[str, ...] = ("worst",)

    def settings(self) -> Settings:
        """How detectors are measured, if every name is one."""
        if self.reading:
            find_reading(self.reading)
        if isinstance(self.threshold, float) and not 0 <= self.threshold <= 1:
            raise InputError(
                f"a threshold is a label or a score between 0 and 1, not {self.threshold}",
                field="threshold",
            )
        _require("unit", self.unit, get_args(GoldUnit))
        _require("pool", self.pool, get_args(Pool))
        for rule in self.fold:
            _require("fold", rule, get_args(Rule))
        policy = GoldPolicy(cast(GoldUnit, self.unit), cast(Pool, self.pool), self.reading)
        return Settings(policy, self.threshold, cast(tuple[Rule, ...], self.fold))


def evaluate(request: EvaluateRequest) -> EvaluationReport:
    """Measures detectors on data with gold labels."""
    settings = request.settings()
    loaded = load(request.data)
    settings = replace(settings, left_out=loaded.left_out)
    return make_report(
        request.data.target,
        loaded.annotated,
        _predictions(request, loaded, settings),
        settings,
        repairs=loaded.repairs,
        labels=loaded.card.labels if loaded.card else "",
    )


def compare(request: EvaluateRequest) -> PairComparison:
    """Holds two detectors against each other on the same items."""
    settings = request.settings()
    if len(settings.rules) > 1:
        raise InputError("two detectors are compared under one rule of folding", field="fold")
    loaded = load(request.data)
    settings = replace(settings, left_out=loaded.left_out)
    found = _predictions(request, loaded, settings)
    one, other = evaluate_each(request.data.target, loaded.annotated, found, settings)
    return comparison.compare(one, other, settings.resampling)


def _predictions(request: EvaluateRequest, loaded: Loaded, settings: Settings) -> list[Judgements]:
    names = request.detectors or tuple(recorded_detectors(loaded.annotated))
    if not names:
        raise InputError(
            f"{request.data.target} has no recorded detectors; name a file, a run or a detector",
            code="no-detectors",
        )
    items = find_items(loaded.annotated, settings.policy)
    judging = Judging(request.data, loaded.annotated, request.asking, items)
    return [judging.judgements(name) for name in names]


def _require(what: str, name: str, choices: tuple[str, ...]) -> None:
    if name not in choices:
        raise UnknownNameError(what, name, choices, field=what)
