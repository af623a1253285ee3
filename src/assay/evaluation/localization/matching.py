"""Matches of predicted inconsistencies and gold errors, example by example."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement, Judgements
from assay.core.verdicts import Failure
from assay.detectors.protocol import Progress, ask_each, no_progress
from assay.evaluation.localization.gold import STRICT, gold_inconsistencies
from assay.evaluation.localization.inconsistencies import Inconsistency, predicted_inconsistencies
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.references import align
from assay.metrics import Hits, matching_hits

# For each prediction the place of at most one gold error, or None.
Matches = tuple[int | None, ...]


class Matcher(Protocol):
    """Matches predicted inconsistencies with gold ones; several may describe the same error."""

    @property
    def name(self) -> str:
        """Its name in reports."""
        ...

    @property
    def concurrency(self) -> int:
        """The number of examples that it matches at the same time."""
        ...

    async def match(
        self,
        gold: Sequence[Inconsistency],
        predicted: Sequence[Inconsistency],
        example: Example,
    ) -> Matches | Failure:
        """An entry for each prediction; what cannot be told is a failure of the whole example."""
        ...


@dataclass(frozen=True, slots=True)
class Case:
    """One example: what people found wrong, what a detector did, and what of it is the same.

    Without `matches` it is not measured, because of the detector or the matcher. `unchecked` parts
    of the response have no verdict, although the example is measured.
    """

    example: Example
    gold: tuple[Inconsistency, ...]
    predicted: tuple[Inconsistency, ...] = ()
    matches: Matches | None = None
    failure: Failure | None = None
    failed_matcher: bool = False
    unchecked: int = 0

    @property
    def hits(self) -> Hits | None:
        """The errors found; None where that was not measured."""
        return None if self.matches is None else matching_hits(self.matches, len(self.gold))

    @property
    def missed(self) -> tuple[Inconsistency, ...]:
        """The gold errors that no prediction describes: false negatives."""
        found = set(self.matches or ())
        errors = self.gold if self.matches is not None else ()
        return tuple(error for place, error in enumerate(errors) if place not in found)

    @property
    def unmatched(self) -> tuple[Inconsistency, ...]:
        """The predictions that describe no gold error: false positives."""
        pairs = zip(self.predicted, self.matches or (), strict=self.matches is not None)
        return tuple(prediction for prediction, match in pairs if match is None)


async def match_predictions(
    corpus: Sequence[Annotated],
    predictions: Judgements,
    matcher: Matcher,
    progress: Progress = no_progress,
    *,
    policy: GoldPolicy = STRICT,
) -> list[Case]:
    """A case for each example, which is about the whole response, whatever units it names.

    An example that the predictions say nothing of is a failure. The policy reads the labels of
    what people marked.
    """
    whole = (replace(each.example, units=()) for each in corpus)
    pairs = list(zip(corpus, align(predictions, whole), strict=True))

    async def match(pair: tuple[Annotated, Judgement]) -> Case:
        annotated, judgement = pair
        example, gold = annotated.example, gold_inconsistencies(annotated, policy) or ()
        found = predicted_inconsistencies(judgement)
        if isinstance(found, Failure):
            return Case(example, gold, failure=found)
        matches = await matcher.match(gold, found, example)
        if isinstance(matches, Failure):
            return Case(example, gold, found, failure=matches, failed_matcher=True)
        return Case(example, gold, found, matches, unchecked=len(judgement.failures))

    return await ask_each(pairs, match, matcher.concurrency, progress)


def count_failures(cases: Iterable[Case]) -> tuple[Counter[str], Counter[str]]:
    """The reasons why examples are not measured: failures of the detector, and of the matcher."""
    failed = [(case.failure.reason, case.failed_matcher) for case in cases if case.failure]
    return (
        Counter(reason for reason, by_matcher in failed if not by_matcher),
        Counter(reason for reason, by_matcher in failed if by_matcher),
    )


def matching_agreement(pairs: Iterable[tuple[Matches, Matches]]) -> Hits:
    """The agreement of a matcher with people, from (people's, matcher's) matchings.

    precision = matches that both made / matches of the matcher, recall = the same / matches of
    people; each prediction has at most one match, and None is none.

    >>> hits = matching_agreement([((2, None, 1), (2, 0, None))])
    >>> hits, hits.precision, hits.recall
    (Hits(found=1, predicted=2, gold=2), 0.5, 0.5)
    """
    found = made = wanted = 0
    for people, matcher in pairs:
        for theirs, its in zip(people, matcher, strict=True):
            found += theirs is not None and theirs == its
            made += its is not None
            wanted += theirs is not None
    return Hits(found, made, wanted)
