"""What a run would cost: made in full over its data, with nothing sent and nothing written."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from assay.detectors.consult import require_consultable
from assay.detectors.judges.protocol import Judge
from assay.detectors.protocol import Detector
from assay.detectors.two_step import TwoStep
from assay.evaluate.runs.data import survey
from assay.evaluate.runs.engine import Engine
from assay.evaluate.runs.request import RunRequest
from assay.evaluate.runs.tasks import Tasks
from assay.llm.background import background
from assay.llm.connection import connect_dry
from assay.llm.estimates import DryRun, Estimate
from assay.llm.options import Options

WORKERS = 32


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """How many examples would be judged, and by model what that would take.

    What would be looked up in `knowledge` is not counted: it is asked about a second time.
    """

    examples: int
    models: dict[str, Estimate]
    knowledge: str = ""


def estimate_run(request: RunRequest) -> RunEstimate:
    """Counts the calls that the run would make; a detector that asks nobody makes none."""
    dry: list[DryRun] = []

    def connect(model: str, options: Options) -> DryRun:
        dry.append(connect_dry(model, options))
        return dry[-1]

    clients = request.judge.connect_all(connect) if request.judge.asks_model else ()
    seen = survey(request.data)
    detector = request.judge.load(clients, request.find_peers())
    if request.knowledge.source:
        require_consultable(detector)
    chosen = request.choose(seen)
    count = seen.examples if chosen is None else len(chosen)
    for judge in _asked(detector):
        tasks = Tasks(request.data, chosen)
        engine = Engine(tasks, _always(judge), lambda task, judgement: None, workers=WORKERS)
        background().run(engine.run(judge.client))
    models = {client.model: client.estimate for client in dry}
    return RunEstimate(count, models, request.knowledge.source)


def _asked(detector: Detector) -> Iterator[Judge]:
    """Whose calls are counted; of two steps that ask both, as if all came to the second."""
    if isinstance(detector, TwoStep) and isinstance(detector.first, Judge):
        yield from _asked(detector.first)
        yield from _asked(detector.localizer)
    elif isinstance(detector, Judge):
        yield detector


def _always(judge: Judge) -> Callable[[object], Judge]:
    return lambda task: judge
