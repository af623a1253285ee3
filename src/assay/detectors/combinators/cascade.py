"""`cascade`: a cheap detector first, and an expensive one only where the first is unsure."""

from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from assay import __version__
from assay.core.examples import Example
from assay.core.judgements import Author, Finding, Judgement
from assay.core.units import RESPONSE
from assay.core.verdicts import Failure, Verdict
from assay.detectors.combinators.combining import (
    TOGETHER,
    PerExample,
    combined_capabilities,
    combined_digests,
    require_same_kind,
    with_sentences,
)
from assay.detectors.protocol import (
    Capabilities,
    Detector,
    concurrently,
    judgement_of,
    stages_of,
)


@dataclass(frozen=True, slots=True)
class Cascade:
    """Two detectors of the same units; the second judges what the first leaves unsure."""

    first: Detector
    second: Detector
    below: float

    @property
    def author(self) -> Author:
        """Both names in order."""
        names = f"{self.first.author.name} then {self.second.author.name}"
        return Author(names, version=__version__)

    @property
    def capabilities(self) -> Capabilities:
        return combined_capabilities(self.first.capabilities, self.second.capabilities)

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of both; numbered where they differ."""
        return combined_digests((self.first, self.second))

    @property
    def stages(self) -> tuple[Detector, ...]:
        """The first, then the second."""
        return (*stages_of(self.first), *stages_of(self.second))

    def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """Judges an example cheaply, then its unsure units again."""
        first, second = PerExample(self.first), PerExample(self.second)

        async def judge_one(example: Example) -> Judgement:
            found = await first.judge(with_sentences(example, self.capabilities))
            unsure = tuple(each.unit for each in found.counted if self._is_unsure(each))
            if not unsure:
                return replace(found, author=self.author)
            # Where no units were found, the second detector looks for them itself.
            units = () if found.finding(RESPONSE) else unsure
            again = await second.judge(replace(example, units=units))
            read = min(found.characters_read, again.characters_read)
            return judgement_of(example, self.author, _merge(found, again), read)

        return concurrently(examples, judge_one, TOGETHER)

    def _is_unsure(self, finding: Finding) -> bool:
        if finding.coarse in (None, "not-sure"):
            return True
        return finding.confidence is not None and finding.confidence < self.below


def cascade(first: Detector, second: Detector, below: float = 0.8) -> Cascade:
    """Asks `second` where `first` failed, is not sure, or is less than `below` confident."""
    require_same_kind((first, second))
    return Cascade(first, second, below)


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
