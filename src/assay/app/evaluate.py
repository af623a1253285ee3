"""Measuring detectors against gold labels, and two of them against each other."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

from assay.app.judging import Asking, AskingArguments, Detectors, is_detector, runs_here
from assay.app.results import data_frame, figures_frame, written
from assay.core.errors import InputError, UnknownNameError
from assay.core.folding import Rule
from assay.core.judgements import Judgements
from assay.core.options import Argument, Option, Takes, require_choices
from assay.core.pooling import GoldBasis, find_pool
from assay.core.problems import Unread
from assay.core.readings import reading as find_reading
from assay.core.taxonomies import taxonomy
from assay.core.units import RESPONSE
from assay.core.verdicts import Verdict
from assay.datasets.corpus import Protocol, corpus_names, find_card
from assay.datasets.selection import DataChoice, Loaded, load
from assay.engine.estimate import RunEstimate
from assay.evaluation import comparison
from assay.evaluation.comparison import EvaluationReport, PairComparison, make_report
from assay.evaluation.evaluate import Evaluation, Predictions, Settings, evaluate_each, sampled
from assay.evaluation.items import Item, basis_of, describe_gold, find_items, require_gold
from assay.evaluation.policy import (
    CUT,
    POOL,
    READING,
    GoldPolicy,
    GoldUnit,
    Invalid,
    find_threshold,
    menus,
    require_cut,
    says_faithful,
)
from assay.evaluation.references import is_reference, recorded_detectors

if TYPE_CHECKING:
    from pandas import DataFrame


BY_MODEL = Option("Rank detectors among those that ask the same model.")


@dataclass(frozen=True, slots=True)
class EvaluateRequest:
    """The data, the detectors, and how both are read; without detectors, all recorded ones.

    An empty unit, pool or reading is that of the corpus's paper, as its card says. Runs joined by
    `+`, as in `run:a+run:b`, are averaged.
    """

    data: Annotated[DataChoice, Takes("language sample seed")]
    asking: Annotated[Asking, Takes("peers")] = field(default_factory=Asking)
    detectors: Annotated[
        tuple[str, ...],
        Argument(
            "Files of judgements (.json, .parquet, DIR/), runs as run:NAME, recorded detectors of "
            "the corpus, or detectors to run; by default all recorded ones. Runs joined by +, as "
            "in run:a+run:b, are averaged.",
            "DETECTOR",
        ),
    ] = ()
    reading: Annotated[str, READING] = ""
    unit: Annotated[
        str,
        Option(
            "What is judged; default: as the corpus's paper does, otherwise response.",
            choices=get_args(GoldUnit),
        ),
    ] = ""
    pool: Annotated[str, POOL] = ""
    cut: Annotated[str | float | None, CUT] = None
    fold: Annotated[
        tuple[str, ...],
        Option(
            "How sentences and claims are folded into a response; a row for each rule.",
            choices=get_args(Rule),
            commas=True,
        ),
    ] = ("worst",)
    invalid: Annotated[
        str,
        Option(
            "What becomes of responses that a judge calls invalid: counted apart as failures, or "
            "as predicted unfaithful.",
            choices=get_args(Invalid),
        ),
    ] = "apart"
    by_model: Annotated[bool, BY_MODEL] = False

    def __post_init__(self) -> None:
        if self.invalid == "failure":  # the word of versions before 0.3
            object.__setattr__(self, "invalid", "apart")
        threshold = self.asking.local.threshold
        if threshold is not None and self.detectors and not any(map(runs_here, self.detectors)):
            # Before 0.3 this was the cut, and no detector here has a threshold of its own.
            local = replace(self.asking.local, threshold=None)
            object.__setattr__(self, "asking", replace(self.asking, local=local))
            object.__setattr__(self, "cut", threshold if self.cut is None else self.cut)

    def settings(self) -> Settings:
        """The settings by which detectors are measured; raises for a name that is none."""
        if self.reading:
            find_reading(self.reading)
        require_cut(self.cut)
        require_choices(self)
        policy, protocol = self._policy()
        return Settings(
            policy,
            self.cut,
            cast(tuple[Rule, ...], self.fold),
            invalid=cast(Invalid, self.invalid),
            protocol=protocol,
            task=self.data.task,
            split=self.data.split,
            by_model=self.by_model,
        )

    def _policy(self) -> tuple[GoldPolicy, str]:
        """The gold policy, and a comparison with the protocol of the paper in words."""
        target = self.data.target
        card = find_card(target) if target in corpus_names() else None
        paper = card.protocol if card else None
        usual = paper or Protocol("response", "corpus")
        unit = self.unit or usual.unit
        # Whose labels count, and how they are read, depends on the unit.
        usual = usual if unit == usual.unit else Protocol(usual.unit, "corpus")
        pool, reading = find_pool(self.pool or usual.pool), self.reading or usual.reading
        policy = GoldPolicy(cast(GoldUnit, unit), pool, reading)
        if card is None or paper is None:
            return policy, ""
        is_cut = self.cut is not None and _cuts(self.cut, policy, card.taxonomy)
        theirs = paper.unit, find_pool(paper.pool), paper.reading
        if not is_cut and (unit, pool, reading) == theirs:
            return policy, f"the protocol of {paper.stated_in}"
        uncut = ", without another threshold" if is_cut else ""
        return policy, f"not the protocol of {paper.stated_in}, which is: {paper}{uncut}"


class EvaluateArguments(AskingArguments, total=False):
    """The same as arguments of a Python function."""

    unit: str
    reading: str
    pool: str
    cut: float | str | None
    fold: str | Sequence[str]
    invalid: str


@dataclass(frozen=True, slots=True, repr=False)
class Evaluated:
    """The figures of each detector."""

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

    def to_pandas(self) -> "DataFrame":
        """A data frame with a row for each detector and figure; pandas must be installed.

        Where the data has several tasks, each has rows of its own; those of all tasks together
        have an empty `task`.
        """
        has_tasks = any(each.tasks for each in self)
        return figures_frame(
            ({"detector": each.detector} | ({"task": task} if has_tasks else {}), part.figures)
            for each in self
            for task, part in {"": each, **each.tasks}.items()
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """A page to look at, as text; with a path it is written there as well."""
        from assay.report.evaluation.page import evaluation_html

        return written(evaluation_html(self.report), path)

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(index=False, na_rep=""))


@dataclass(frozen=True, slots=True, repr=False)
class Compared:
    """Two detectors on the same items, and how these were read."""

    pair: PairComparison
    about: str
    items: int
    gold: GoldBasis
    unread: Unread = field(default_factory=Unread)  # rows of the data, which are left out

    def __repr__(self) -> str:
        differ = len(self.pair.differences)
        return f"<{self.pair.first} and {self.pair.second}: {self.items} items, {differ} differ>"

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay compare --json` prints."""
        about = {"reading": self.about, "gold": self.gold.to_dict()}
        return {**self.pair.to_dict(), **about, **self.unread.to_dict()}

    def to_pandas(self) -> "DataFrame":
        """A data frame with a row for each item on which they differ; pandas must be installed."""
        return data_frame(
            {
                "example": each.first.item.example,
                "unit": each.first.item.unit.id,
                "text": each.first.item.unit.text,
                "gold": each.first.item.gold.name,
                self.pair.first: _word(each.first.faithful),
                self.pair.second: _word(each.second.faithful),
            }
            for each in self.pair.differences
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """The items on which they differ, as a table in HTML; with a path it is written there."""
        return written(self._repr_html_(), path)

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(index=False))


