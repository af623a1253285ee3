"""The details for the counterfactual test: true, and not in the source."""

import random
from collections.abc import Iterator, Mapping, Sequence

from assay.core.examples import Judgement
from assay.core.labels import Label
from assay.core.units import Unit
from assay.evaluate.errors.counterfactuals import CATEGORY, Target
from assay.evaluate.errors.explanations import Explained
from assay.evaluate.errors.finding import Finder
from assay.evaluate.localization.cases import Case
from assay.evaluate.localization.gold import gold_inconsistencies
from assay.evaluate.localization.inconsistencies import Inconsistency

Known = Mapping[tuple[str, Unit], Label | None]


def described_targets(cases: Sequence[Case], explained: Sequence[Explained]) -> list[Target]:
    """Gold errors that are true additions, by the gold itself or as missed ones were explained."""
    known: Known = {
        (each.item.example.id, each.item.unit): each.category
        for each in explained
        if each.item.side == "missed"
    }
    return [
        target for case in cases if case.matches is not None for target in _of_case(case, known)
    ]


def labelled_targets(judgements: Sequence[Judgement], finder: Finder) -> list[Target]:
    """The same for judges of sentences and responses, where only the gold tells the category."""
    asked = [
        (judgement, error, _others(gold, place))
        for judgement in judgements
        for gold in [gold_inconsistencies(judgement.example) or ()]
        for place, error in enumerate(gold)
        if _is_true(error)
    ]
    found = finder.find_all(asked)
    return [
        Target(judgement.example, error, others, each)
        for (judgement, error, others), each in zip(asked, found, strict=True)
    ]


def choose_targets(targets: Sequence[Target], sample: int | None, seed: int) -> list[Target]:
    """So many of them, in their order."""
    if sample is None or sample >= len(targets):
        return list(targets)
    places = random.Random(seed).sample(range(len(targets)), sample)
    return [targets[place] for place in sorted(places)]


def _of_case(case: Case, known: Known) -> Iterator[Target]:
    found = set(case.matches or ())
    for place, error in enumerate(case.gold):
        category = known.get((case.example.id, error.unit)) or error.category
        if category == CATEGORY:
            yield Target(case.example, error, _others(case.gold, place), place in found)


def _others(gold: Sequence[Inconsistency], place: int) -> tuple[Inconsistency, ...]:
    return tuple(error for at, error in enumerate(gold) if at != place)


def _is_true(error: Inconsistency) -> bool:
    return error.category == CATEGORY
