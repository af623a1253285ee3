"""What a detector misses and what it invents, and why; and errors that the gold lacks."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.app.judging import Asking, Judging
from assay.app.localize import Matching
from assay.app.questions import Asked, open_questions
from assay.app.run import complete, run
from assay.core.codec import read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.files import replacing
from assay.core.readings import reading as find_reading
from assay.datasets.conversion import is_converted, read_converted
from assay.datasets.selection import DataChoice, load
from assay.detectors.judges.p_true import belief_prompt
from assay.detectors.registry import DetectorSpec, detector_names, open_detector
from assay.engine.estimate import RunEstimate
from assay.engine.models import sampling
from assay.engine.request import RunRequest
from assay.engine.session import Tick
from assay.evaluation.errors.analysis import (
    ErrorReport,
    Experiments,
    explain_errors,
    find_subject,
)
from assay.evaluation.errors.answers import Filled
from assay.evaluation.errors.applying import Enriched, apply_tasks
from assay.evaluation.errors.decisions import read_tasks
from assay.evaluation.errors.enrichment import (
    RECALL,
    Proposed,
    propose_errors,
    propose_explanations,
    require_localizer,
)
from assay.evaluation.errors.forms import has_form, is_decided
from assay.evaluation.errors.reconciling import Settling
from assay.evaluation.references import open_judgements
from assay.llm.settings import is_model_configured

__all__ = [
    "RECALL",
    "ExplainRequest",
    "ProposeRequest",
    "Settling",
    "enrich",
    "estimate_detector",
    "estimate_proposals",
    "explain",
    "propose",
    "propose_rewriting",
    "refuse_decided",
    "write_examples",
]


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """A detector whose errors on a corpus are explained, and the experiments that are wanted.

    `asking` names the explaining model; without one, errors are listed for people. `repeat` asks
    so often whether the detector's own model believes what it let pass, with the prompt in the file
    `p_true_prompt` if there is one; None does not ask.
    """

    detector: str
    data: DataChoice
    asking: Asking
    matching: Matching = field(default_factory=Matching)
    answers: str = ""
    sample: int | None = None
    seed: int = 0
    repeat: int | None = None
    counterfactual: bool = False
    reading: str = ""  # which gold labels are errors; without one, as usual
    p_true_prompt: str = ""

    def __post_init__(self) -> None:
        if self.reading:
            find_reading(self.reading)
        for what, number in (("sample", self.sample), ("repeat", self.repeat)):
            if number is not None and number < 1:
                raise InputError(f"{what} must be 1 or more, not {number}", field=what)
        if self.p_true_prompt and self.repeat is None:
            raise InputError(
                "a prompt for P(True) is given, and P(True) is not asked for", field="p_true"
            )
        if self.p_true_prompt:
            belief_prompt(self.p_true_prompt)  # one that cannot be used raises before any question
        if self.wants_model and not self.asking.models and not is_model_configured():
            what = "P(True)" if self.repeat is not None else "the counterfactual test"
            raise InputError(f"{what} asks a model, and none is given", code="no-model")

    @property
    def wants_model(self) -> bool:
        """Whether a model is asked about the errors."""
        return bool(self.asking.models) or self.repeat is not None or self.counterfactual

    @property
    def judges_first(self) -> bool:
        """Whether all examples are judged first, to find the errors that are sampled."""
        is_detector = self.detector.partition(":")[0] in detector_names()
        return is_detector and self.sample is not None


@dataclass(frozen=True, slots=True)
class ProposeRequest:
    """Data, and who proposes errors that its gold lacks: a localizer to run, or an earlier run."""

    data: DataChoice
    asking: Asking
    matching: Matching = field(default_factory=Matching)
    detector: str = RECALL
    run: str = ""
    name: str = ""

    def __post_init__(self) -> None:
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
    answers = tuple(read_filled(request.answers)) if request.answers else ()
    loaded = load(request.data, readable_only=True)
    corpus = loaded.annotated
    asking, name = request.asking, request.data.target
    predictions = Judging(request.data, corpus, asking).judgements(request.detector)
    model = asking.models[0] if asking.models else ""
    subject = find_subject(predictions, model, asking.options)
    asked = request.matching.asked(asking)
    if request.wants_model:
        asked.append(Asked("explainer", (model,), asking.options))
    believer = None
    if request.repeat is not None:
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
            answers=answers,
            sample=request.sample,
            seed=request.seed,
            reading=request.reading,
        )
        matcher = request.matching.open(questions)
        with counting() as tick:
            work = explain_errors(name, corpus, subject, matcher, experiments, tick)
            report = questions.answer(work, _nothing)
            return replace(report, unread=loaded.unread), questions.usage


def estimate_detector(request: ExplainRequest) -> dict[str, RunEstimate]:
    """What the detector would cost that is looked at, if it is to be run and asks a model."""
    return Judging(request.data, (), request.asking).estimate(request.detector)


def estimate_proposals(request: ProposeRequest) -> dict[str, RunEstimate]:
    """What the localizer would cost that proposes, if it is to be run."""
    detector = "" if request.run else request.detector
    return Judging(request.data, (), request.asking).estimate(detector)


def propose(request: ProposeRequest) -> tuple[Proposed, str, str]:
    """Errors that the gold lacks, the run that found them, and what matching took, in words."""
    asking, name = request.asking, request.data.target
    run_name = request.run.removeprefix("run:") or _run(request)
    corpus = load(replace(request.data, sample=None, seed=None)).annotated
    predictions = open_judgements(f"run:{run_name}", runs=asking.runs)
    asked = request.matching.asked(asking)
    with open_questions("matching", name, asked, asking) as questions:
        work = propose_errors(name, corpus, predictions, request.matching.open(questions))
        return questions.answer(work, _nothing), run_name, questions.usage


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
    lines = [line for path in tasks for line in read_filled(path)]
    decided = read_tasks(lines, corpus, drop_unsure=drop_unsure)
    return apply_tasks(corpus, decided, settling, drop_unsure=drop_unsure)


def read_filled(path: str) -> Iterator[Filled]:
    """The examples on the lines of a file that `write_examples` wrote and people worked on."""
    try:
        with Path(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    where = f"{path} line {number}"
                    yield Filled(read_example(line, where), where)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}") from None


def refuse_decided(path: str) -> None:
    """Raises if a file holds tasks in which people have decided something."""
    if is_converted(path) and any(
        isinstance(each, Annotated) and is_decided(each) for each in read_converted(path)
    ):
        raise InputError(f"{path} has decisions of people that would be lost; use another file")


def write_examples(path: str, annotated: Sequence[Annotated]) -> None:
    """Writes examples with all that was said of them, a line each."""
    with replacing(path) as part, part.open("wb") as file:
        for each in annotated:
            file.write(write_example(each) + b"\n")


def _asked(role: str, spec: DetectorSpec | None) -> list[Asked]:
    """The models of a detector that takes part, if it asks any."""
    if spec is None or not spec.capabilities.asks_model:
        return []
    return [Asked(role, spec.models or ("",), sampling(spec))]


def _run(request: ProposeRequest) -> str:
    """The name of the run, once it is complete."""
    asking = request.asking
    spec = DetectorSpec(request.detector, asking.models, options=asking.options)
    wanted = RunRequest(request.data, spec, name=request.name)
    return complete(run(wanted, asking.watch, runs=asking.runs, resume=None))


def _nothing() -> None:
    """Shows no progress."""
