"""`two_step`: a first step says whether anything is wrong, and only then is it asked what."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.taxonomies import BINARY
from assay.core.units import UnitKind
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.judges.protocol import Judge, detect_in_order
from assay.detectors.judges.several import Several, as_one
from assay.detectors.localize.in_thread import InThread
from assay.detectors.protocol import Detector
from assay.detectors.units import response_unit
from assay.llm.client import Client


@runtime_checkable
class FirstStep(Protocol):
    """Who says of an example whether a localizer is to be asked."""

    @property
    def name(self) -> str: ...

    @property
    def unit_kind(self) -> UnitKind: ...

    async def judge(self, example: Example) -> Judgement:
        """All units of one example."""
        ...


@dataclass(frozen=True, slots=True)
class TwoStep:
    """Asks the localizer unless all that the first step judged is faithful or states no fact."""

    first: FirstStep
    localizer: Judge

    @property
    def name(self) -> str:
        """Both names."""
        return f"{self.localizer.name} after {self.first.name}"

    @property
    def unit_kind(self) -> UnitKind:
        """What the localizer judges."""
        return self.localizer.unit_kind

    @property
    def taxonomy(self) -> Taxonomy:
        """What the localizer answers in."""
        return self.localizer.taxonomy

    @property
    def client(self) -> Client:
        """The localizer's, and that of the first step where it asks another."""
        if isinstance(self.first, Judge) and self.first.client is not self.localizer.client:
            return Several((self.first.client, self.localizer.client))
        return self.localizer.client

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of both steps; numbered by step where both ask."""
        steps = [step for step in (self.first, self.localizer) if isinstance(step, Judge)]
        return as_one([step.prompt_digests for step in steps])

    async def judge(self, example: Example) -> Judgement:
        """What the localizer says, or that the first step did not let it be asked."""
        named = tuple(unit for unit in example.units if unit.kind == self.first.unit_kind)
        first = await self.first.judge(replace(example, units=named))
        settled = self._settled(example, first)
        if settled:
            return Judgement(example, (settled,), first.characters_read)
        found = await self.localizer.judge(replace(example, units=()))
        read = min(first.characters_read, found.characters_read)
        return Judgement(example, tuple(map(self._told, found.outcomes)), read)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Many examples at a time, in their order."""
        return detect_in_order(self, examples)

    def _settled(self, example: Example, first: Judgement) -> Outcome | None:
        """The outcome that the first step leads to alone; None if the localizer is to be asked."""
        unit = response_unit(example)
        if any(map(_is_doubtful, first.verdicts)):
            return None
        if first.failures or not first.outcomes:
            failure = first.failures[0] if first.failures else Failure(unit, "missing")
            detail = f"the first step ({self.first.name}) has no verdict: {failure.detail}"
            return Failure(unit, failure.reason, detail.removesuffix(": "), failure.raw)
        note = f"The first step ({self.first.name}) finds it faithful; nothing more was asked."
        return Verdict(unit, BINARY["faithful"], note=note)

    def _told(self, outcome: Outcome) -> Outcome:
        """The localizer's verdict on the response, with what led to it."""
        if isinstance(outcome, Failure) or outcome.unit.kind != "response":
            return outcome
        note = f"The first step ({self.first.name}) does not find it faithful. {outcome.note}"
        return replace(outcome, note=note.strip())


def two_step(classifier: Detector | FirstStep, localizer: Judge) -> TwoStep:
    """Classify, then localize; a classifier that works offline is run in a thread, in batches."""
    first = classifier if isinstance(classifier, FirstStep) else InThread(classifier)
    return TwoStep(first, localizer)


def _is_doubtful(verdict: Verdict) -> bool:
    if verdict.label is not None:
        return verdict.label.coarse not in ("faithful", "no-fact")
    return verdict.score is not None and verdict.score < 0.5
