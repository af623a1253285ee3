"""Examples with what people found wrong, what a judge found wrong, and what of it is the same."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.verdicts import Failure
from assay.detectors.judges.judging import together
from assay.evaluate.localization.gold import gold_inconsistencies
from assay.evaluate.localization.inconsistencies import Inconsistency, localized
from assay.evaluate.localization.llm_matcher import held_open
from assay.evaluate.localization.matching import Matcher, Matches
from assay.llm.background import background
from assay.metrics import Hits, matching_hits


@dataclass(frozen=True, slots=True)
class Case:
    """One example; without `matches` it is not measured, because of the judge or the matcher."""

    judgement: Judgement
    gold: tuple[Inconsistency, ...]
    predicted: tuple[Inconsistency, ...] = ()
    matches: Matches | None = None
    failure: Failure | None = None
    failed_matcher: bool = False

    @property
    def example(self) -> Example:
        """The example."""
        return self.judgement.example

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

    @property
    def unchecked(self) -> int:
        """Parts of the response that the judge left without a verdict beside what it found."""
        return 0 if self.failure else len(self.judgement.failures)


def known_examples(dataset: str, examples: Iterable[Example]) -> list[Example]:
    """The examples of which it is known what is wrong; raises if that is known of no error."""
    given = [(example, gold_inconsistencies(example)) for example in examples]
    if not any(gold for _, gold in given):
        raise InputError(
            f"nobody wrote down or marked what is wrong with the responses of {dataset}; "
            "ragtruth, faithbench and defacto have such gold inconsistencies"
        )
    return [example for example, gold in given if gold is not None]


def make_cases(judgements: Iterable[Judgement], matcher: Matcher) -> list[Case]:
    """The cases of examples with known errors, matched many at a time."""
    return background().run(match_cases(list(judgements), matcher))


async def match_cases(judgements: Sequence[Judgement], matcher: Matcher) -> list[Case]:
    """The same from inside a running event loop."""
    async with held_open(matcher):
        return await together(_case(judgement, matcher) for judgement in judgements)


async def _case(judgement: Judgement, matcher: Matcher) -> Case:
    gold = gold_inconsistencies(judgement.example) or ()
    found = localized(judgement)
    if isinstance(found, Failure):
        return Case(judgement, gold, failure=found)
    matches = await matcher.match(gold, found, judgement.example)
    if isinstance(matches, Failure):
        return Case(judgement, gold, found, failure=matches, failed_matcher=True)
    return Case(judgement, gold, found, matches)
