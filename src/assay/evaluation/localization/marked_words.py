"""Words that a detector marks compared with those that people marked, without any matching.

Character level: characters of the responses that are marked, added up over all of them. Example
level: a response counts as marked if any of its characters is, as RAGTruth and LettuceDetect count.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement, Judgements
from assay.core.texts import Span
from assay.core.verdicts import Failure
from assay.evaluation.localization.gold import STRICT, gold_inconsistencies
from assay.evaluation.localization.inconsistencies import predicted_inconsistencies
from assay.evaluation.localization.measures import RATES
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.references import align
from assay.metrics import (
    Estimate,
    Hits,
    Resampling,
    character_hits,
    estimate_from_tables,
    example_hits,
    hit_tables,
)

Ranges = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class MarkedResponse:
    """Marks of people and a detector in a response; without `predicted` it is not measured."""

    example: Example
    gold: Ranges
    predicted: Ranges | None
    reason: str = ""  # why the detector failed


@dataclass(frozen=True, slots=True)
class MarkedWords:
    """Precision, recall and F1 of marks; n counts responses, which are resampled by source.

    `is_whole` says that the detector marks no words, so that the sentences or parts count that it
    calls unfaithful. `unplaced` responses are left out: not every error of theirs has a place.
    """

    responses: int
    measured: int
    characters: dict[str, Estimate]
    examples: dict[str, Estimate]
    failures: Counter[str]
    unplaced: int = 0
    is_whole: bool = False
    tasks: dict[str, "MarkedWords"] = field(default_factory=dict)

    @property
    def coverage(self) -> float | None:
        """The share of the responses that is measured."""
        return self.measured / self.responses if self.responses else None

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain JSON values."""
        return {
            "responses": self.responses,
            "coverage": self.coverage,
            "failures": dict(self.failures),
            "left_out": self.unplaced,
            "whole_units": self.is_whole,
            "characters": {name: asdict(each) for name, each in self.characters.items()},
            "examples": {name: asdict(each) for name, each in self.examples.items()},
            "tasks": {name: each.to_dict() for name, each in self.tasks.items()},
        }


def measure_marks(
    corpus: Sequence[Annotated],
    predictions: Judgements,
    policy: GoldPolicy = STRICT,
    resampling: Resampling | None = None,
) -> MarkedWords | None:
    """The marks of a detector against those of people; None where people marked no places."""
    whole = (replace(each.example, units=()) for each in corpus)
    pairs = list(zip(corpus, align(predictions, whole), strict=True))
    is_whole = not predictions.marks_words
    placed = [
        _response(annotated.example, gold, judgement, is_whole)
        for annotated, judgement in pairs
        if (gold := _gold(annotated, policy)) is not None
    ]
    if not any(each.gold for each in placed):
        return None
    how = resampling or Resampling()
    tasks = sorted({each.example.task for each in placed})
    parts = {
        task: _measure([each for each in placed if each.example.task == task], is_whole, how)
        for task in (tasks if len(tasks) > 1 else ())
    }
    found = _measure(placed, is_whole, how)
    return replace(found, unplaced=len(pairs) - len(placed), tasks=parts)


def _measure(responses: Sequence[MarkedResponse], is_whole: bool, how: Resampling) -> MarkedWords:
    measured = [each for each in responses if each.predicted is not None]
    return MarkedWords(
        len(responses),
        len(measured),
        _rates(measured, character_hits, how),
        _rates(measured, example_hits, how),
        Counter(each.reason for each in responses if each.predicted is None),
        is_whole=is_whole,
    )


def _rates(
    responses: Sequence[MarkedResponse],
    count: Callable[[Ranges, Ranges], Hits],
    how: Resampling,
) -> dict[str, Estimate]:
    hits = [count(each.predicted or (), each.gold) for each in responses]
    groups = [each.example.source.id or each.example.id for each in responses]
    tables = hit_tables(hits, groups=groups)
    return {
        name: estimate_from_tables(rate, tables, resampling=how) for name, rate in RATES.items()
    }


def _gold(annotated: Annotated, policy: GoldPolicy) -> Ranges | None:
    """The ranges that people marked; None where an error has no place, or nobody knows of any."""
    errors = gold_inconsistencies(annotated, policy)
    if errors is None or not all(each.unit.spans for each in errors):
        return None
    spans = (span for each in errors for unit in each.accounts for span in unit.spans)
    return tuple((span.start, span.end) for span in spans)


def _response(
    example: Example, gold: Ranges, judgement: Judgement, is_whole: bool
) -> MarkedResponse:
    found = predicted_inconsistencies(judgement)
    if isinstance(found, Failure):
        return MarkedResponse(example, gold, None, found.reason)
    units = (each.unit.spans for each in found)
    spans = units if is_whole else (verdict.marks for verdict in judgement.verdicts)
    return MarkedResponse(example, gold, tuple(_ranges(span for some in spans for span in some)))


def _ranges(spans: Iterable[Span]) -> Iterator[tuple[int, int]]:
    return ((span.start, span.end) for span in spans if span.side == "response")