def evaluate(request: EvaluateRequest) -> Evaluated:
    """Measures detectors on data with gold labels."""
    loaded, settings, predictions = _prepare(request)
    report = make_report(
        request.data.target,
        loaded.annotated,
        predictions,
        settings,
        repairs=loaded.repairs,
        labels=loaded.card.labels if loaded.card else "",
    )
    read = report.reading + _left_out(loaded)
    return Evaluated(replace(report, reading=read, unread=loaded.unread))


def estimate(request: EvaluateRequest) -> dict[str, RunEstimate]:
    """The cost of the detectors that ask a model; nothing is sent."""
    request.settings()
    names = [run for name in request.detectors for run in _runs_in(name)]
    return Detectors(request.data.labelled(), (), request.asking).estimate(*names)


def compare(request: EvaluateRequest) -> Compared:
    """Compares two detectors on the same items."""
    if len(request.fold) > 1:
        raise InputError("a comparison uses one folding rule, not several", field="fold")
    loaded, settings, predictions = _prepare(request)
    one, other = evaluate_each(request.data.target, loaded.annotated, predictions, settings)
    read = describe_gold(one.items, settings.policy)
    about = f"{request.data.target}: {read}; {settings.describe()}{_left_out(loaded)}"
    pair = comparison.compare(one, other, settings.resampling)
    gold = basis_of(one.items, settings.policy)
    return Compared(pair, about, len(one.items), gold, loaded.unread)


