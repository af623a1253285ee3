"""Shared by all combinators: examples judged one by one, by detectors of any kind."""

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay import __version__
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.stages import StageUse, StageUses
from assay.core.taxonomies import BINARY
from assay.core.verdicts import FAITHFUL_FROM, Outcome, Verdict
from assay.detectors.protocol import Capabilities, Detector, closing, stages_of, uses_of
from assay.text.sentences import sentence_units

TOGETHER = 64  # examples under way at the same time; clients bound the calls themselves
BATCH = 32  # examples a detector that needs no model is handed at once


@dataclass(slots=True, eq=False)
class StageMeter:
    """Counts the work of one part of a combined detector."""

    name: str
    examples: int = 0
    units: int = 0
    seconds: float = 0.0
    calls: int = 0

    def count(self, judgement: Judgement) -> None:
        """Counts an example that was judged."""
        self.examples += 1
        self.units += len(judgement.counted)

    def count_call(self) -> None:
        """Counts a question that a model answered."""
        self.calls += 1

    @property
    def use(self) -> StageUse:
        """The work so far."""
        return StageUse(self.name, self.examples, self.units, round(self.seconds, 3), self.calls)


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting:
    """An example that waits for its turn, and the future that its judgement becomes."""

    example: Example
    judged: "asyncio.Future[Judgement]"


@dataclass(frozen=True, slots=True)
class _Batch:
    """Examples by id that wait for their turn, and the work that will judge them all."""

    waiting: dict[str, _Waiting]
    work: "asyncio.Task[None]"


class PerExample:
    """A detector that is asked about one example at a time, by many callers of one event loop.

    One that asks a model answers them all at the same time. One that computes is handed batches:
    while it judges one, the next fills up. With a common `turn`, several compute one after the
    other, so that they do not fight for the same cores.
    """

    def __init__(
        self,
        detector: Detector,
        meter: StageMeter | None = None,
        turn: asyncio.Lock | None = None,
    ) -> None:
        self.detector = detector
        self._meter = meter or StageMeter("")
        self._turn = turn or asyncio.Lock()
        self._filling: _Batch | None = None

    async def judge(self, example: Example) -> Judgement:
        """The judgement of one example, as soon as it is there."""
        waiting = _Waiting(example, asyncio.get_running_loop().create_future())
        if self.detector.capabilities.asks_model:
            await self._judge_all({example.id: waiting})
            return await waiting.judged
        batch = self._filling
        if batch is None or len(batch.waiting) == BATCH or example.id in batch.waiting:
            together: dict[str, _Waiting] = {}
            batch = self._filling = _Batch(together, asyncio.create_task(self._in_turn(together)))
        batch.waiting[example.id] = waiting
        # A caller that is cancelled leaves the others of the batch alone.
        return await waiting.judged

    async def _in_turn(self, together: dict[str, _Waiting]) -> None:
        try:
            async with self._turn:
                if self._filling and self._filling.waiting is together:
                    self._filling = None  # from now on others go into the next batch
                await self._judge_all(together)
        except Exception as error:  # noqa: BLE001 - raised by everybody who waits for it
            for each in _unfinished(together):
                each.set_exception(error)
        finally:  # where the work itself was cancelled
            for each in _unfinished(together):
                each.cancel()

    async def _judge_all(self, together: dict[str, _Waiting]) -> None:
        began = time.perf_counter()
        examples = [each.example for each in together.values()]
        async with closing(self.detector.judge(examples)) as judgements:
            async for judgement in judgements:
                if not self.detector.capabilities.asks_model:
                    now = time.perf_counter()
                    self._meter.seconds += now - began
                    began = now
                judged = together[judgement.example].judged
                if not judged.done():
                    judged.set_result(judgement)
        for each in _unfinished(together):
            each.set_exception(RuntimeError(f"{self.detector.author.name} left an example out"))


def _unfinished(together: Mapping[str, _Waiting]) -> "list[asyncio.Future[Judgement]]":
    return [each.judged for each in together.values() if not each.judged.done()]


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

    @property
    def uses(self) -> StageUses:
        return uses_of(self.detector)


