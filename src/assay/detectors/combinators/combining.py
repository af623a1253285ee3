"""Shared by all combinators: examples judged one by one, by detectors of any kind."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.detectors.protocol import Capabilities, Detector, closing, stages_of
from assay.text.sentences import sentence_units

TOGETHER = 64  # examples under way at the same time; clients bound the calls themselves
BATCH = 32  # examples a detector that needs no model is handed at once


@dataclass(frozen=True, slots=True)
class _Batch:
    """Examples by id that wait for their turn, and the work that will judge them all."""

    examples: dict[str, Example]
    work: "asyncio.Task[dict[str, Judgement]]"


class PerExample:
    """A detector that is asked about one example at a time, by many callers of one event loop.

    One that asks a model answers them all at the same time. One that computes is handed batches:
    while it judges one, the next fills up.
    """

    def __init__(self, detector: Detector) -> None:
        self.detector = detector
        self._turn = asyncio.Lock()
        self._filling: _Batch | None = None

    async def judge(self, example: Example) -> Judgement:
        """The judgement of one example, once its batch is done."""
        if self.detector.capabilities.asks_model:
            return (await self._judge_all({example.id: example}))[example.id]
        batch = self._filling
        if batch is None or len(batch.examples) == BATCH or example.id in batch.examples:
            examples: dict[str, Example] = {}
            batch = self._filling = _Batch(examples, asyncio.create_task(self._in_turn(examples)))
        batch.examples[example.id] = example
        # A caller that is cancelled leaves the others of the batch alone.
        return (await asyncio.shield(batch.work))[example.id]

    async def _in_turn(self, examples: dict[str, Example]) -> dict[str, Judgement]:
        async with self._turn:
            if self._filling and self._filling.examples is examples:
                self._filling = None  # from now on others go into the next batch
            return await self._judge_all(examples)

    async def _judge_all(self, examples: dict[str, Example]) -> dict[str, Judgement]:
        async with closing(self.detector.judge(list(examples.values()))) as judgements:
            return {judgement.example: judgement async for judgement in judgements}


@dataclass(frozen=True, slots=True)
class Wrapping:
    """A detector around another one, which it is like where it does not say otherwise."""

    detector: Detector

    @property
    def author(self) -> Author:
        return self.detector.author

    @property
    def capabilities(self) -> Capabilities:
        return self.detector.capabilities

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        return self.detector.prompt_digests

    @property
    def stages(self) -> tuple[Detector, ...]:
        return stages_of(self.detector)


def with_sentences(example: Example, capabilities: Capabilities) -> Example:
    """The example with its sentences named, for several detectors that all judge sentences."""
    if capabilities.unit_kind == "sentence":
        return replace(example, units=sentence_units(example))
    return example


def require_same_kind(detectors: Sequence[Detector]) -> None:
    """Raises unless all detectors judge the same kind of unit in the same taxonomy."""
    first, *others = detectors
    for other in others:
        one, two = first.capabilities, other.capabilities
        for what, differs in (
            ("kinds of unit", one.unit_kind != two.unit_kind),
            ("taxonomies", one.taxonomy != two.taxonomy),
        ):
            if differs:
                raise InputError(
                    f"{first.author.name} and {other.author.name} cannot be combined: "
                    f"their {what} differ"
                )


def combined_capabilities(first: Capabilities, *others: Capabilities) -> Capabilities:
    """Joint capabilities: several detectors judge like the first and need what any needs."""
    given = (first, *others)
    return replace(
        first,
        scores=any(each.scores for each in given),
        asks_model=any(each.asks_model for each in given),
        reads_annotations=any(each.reads_annotations for each in given),
        consults=all(each.consults for each in given),
        one_by_one=all(each.one_by_one for each in given),
        quotes=all(each.quotes for each in given),
        marks=any(each.marks for each in given),
    )


def combined_digests(detectors: Sequence[Detector]) -> Mapping[str, str]:
    """The prompts of several detectors: once if all have the same, otherwise numbered."""
    asking = [each.prompt_digests for each in detectors if each.prompt_digests]
    if all(each == asking[0] for each in asking):
        return dict(asking[0]) if asking else {}
    return {f"{n}. {name}": each[name] for n, each in enumerate(asking, 1) for name in each}
