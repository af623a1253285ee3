"""Judgements by whatever name a user gives: a reference, a recorded detector, or one to run."""

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict
from typing import Annotated as With

from assay.app.rows import refuse
from assay.app.runs import complete, run
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Judgements
from assay.core.options import Argument, Option
from assay.datasets.selection import DataChoice
from assay.detectors.local import FittedCalibration, LocalOptions
from assay.detectors.registry import PEERS, DetectorSpec, detector_names
from assay.engine.check import CheckRequest, Watch, start_check
from assay.engine.engines import EngineChoice
from assay.engine.estimate import RunEstimate, estimate_run
from assay.engine.models import SharedBudget
from assay.engine.request import RunRequest
from assay.evaluation.items import Item, examples_to_judge
from assay.evaluation.references import (
    is_reference,
    open_judgements,
    recorded_detectors,
    recorded_judgements,
    unknown_detector,
)
from assay.llm.settings.options import MODEL, Options

if TYPE_CHECKING:
    from assay.engine.session import Tick

RUNS = Option(
    "Folder or PostgreSQL URL of the runs; default: ASSAY_RUNS, or ./assay-runs.", "DIR|URL"
)
GOLD_ARGUMENT = Argument("A corpus, or a file of examples with gold.", "DATA")
ONE_MODEL = Option("Model to ask, as in openai/gpt-4o.", "MODEL", MODEL, single=True)
EACH_MODEL = Option(
    "Model to ask, as in openai/gpt-4o; give several and each is asked by itself.", "MODEL", MODEL
)


def silently(session: object) -> "AbstractContextManager[Tick]":
    """Shows no progress."""
    return nullcontext(lambda: None)


@dataclass(frozen=True, slots=True)
class Asking:
    """The models of a use case, their settings, and the place where answers are kept.

    `local` is for detectors that run a model here. `peers` names annotated data for judges that
    learn from it; without it, the data judged is that.
    """

    models: With[
        tuple[str, ...],
        Option(
            "Model that a judge asks, as in openai/gpt-4o; give several and they vote.",
            "MODEL",
            MODEL,
            "model",
        ),
    ] = ()
    options: Options = field(default_factory=Options)
    local: LocalOptions = field(default_factory=LocalOptions)
    peers: With[str, PEERS] = ""
    runs: With[str | None, RUNS] = None
    engine: EngineChoice = field(default_factory=EngineChoice)
    watch: Watch = silently
    budget: SharedBudget = field(default_factory=SharedBudget)


class AskingArguments(TypedDict, total=False):
    """The same as arguments of a Python function."""

    model: str | Sequence[str]
    options: Options | None
    threshold: float | None
    calibration: str | Path | FittedCalibration | None
    device: str
    batch_size: int | None
    runs: str | None
    engine: str
    workers: int | None
    worker_cpus: int | None