def _left_out(loaded: Loaded) -> str:
    """A note on rows of the data that cannot be read."""
    return f"; without {loaded.unread}" if loaded.unread.count else ""


def _cuts(threshold: float | str, policy: GoldPolicy, gold: str) -> bool:
    """True if a cut reads any label otherwise than the policy does without it."""
    if isinstance(threshold, float):
        return True
    return any(
        says_faithful(said, policy, (gold,), threshold) != says_faithful(said, policy, (gold,))
        for menu in menus()
        if find_threshold(menu, threshold)
        for said in (Verdict(RESPONSE, label) for label in taxonomy(menu))
    )


def _prepare(request: EvaluateRequest) -> tuple[Loaded, Settings, list[Predictions]]:
    """The data, how it is measured, and what the detectors say of it."""
    settings = request.settings()
    request = replace(request, data=request.data.labelled())
    loaded = load(request.data, readable_only=True)
    items = find_items(loaded.annotated, settings.policy)
    require_gold(items, request.data.target, loaded.annotated, settings.policy.unit)
    predictions = _predictions(request, loaded, items)
    return loaded, fitting(request, settings, loaded, predictions), predictions


def fitting(
    request: EvaluateRequest,
    settings: Settings,
    loaded: Loaded,
    predictions: Sequence[Predictions],
) -> Settings:
    """The settings with the entries of the data, and without a reading for other labels.

    A task of a corpus may have labels of another taxonomy than the corpus's paper reads.
    """
    settings = replace(settings, entries=loaded.entries)
    named = settings.policy.reading
    if not named or request.reading:
        return settings
    judged = sampled(loaded.annotated, predictions, loaded.entries)
    menus = {item.gold.taxonomy for item in find_items(judged, settings.policy)}
    fits = not menus or find_reading(named).origin in menus
    return replace(settings, policy=replace(settings.policy, reading=named if fits else ""))


def _predictions(
    request: EvaluateRequest, loaded: Loaded, items: Sequence[Item]
) -> list[Predictions]:
    recorded = recorded_detectors(loaded.annotated)
    names = request.detectors or tuple(recorded)
    if not names:
        raise InputError(
            f"{request.data.target} has no recorded detectors; name a file, a run or a detector",
            code="no-detectors",
        )
    runs = [_runs_in(name, recorded) for name in names]
    judging = Detectors(request.data, loaded.annotated, request.asking, items)
    found = iter(judging.each([run for each in runs for run in each]))
    return [_averaged(tuple(chain(*islice(found, len(each))))) for each in runs]


def _runs_in(name: str, recorded: Collection[str] = ()) -> tuple[str, ...]:
    """The runs that a name joins by `+`; mostly it is one name, in which a `+` may occur."""
    parts = tuple(map(str.strip, name.split("+")))
    if len(parts) == 1 or name in recorded or Path(name).exists():
        return (name,)
    if not all(part in recorded or is_reference(part) or is_detector(part) for part in parts):
        return (name,)
    if len(set(parts)) < len(parts):
        raise InputError(f"'{name}' averages a run with itself")
    return parts


def _averaged(runs: tuple[Judgements, ...]) -> Predictions:
    """Runs to average; raises unless they are of one detector with the same prompts."""
    if len(runs) == 1:
        return runs[0]
    authors = {(run.manifest.author.name, run.manifest.model) for run in runs}
    if len(authors) > 1:
        names = ", ".join(sorted(" ".join(filter(None, author)) for author in authors))
        raise InputError(f"only runs of one detector are averaged, and these are of {names}")
    prompts = [run.manifest.prompt_digests for run in runs]
    if any(each != prompts[0] for each in prompts):
        names = ", ".join(sorted({name for each in prompts for name in each}))
        raise InputError(
            f"only runs with the same prompts are averaged, and these differ in theirs: {names}"
        )
    return runs


def _word(faithful: bool | None) -> str:
    return "faithful" if faithful else "unfaithful"
