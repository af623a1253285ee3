"""Errors that a detector misses or invents and their reasons; errors that the gold lacks."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Annotated as With

from assay.app.judging import GOLD_ARGUMENT, ONE_MODEL, Asking, Detectors
from assay.app.localize import MATCHERS, Matching
from assay.app.questions import Asked, open_questions
from assay.app.runs import complete, run
from assay.core.errors import InputError
from assay.core.options import Argument, Option, Takes
from assay.core.readings import reading as find_reading
from assay.datasets.fields import COLUMNS
from assay.datasets.selection import DataChoice, load
from assay.decisions.forms import FormLine, read_form_lines, refuse_problems
from assay.decisions.proposals import Settling
from assay.detectors.judges.p_true import belief_prompt
from assay.detectors.registry import DetectorSpec, detector_names, open_detector
from assay.engine.estimate import RunEstimate
from assay.engine.models import sampling
from assay.engine.request import RunRequest
from assay.engine.session import Tick
from assay.error_analysis.analysis import (
    ErrorReport,
    Experiments,
    explain_errors,
    find_subject,
)
from assay.error_analysis.enrichment import Enriched, apply_tasks
from assay.error_analysis.proposals import (
    RECALL,
    Proposed,
    propose_errors,
    propose_explanations,
    require_localizer,
)
from assay.error_analysis.tasks import has_form, read_tasks
from assay.evaluation.references import open_judgements
from assay.llm.settings.model_settings import is_model_configured

__all__ = ["Settling"]


EXPERIMENTS = "Experiments"


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """A detector whose errors on a corpus are explained, and the experiments that are wanted.

    `asking` names the explaining model; without one, errors are listed for people. With `p_true`,
    the detector's own model is asked `repeat` times whether it believes what it let pass, with the
    prompt in the file `p_true_prompt` if there is one.
    """

    detector: With[
        str, Argument("A run as run:NAME, a file of judgements, or a detector.", "DETECTOR")
    ]
    data: With[
        DataChoice,
        Takes(
            f"language sample seed task {COLUMNS}",
            dataset=Option("Corpus that it judged, with gold labels.", "NAME|FILE", default=""),
        ),
    ]
    asking: With[Asking, Takes("peers", model=ONE_MODEL)] = field(default_factory=Asking)
    matching: Matching = field(default_factory=Matching)
    answers: With[
        str, Option("What people decided: the lines that were written, filled in.", "FILE")
    ] = ""
    sample: With[
        int | None,
        Option("Explain only N missed and N invented errors, drawn with the seed.", "N"),
    ] = None
    seed: With[int, Option("Seed of the sample.", "S")] = 0
    p_true: With[
        bool,
        Option("Ask whether the detector's own model believes what it let pass.", "", EXPERIMENTS),
    ] = False
    repeat: With[
        int,
        Option("Answers about belief in each order of the options.", "N", EXPERIMENTS),
    ] = 10
    p_true_prompt: With[
        str,
        Option("Another prompt about belief, such as the paper's.", "FILE", EXPERIMENTS),
    ] = ""
    counterfactual: With[
        bool,
        Option(
            "Replace true additions by false ones, and ask the detector again.", "", EXPERIMENTS
        ),
    ] = False
    reading: With[str, Option("Which gold labels are errors: the name of a reading.", "NAME")] = ""

    def __post_init__(self) -> None:
        if self.reading:
            find_reading(self.reading)
        for what, number in (("sample", self.sample), ("repeat", self.repeat)):
            if number is not None and number < 1:
                raise InputError(f"{what} must be 1 or more, not {number}", field=what)
        if self.p_true_prompt and not self.p_true:
            raise InputError(
                "a prompt for P(True) is given, and P(True) is not asked for", field="p_true"
            )
        if self.p_true_prompt:
            belief_prompt(self.p_true_prompt)  # one that cannot be used raises before any question
        if self.wants_model and not self.asking.models and not is_model_configured():
            what = "P(True)" if self.p_true else "the counterfactual test"
            raise InputError(f"{what} asks a model, and none is given", code="no-model")

    @property
    def wants_model(self) -> bool:
        """True if a model is asked about the errors."""
        return bool(self.asking.models) or self.p_true or self.counterfactual

    @property
    def judges_first(self) -> bool:
        """True if all examples are judged first, to find the errors that are sampled."""
        is_detector = self.detector.partition(":")[0] in detector_names()
        return is_detector and self.sample is not None


@dataclass(frozen=True, slots=True)
class ProposeRequest:
    """Data, and who proposes errors that its gold lacks: a localizer to run, or an earlier run."""

    data: With[DataChoice, Takes(f"language task {COLUMNS}", dataset=GOLD_ARGUMENT)]
    asking: With[
        Asking, Takes("peers device threshold batch_size calibration", model=ONE_MODEL)
    ] = field(default_factory=Asking)
    matching: With[
        Matching,
        Takes(
            matcher=Option("What finds errors that the gold has already.", choices=MATCHERS),
        ),
    ] = field(default_factory=Matching)
    detector: With[
        str, Option("How the model is asked; another localizer proposes less.", "NAME")
    ] = RECALL
    run: With[str, Option("Take what this run found; nothing is asked.", "NAME")] = ""
    name: With[
        str, Option("Name of the run; by default made from data, detector and model.", "NAME")
    ] = ""
    explanations: With[
        bool,
        Option("List the explanations of the gold, to be taken apart; no model is asked."),
    ] = False

    def __post_init__(self) -> None:
        if self.explanations and (self.asking.models or self.run):
            raise InputError(
                "explanations are taken apart by people, without a model and a run",
                field="run" if self.run else "model",
            )
        if self.run and self.asking.models and self.matching.name == "offline":
            raise InputError("what an earlier run found needs no model", field="model")
        if not self.run:
            require_localizer(self.detector)


def explain(
    request: ExplainRequest, counting: Callable[[], AbstractContextManager[Tick]]
) -> tuple[ErrorReport, str]:
    """The errors of a detector by reason, and what was asked for that, in words.

    `counting` gives what is called for each answer, once the detector itself has judged.
    """
    answers = _read_lines(request.answers, field="answers") if request.answers else []
    loaded = load(request.data, readable_only=True)
    corpus = loaded.annotated
    asking, name = request.asking, request.data.target
    judging = Detectors(request.data, corpus, asking)
    judging.require(request.detector, models=False)
    predictions = judging.judgements(request.detector)
    model = asking.models[0] if asking.models else ""
    subject = find_subject(predictions, model, asking.options)
    asked = request.matching.asked(asking)
    if request.wants_model:
        asked.append(Asked("explainer", (model,), asking.options))
    believer = None
    if request.p_true:
        believer = subject.believer_spec(request.repeat, request.p_true_prompt)
    again = subject.spec() if request.counterfactual else None
    asked += _asked("believer", believer)
    asked += _asked("again", again)
    with open_questions("explaining", f"{name}--{request.detector}", asked, asking) as questions:
        detector = open_detector(again, questions.clients("again")) if again else None
        if detector:
            subject.refuse_other_prompts(detector)
        experiments = Experiments(
            client=next(iter(questions.clients("explainer")), None),
            believer=open_detector(believer, questions.clients("believer")) if believer else None,
            again=detector,
            answers=tuple(answers),
            sample=request.sample,
            seed=request.seed,
            reading=request.reading,
        )
        matcher = request.matching.open(questions)
        with counting() as tick:
            work = explain_errors(name, corpus, subject, matcher, experiments, tick)
            report = questions.answer(work)
            return replace(report, unread=loaded.unread), questions.usage


def estimate_detector(request: ExplainRequest) -> dict[str, RunEstimate]:
    """The cost of the detector that is looked at, if it is to be run and asks a model."""
    return Detectors(request.data, (), request.asking).estimate(request.detector)


def estimate_proposals(request: ProposeRequest) -> dict[str, RunEstimate]:
    """The cost of the localizer that proposes, if it is to be run."""
    detector = "" if request.run else request.detector
    return Detectors(request.data, (), request.asking).estimate(detector)


def propose(request: ProposeRequest) -> tuple[Proposed, str, str]:
    """Errors that the gold lacks, the run that found them, and what matching took, in words."""
    asking, name = request.asking, request.data.target
    run_name = request.run.removeprefix("run:") or _run(request)
    corpus = load(replace(request.data, sample=None, seed=None)).annotated
    predictions = open_judgements(f"run:{run_name}", runs=asking.runs)
    asked = request.matching.asked(asking)
    with open_questions("matching", name, asked, asking) as questions:
        work = propose_errors(name, corpus, predictions, request.matching.open(questions))
        return questions.answer(work), run_name, questions.usage


def propose_rewriting(data: DataChoice) -> Proposed:
    """The explanations of the gold as tasks for people, who take them apart; nobody is asked."""
    return propose_explanations(data.target, load(data).annotated)


def enrich(
    tasks: Sequence[str],
    data: DataChoice,
    settling: Settling | None = None,
    *,
    drop_unsure: bool = False,
) -> Enriched:
    """The data with what people decided, in one file or in several, in its gold."""
    corpus = load(data).annotated
    if any(map(has_form, corpus)):
        raise InputError(
            f"{data.target} is no data, but tasks with forms for people; the last argument is the "
            "data that the tasks were made for",
            field="dataset",
        )
    lines = _read_lines(*tasks, field="tasks")
    decided = read_tasks(lines, corpus, drop_unsure=drop_unsure)
    return apply_tasks(corpus, decided, settling, drop_unsure=drop_unsure)


def _read_lines(*paths: str, field: str) -> list[FormLine]:
    """The lines of some files; raises with everything that cannot be read."""
    files = [read_form_lines(path, field=field) for path in paths]
    refuse_problems([problem for _, problems in files for problem in problems], field=field)
    return [line for lines, _ in files for line in lines]


def _asked(role: str, spec: DetectorSpec | None) -> list[Asked]:
    """The models of a detector that takes part, if it asks any."""
    if spec is None or not spec.capabilities.asks_model:
        return []
    return [Asked(role, spec.models or ("",), sampling(spec))]


def _run(request: ProposeRequest) -> str:
    """The name of the run, once it is complete."""
    asking = request.asking
    spec = DetectorSpec(request.detector, asking.models, options=asking.options)
    wanted = RunRequest(request.data, spec, name=request.name, engine=asking.engine)
    return complete(run(wanted, asking.watch, runs=asking.runs, resume=None))
