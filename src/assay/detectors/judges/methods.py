"""A judge is a model that is asked by a method."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.units import UnitKind
from assay.core.verdicts import Outcome
from assay.detectors.judges.judging import judged
from assay.detectors.judges.protocol import detect_in_order
from assay.llm.client import Client
from assay.llm.prompts import Prompt


class Method(Protocol):
    """A way to ask about the units of an example, whoever is asked; it shows the whole source."""

    @property
    def name(self) -> str: ...

    @property
    def unit_kind(self) -> UnitKind: ...

    @property
    def taxonomy(self) -> Taxonomy: ...

    @property
    def prompts(self) -> Sequence[Prompt]: ...

    async def outcomes(self, client: Client, example: Example) -> Sequence[Outcome]:
        """An outcome for each unit; what a call does not answer is a Failure."""
        ...


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """A model, and the method by which it is asked."""

    client: Client
    method: Method

    @property
    def name(self) -> str:
        """The method and the model."""
        return f"{self.method.name} {self.client.model}"

    @property
    def unit_kind(self) -> UnitKind:
        """What the method asks about."""
        return self.method.unit_kind

    @property
    def taxonomy(self) -> Taxonomy:
        """The menu that the model chooses from."""
        return self.method.taxonomy

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of the method."""
        return {prompt.name: prompt.digest for prompt in self.method.prompts}

    async def judge(self, example: Example) -> Judgement:
        """All units of one example."""
        return judged(example, await self.method.outcomes(self.client, example))

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Many examples at a time, in their order."""
        return detect_in_order(self, examples)