def with_sentences(example: Example, capabilities: Capabilities) -> Example:
    """The example with its sentences named, for several detectors that all judge sentences."""
    if capabilities.unit_kind == "sentence":
        return replace(example, units=sentence_units(example))
    return example


def require_same_kind(detectors: Sequence[Detector]) -> None:
    """Raises unless all detectors judge the same kind of unit."""
    first, *others = detectors
    for other in others:
        if first.capabilities.unit_kind != other.capabilities.unit_kind:
            raise InputError(
                f"{first.author.name} and {other.author.name} cannot be combined: "
                "their kinds of unit differ"
            )


def combined_author(name: str, detectors: Sequence[Detector]) -> Author:
    """An author with a version that tells models apart, where a detector has one that runs here."""
    versions = dict.fromkeys(each.author.version for each in detectors)
    own = [each for each in versions if each and each != __version__]
    return Author(name, version=" + ".join((__version__, *own)))


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


def joint_capabilities(given: Sequence[Capabilities]) -> Capabilities:
    """Those of detectors that judge the same units in turn or together.

    Detectors of different taxonomies have binary labels together. Where they call a unit faithful
    from different scores on, their scores are moved to a common threshold.
    """
    first, *others = given
    is_mixed = any(each.taxonomy != first.taxonomy for each in others)
    is_moved = any(each.threshold != first.threshold for each in others)
    joint = combined_capabilities(first, *others)
    return replace(
        joint,
        taxonomy=BINARY if is_mixed else first.taxonomy,
        consults=joint.consults and not is_mixed,
        runs_here=any(each.runs_here for each in given),
        threshold=FAITHFUL_FROM if is_moved else first.threshold,
        has_band=any(each.has_band for each in given),
    )


@dataclass(frozen=True, slots=True)
class CommonTerms:
    """The judgements of one detector in the terms of all that it is combined with."""

    name: str  # for `backend` of its verdicts; empty where they stay without
    own: Capabilities
    joint: Capabilities

    def read(self, judgement: Judgement) -> Judgement:
        """The same judgement with common labels and scores, and with the name of who decided."""
        if self.own == self.joint and not self.name:
            return judgement
        return replace(judgement, outcomes=tuple(map(self._outcome, judgement.outcomes)))

    def _outcome(self, outcome: Outcome) -> Outcome:
        if not isinstance(outcome, Verdict):
            return outcome
        verdict = self._in_binary(outcome) if self.own.taxonomy != self.joint.taxonomy else outcome
        if verdict.score is not None and self.own.threshold != self.joint.threshold:
            verdict = replace(verdict, score=round(centred(verdict.score, self.own.threshold), 6))
        if not self.name:
            return verdict
        return replace(verdict, attributes=replace(verdict.attributes, backend=self.name))

    def _in_binary(self, verdict: Verdict) -> Verdict:
        """The verdict by its coarse reading, in which what states no fact has no fault.

        A label between the two, such as ambiguous, is an unfaithful one that is not sure.
        """
        leaning = verdict.leaning
        own = f"{self.name or 'It'} says {verdict.label}." if verdict.label else ""
        unsure = verdict.attributes.unsure or leaning == "not-sure" or None
        return replace(
            verdict,
            label=BINARY["faithful" if leaning in ("faithful", "no-fact") else "unfaithful"],
            note=f"{own} {verdict.note}".strip(),
            answers=None,
            interpretations=(),
            attributes=replace(verdict.attributes, unsure=unsure),
        )


def centred(score: float, threshold: float) -> float:
    """A score on the scale on which the threshold lies in the middle.

    >>> centred(0.2, 0.2), centred(0.6, 0.2), centred(0.1, 0.2), centred(0.7, 0.5)
    (0.5, 0.75, 0.25, 0.7)
    """
    if score >= threshold:
        return (1 + (score - threshold) / (1 - threshold)) / 2 if threshold < 1 else 1.0
    return score / threshold / 2


def combined_digests(detectors: Sequence[Detector]) -> Mapping[str, str]:
    """The prompts of several detectors: once if all have the same, otherwise numbered."""
    asking = [each.prompt_digests for each in detectors if each.prompt_digests]
    if all(each == asking[0] for each in asking):
        return dict(asking[0]) if asking else {}
    return {f"{n}. {name}": each[name] for n, each in enumerate(asking, 1) for name in each}
