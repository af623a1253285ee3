"""The cost of a run, estimated by making it in full with nothing sent and nothing written."""

from collections import deque
from dataclasses import dataclass

from assay.core.system import bridge
from assay.detectors.protocol import stages_of
from assay.detectors.registry import open_detector
from assay.engine.models import sampling
from assay.engine.request import RunRequest
from assay.engine.tasks import Tasks
from assay.llm.connection import connect_dry
from assay.llm.costs.estimates import CallEstimate


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """The number of examples to judge, and by model the calls and their cost.

    `unread` counts the rows that cannot be read and would be left out.

    What would be looked up in `knowledge` is not counted: it is asked about a second time.
    """

    examples: int
    models: dict[str, CallEstimate]
    knowledge: str = ""
    unread: int = 0


def estimate_run(request: RunRequest) -> RunEstimate:
    """Counts the calls that the run would make; a detector that needs no model makes none.

    Of one that may ask several detectors in turn, every stage is counted as if all came to it.
    """
    spec = request.detector
    asks = spec.capabilities.asks_model
    options = sampling(spec)
    dry = [connect_dry(model, options) for model in spec.models or ("",)] if asks else []
    seen = request.data.survey()
    detector = open_detector(spec, dry, request.annotations())
    if request.knowledge.source:
        from assay.detectors.combinators.consultation import require_consultable

        require_consultable(detector.author.name, detector.capabilities)
    chosen = request.data.chosen(seen)
    if asks:
        for stage in stages_of(detector):
            if stage.capabilities.asks_model:
                examples = (task.example for task in Tasks(request.data, seen).new())
                deque(bridge.iterate(stage.judge(examples)), maxlen=0)
    count = seen.examples if chosen is None else len(chosen)
    models = {each.model: each.estimate for each in dry}
    return RunEstimate(count, models, request.knowledge.source, seen.unread.count)
