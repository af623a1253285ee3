"""`cascade`: a cheap detector first, and an expensive one only where the first is unsure."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.stages import StageUses
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Failure, Verdict
from assay.detectors.combinators.combining import (
    TOGETHER,
    CommonTerms,
    PerExample,
    StageMeter,
    centred,
    combined_author,
    combined_digests,
    joint_capabilities,
    require_same_kind,
    with_sentences,
)
from assay.detectors.combinators.parts import PartList, is_combined, read_parts
from assay.detectors.combinators.windows import judge_window, windows
from assay.detectors.protocol import (
    Capabilities,
    Detector,
    closing,
    concurrently,
    judgement_of,
    stages_of,
    uses_of,
)
from assay.detectors.registry import DetectorType, Ingredients

Per = Literal["sentence", "response"]

NAME = "cascade"
BELOW = 0.8  # the confidence from which a detector without a band counts as sure
USUAL = "embedded,embedded-large"
_MENU = {"below": "0.8", "per": "sentence|response"}


@dataclass(frozen=True, slots=True)
class Cascade:
    """Two detectors of the same units; the second judges what the first leaves unsure."""

    first: Detector
    second: Detector
    below: float
    per: Per
    meters: tuple[StageMeter, StageMeter] = field(compare=False)

    @property
    def author(self) -> Author:
        """Both names in order."""
        both = self.first, self.second
        return combined_author(" then ".join(each.author.name for each in both), both)

    @property
    def capabilities(self) -> Capabilities:
        return joint_capabilities((self.first.capabilities, self.second.capabilities))

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of both; numbered where they differ."""
        return combined_digests((self.first, self.second))

    @property
    def stages(self) -> tuple[Detector, ...]:
        """The first, then the second."""
        return (*stages_of(self.first), *stages_of(self.second))

    @property
    def uses(self) -> StageUses:
        """The work of the first, then that of the second, or of their own parts."""
        both = zip((self.first, self.second), self.meters, strict=True)
        return tuple(use for part, meter in both for use in uses_of(part) or (meter.use,))

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges examples cheaply, then their unsure units again.

        Where both parts run here, many examples go through the first and then through the second.
        """
        if self.capabilities.asks_model:
            return self._one_by_one(examples)
        return self._in_windows(examples)

    def _one_by_one(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        turn = asyncio.Lock()
        one, two = self.meters
        first, second = PerExample(self.first, one, turn), PerExample(self.second, two, turn)
        terms, other = self._terms(self.first, one), self._terms(self.second, two)

        async def judge_one(example: Example) -> Judgement:
            said = await first.judge(with_sentences(example, self.capabilities))
            found, units = terms.read(said), self._to_judge_again(said)
            if units is None:
                one.count(found)
                return replace(found, author=self.author)
            again = other.read(await second.judge(replace(example, units=units)))
            return self._joined(example, found, again)

        return concurrently(examples, judge_one, TOGETHER)

    async def _in_windows(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        one, two = self.meters
        terms, other = self._terms(self.first, one), self._terms(self.second, two)
        for window in windows(examples):
            given = {example.id: example for example in window}
            unsure: dict[str, Judgement] = {}
            again: list[Example] = []
            named = [with_sentences(example, self.capabilities) for example in window]
            async with closing(judge_window(self.first, named, one)) as judgements:
                async for said in judgements:
                    found, units = terms.read(said), self._to_judge_again(said)
                    if units is None:
                        one.count(found)
                        yield replace(found, author=self.author)
                    else:
                        unsure[said.example] = found
                        again.append(replace(given[said.example], units=units))
            async with closing(judge_window(self.second, again, two)) as judgements:
                async for said in judgements:
                    id = said.example
                    yield self._joined(given[id], unsure[id], other.read(said))

    def _joined(self, example: Example, found: Judgement, again: Judgement) -> Judgement:
        """The judgement of both on an example; their work is counted."""
        one, two = self.meters
        one.count(found)
        two.count(again)
        read = min(found.characters_read, again.characters_read)
        return judgement_of(example, self.author, _merge(found, again), read)

    def _to_judge_again(self, said: Judgement) -> tuple[Unit, ...] | None:
        """The units that go on; none named means that the second finds them, None that none do."""
        unsure = tuple(each.unit for each in said.counted if self._is_unsure(each))
        if not unsure or (self.per == "response" and self._is_settled(said)):
            return None
        if said.finding(RESPONSE):  # or no units were found
            return ()
        return unsure if self.per == "sentence" else tuple(each.unit for each in said.counted)

    def _is_settled(self, said: Judgement) -> bool:
        """True if all have a verdict and one is unfaithful for sure: so is the response, then."""
        judged = all(each.coarse is not None for each in said.counted)
        sure = (each for each in said.counted if not self._is_unsure(each))
        return judged and any(each.coarse == "unfaithful" for each in sure)

    def _is_unsure(self, finding: Finding) -> bool:
        """True if there is no verdict, one that is not sure, or one with too little confidence.

        Without a confidence, the distance of a score from the threshold takes its place.
        """
        if finding.coarse in (None, "not-sure"):
            return True
        confidence = finding.confidence
        if confidence is None and finding.score is not None:
            score = centred(finding.score, self.first.capabilities.threshold)
            confidence = max(score, 1 - score)
        return confidence is not None and confidence < self.below

    def _terms(self, part: Detector, meter: StageMeter) -> CommonTerms:
        name = "" if is_combined(part) else meter.name
        return CommonTerms(name, part.capabilities, self.capabilities)


def cascade(
    first: Detector,
    second: Detector,
    below: float | None = BELOW,
    per: Per | None = "sentence",
    meters: tuple[StageMeter, StageMeter] | None = None,
) -> Cascade:
    """Asks `second` where `first` failed, is not sure, or is less than `below` confident.

    With `per` response, the second judges all sentences of a response if the first is not sure of
    some. None is what a cascade by name does: `below` None believes a detector that says itself
    where it is not sure, and takes 0.8 for any other; `per` None is response, unless the second
    judges each sentence by itself.
    """
    require_same_kind((first, second))
    if below is None:
        below = 0.0 if first.capabilities.has_band else BELOW
    if per is None:
        per = "sentence" if second.capabilities.one_by_one else "response"
    own = meters or (StageMeter(first.author.name), StageMeter(second.author.name))
    return Cascade(first, second, below, per, own)


def _merge(first: Judgement, second: Judgement) -> Iterator[Finding]:
    """Each unit as the second judged it, with its parts; as the first did where it did not."""
    for finding in first.counted:
        again = second.finding(finding.id)
        if again is None:
            yield from second.findings if finding.id == RESPONSE else _with_parts(first, finding)
        elif isinstance(finding.outcome, Verdict) and isinstance(again.outcome, Failure):
            reason = again.outcome.reason
            note = f"{finding.note} The second opinion failed ({reason}).".strip()
            kept = replace(finding, outcome=replace(finding.outcome, note=note))
            yield from (kept, *_parts(first, finding))
        else:
            yield from _with_parts(second, again)


def _with_parts(judgement: Judgement, finding: Finding) -> tuple[Finding, ...]:
    return (finding, *_parts(judgement, finding))


def _parts(judgement: Judgement, finding: Finding) -> Iterator[Finding]:
    """The findings about the parts of a unit, and about theirs."""
    if finding.id == RESPONSE:
        yield from judgement.parts
        return
    for part in judgement.children(finding.id):
        yield from _with_parts(judgement, part)


def _read(argument: str) -> tuple[PartList, float | None, Per | None]:
    """The detectors, and the rule for going on as far as it is given."""
    parts = read_parts(NAME, argument or USUAL, _MENU)
    below, per = parts.settings.get("below"), parts.settings.get("per")
    return parts, None if below is None else _below(below), None if per is None else _per(per)


def _below(given: str) -> float:
    try:
        below = float(given)
    except ValueError:
        below = -1.0
    if not 0 <= below <= 1:
        raise InputError(f"{NAME}: below lies between 0 and 1, not at {given!r}", field="detector")
    return below


def _per(given: str) -> Per:
    for per in get_args(Per):
        if per == given:
            return per  # type: ignore[no-any-return]
    raise UnknownNameError(f"value of per in {NAME}", given, get_args(Per), field="detector")


def _make(given: Ingredients) -> Cascade:
    """A cascade of two, or of more: each after the first is the second of the one before."""
    parts, below, per = _read(given.argument)
    detectors, meters = parts.make(given)
    *others, before, last = detectors
    made = cascade(before, last, below, per, (meters[-2], meters[-1]))
    for detector, meter in zip(reversed(others), reversed(meters[:-2]), strict=True):
        made = cascade(detector, made, below, per, (meter, StageMeter("")))
    return made


def _facts(argument: str) -> dict[str, str]:
    parts, below, per = _read(argument)
    sure = "is not sure by its own word" if below is None else f"is less than {below} confident"
    what = f", and then all of a {per}" if per else ""
    return {**parts.facts(), "goes on": f"where a part fails or {sure}{what}"}


CASCADE = DetectorType(
    "a cheap detector first, and another where it is not sure: cascade:embedded,embedded-large",
    lambda argument: _read(argument)[0].capabilities,
    _make,
    _facts,
    combines=True,
    refuse=lambda argument, local: _read(argument)[0].refuse(local),
)
