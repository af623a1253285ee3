"""Judgements by whatever name a user gives: a reference, a recorded detector, or one to run."""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from assay.app.check import CheckRequest, Watch, start_check
from assay.app.run import complete, run
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgements
from assay.core.problems import Problem
from assay.datasets.selection import DataChoice
from assay.detectors.local import LocalOptions
from assay.detectors.registry import DetectorSpec, detector_names
from assay.engine.estimate import RunEstimate, estimate_run
from assay.engine.models import SharedBudget
from assay.engine.request import RunRequest
from assay.evaluation.items import Item, examples_to_judge
from assay.evaluation.references import (
    open_judgements,
    recorded_detectors,
    recorded_judgements,
    unknown_detector,
)
from assay.llm.options import Options


@dataclass(frozen=True, slots=True)
class Asking:
    """How models are asked in a use case: which, with what settings, and where that is kept.

    `peers` names annotated data for judges that learn from it; without it, the data judged is that.
    """

    watch: Watch
    models: tuple[str, ...] = ()
    options: Options = field(default_factory=Options)
    runs: str | None = None
    budget: SharedBudget = field(default_factory=SharedBudget)
    local: LocalOptions = field(default_factory=LocalOptions)  # of detectors that run a model here
    peers: str = ""


@dataclass(frozen=True, slots=True)
class Judging:
    """Data that several detectors judge, and how they are asked.

    With `items`, a detector that needs no model judges exactly these, and nobody pays for examples
    without any. `items_only` has a detector that asks about one unit at a time ask about no other
    one. `recorded` names the detectors that the data carries, where that is known already.
    """

    choice: DataChoice
    annotated: Collection[Annotated]
    asking: Asking
    items: Sequence[Item] = ()
    items_only: bool = False
    recorded: tuple[str, ...] | None = None

    def judgements(self, name: str) -> Judgements:
        """What a name stands for: a reference, a recorded detector, or a detector to run.

        A detector that asks a model is run as `assay run` does, under the same name, and goes on
        where it was cut off; one that needs no model judges here and now.
        """
        found = self._opened(name)
        return self._judged(name) if found is None else found

    def each(self, names: Sequence[str]) -> list[Judgements]:
        """What several names stand for; a wrong one is reported before anything is asked."""
        opened = [self._opened(name) for name in names]
        asks = any(
            DetectorSpec(name).capabilities.asks_model
            for name, found in zip(names, opened, strict=True)
            if found is None
        )
        if self.asking.models and not asks:
            raise InputError("no detector here asks a model; leave out the model", field="model")
        self._require_local(name for name, found in zip(names, opened, strict=True) if not found)
        return [
            self._judged(name) if found is None else found
            for name, found in zip(names, opened, strict=True)
        ]

    def _require_local(self, names: Iterable[str]) -> None:
        """Raises where nothing takes the options of detectors that run a model here."""
        changed = self.asking.local.changed
        if changed and not any(DetectorSpec(name).capabilities.runs_here for name in names):
            raise InputError(
                f"no detector here runs a model of its own; leave out {changed[0]}",
                field=changed[0],
            )

    def require(self, *names: str) -> None:
        """Raises where a name stands for nothing; an empty one is for nobody."""
        for name in filter(None, names):
            self._opened(name)

    def _opened(self, name: str) -> Judgements | None:
        """What has been said already under that name; None where it is a detector to run."""
        recorded = self.recorded
        if recorded is None:
            recorded = tuple(recorded_detectors(self.annotated))
        if name in recorded:
            return recorded_judgements(name, self.choice.target, self.annotated)
        kind, colon, _ = name.partition(":")
        if (colon and kind in ("run", "gold", "recorded", "studio")) or name.endswith(".json"):
            return open_judgements(name, data=self.choice.folder, runs=self.asking.runs)
        if kind in detector_names():
            return None
        raise unknown_detector(name, recorded)

    def _judged(self, name: str) -> Judgements:
        if DetectorSpec(name).capabilities.asks_model:
            return self._run(name)
        return self._judge_now(name)

    def estimate(self, *names: str) -> dict[str, RunEstimate]:
        """What those of the detectors would cost that are to be run and ask a model."""
        known = [name for name in filter(None, names) if self._opened(name) is None]
        asking = [name for name in known if DetectorSpec(name).capabilities.asks_model]
        return {name: estimate_run(self._request(name)) for name in asking}

    def _request(self, name: str) -> RunRequest:
        spec = replace(self._spec(name), models=self.asking.models, options=self.asking.options)
        choice, can = self.choice, spec.capabilities
        labelled = frozenset(item.example for item in self.items)
        if labelled and len(labelled) < len(self.annotated):
            choice = replace(choice, ids=labelled)
        if self.items_only and can.one_by_one:
            named = examples_to_judge(self.items, self.annotated, can.unit_kind)
            choice = replace(choice, units={each.id: each.units for each in named if each.units})
        return RunRequest(choice, spec, self.asking.peers if can.reads_annotations else "")

    def _spec(self, name: str) -> DetectorSpec:
        """The detector; the options of one that runs a model here are only for such ones."""
        spec = DetectorSpec(name)
        return replace(spec, local=self.asking.local) if spec.capabilities.runs_here else spec

    def _run(self, name: str) -> Judgements:
        asking = self.asking
        outcome = run(
            self._request(name),
            asking.watch,
            runs=asking.runs,
            resume=None,
            budget=asking.budget,
        )
        found = open_judgements(f"run:{complete(outcome)}", runs=asking.runs)
        here = replace(found.manifest, example_ids=())  # it judged what it is measured on
        return replace(found, reference=here.author.name, manifest=here)

    def _judge_now(self, name: str) -> Judgements:
        spec = self._spec(name)
        examples = [each.example for each in self.annotated]
        if self.items:
            kind = spec.capabilities.unit_kind
            examples = list(examples_to_judge(self.items, self.annotated, kind))
        began = time.perf_counter()
        checking = start_check(examples, CheckRequest(spec))
        found = tuple(result.judgement for result in checking.results(_refuse))
        seconds = time.perf_counter() - began
        return Judgements(name, checking.manifest, lambda: found, seconds)


def _refuse(problem: Problem) -> None:
    raise InputError(str(problem))
