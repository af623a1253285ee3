"""Who judges: a detector by name, with the models it asks and how often it asks them."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.datasets.fields import Columns
from assay.datasets.files import Problem
from assay.datasets.opening import open_examples
from assay.detectors.judges.protocol import Judge
from assay.detectors.protocol import Detector
from assay.detectors.registry import DEFAULT, find_entry, load_detector
from assay.detectors.vote import vote, vote_samples
from assay.llm.client import Client
from assay.llm.options import Options

Peers = Callable[[], Iterable[Example]]

# As the command says it.
_SHORT = {"requests_per_minute": "rpm", "tokens_per_minute": "tpm", "seed": "model-seed"}
SAMPLING = 0.7  # the temperature of votes over samples; at 0 they would all be the same


@runtime_checkable
class LearnsFromPeers(Protocol):
    """A judge that is shown how people judged other responses."""

    def with_peers(self, examples: Iterable[Example]) -> Judge:
        """The same judge with these to learn from; none among them raises."""
        ...


@dataclass(frozen=True, slots=True)
class JudgeChoice:
    """The detector that the user named; several models, and several samples of each, vote."""

    detector: str = DEFAULT
    models: tuple[str, ...] = ()
    votes: int = 1
    options: Options = field(default_factory=Options)

    def __post_init__(self) -> None:
        if self.votes < 1:
            raise InputError(f"--votes is how many answers vote: 1 or more, not {self.votes}")
        twice = [name for name in self.models if self.models.count(name) > 1]
        if twice:
            raise InputError(
                f"--model {twice[0]} is given twice; for several answers of one model use --votes"
            )
        if not self.asks_model:
            self._refuse_model_settings()

    @property
    def asks_model(self) -> bool:
        """Whether the detector asks a model at all."""
        return find_entry(self.detector.partition(":")[0]).asks_model

    def sampling(self) -> Options:
        """The options; votes over samples vary, unless the user said how."""
        if self.votes == 1 or self.options.temperature is not None:
            return self.options
        if _settings_name("temperature"):
            return self.options
        return replace(self.options, temperature=SAMPLING)

    def connect_all(self, make: Callable[[str, Options], Client]) -> tuple[Client, ...]:
        """A client for each model, or for the one that the settings name."""
        options = self.sampling()
        return tuple(make(model, options) for model in self.models or ("",))

    def load(self, clients: Sequence[Client] = (), peers: Peers | None = None) -> Detector:
        """The detector; a judge asks these clients, and is shown these peers."""
        if not self.asks_model:
            return _with_peers(load_detector(self.detector), peers)
        judges = [_with_peers(load_detector(self.detector, client), peers) for client in clients]
        judge = vote(*judges) if len(judges) > 1 else judges[0]
        return vote_samples(_judge(judge), self.votes) if self.votes > 1 else judge

    def _refuse_model_settings(self) -> None:
        open_ones = asdict(Options())
        wrong = ["model"] * bool(self.models) + ["votes"] * (self.votes > 1)
        wrong += [name for name, value in asdict(self.options).items() if value != open_ones[name]]
        if wrong:
            option = _SHORT.get(wrong[0], wrong[0]).replace("_", "-")
            raise InputError(f"detector '{self.detector}' asks no model; leave out --{option}")


def load_judge(choice: JudgeChoice, peers: Peers | None = None) -> Detector:
    """The detector, connected to its models."""
    if not choice.asks_model:
        return choice.load((), peers)
    from assay.llm.connection import connect  # not needed by who asks nobody

    return choice.load(choice.connect_all(connect), peers)


def learns_from_peers(detector: str) -> bool:
    """Whether the detector of that name is shown annotated responses."""
    from assay.llm.scripted import Scripted

    asks = find_entry(detector.partition(":")[0]).asks_model
    return asks and isinstance(load_detector(detector, Scripted(())), LearnsFromPeers)


def read_peers(target: str, folder: str | None = None) -> Iterator[Example]:
    """The examples of a corpus or file to learn from; a row that cannot be read raises."""
    for each in open_examples(target, folder, Columns()):
        if isinstance(each, Problem):
            raise InputError(f"--peers {each}")
        yield each


def _settings_name(option: str) -> bool:
    """Whether the settings file says something of an option; 0 is something too."""
    from assay.llm.settings import find_settings_file, read_dotenv, read_settings_file

    folder = Path.cwd()
    path = find_settings_file({**read_dotenv(folder / ".env"), **os.environ}, folder)
    return path is not None and option in read_settings_file(path).options


def _with_peers(detector: Detector, peers: Peers | None) -> Detector:
    if peers is None:
        return detector
    if not isinstance(detector, LearnsFromPeers):
        raise InputError(f"detector '{detector.name}' learns from no peers; leave out --peers")
    return detector.with_peers(peers())


def _judge(detector: Detector) -> Judge:
    if not isinstance(detector, Judge):
        raise InputError(f"detector '{detector.name}' asks no model, so it has no samples")
    return detector
