"""What a judge says of some examples: heard now, or read from a run or a file."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.checking.loading import JudgeChoice
from assay.core.errors import UnknownNameError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.units import UnitKind
from assay.detectors.protocol import Detector
from assay.detectors.recorded import RecordedDetector
from assay.detectors.registry import DETECTORS
from assay.detectors.replay import Replay
from assay.evaluate.localization.selecting import is_file
from assay.evaluate.predictions import refuse_unknown
from assay.evaluate.runs.summary import replay_run
from assay.llm.client import Client
from assay.llm.connection import Connection, connect
from assay.llm.costs import Meter
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
class Ticking:
    """A detector that tells of each judgement as it comes."""

    detector: Detector
    tick: Tick

    @property
    def name(self) -> str:
        """That of the detector."""
        return self.detector.name

    @property
    def unit_kind(self) -> UnitKind:
        """What the detector judges."""
        return self.detector.unit_kind

    @property
    def taxonomy(self) -> Taxonomy:
        """The labels of the detector."""
        return self.detector.taxonomy

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """What the detector says."""
        for judgement in self.detector.detect(examples):
            self.tick(judgement)
            yield judgement


@dataclass(frozen=True)
class Asking:
    """How judges and matchers are reached: models under one budget, and the folder of runs.

    `tick` is called with each judgement as it comes, `say` with what the user should know before.
    """

    options: Options = field(default_factory=Options)
    runs: str | None = None
    tick: Tick = lambda _: None
    say: Callable[[str], None] = lambda _: None
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
        if is_file(name):
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
    whole = (replace(example, units=()) for example in examples)
    judgements = tuple(Ticking(detector, tick).detect(whole))
    return Heard(name, detector.unit_kind, detector.taxonomy, judgements)


def _about(name: str, replay: Replay, corpus: Sequence[Example]) -> Replay:
    refuse_unknown(name, replay.ids, corpus)
    return replay
