"""`vote`: several detectors, one verdict; a tie goes to the less faithful label."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, cast, overload

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement, without_parts
from assay.core.labels import Taxonomy
from assay.core.units import UnitKind
from assay.detectors.counting import count_votes
from assay.detectors.fold import FoldedJudge, fold
from assay.detectors.judges.judging import together
from assay.detectors.judges.protocol import Judge, detect_in_order
from assay.detectors.judges.several import Several, as_one
from assay.detectors.protocol import Detector
from assay.detectors.streams import batches_with_units, same_kind, with_units
from assay.llm.client import Client, Numbered


@dataclass(frozen=True, slots=True)
class Vote:
    """The majority of some detectors that judge the same units in the same taxonomy."""

    detectors: tuple[Detector, ...]

    @property
    def name(self) -> str:
        """The names of the voters."""
        counts = Counter(detector.name for detector in self.detectors)
        return "vote of " + ", ".join(f"{n} x {name}" for name, n in counts.items())

    @property
    def unit_kind(self) -> UnitKind:
        """What all of them judge."""
        return self.detectors[0].unit_kind

    @property
    def taxonomy(self) -> Taxonomy:
        """What all of them answer in."""
        return self.detectors[0].taxonomy

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Every detector judges a batch, then the batch is counted."""
        for batch in batches_with_units(examples, self.detectors[0]):
            ballots = [list(detector.detect(batch)) for detector in self.detectors]
            for judgements in zip(*ballots, strict=True):
                yield _counted(judgements)


@dataclass(frozen=True, slots=True)
class JudgeVote(Vote):
    """The majority of some judges, which are asked at the same time."""

    detectors: tuple[Judge, ...]

    @property
    def client(self) -> Client:
        """All of their clients as one."""
        return Several(tuple(judge.client for judge in self.detectors))

    @property
    def prompt_digests(self) -> Mapping[str, str]:
        """The prompts of all of them; numbered by judge where they differ."""
        return as_one([judge.prompt_digests for judge in self.detectors])

    async def judge(self, example: Example) -> Judgement:
        """Every judge about the same units of one example, then the count."""
        named = with_units(example, self) if self.unit_kind == "sentence" else example
        judgements = await together(judge.judge(named) for judge in self.detectors)
        return replace(_counted(judgements), example=example)

    def detect(self, examples: Iterable[Example]) -> Iterator[Judgement]:
        """Many examples at a time, in their order."""
        return detect_in_order(self, examples)


@overload
def vote(*detectors: Judge) -> JudgeVote: ...


@overload
def vote(*detectors: Detector) -> Vote: ...


def vote(*detectors: Detector) -> Vote:
    """The majority of several detectors; of judges it is a judge.

    Judges that find their own claims find different ones, so their folds vote on the response.
    """
    if not detectors:
        raise InputError("a vote needs at least one detector")
    same_kind(detectors)
    _refuse_localizers(detectors)
    if detectors[0].unit_kind == "claim":
        detectors = tuple(fold(detector) for detector in detectors)
    if all(isinstance(detector, Judge) for detector in detectors):
        return JudgeVote(cast(tuple[Judge, ...], detectors))
    return Vote(detectors)


def _refuse_localizers(detectors: tuple[Detector, ...]) -> None:
    from assay.detectors.localize.making import is_localizer  # it uses votes' own parts

    if any(map(is_localizer, detectors)):
        raise InputError("inconsistencies cannot be voted on: leave out --votes, give one model")


def vote_samples(judge: Judge, samples: int) -> JudgeVote:
    """The majority of several answers of one judge to the same questions.

    At temperature 0 a model gives nearly the same answer each time: let the client sample.
    """
    if samples < 1:
        raise InputError(f"a vote needs at least one sample, not {samples}")
    voters = judge.detectors if isinstance(judge, JudgeVote) else (judge,)
    return vote(*(_sampled(voter, number) for voter in voters for number in range(samples)))


def _sampled(judge: Judge, number: int) -> Judge:
    """The same judge, whose client asks for the answer of that number."""
    if isinstance(judge, FoldedJudge):
        return replace(judge, detector=_sampled(judge.detector, number))
    if not is_dataclass(judge):
        raise InputError(f"{judge.name} cannot be sampled: it is no dataclass with a 'client'")
    changed: Any = replace(cast(Any, judge), client=Numbered(judge.client, sample=number))
    return cast(Judge, changed)


def _counted(judgements: Sequence[Judgement]) -> Judgement:
    """The outcomes of several judgements of the same units as one."""
    return Judgement(
        judgements[0].example,
        tuple(
            count_votes(outcomes)
            for outcomes in zip(*(without_parts(each.outcomes) for each in judgements), strict=True)
        ),
        min(each.characters_read for each in judgements),
    )
