"""What the user wants to run, what that makes of a run, and what it is called."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from assay import __version__
from assay.checking.loading import JudgeChoice, Peers, learns_from_peers, read_peers
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.runs import Run
from assay.detectors.judges.protocol import Judge
from assay.detectors.protocol import Detector
from assay.evaluate.runs.data import DataChoice, Survey
from assay.knowledge import KnowledgeChoice, KnowledgeSource
from assay.store.folder import LONGEST_NAME

_ENDINGS = re.compile(r"(\.(jsonl|ndjson|json|csv|parquet|gz))+$")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.+]+")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Data, who judges it, and how many examples of it; `peers` names what a judge learns from."""

    data: DataChoice
    judge: JudgeChoice
    sample: int | None = None
    seed: int | None = None
    peers: str = ""
    name: str = ""
    knowledge: KnowledgeChoice = field(default_factory=KnowledgeChoice)

    def __post_init__(self) -> None:
        if self.sample is not None and self.sample < 1:
            raise InputError(f"--sample is how many examples are judged: not {self.sample}")
        if self.seed is not None and self.sample is None:
            raise InputError(
                "--seed chooses the sample: say also --sample K; for the model use --model-seed"
            )

    def choose(self, survey: Survey) -> frozenset[int] | None:
        """The positions of the sample, if only a part is judged."""
        return survey.choose(self.sample, self.seed or 0)

    def find_peers(self) -> Peers | None:
        """What the judge learns from: what the user named, or else the annotated data itself."""
        if self.peers:
            return lambda: read_peers(self.peers, self.data.folder)
        if learns_from_peers(self.judge.detector):
            return self._annotated
        return None

    def _annotated(self) -> Iterator[Example]:
        whole = replace(self.data, split="")  # another split may know the same source
        return (each for each in whole.read() if isinstance(each, Example))


def describe_run(
    request: RunRequest,
    survey: Survey,
    detector: Detector,
    knowledge: KnowledgeSource | None = None,
) -> Run:
    """All that is needed to repeat the run."""
    asked = detector if isinstance(detector, Judge) else None
    parameters = dict(asked.client.describe()) if asked else {}
    return Run(
        detector=request.judge.detector,
        version=__version__,
        judge=detector.name,
        unit_kind=detector.unit_kind,
        taxonomy=detector.taxonomy.name,
        dataset=request.data.target,
        dataset_digest=survey.digest,
        split=request.data.split,
        examples=survey.examples,
        sample=request.sample,
        seed=None if request.sample is None else request.seed or 0,
        model=asked.client.model if asked else "",
        votes=request.judge.votes,
        peers=request.peers,
        knowledge=knowledge.name if knowledge else "",
        knowledge_digest=knowledge.digest if knowledge else "",
        parameters=parameters,
        prompt_digests=dict(asked.prompt_digests) if asked else {},
    )


def run_name(request: RunRequest, models: tuple[str, ...]) -> str:
    """The name that the user gave, or one made from data, detector, models and knowledge.

    The same command makes the same name: `faithbench--judge-gray7--openai-gpt-4o--with-wikipedia`.
    """
    if request.name:
        return request.name
    data = _ENDINGS.sub("", Path(request.data.target).name)
    place = request.knowledge.source
    place = Path(place).stem if place.endswith(".sqlite") else place
    parts = (data, request.judge.detector, "+".join(models), place and f"with-{place}")
    words = (_NOT_IN_NAMES.sub("-", part).strip("-.+") for part in parts)
    return "--".join(filter(None, words))[:LONGEST_NAME]
