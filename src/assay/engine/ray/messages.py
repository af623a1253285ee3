"""Messages between a run and its workers, and errors that travel with them."""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass

from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement
from assay.core.stages import StageUses
from assay.detectors.protocol import Capabilities
from assay.detectors.registry import DetectorSpec
from assay.knowledge.sources import KnowledgePassage
from assay.llm.client import ModelClient, Reply, Request, Setting


@dataclass(frozen=True, slots=True)
class SentError:
    """An error on its way to another process, where it is raised as what it was.

    One whose kind is not known there becomes a `RuntimeError` with the same words.
    """

    packed: bytes
    shown: str

    @classmethod
    def of(cls, error: BaseException) -> "SentError":
        shown = f"{type(error).__name__}: {error}"
        try:
            packed = pickle.dumps((type(error), error.args, vars(error)))
        except Exception:  # noqa: BLE001 - whatever an error of a plugin holds
            packed = b""
        return cls(packed, shown)

    @property
    def error(self) -> Exception:
        """The error, made without the arguments of its class, which nobody knows any more."""
        try:
            kind, args, state = pickle.loads(self.packed)
        except Exception:  # noqa: BLE001 - its class may be unknown here
            return RuntimeError(self.shown)
        made: Exception = kind.__new__(kind, *args)
        made.args = args
        vars(made).update(state)
        return made


@dataclass(frozen=True, slots=True)
class ClientFace:
    """All that a detector sees of a client without asking it."""

    model: str
    concurrency: int
    settings: Mapping[str, Setting]

    @classmethod
    def of(cls, client: ModelClient) -> "ClientFace":
        return cls(client.model, client.concurrency, dict(client.describe()))


@dataclass(frozen=True, slots=True)
class KnowledgeFace:
    """The same of a place to search."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class DetectorOpening:
    """All that a worker needs to open the detector of a run."""

    spec: DetectorSpec
    clients: tuple[ClientFace, ...] = ()
    knowledge: KnowledgeFace | None = None
    annotations: tuple[Annotated, ...] | None = None


@dataclass(frozen=True, slots=True)
class Introduction:
    """The detector that a worker has opened, and where the worker is."""

    author: Author
    capabilities: Capabilities
    prompt_digests: Mapping[str, str]
    place: str


@dataclass(frozen=True, slots=True)
class ModelQuestion:
    """A question to the client of that number."""

    client: int
    request: Request


@dataclass(frozen=True, slots=True)
class SearchQuestion:
    """A search of outside knowledge."""

    query: str
    most: int


Question = ModelQuestion | SearchQuestion
Answer = Reply | tuple[KnowledgePassage, ...]


# To a worker:


@dataclass(frozen=True, slots=True)
class Work:
    """Examples to judge."""

    batch: int
    examples: tuple[Example, ...]


@dataclass(frozen=True, slots=True)
class QuestionAnswered:
    """The answer to a question, or the error that it ended in."""

    question: int
    answer: Answer | SentError


# From a worker:


@dataclass(frozen=True, slots=True)
class ExampleJudged:
    """A judgement."""

    batch: int
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class BatchEnd:
    """The end of a batch; with all that the parts of the worker's detector have done by then."""

    batch: int
    uses: StageUses
    error: SentError | None = None


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """A question that this process is to answer."""

    question: int
    what: Question


Item = Work | QuestionAnswered
Event = ExampleJudged | BatchEnd | QuestionAsked
