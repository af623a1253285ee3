"""A matcher held against the matches of annotators, in figures."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.verdicts import Failure
from assay.detectors.judges.judging import together
from assay.evaluate.localization.annotators import Round
from assay.evaluate.localization.llm_matcher import held_open
from assay.evaluate.localization.matching import Matcher, Matches, matching_agreement
from assay.evaluate.localization.measuring import RATES
from assay.llm.background import background
from assay.metrics import Estimate, Hits, Resampling, add_hits, estimate_from_tables, hit_tables


@dataclass(frozen=True, slots=True)
class Agreement:
    """Precision and recall of the matching itself; n counts rounds, resampled by source."""

    matcher: str
    rounds: int
    hits: Hits
    figures: dict[str, Estimate]
    failures: Counter[str]


def measure_matcher(
    matcher: Matcher, rounds: Sequence[Round], resampling: Resampling | None = None
) -> Agreement:
    """How well a matcher finds the matches of some rounds; failed ones are counted apart."""
    answers = background().run(_match_all(matcher, rounds))
    pairs = list(zip(rounds, answers, strict=True))
    told = [(each, said) for each, said in pairs if not isinstance(said, Failure)]
    hits = [matching_agreement([(each.matches, said)]) for each, said in told]
    groups = [each.example.source.id or each.example.id for each, _ in told]
    tables = hit_tables(hits, groups=groups)
    how = resampling or Resampling()
    return Agreement(
        matcher.name,
        len(rounds),
        add_hits(hits),
        {name: estimate_from_tables(rate, tables, resampling=how) for name, rate in RATES.items()},
        Counter(said.reason for _, said in pairs if isinstance(said, Failure)),
    )


async def _match_all(matcher: Matcher, rounds: Sequence[Round]) -> list[Matches | Failure]:
    async with held_open(matcher):
        return await together(
            matcher.match(each.gold, each.predicted, each.example) for each in rounds
        )
