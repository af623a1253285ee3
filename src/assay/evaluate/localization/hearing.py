"""What a judge says of some examples: heard now, or read from a run or a file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay.checking.loading import JudgeChoice
from assay.core.errors import UnknownNameError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.units import UnitKind
from assay.detectors.protocol import Detector
from assay.detectors.recorded import RecordedDetector
from assay.detectors.registry import DETECTORS
from assay.detectors.replay import Replay
from assay.evaluate.predictions import refuse_unknown
from assay.evaluate.runs.summary import replay_run
from assay.llm.client import Client
from assay.llm.connecting import Connection, connect
from assay.llm.meter import Meter
from assay.llm.options import Options
from assay.store.folder import RunsFolder

Tick = Callable[[Judgement], None]


@dataclass(frozen=True)
class Heard:
    """The judgements of one judge, in the order of the examples; it can be heard again."""

    name: str
    unit_kind: UnitKind
    taxonomy: Taxonomy
    judgements: tuple[Judgement, ...]

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """What it said of each of these examples."""
        said = {judgement.example.id: judgement for judgement in self.judgements}
        return (replace(said[example.id], example=example) for example in examples)


@dataclass(frozen=True)
class Asking:
    """How judges and matchers are reached: models under one budget, and the folder of runs."""

    options: Options = field(default_factory=Options)
    runs: str | None = None
    tick: Tick = lambda _: None  # called with each judgement as it comes
    _clients: dict[tuple[str, Options], Connection] = field(default_factory=dict)

    def client(self, model: str, options: Options | None = None) -> Client:
        """The model of that name, or the one that the settings name; each is connected once.

        Other `options` make another client, under the same budget.
        """
        key = (model, options or self.options)
        if key not in self._clients:
            first = next(iter(self._clients.values()), None)
            self._clients[key] = connect(*key, budget=first.budget if first else None)
        return self._clients[key]

    @property
    def meters(self) -> tuple[Meter, ...]:
        """What was asked of each model."""
        return tuple(connection.meter for connection in self._clients.values())

    def find(self, name: str, model: str, corpus: Sequence[Example]) -> Detector:
        """The judge of that name: `run:NAME`, a file of `assay check --json`, or a detector."""
        kind, _, rest = name.partition(":")
        if kind == "run":
            return _about(name, replay_run(RunsFolder(self.runs), rest)[0], corpus)
        if Path(name).suffix == ".json":
            return _about(name, RecordedDetector(name), corpus)
        if kind not in DETECTORS:
            raise UnknownNameError("detector, run:NAME or .json file", name, DETECTORS)
        if not DETECTORS[kind].asks_model:
            return JudgeChoice(name).load()
        return JudgeChoice(name).load((self.client(model),))


def hear_detector(
    name: str, detector: Detector, examples: Sequence[Example], tick: Tick = lambda _: None
) -> Heard:
    """What a detector says of whole responses, whatever units the examples name."""
    judgements: list[Judgement] = []
    for judgement in detector.detect(replace(example, units=()) for example in examples):
        judgements.append(judgement)
        tick(judgement)
    return Heard(name, detector.unit_kind, detector.taxonomy, tuple(judgements))


def _about(name: str, replay: Replay, corpus: Sequence[Example]) -> Replay:
    refuse_unknown(name, replay.ids, corpus)
    return replay