@dataclass(frozen=True, slots=True)
class Detectors:
    """Data that several detectors judge, and how they are asked.

    With `items`, a detector that needs no model judges exactly these, and nobody pays for examples
    without any. `items_only` has a detector that asks about one unit at a time ask about no other
    one. `recorded` names the detectors that the data carries, where that is known already. With
    `apart`, several models are asked one by one and do not vote.
    """

    choice: DataChoice
    annotated: Collection[Annotated]
    asking: Asking
    items: Sequence[Item] = ()
    items_only: bool = False
    recorded: tuple[str, ...] | None = None
    apart: bool = False

    def judgements(self, name: str) -> Judgements:
        """The judgements behind a name: a reference, a recorded detector, or a detector to run.

        A detector that asks a model is run as `assay run` does, under the same name, and goes on
        where it was cut off; one that needs no model judges here and now.
        """
        found = self._opened(name)
        return self._judged(name) if found is None else found

    def each(
        self, names: Sequence[str], beside: Sequence[str] = ()
    ) -> list[tuple[Judgements, ...]]:
        """The judgements behind each of several names, several for one that asks models apart.

        A wrong name, and an option that is for none of the detectors, nor for those `beside` them,
        raise before anything is asked.
        """
        opened = [self._opened(name) for name in names]
        to_run = [name for name, found in zip(names, opened, strict=True) if found is None]
        self._require_use([*to_run, *filter(self._is_to_run, beside)])
        self._refuse_one_by_two_names(to_run)
        return [
            tuple(one._judged(name) for one in self._askers(name)) if found is None else (found,)
            for name, found in zip(names, opened, strict=True)
        ]

    def require(self, *names: str, models: bool = True) -> None:
        """Raises where a name stands for nothing, or an option is for none of the detectors.

        Without `models`, the models of the use case may be there for something else.
        """
        to_run = [name for name in filter(None, names) if self._opened(name) is None]
        self._require_use(to_run, models=models)

    def estimate(self, *names: str) -> dict[str, RunEstimate]:
        """The cost of those of the detectors that are to be run and ask a model."""
        to_run = [name for name in filter(None, names) if self._opened(name) is None]
        is_told = self.apart and len(self.asking.models) > 1
        return {
            " ".join((name, *(one.asking.models if is_told else ()))): estimate_run(
                one._request(name)
            )
            for name in to_run
            if asks_model(name)
            for one in self._askers(name)
        }

    def _is_to_run(self, name: str) -> bool:
        return is_detector(name) and name not in recorded_detectors(self.annotated)

    def _require_use(self, to_run: Sequence[str], *, models: bool = True) -> None:
        specs = [DetectorSpec(name) for name in to_run]
        asking, changed = self.asking, self.asking.local.changed
        asks = any(spec.capabilities.asks_model for spec in specs)
        if models and asking.models and not asks:
            raise InputError("no detector here asks a model; leave out the model", field="model")
        if asking.peers and not any(spec.capabilities.reads_annotations for spec in specs):
            raise InputError(
                "none of the detectors learns from peers; leave them out", field="peers"
            )
        if changed and not any(spec.capabilities.runs_here for spec in specs):
            raise InputError(
                f"no detector here runs a model of its own; leave out {changed[0]}",
                field=changed[0],
                code="runs-nothing",
            )

    def _refuse_one_by_two_names(self, to_run: Sequence[str]) -> None:
        given: dict[str, str] = {}
        for name in to_run:
            spec = self._spec(name)
            first = given.setdefault(spec.name, name)
            if first != name:
                raise InputError(
                    f"'{first}' and '{name}' are the same detector here, {spec.name}: give one of"
                    " them",
                    field="detectors",
                )

    def _askers(self, name: str) -> "Iterator[Detectors]":
        """The same for each model by itself, if they are asked apart."""
        if not (self.apart and self.asking.models and asks_model(name)):
            yield self
            return
        for model in self.asking.models:
            yield replace(self, asking=replace(self.asking, models=(model,)))

    def _opened(self, name: str) -> Judgements | None:
        """The judgements that are there already; None for a detector to run."""
        recorded = self.recorded
        if recorded is None:
            recorded = tuple(recorded_detectors(self.annotated))
        if name in recorded:
            return recorded_judgements(name, self.choice.target, self.annotated)
        if is_reference(name):
            return open_judgements(name, data=self.choice.folder, runs=self.asking.runs)
        if is_detector(name):
            return None
        raise unknown_detector(name, recorded)

    def _judged(self, name: str) -> Judgements:
        return self._run(name) if asks_model(name) else self._judge_now(name)

    def _request(self, name: str) -> RunRequest:
        spec = replace(self._spec(name), models=self.asking.models, options=self.asking.options)
        choice, can = self.choice, spec.capabilities
        labelled = frozenset(item.example for item in self.items)
        if labelled and len(labelled) < len(self.annotated):
            choice = replace(choice, ids=labelled)
        if self.items_only and can.one_by_one:
            named = examples_to_judge(self.items, self.annotated, can.unit_kind)
            choice = replace(choice, units={each.id: each.units for each in named if each.units})
        peers = self.asking.peers if can.reads_annotations else ""
        return RunRequest(choice, spec, peers, engine=self.asking.engine)

    def _spec(self, name: str) -> DetectorSpec:
        """The detector; the options of one that runs a model here are only for such ones."""
        spec = DetectorSpec(name)
        return DetectorSpec(name, local=self.asking.local) if spec.capabilities.runs_here else spec

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
        checking = start_check(examples, CheckRequest(spec), engine=self.asking.engine)
        found = tuple(result.judgement for result in checking.results(refuse))
        seconds = time.perf_counter() - began
        return Judgements(
            spec.name, checking.manifest, lambda: found, seconds, stages=checking.stages
        )


def is_detector(name: str) -> bool:
    """True if a name is that of a detector to run."""
    return name.partition(":")[0] in detector_names()


def asks_model(name: str) -> bool:
    """True if a name is that of a detector to run that asks a model."""
    return is_detector(name) and DetectorSpec(name).capabilities.asks_model


def runs_here(name: str) -> bool:
    """True if a name is that of a detector to run that runs a model here."""
    return is_detector(name) and DetectorSpec(name).capabilities.runs_here
