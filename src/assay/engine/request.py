"""Requests for runs: data and detector, the manifest made from them, and the run's name."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Annotated as With

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import Manifest
from assay.core.options import Argument, Option, Takes
from assay.core.problems import Problem
from assay.datasets.fields import Columns
from assay.datasets.selection import DataChoice
from assay.datasets.survey import Survey
from assay.detectors.protocol import Detector
from assay.detectors.registry import PEERS, Annotations, DetectorSpec
from assay.engine.engines import EngineChoice
from assay.engine.models import ModelPool
from assay.engine.prepared import manifest_of
from assay.knowledge.opening import KnowledgeChoice
from assay.knowledge.sources import KnowledgeSource
from assay.llm.settings.options import Options
from assay.store.runs import make_name

_ENDINGS = re.compile(r"(?:\.(?:jsonl|ndjson|json|csv|parquet|arrow|feather|gz)){1,4}$")
_SETTINGS = ("temperature", "max_tokens", "seed", "logprobs")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Data and the detector that judges it; `peers` names annotated data for it to learn from.

    With `any_version`, a run may go on that another version of Assay has begun.
    """

    data: With[
        DataChoice,
        Takes(
            "label_field label_taxonomy",
            dataset=Argument(
                "A corpus ('assay data list' names them) or a file of examples.", "DATA"
            ),
        ),
    ]
    detector: With[DetectorSpec, Takes("discourse")] = field(default_factory=DetectorSpec)
    peers: With[str, PEERS] = ""
    knowledge: KnowledgeChoice = field(default_factory=KnowledgeChoice)
    name: With[
        str, Option("Name of the run; by default made from data, detector and model.", "NAME")
    ] = ""
    any_version: bool = False
    engine: EngineChoice = field(default_factory=EngineChoice)

    def annotations(self) -> Annotations | None:
        """The annotations that the detector learns from: those named, or else the data's own."""
        if self.peers:
            return self._peers
        if self.detector.capabilities.reads_annotations:
            return self._annotated
        return None

    def run_name(self, models: tuple[str, ...], *, tells_apart: bool = False) -> str:
        """The name that was given, or one made from data, detector, models and knowledge.

        The same request has the same name: `faithbench--judge-gray7--openai-gpt-4o`. With
        `tells_apart`, requests that differ in anything else that matters have different names.
        """
        if self.name:
            return self.name
        data = _ENDINGS.sub("", Path(self.data.target).name)
        place = self.knowledge.source
        place = Path(place).stem if place.endswith(".sqlite") else place
        variant = self._variant() if tells_apart else ""
        beside = place and f"with-{place}"
        return make_name(data, variant, self.detector.name, "+".join(models), beside)

    def _variant(self) -> str:
        """A digest of what else makes it another run: part of the data, votes, settings, peers."""
        data, spec = self.data, self.detector
        ids: object = None if data.ids is None else sorted(data.ids)
        if data.units is not None:
            named = sorted((id, [each.id for each in units]) for id, units in data.units.items())
            ids = (ids, named)
        settings = {name: getattr(spec.options, name) for name in _SETTINGS}
        if spec.options.reasoning_effort:
            settings["reasoning_effort"] = spec.options.reasoning_effort
        if spec.local.changed:
            settings["local"] = spec.local.describe()
        part = (data.split, data.task) if data.task else data.split
        said = (part, data.sample, data.seed, ids, spec.votes, self.peers, settings)
        usual = {name: getattr(Options(), name) for name in _SETTINGS}
        if said == ("", None, None, None, 1, "", usual):
            return ""
        return blake2b(repr(said).encode(errors="replace"), digest_size=4).hexdigest()

    def _peers(self) -> Iterator[Annotated]:
        labelled = Columns(label="label")  # what a file calls its labels; a corpus has its own
        for each in DataChoice(self.peers, self.data.folder, labelled).read():
            if isinstance(each, Problem):
                raise InputError(str(each), field="peers")
            yield each

    def _annotated(self) -> Iterator[Annotated]:
        # Another split may know the same source.
        whole = replace(self.data, split="", task="", sample=None, seed=None)
        return (each for each in whole.read() if isinstance(each, Annotated))


def make_manifest(
    request: RunRequest,
    survey: Survey,
    detector: Detector,
    pool: ModelPool,
    knowledge: KnowledgeSource | None = None,
) -> Manifest:
    """All that is needed to repeat the run."""
    data = request.data
    return replace(
        manifest_of(request.detector, request.peers, detector, pool, knowledge),
        dataset=data.target,
        dataset_digest=survey.digest,
        split=data.split,
        task=data.task,
        examples=survey.examples,
        sample=data.sample,
        seed=None if data.sample is None else data.seed or 0,
        example_ids=survey.chosen,
    )
