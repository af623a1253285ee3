"""Measuring how well detectors say what is wrong, choosing a prompt, and measuring a matcher."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from typing import Annotated as With

from assay.app.judging import ONE_MODEL, Asking, AskingArguments, Detectors
from assay.app.questions import Asked, Questions, open_questions
from assay.app.results import figures_frame, written
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated
from assay.core.judgements import Judgements
from assay.core.options import Option, Takes
from assay.core.problems import Unread
from assay.core.readings import reading as find_reading
from assay.core.system import bridge
from assay.datasets.selection import DataChoice, Loaded, load
from assay.detectors.registry import DetectorSpec, detector_names
from assay.engine.estimate import RunEstimate
from assay.evaluation.localization.agreement import Agreement, measure_on_annotators
from assay.evaluation.localization.evaluation import (
    Choice,
    LocalizationReport,
    Part,
    choose_variant,
    evaluate_localizer,
    select,
    style_variants,
)
from assay.evaluation.localization.matchers import LlmMatcher, OfflineMatcher, matcher_prompt
from assay.evaluation.localization.matching import Matcher
from assay.llm.client import ModelClient
from assay.llm.connection import connect_dry
from assay.llm.settings.options import MODEL

if TYPE_CHECKING:
    from pandas import DataFrame

__all__ = ["style_variants"]

MATCHERS = ("offline", "llm")


@dataclass(frozen=True, slots=True)
class Matching:
    """The matching of predicted with gold errors: by words and places, or by a model."""

    name: With[
        str,
        Option("What matches predicted with gold errors.", name="matcher", choices=MATCHERS),
    ] = "offline"
    model: With[
        str,
        Option("Another model than the detector's to match.", "MODEL", MODEL, "matcher_model"),
    ] = ""
    prompt: With[
        str, Option("Another prompt than ours to match.", "FILE", MODEL, "matcher_prompt")
    ] = ""

    def __post_init__(self) -> None:
        if self.name not in MATCHERS:
            raise UnknownNameError("matcher", self.name, MATCHERS, field="matcher")
        for field_name in ("model", "prompt"):
            if getattr(self, field_name) and self.name != "llm":
                raise InputError("the offline matcher asks no model", field=f"matcher_{field_name}")
        if self.prompt:
            matcher_prompt(self.prompt)  # one that cannot be used raises before anything is asked

    def asked(self, asking: Asking) -> list[Asked]:
        """The model that matches, if one does: its own, or else the one of the use case."""
        if self.name == "offline":
            return []
        models = (self.model,) if self.model else asking.models[:1] or ("",)
        return [Asked("matcher", models, asking.options)]

    def open(self, questions: Questions) -> Matcher:
        """The matcher; one that asks a model asks through these questions."""
        clients = questions.clients("matcher")
        return self.asking(clients[0]) if clients else OfflineMatcher()

    def asking(self, client: ModelClient) -> LlmMatcher:
        """The matcher that asks a model."""
        return LlmMatcher(client, matcher_prompt(self.prompt))


@dataclass(frozen=True, slots=True)
class LocalizeRequest:
    """Corpora with described errors, which part of each, and who is measured on them."""

    datasets: With[
        tuple[str, ...],
        Option(
            "A corpus with described errors: ragtruth, faithbench, defacto; may be repeated.",
            "NAME|FILE",
            name="dataset",
            default=(),
        ),
    ]
    asking: With[Asking, Takes("peers", model=ONE_MODEL)] = field(default_factory=Asking)
    folder: With[
        str | None, Option("Folder of the corpora; default: ASSAY_DATA.", "DIR", name="data")
    ] = None
    part: Part = field(default_factory=Part)
    matching: Matching = field(default_factory=Matching)
    reading: With[
        str,
        Option(
            "Which labels are errors: the name of a reading; without one, all that people marked.",
            "NAME",
        ),
    ] = ""

    def __post_init__(self) -> None:
        if self.reading:
            find_reading(self.reading)
        if not self.datasets or not all(self.datasets):
            raise InputError(
                "name a corpus with described errors, such as ragtruth", field="dataset"
            )

    def corpus(self, name: str) -> Loaded:
        """All examples of one of the corpora; the part is chosen later, among labelled ones."""
        return load(DataChoice(name, self.folder), readable_only=True)


class LocalizeArguments(AskingArguments, total=False):
    """The same as arguments of a Python function."""

    split: str
    sample: int | None
    seed: int
    matcher: str
    reading: str


@dataclass(frozen=True, slots=True, repr=False)
class Localized:
    """The reports of all corpora, and what matching took, in words."""

    reports: tuple[LocalizationReport, ...]
    usage: str = ""

    def __repr__(self) -> str:
        about = (f"{each.localization.detector} on {each.dataset}" for each in self.reports)
        return f"<{', '.join(about)}>"

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay localize evaluate --json` prints."""
        return {"corpora": [report.to_dict() for report in self.reports]}

    def to_pandas(self) -> "DataFrame":
        """A data frame with a row for each corpus and figure; pandas must be installed."""
        return figures_frame(
            (
                {"dataset": report.dataset, "detector": report.localization.detector},
                report.localization.figures,
            )
            for report in self.reports
        )

    def to_html(self, path: str | Path | None = None) -> str:
        """The figures as a table in HTML; with a path it is written there as well."""
        return written(self._repr_html_(), path)

    def _repr_html_(self) -> str:
        return str(self.to_pandas().to_html(index=False, na_rep=""))


