"""What a run would cost: made in full over its data, with nothing sent and nothing written."""

from collections.abc import Callable
from dataclasses import dataclass

from assay.detectors.judges.protocol import Judge
from assay.evaluate.runs.data import survey
from assay.evaluate.runs.engine import Engine
from assay.evaluate.runs.request import RunRequest
from assay.evaluate.runs.tasks import Tasks
from assay.llm.background import background
from assay.llm.connecting import connect_dry
from assay.llm.dry_run import DryRun, Estimate
from assay.llm.options import Options

WORKERS = 32


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """How many examples would be judged, and by model what that would take."""

    examples: int
    models: dict[str, Estimate]


def estimate_run(request: RunRequest) -> RunEstimate:
    """Counts the calls that the run would make; a detector that asks nobody makes none."""
    dry: list[DryRun] = []

    def connect(model: str, options: Options) -> DryRun:
        dry.append(connect_dry(model, options))
        return dry[-1]

    clients = request.judge.connect_all(connect) if request.judge.asks_model else ()
    seen = survey(request.data)
    detector = request.judge.load(clients, request.find_peers())
    chosen = request.choose(seen)
    count = seen.examples if chosen is None else len(chosen)
    if isinstance(detector, Judge):
        tasks = Tasks(request.data, chosen)
        engine = Engine(tasks, _always(detector), lambda task, judgement: None, workers=WORKERS)
        background().run(engine.run(detector.client))
    return RunEstimate(count, {client.model: client.estimate for client in dry})


def _always(judge: Judge) -> Callable[[object], Judge]:
    return lambda task: judge
