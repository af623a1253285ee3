"""Whether a judge noticed one particular error, at the level at which it judges."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.examples import Judgement
from assay.core.verdicts import Failure, Outcome
from assay.detectors.judges.judging import together
from assay.evaluate.errors.levels import Level
from assay.evaluate.judged import says_faithful
from assay.evaluate.localization.inconsistencies import Inconsistency, localized
from assay.evaluate.localization.llm_matcher import held_open
from assay.evaluate.localization.matching import Matcher
from assay.llm.background import background

# What was said, the error that is looked for, and the other errors of the response.
Asked = tuple[Judgement, Inconsistency, tuple[Inconsistency, ...]]


@dataclass(frozen=True, slots=True)
class Finder:
    """Described errors are matched; of sentences and responses the label counts."""

    level: Level
    matcher: Matcher

    def find_all(self, asked: Sequence[Asked]) -> list[bool | None]:
        """Whether each error was noticed; None where that is not known."""
        return background().run(self._find_all(asked))

    async def _find_all(self, asked: Sequence[Asked]) -> list[bool | None]:
        async with held_open(self.matcher):
            return await together(self._find(*each) for each in asked)

    async def _find(
        self, judgement: Judgement, error: Inconsistency, others: tuple[Inconsistency, ...]
    ) -> bool | None:
        if self.level != "error":
            return _is_unfaithful(self._outcomes(judgement, error))
        found = localized(judgement)
        if isinstance(found, Failure):
            return None
        matches = await self.matcher.match((error, *others), found, judgement.example)
        return None if isinstance(matches, Failure) else 0 in matches

    def _outcomes(self, judgement: Judgement, error: Inconsistency) -> list[Outcome]:
        """What was said of the sentences that the error lies in, or of the response."""
        if self.level == "sentence":
            return [
                each
                for each in judgement.outcomes
                if each.unit.kind == "sentence"
                and any(a.overlaps(b) for a in each.unit.spans for b in error.unit.spans)
            ]
        whole = [each for each in judgement.outcomes if each.unit.kind == "response"]
        return whole or list(judgement.outcomes)


def _is_unfaithful(outcomes: Sequence[Outcome]) -> bool | None:
    """True if one says so; False only if all say that it is not."""
    said = [says_faithful(outcome) for outcome in outcomes]
    if False in said:
        return True
    return None if None in said or not said else False
