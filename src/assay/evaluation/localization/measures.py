"""Precision, recall and F1 of a localizer, with intervals by source; and of two, compared.

Errors count by the matching of those described, and words without any: at character level, the
characters of the responses that are marked, added up over all of them; at example level, a response
counts as marked if any of its characters is, as RAGTruth and LettuceDetect count.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement, Judgements
from assay.core.texts import Span
from assay.core.verdicts import Failure
from assay.evaluation.localization.gold import STRICT, gold_inconsistencies
from assay.evaluation.localization.inconsistencies import predicted_inconsistencies
from assay.evaluation.localization.matching import Case, count_failures
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.references import align
from assay.metrics import (
    Comparison,
    Estimate,
    Hits,
    Resampling,
    add_hits,
    character_hits,
    compare_tables,
    estimate_from_tables,
    example_hits,
    hit_tables,
    paired_hit_tables,
    rates,
)

RATES = {"precision": rates.hit_precision, "recall": rates.hit_recall, "F1": rates.hit_f1}


@dataclass(frozen=True, slots=True)
class Localization:
    """Figures of what a detector says is wrong; each estimate counts the examples behind it.

    `by_kind` is the recall of each kind of gold error, by what its annotators call it and by its
    final4 category where that is known; `by_category` the precision of each predicted category.
    """

    detector: str
    matcher: str
    cases: tuple[Case, ...]
    hits: Hits
    figures: dict[str, Estimate]
    by_kind: dict[str, Estimate] = field(default_factory=dict)
    by_category: dict[str, Estimate] = field(default_factory=dict)

    @property
    def failures(self) -> Counter[str]:
        """The reasons why examples have no list of inconsistencies that could be measured."""
        return count_failures(self.cases)[0]

    @property
    def matcher_failures(self) -> Counter[str]:
        """The reasons why lists could not be matched; these examples are not measured, either."""
        return count_failures(self.cases)[1]

    @property
    def coverage(self) -> float | None:
        """The share of the examples that is measured."""
        measured = sum(case.matches is not None for case in self.cases)
        return measured / len(self.cases) if self.cases else None

    @property
    def unchecked(self) -> int:
        """Facts and sentences without a verdict in examples that are measured all the same."""
        return sum(case.unchecked for case in self.cases)

    @property
    def is_complete(self) -> bool:
        """True if all examples are measured, with all their parts."""
        return not (any(case.failure for case in self.cases) or self.unchecked)

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain JSON values; the examples themselves are left out."""
        return {
            "detector": self.detector,
            "matcher": self.matcher,
            "examples": len(self.cases),
            "coverage": self.coverage,
            "failures": dict(self.failures),
            "matcher_failures": dict(self.matcher_failures),
            "unchecked": self.unchecked,
            "hits": asdict(self.hits),
            "figures": {name: asdict(each) for name, each in self.figures.items()},
            "recall_by_kind": {name: asdict(each) for name, each in self.by_kind.items()},
            "precision_by_category": {
                name: asdict(each) for name, each in self.by_category.items()
            },
        }


def measure(
    detector: str, matcher: str, cases: Sequence[Case], resampling: Resampling | None = None
) -> Localization:
    """The figures of one detector over all cases, errors added up before they are divided."""
    how = resampling or Resampling()
    measured = [case for case in cases if case.matches is not None]
    hits = [case.hits for case in measured if case.hits]
    if not _could_match(cases):
        nothing = {name: Estimate(None, len(measured)) for name in RATES}
        return Localization(detector, matcher, tuple(cases), add_hits(hits), nothing)
    tables = hit_tables(hits, groups=groups_of(measured))
    return Localization(
        detector,
        matcher,
        tuple(cases),
        add_hits(hits),
        {name: estimate_from_tables(rate, tables, resampling=how) for name, rate in RATES.items()},
        _shares(measured, _gold_kinds, how),
        _shares(measured, _predicted_categories, how),
    )


def compare_f1(first: Localization, second: Localization, resampling: Resampling) -> Comparison:
    """The F1 of two localizers on the examples that both are measured on, and the difference."""
    pairs = zip(first.cases, second.cases, strict=True)
    is_measured = all(each.figures["F1"].value is not None for each in (first, second))
    both = [pair for pair in pairs if is_measured and all(case.hits for case in pair)]
    groups = groups_of([one for one, _ in both])
    hits = ([hits for pair in both if (hits := pair[side].hits)] for side in (0, 1))
    paired = paired_hit_tables(*hits, groups=groups)
    return compare_tables(rates.hit_f1, paired, resampling=resampling)


def _could_match(cases: Sequence[Case]) -> bool:
    """False if the matcher failed wherever there was something to match.

    What is left then has no gold errors or no predictions: figures of it are 0 whatever was found.
    """
    asked = [case for case in cases if case.gold and case.predicted]
    return not asked or any(case.matches is not None for case in asked)


def groups_of(cases: Sequence[Case]) -> list[str]:
    """The groups that are resampled together: the examples of one source."""
    return [case.example.source.id or case.example.id for case in cases]


Named = Iterable[tuple[str, bool]]  # kinds, and whether each was found or was right


def _gold_kinds(case: Case) -> Named:
    found = set(case.matches or ())
    for place, error in enumerate(case.gold):
        category = error.category.name if error.category else ""
        for name in dict.fromkeys(filter(None, (error.kind, category))):
            yield name, place in found


def _predicted_categories(case: Case) -> Named:
    seen: set[int | None] = {None}
    for prediction, match in zip(case.predicted, case.matches or (), strict=True):
        if prediction.category:
            yield prediction.category.name, match not in seen  # a repetition finds nothing
        seen.add(match)


def _shares(
    cases: Sequence[Case], named: Callable[[Case], Named], resampling: Resampling
) -> dict[str, Estimate]:
    """The share that is found, or right, of each kind; n counts what is of this kind."""
    pairs = zip(groups_of(cases), cases, strict=True)
    said = [(group, *each) for group, case in pairs for each in named(case)]
    shares = {}
    for name in sorted({kind for _, kind, _ in said}):
        of_kind = [(group, is_hit) for group, kind, is_hit in said if kind == name]
        hits = [Hits(int(is_hit), 1, 1) for _, is_hit in of_kind]
        tables = hit_tables(hits, groups=np.array([group for group, _ in of_kind], dtype=np.str_))
        shares[name] = estimate_from_tables(rates.hit_recall, tables, resampling=resampling)
    return shares


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
