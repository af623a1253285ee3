"""Which gold error each predicted inconsistency describes, and how far two matchings agree."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from assay.core.examples import Example
from assay.core.verdicts import Failure
from assay.evaluate.localization.inconsistencies import Inconsistency
from assay.metrics import Hits

# For each prediction the place of at most one gold error, or None.
Matches = tuple[int | None, ...]


class Matcher(Protocol):
    """Matches predicted inconsistencies with gold ones; several may describe the same error."""

    @property
    def name(self) -> str: ...

    async def match(
        self,
        gold: Sequence[Inconsistency],
        predicted: Sequence[Inconsistency],
        example: Example,
    ) -> Matches | Failure:
        """An entry for each prediction; what cannot be told is a failure of the whole example."""
        ...


def matching_agreement(pairs: Iterable[tuple[Matches, Matches]]) -> Hits:
    """How well a matcher finds the matches of people, from (people's, matcher's) matchings.

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