@dataclass(frozen=True, slots=True)
class ChosenPrompt:
    """Which of two prompts is better for a model, and over how many examples."""

    dataset: str
    model: str
    choice: Choice
    examples: int
    usage: str = ""
    unread: Unread = field(default_factory=Unread)

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay localize choose --json` prints."""
        about = {"dataset": self.dataset, "model": self.model}
        return {**about, **self.choice.to_dict(), **self.unread.to_dict()}


@dataclass(frozen=True, slots=True)
class MeasuredMatcher:
    """Figures of a matcher on errors that annotators have in common, by half of the data."""

    dataset: str
    parts: dict[str, Agreement]
    usage: str = ""
    unread: Unread = field(default_factory=Unread)

    @property
    def is_complete(self) -> bool:
        """True if the matcher answered everything."""
        return not any(part.failures for part in self.parts.values())

    def to_dict(self) -> dict[str, Any]:
        """The document that `assay localize matcher --json` prints."""
        parts = {name: part.to_dict() for name, part in self.parts.items()}
        return {"dataset": self.dataset, "parts": parts, **self.unread.to_dict()}


def localize(request: LocalizeRequest, detector: str, binary: str = "") -> Localized:
    """Measures how well a detector says what is wrong; `binary` judges whole responses too."""
    if detector.startswith("run:") and len(request.datasets) > 1:
        raise InputError("a run is about one corpus; name one", field="dataset")
    _require_localizer(detector)
    reports, used = [], []
    for name in request.datasets:
        loaded = request.corpus(name)
        corpus = loaded.annotated
        judging = _judging(request, name, corpus)
        judging.require(detector, binary, models=False)
        predictions = judging.judgements(detector)
        judging = _judging(request, name, corpus, [predictions])
        beside = judging.judgements(binary) if binary else None
        heard = [predictions, *([beside] if beside else [])]
        selected = select(name, corpus, request.part, heard, reading=request.reading)
        with _matcher(request, f"{name}--{detector}") as (matcher, questions):
            work = evaluate_localizer(name, selected, predictions, matcher, beside)
            report = questions.answer(work)
            reports.append(replace(report, unread=loaded.unread))
            used.append(questions.usage)
    return Localized(tuple(reports), "; ".join(filter(None, used)))


def estimate(request: LocalizeRequest, *detectors: str) -> dict[str, RunEstimate]:
    """The cost of detectors that ask a model; that of matching is not known before."""
    _require_localizer(detectors[0])
    found: dict[str, RunEstimate] = {}
    for name in request.datasets:
        judging = _judging(request, name, request.corpus(name).annotated)
        for detector, each in judging.estimate(*detectors).items():
            found[f"{detector} on {name}"] = each
    return found


def choose_prompt(request: LocalizeRequest, style: str) -> ChosenPrompt:
    """Which of the two prompts of a style is better for a model."""
    first, second = style_variants(style)
    name = request.datasets[0]
    loaded = request.corpus(name)
    corpus = loaded.annotated
    judging = _judging(request, name, corpus)
    pair = (judging.judgements(first), judging.judgements(second))
    selected = select(name, corpus, request.part, reading=request.reading)
    with _matcher(request, f"{name}--{style}") as (matcher, questions):
        work = choose_variant(style, selected, pair, matcher)
        choice = questions.answer(work)
        usage = questions.usage
    model, examples = pair[0].manifest.model, len(selected.annotated)
    return ChosenPrompt(name, model, choice, examples, usage, loaded.unread)


def measure_matcher(request: LocalizeRequest) -> MeasuredMatcher:
    """Measures how well a matcher finds the errors that two annotators have in common."""
    name, loaded = request.datasets[0], _annotators_of(request)
    with _matcher(request, name) as (matcher, questions):
        work = measure_on_annotators(name, loaded.annotated, matcher)
        parts = questions.answer(work)
        return MeasuredMatcher(name, parts, questions.usage, loaded.unread)


def estimate_matcher(request: LocalizeRequest) -> dict[str, RunEstimate]:
    """The cost of measuring a matcher; nothing for one that asks no model."""
    name = request.datasets[0]
    asked = request.matching.asked(request.asking)
    if not asked:
        return {}
    dry = connect_dry(asked[0].models[0], asked[0].options)
    corpus = _annotators_of(request).annotated
    parts = bridge.run(measure_on_annotators(name, corpus, request.matching.asking(dry)))
    rounds = sum(part.rounds for part in parts.values())
    return {f"matcher on {name}": RunEstimate(rounds, {dry.model: dry.estimate})}


def _annotators_of(request: LocalizeRequest) -> Loaded:
    """The part of a corpus on which a matcher is measured."""
    part = request.part
    seed = None if part.sample is None else part.seed
    choice = DataChoice(
        request.datasets[0], request.folder, split=part.split, sample=part.sample, seed=seed
    )
    return load(choice, readable_only=True)


def _require_localizer(name: str) -> None:
    """Raises for a detector that says only whether something is wrong, before it is asked."""
    if name.partition(":")[0] not in detector_names():
        return  # what was said already is looked at as it is
    can = DetectorSpec(name).capabilities
    if can.unit_kind == "response" and not can.finds_units:
        raise InputError(
            f"{name} says whether a response is faithful, but not what is wrong with it; it cannot "
            "be measured as a localizer",
            code="no-localizer",
            field="detector",
        )


def _judging(
    request: LocalizeRequest,
    name: str,
    corpus: Sequence[Annotated],
    predictions: Sequence[Judgements] = (),
) -> Detectors:
    """The examples of the part, and only these, for detectors that are run now.

    Beside predictions, those that they tell of. They judge whole responses, whatever units the
    corpus names.
    """
    chosen = select(name, corpus, request.part, predictions, reading=request.reading).annotated
    whole = len(chosen) == len(corpus)
    ids = None if whole else frozenset(each.id for each in chosen)
    whole_ones = [replace(each, example=replace(each.example, units=())) for each in chosen]
    return Detectors(DataChoice(name, request.folder, ids=ids), whole_ones, request.asking)


@contextmanager
def _matcher(request: LocalizeRequest, about: str) -> Iterator[tuple[Matcher, Questions]]:
    """The matcher, and the questions through which it asks a model, if it does."""
    asked = request.matching.asked(request.asking)
    with open_questions("matching", about, asked, request.asking) as questions:
        yield request.matching.open(questions), questions
