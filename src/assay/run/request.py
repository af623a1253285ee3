"""What is to be judged and by whom, what that makes of a manifest, and what the run is called."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path

from assay import __version__
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Manifest
from assay.datasets.files import Problem
from assay.datasets.selection import DataChoice, Survey
from assay.detectors.protocol import Detector
from assay.detectors.registry import Annotations, DetectorSpec
from assay.knowledge.opening import KnowledgeChoice
from assay.knowledge.sources import KnowledgeSource
from assay.run.models import ModelPool
from assay.store.runs import LONGEST_NAME

_ENDINGS = re.compile(r"(\.(jsonl|ndjson|json|csv|parquet|gz))+$")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.+]+")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Data and the detector that judges it; `peers` names annotated data for it to learn from."""

    data: DataChoice
    detector: DetectorSpec = field(default_factory=DetectorSpec)
    peers: str = ""
    knowledge: KnowledgeChoice = field(default_factory=KnowledgeChoice)
    name: str = ""

    def annotations(self) -> Annotations | None:
        """What the detector learns from: what was named, or else the annotated data itself."""
        if self.peers:
            return self._peers
        if self.detector.capabilities.reads_annotations:
            return self._annotated
        return None

    def run_name(self, models: tuple[str, ...]) -> str:
        """The name that was given, or one made from data, detector, models and knowledge.

        The same request has the same name: `faithbench--judge-gray7--openai-gpt-4o`.
        """
        if self.name:
            return self.name
        data = _ENDINGS.sub("", Path(self.data.target).name)
        place = self.knowledge.source
        place = Path(place).stem if place.endswith(".sqlite") else place
        part = _digest(self.data.ids) if self.data.ids is not None else ""
        parts = (data, part, self.detector.name, "+".join(models), place and f"with-{place}")
        words = (_NOT_IN_NAMES.sub("-", part).strip("-.+") for part in parts)
        return "--".join(filter(None, words))[:LONGEST_NAME]

    def _peers(self) -> Iterator[Annotated]:
        for each in DataChoice(self.peers, self.data.folder).read():
            if isinstance(each, Problem):
                raise InputError(str(each), field="peers")
            yield each

    def _annotated(self) -> Iterator[Annotated]:
        # Another split may know the same source.
        whole = replace(self.data, split="", sample=None, seed=None)
        return (each for each in whole.read() if isinstance(each, Annotated))


def _digest(ids: frozenset[str]) -> str:
    return blake2b("\0".join(sorted(ids)).encode(errors="replace"), digest_size=4).hexdigest()


def make_manifest(
    request: RunRequest,
    survey: Survey,
    detector: Detector,
    pool: ModelPool,
    knowledge: KnowledgeSource | None = None,
) -> Manifest:
    """All that is needed to repeat the run."""
    data, spec, can = request.data, request.detector, detector.capabilities
    return Manifest(
        author=detector.author,
        version=__version__,
        detector=spec.name,
        unit_kind=can.unit_kind,
        taxonomy=can.taxonomy.name,
        dataset=data.target,
        dataset_digest=survey.digest,
        split=data.split,
        examples=survey.examples,
        sample=data.sample,
        seed=None if data.sample is None else data.seed or 0,
        model=", ".join(dict.fromkeys(pool.models)),
        votes=spec.votes,
        peers=request.peers,
        knowledge=knowledge.name if knowledge else "",
        knowledge_digest=knowledge.digest if knowledge else "",
        parameters=pool.describe(spec.votes * len(pool.clients)),
        prompt_digests=dict(detector.prompt_digests),
    )
