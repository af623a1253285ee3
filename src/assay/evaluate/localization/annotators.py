"""How well a matcher does: the errors that two annotators of one response wrote down.

What both marked is the same error, and what only one marked has no match. The matcher is not shown
where the second annotator's errors are, so that it must go by their words.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

from assay.core.examples import Example
from assay.core.units import Unit
from assay.core.verdicts import Verdict
from assay.evaluate.localization.accounts import shared_characters
from assay.evaluate.localization.inconsistencies import Inconsistency
from assay.evaluate.localization.matching import Matches
from assay.evaluate.localization.notes import description_in


@dataclass(frozen=True, slots=True)
class Round:
    """The errors of one annotator as gold, those of another as predictions, and who matches."""

    example: Example
    gold: tuple[Inconsistency, ...]
    predicted: tuple[Inconsistency, ...]
    matches: Matches


def annotator_rounds(examples: Iterable[Example], *, placed_gold: bool = True) -> Iterator[Round]:
    """A round for each ordered pair of annotators of a response who both wrote notes.

    Of the predictions only the words are kept, and of the gold, unless it is `placed_gold`, too.
    """
    for example in examples:
        for first, second in permutations(_notes(example).values(), 2):
            matches = tuple(_best(unit, first) for unit in second)
            gold = tuple(map(Inconsistency, first if placed_gold else map(_unplaced, first)))
            predicted = tuple(map(Inconsistency, map(_unplaced, second)))
            yield Round(example, gold, predicted, matches)


def _unplaced(unit: Unit) -> Unit:
    return replace(unit, spans=())


def is_development(example: Example) -> bool:
    """Whether an example lies in the half of the sources on which thresholds are fitted."""
    key = example.source.id or example.source.text
    return hashlib.sha256(key.encode(errors="surrogatepass")).digest()[-1] % 2 == 0


def _notes(example: Example) -> dict[str, list[Unit]]:
    """The described marks of each annotator."""
    found: dict[str, list[Unit]] = {}
    for verdict in example.gold:
        unit = _unit(verdict)
        if unit:
            found.setdefault(verdict.judge, []).append(unit)
    return found


def _unit(verdict: Verdict) -> Unit | None:
    description = description_in(verdict.note)
    is_mark = verdict.judge and verdict.unit.kind == "span" and verdict.unit.spans
    return (
        Unit("inconsistency", description, verdict.unit.spans) if is_mark and description else None
    )


def _best(unit: Unit, others: Sequence[Unit]) -> int | None:
    """The place of the one with which it shares most of its words; None if it shares none."""
    shared = [shared_characters(unit, other) for other in others]
    return shared.index(max(shared)) if any(shared) else None
