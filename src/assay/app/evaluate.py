"""Measuring detectors against gold labels, and two of them against each other."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast, get_args

from assay.app.judging import Asking, Judging
from assay.app.results import figures_frame, written
from assay.core.errors import InputError, UnknownNameError
from assay.core.folding import Rule
from assay.core.judgements import Judgements
from assay.core.plugins import find_plugins
from assay.core.readings import reading as find_reading
from assay.core.taxonomies import TAXONOMIES, taxonomy
from assay.datasets.selection import DataChoice, Loaded, load
from assay.engine.estimate import RunEstimate
from assay.evaluation import comparison
from assay.evaluation.comparison import EvaluationReport, PairComparison, make_report
from assay.evaluation.evaluate import Evaluation, Settings, evaluate_each
from assay.evaluation.items import find_items
from assay.evaluation.policy import GoldPolicy, GoldUnit, Pool
from assay.evaluation.references import recorded_detectors


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
        if isinstance(self.threshold, str):
            menus = map(taxonomy, (*TAXONOMIES, *find_plugins("assay.taxonomies")))
            labels = tuple(name for menu in menus for name in menu.names)
            if self.threshold not in labels:
                raise UnknownNameError("label", self.threshold, labels, field="threshold")
        _require("unit", self.unit, get_args(GoldUnit))
        _require("pool", self.pool, get_args(Pool))
        for rule in self.fold:
            _require("fold", rule, get_args(Rule))
        policy = GoldPolicy(cast(GoldUnit, self.unit), cast(Pool, self.pool), self.reading)
        return Settings(policy, self.threshold, cast(tuple[Rule, ...], self.fold))


@dataclass(frozen=True, slots=True, repr=False)
class Evaluated:
    """What came out for each detector."""

    report: EvaluationReport

    def __repr__(self) -> str:
        return f"<{', '.join(each.detector for each in self)} on {self.report.dataset}>"

    def __iter__(self) -> Iterator[Evaluation]:
        return iter(self.report.evaluations)

    def __getitem__(self, detector: str) -> Evaluation:
        for each in self.report.evaluations:
            if each.detector == detector:
                return each
        raise UnknownNameError("detector", detector, (each.detector for each in self))

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay evaluate --json` prints."""
        return self.report.to_dict()

    def to_pandas(self) -> Any:
        """A data frame with a row for each detector and figure; pandas must be installed."""
        return figures_frame(({"detector": each.detector}, each.figures) for each in self)

    def to_html(self, path: str | Path | None = None) -> str:
        """A page to look at, as text; with a path it is written there as well."""
        from assay.report.evaluation_page import evaluation_html

        return written(evaluation_html(self.report), path)

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(index=False, na_rep=""))


@dataclass(frozen=True, slots=True)
class Compared:
    """Two detectors on the same items, and how these were read."""

    pair: PairComparison
    about: str
    items: int

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay compare --json` prints."""
        return self.pair.to_dict()

    def to_pandas(self) -> Any:
        """A data frame with a row for each item on which they differ; pandas must be installed."""
        import pandas

        return pandas.DataFrame(
            [
                {
                    "example": each.first.item.example,
                    "unit": each.first.item.unit.id,
                    "text": each.first.item.unit.text,
                    "gold": each.first.item.gold.name,
                    self.pair.first: _word(each.first.faithful),
                    self.pair.second: _word(each.second.faithful),
                }
                for each in self.pair.differences
            ]
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """The items on which they differ, as a table in HTML; with a path it is written there."""
        return written(self._repr_html_(), path)

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(index=False))


def evaluate(request: EvaluateRequest) -> Evaluated:
    """Measures detectors on data with gold labels."""
    settings = request.settings()
    loaded = load(request.data)
    settings = replace(settings, left_out=loaded.left_out)
    report = make_report(
        request.data.target,
        loaded.annotated,
        _predictions(request, loaded, settings),
        settings,
        repairs=loaded.repairs,
        labels=loaded.card.labels if loaded.card else "",
    )
    return Evaluated(report)


def estimate(request: EvaluateRequest) -> dict[str, RunEstimate]:
    """What the detectors would cost that ask a model; nothing is sent."""
    request.settings()
    return Judging(request.data, (), request.asking).estimate(*request.detectors)


def compare(request: EvaluateRequest) -> Compared:
    """Holds two detectors against each other on the same items."""
    settings = request.settings()
    if len(settings.rules) > 1:
        raise InputError("a comparison uses one folding rule, not several", field="fold")
    loaded = load(request.data)
    settings = replace(settings, left_out=loaded.left_out)
    found = _predictions(request, loaded, settings)
    one, other = evaluate_each(request.data.target, loaded.annotated, found, settings)
    menus = dict.fromkeys(each.item.gold.taxonomy for each in one.judged)
    about = f"{request.data.target}: {settings.policy.describe(menus)}; {settings.describe()}"
    return Compared(comparison.compare(one, other, settings.resampling), about, len(one.judged))


def _predictions(request: EvaluateRequest, loaded: Loaded, settings: Settings) -> list[Judgements]:
    names = request.detectors or tuple(recorded_detectors(loaded.annotated))
    if not names:
        raise InputError(
            f"{request.data.target} has no recorded detectors; name a file, a run or a detector",
            code="no-detectors",
        )
    items = find_items(loaded.annotated, settings.policy)
    judging = Judging(request.data, loaded.annotated, request.asking, items)
    return judging.each(names)


def _require(what: str, name: str, choices: tuple[str, ...]) -> None:
    if name not in choices:
        raise UnknownNameError(what, name, choices, field=what)


def _word(faithful: bool | None) -> str:
    return "faithful" if faithful else "unfaithful"
