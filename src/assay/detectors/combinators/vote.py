"""`vote`: several detectors, one verdict; a tie goes to the less faithful label."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.labels import majority
from assay.core.stages import StageUses
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome, Verdict
from assay.detectors.combinators.combining import (
    TOGETHER,
    CommonTerms,
    PerExample,
    StageMeter,
    combined_author,
    combined_digests,
    joint_capabilities,
    require_same_kind,
    with_sentences,
)
from assay.detectors.combinators.fold import fold
from assay.detectors.combinators.parts import PartList, is_combined, read_parts
from assay.detectors.protocol import (
    Capabilities,
    Detector,
    concurrently,
    gather_or_cancel,
    judgement_of,
    stages_of,
    uses_of,
)
from assay.detectors.registry import DetectorType, Ingredients

NAME = "vote"


@dataclass(frozen=True, slots=True)
class Voting:
    """The majority of some detectors that judge the same units.

    With meters, one for each of them, verdicts name who spoke for the majority.
    """

    detectors: tuple[Detector, ...]
    meters: tuple[StageMeter, ...] = field(default=(), compare=False)

    @property
    def author(self) -> Author:
        """The voters, each with the number of its votes."""
        counts = Counter(detector.author.name for detector in self.detectors)
        names = ", ".join(f"{n} x {name}" for name, n in counts.items())
        return combined_author(f"vote of {names}", self.detectors)

    @property
    def capabilities(self) -> Capabilities:
        """The joint capabilities: a vote needs what any voter needs."""
        return joint_capabilities([each.capabilities for each in self.detectors])

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of all of them; numbered by voter where they differ."""
        return combined_digests(self.detectors)

    @property
    def stages(self) -> tuple[Detector, ...]:
        """The voters, where they are different detectors."""
        if not self.meters:
            return (self,)
        return tuple(stage for each in self.detectors for stage in stages_of(each))

    @property
    def uses(self) -> StageUses:
        """The work of each voter, or of its own parts."""
        both = zip(self.detectors, self.meters, strict=True) if self.meters else ()
        return tuple(use for voter, meter in both for use in uses_of(voter) or (meter.use,))

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Every detector judges the same units of an example, then the votes are counted."""
        turn = asyncio.Lock()
        meters = self.meters or tuple(StageMeter("") for _ in self.detectors)
        measured = list(zip(self.detectors, meters, strict=True))
        voters = [PerExample(detector, meter, turn) for detector, meter in measured]
        terms = [
            CommonTerms(
                "" if is_combined(detector) else meter.name,
                detector.capabilities,
                self.capabilities,
            )
            for detector, meter in measured
        ]

        async def judge_one(example: Example) -> Judgement:
            named = with_sentences(example, self.capabilities)
            said = await gather_or_cancel(voter.judge(named) for voter in voters)
            for meter, judgement in zip(meters, said, strict=True):
                meter.count(judgement)
            read = [own.read(each) for own, each in zip(terms, said, strict=True)]
            return self._count(example, read)

        return concurrently(examples, judge_one, TOGETHER)

    def _count(self, example: Example, judgements: Sequence[Judgement]) -> Judgement:
        units = {each.id: each.unit for judgement in judgements for each in judgement.counted}
        findings = (
            Finding(unit, count_votes([_said(judgement, unit) for judgement in judgements]))
            for unit in units.values()
        )
        read = min(each.characters_read for each in judgements)
        return judgement_of(example, self.author, findings, read)


def vote(*detectors: Detector) -> Voting:
    """The majority of several detectors.

    Detectors that find their own claims find different ones, so their folds vote on the response.
    """
    if not detectors:
        raise InputError("a vote needs at least one detector")
    require_same_kind(detectors)
    can = detectors[0].capabilities
    if can.unit_kind == "claim":
        return Voting(tuple(fold(detector) for detector in detectors))
    if can.finds_units:
        raise InputError(
            f"{detectors[0].author.name} cannot vote: each time it finds other errors; "
            "ask one model once",
            field="votes",
        )
    return Voting(detectors)


def count_votes(outcomes: Sequence[Outcome]) -> Outcome:
    """One outcome from several on the same unit; failures do not vote, but are counted.

    It is a failure unless more than half of them are verdicts.
    """
    verdicts = [outcome for outcome in outcomes if isinstance(outcome, Verdict)]
    failures = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    if len(verdicts) <= len(failures):
        return _no_quorum(failures, len(outcomes))
    labels = [verdict.label for verdict in verdicts if verdict.label]
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    label = majority(labels) if labels else None
    agreeing = [verdict for verdict in verdicts if verdict.label == label]
    speaker = agreeing[0]
    all_unsure = all(verdict.attributes.unsure for verdict in agreeing)
    return Verdict(
        speaker.unit,
        label,
        score=sum(scores) / len(scores) if scores else None,
        confidence=len(agreeing) / len(outcomes) if labels else None,
        note=_note(len(agreeing), outcomes, verdicts, speaker.note),
        evidence=tuple(dict.fromkeys(span for verdict in agreeing for span in verdict.evidence)),
        external=tuple(dict.fromkeys(each for verdict in agreeing for each in verdict.external)),
        answers=speaker.answers,
        interpretations=speaker.interpretations,
        error=speaker.error,
        attributes=replace(speaker.attributes, unsure=all_unsure or None),
        marks=next((verdict.marks for verdict in agreeing if verdict.marks), ()),
    )


def _said(judgement: Judgement, unit: Unit) -> Outcome:
    found = judgement.finding(unit.id)
    if found:
        return found.outcome
    return Failure(unit.id, "missing", f"{judgement.author.name} does not judge it")


def _no_quorum(failures: list[Failure], voters: int) -> Failure:
    first, count = failures[0], len(failures)
    failed = f"all {count} failed" if count == voters else f"{count} of {voters} failed"
    return Failure(first.unit, first.reason, f"{failed}: {first.detail}", first.raw)


def _note(agreeing: int, outcomes: Sequence[Outcome], verdicts: list[Verdict], said: str) -> str:
    """The note of a vote: how many agree, who failed, and the majority's own note."""
    failed = [outcome.reason for outcome in outcomes if isinstance(outcome, Failure)]
    parts = [f"{agreeing} of {len(outcomes)} agree."]
    if {verdict.coarse for verdict in verdicts} >= {"faithful", "unfaithful"}:
        parts.append("The votes lie on both sides of faithful and unfaithful.")
    if failed:
        parts.append(f"{len(failed)} failed ({', '.join(dict.fromkeys(failed))}).")
    return " ".join((*parts, said)).strip()


_DECLARED = Capabilities("sentence", GRAY7)  # of a vote without parts, which cannot be opened


def _read(argument: str) -> PartList:
    return read_parts(NAME, argument, {})


def _make(given: Ingredients) -> Voting:
    if not given.argument:
        raise InputError(f"{NAME} needs detectors: write {NAME}:A,B,C", field="detector")
    return Voting(*_read(given.argument).make(given))


VOTE = DetectorType(
    "several detectors, one verdict, that of the majority: vote:embedded,overlap,minicheck",
    lambda argument: _read(argument).capabilities if argument else _DECLARED,
    _make,
    lambda argument: _read(argument).facts() if argument else {},
    combines=True,
    refuse=lambda argument, local: _read(argument).refuse(local),
)
