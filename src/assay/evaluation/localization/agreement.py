"""The quality of a matcher, on the errors that two annotators of one response wrote down.

What both marked is the same error, and what only one marked has no match. The matcher is not shown
where the second annotator's errors are, so that it must go by their words.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.units import Unit
from assay.core.verdicts import Failure
from assay.detectors.protocol import ask_each
from assay.evaluation.localization.gold import said_by_people
from assay.evaluation.localization.inconsistencies import Inconsistency, shared_characters
from assay.evaluation.localization.matching import Matcher, Matches, matching_agreement
from assay.evaluation.localization.measures import RATES
from assay.metrics import Estimate, Hits, add_hits, estimate_from_tables, hit_tables


@dataclass(frozen=True, slots=True)
class Round:
    """The errors of one annotator as gold, those of another as predictions, and who matches."""

    example: Example
    gold: tuple[Inconsistency, ...]
    predicted: tuple[Inconsistency, ...]
    matches: Matches


@dataclass(frozen=True, slots=True)
class Agreement:
    """Precision and recall of the matching itself; n counts rounds, resampled by source."""

    matcher: str
    rounds: int
    hits: Hits
    figures: dict[str, Estimate]
    failures: Counter[str]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "rounds": self.rounds,
            "hits": asdict(self.hits),
            "figures": {name: asdict(each) for name, each in self.figures.items()},
            "failures": dict(self.failures),
        }


async def measure_on_annotators(
    dataset: str, corpus: Sequence[Annotated], matcher: Matcher
) -> dict[str, Agreement]:
    """A matcher on both halves of a corpus, going by words only, and by the place of gold as well.

    The thresholds of the offline matcher are fitted on the first half, `development`.
    """
    parts: dict[str, Agreement] = {}
    for half, wanted in (("development", True), ("held out", False)):
        some = [each for each in corpus if is_development(each.example) is wanted]
        for placed, how in ((False, "words only"), (True, "words, gold also by place")):
            rounds = list(annotator_rounds(some, placed_gold=placed))
            parts[f"{half}, {how}"] = await measure_matcher(matcher, rounds)
    if not any(part.rounds for part in parts.values()):
        raise InputError(
            f"{dataset} has no response with notes of two annotators; faithbench does",
            field="dataset",
        )
    return parts


def annotator_rounds(corpus: Iterable[Annotated], *, placed_gold: bool = True) -> Iterator[Round]:
    """A round for each ordered pair of annotators of a response who both wrote notes.

    A note is matched with the one with which it shares most of its words, if it shares any.
    Of the predictions only the words are kept, and of the gold, unless it is `placed_gold`, too.
    """
    for annotated in corpus:
        for first, second in permutations(_notes(annotated).values(), 2):
            shared = ([shared_characters(unit, other) for other in first] for unit in second)
            matches = tuple(each.index(max(each)) if any(each) else None for each in shared)
            gold = tuple(map(Inconsistency, first if placed_gold else map(_unplaced, first)))
            predicted = tuple(map(Inconsistency, map(_unplaced, second)))
            yield Round(annotated.example, gold, predicted, matches)


def is_development(example: Example) -> bool:
    """True if an example lies in the half of the sources on which thresholds are fitted."""
    key = example.source.id or example.source.text
    return hashlib.sha256(key.encode(errors="surrogatepass")).digest()[-1] % 2 == 0


async def measure_matcher(matcher: Matcher, rounds: Sequence[Round]) -> Agreement:
    """The agreement of a matcher with the matches of some rounds; failed ones are counted apart."""

    async def match(each: Round) -> Matches | Failure:
        return await matcher.match(each.gold, each.predicted, each.example)

    answers = await ask_each(rounds, match, matcher.concurrency)
    pairs = list(zip(rounds, answers, strict=True))
    told = [(each, said) for each, said in pairs if not isinstance(said, Failure)]
    hits = [matching_agreement([(each.matches, said)]) for each, said in told]
    groups = [each.example.source.id or each.example.id for each, _ in told]
    tables = hit_tables(hits, groups=groups)
    return Agreement(
        matcher.name,
        len(rounds),
        add_hits(hits),
        {name: estimate_from_tables(rate, tables) for name, rate in RATES.items()},
        Counter(said.reason for _, said in pairs if isinstance(said, Failure)),
    )


def _unplaced(unit: Unit) -> Unit:
    return replace(unit, spans=())


def _notes(annotated: Annotated) -> dict[str, list[Unit]]:
    """The described marks of each annotator."""
    found: dict[str, list[Unit]] = {}
    for said in said_by_people(annotated):
        unit = said.unit
        if not said.is_corpus and unit.kind == "span" and unit.spans and said.explanation:
            described = Unit(unit.id, "inconsistency", said.explanation, unit.spans)
            found.setdefault(said.author, []).append(described)
    return found
