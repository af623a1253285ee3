"""The errors of a detector on examples with gold: what it missed, and what it invented."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgements
from assay.core.labels import Label, Taxonomy
from assay.core.taxonomies import FALSEALARM5, FINAL4, RECHECK3
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import Failure
from assay.datasets.selection import choose
from assay.detectors.protocol import Progress, no_progress
from assay.detectors.registry import DetectorSpec
from assay.evaluation.evaluate import name_of
from assay.evaluation.items import Item, Judged, find_items, find_outcomes, judge_items
from assay.evaluation.localization.gold import (
    STRICT,
    gold_inconsistencies,
    gold_policy,
    known_examples,
)
from assay.evaluation.localization.inconsistencies import (
    made_description,
    overlap,
)
from assay.evaluation.localization.matching import Case, Matcher, count_failures, match_predictions
from assay.evaluation.policy import GoldPolicy, GoldUnit

Side = Literal["missed", "invented"]
SIDES: tuple[Side, ...] = get_args(Side)
CATEGORIES: dict[Side, Taxonomy] = {"missed": FINAL4, "invented": FALSEALARM5}
# The answers about an error: why it happened, or that it is none.
MENUS: dict[Side, Taxonomy] = {
    side: Taxonomy(f"{menu.name} and {RECHECK3.name}", menu.title, (*menu.labels, *RECHECK3.labels))
    for side, menu in CATEGORIES.items()
}

Level = Literal["error", "sentence", "response"]

_UNEXPLAINED = "The response is not faithful to the source; nobody wrote down what is wrong."
_WHOLE = "The judge calls the response as a whole unfaithful."


@dataclass(frozen=True, slots=True)
class ErrorItem:
    """Something wrong that a detector missed, or something right that it called wrong.

    The text of `unit` says what is wrong, or what the detector took for wrong, and where; its id
    numbers the errors of the example. `given` is the category that the gold has for it, and `said`
    what the detector said of it. `beside` is what the other side describes: all that the detector
    reported, or all that the gold has.
    """

    side: Side
    example: Example
    unit: Unit
    given: Label | None = None
    said: str = ""
    beside: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, str]:
        """The ids of the example and of the unit, which tell it from all other errors."""
        return self.example.id, self.unit.id

    @property
    def menu(self) -> Taxonomy:
        """The answers to choose from."""
        return MENUS[self.side]

    @property
    def in_words(self) -> str:
        """The error with the words that it is about, as a model is shown it."""
        words = " ... ".join(span.text for span in self.unit.spans)
        about = f'About the words "{words}" of the response.\n' if words else ""
        said = f"\nThe judge's own words: {self.said}" if self.said else ""
        return f"{about}{self.unit.text}{said}"


@dataclass(frozen=True, slots=True)
class Gathered:
    """The errors, and what could not be looked at; `units` counts what was judged."""

    detector: str
    level: Level
    units: int
    items: tuple[ErrorItem, ...]
    failures: Counter[str] = field(default_factory=Counter)
    matcher_failures: Counter[str] = field(default_factory=Counter)
    cases: tuple[Case, ...] = ()  # of detectors that describe errors

    @property
    def unchecked(self) -> int:
        """Parts of responses without a verdict; an error in one of them counts as missed."""
        return sum(case.unchecked for case in self.cases)


def level_of(predictions: Judgements) -> Level:
    """The level at which the errors of a detector can be looked at, by what it says."""
    if describes_errors(predictions):
        return "error"
    return "sentence" if predictions.manifest.unit_kind == "sentence" else "response"


def describes_errors(predictions: Judgements) -> bool:
    """True if a detector says what is wrong: by its capabilities, or by what it said."""
    name = predictions.manifest.detector
    return (name != "" and is_localizer(name)) or any(
        unit.kind == "inconsistency" for judgement in predictions for unit in judgement.units
    )


def is_localizer(detector: str) -> bool:
    """True if the detector of that name finds and describes inconsistencies of a response."""
    try:
        can = DetectorSpec(detector).capabilities
    except UnknownNameError:
        return False
    return can.finds_units and can.unit_kind == "response"


async def gather_errors(
    dataset: str,
    corpus: Sequence[Annotated],
    predictions: Judgements,
    matcher: Matcher,
    progress: Progress = no_progress,
    *,
    reading: str = "",
) -> Gathered:
    """The errors of a detector at the level of what it says; `reading` says which labels are."""
    level, policy = level_of(predictions), gold_policy(corpus, reading)
    if level == "error":
        return await gather_described(
            dataset, corpus, predictions, matcher, progress, policy=policy
        )
    found = gather_labelled(corpus, predictions, level, reading)
    if not found.units:
        raise InputError(
            f"{dataset} has no gold labels of {level}s to compare it with", field="dataset"
        )
    return found


async def gather_described(
    dataset: str,
    corpus: Sequence[Annotated],
    predictions: Judgements,
    matcher: Matcher,
    progress: Progress = no_progress,
    *,
    policy: GoldPolicy = STRICT,
) -> Gathered:
    """The errors of a detector that says what is wrong, where people did as well."""
    known = known_examples(dataset, corpus, policy)
    cases = await match_predictions(known, predictions, matcher, progress, policy=policy)
    return Gathered(
        name_of(predictions),
        "error",
        len(cases),
        tuple(numbered(item for case in cases for item in _of_case(case))),
        *count_failures(cases),
        tuple(cases),
    )


def gather_labelled(
    corpus: Sequence[Annotated], predictions: Judgements, level: Level, reading: str = ""
) -> Gathered:
    """The errors of a detector of sentences or responses: its labels against the gold labels.

    Where nobody labelled sentences, its verdicts on responses count.
    """
    items = _items(corpus, "sentence", reading) if level == "sentence" else []
    if not items:
        level, items = "response", _items(corpus, "response", reading)
    outcomes = find_outcomes(items, corpus, predictions)
    policy = GoldPolicy("sentence" if level == "sentence" else "response", reading=reading)
    by_id = {each.id: each for each in corpus}
    errors = (
        _of_label(each, by_id[each.item.example])
        for each in judge_items(items, outcomes, policy)
        if each.is_error
    )
    return Gathered(
        name_of(predictions),
        level,
        len(items),
        tuple(numbered(errors)),
        Counter(each.reason for each in outcomes if isinstance(each, Failure)),
    )


def numbered(items: Iterable[ErrorItem]) -> list[ErrorItem]:
    """The errors, those of each example with ids in their order."""
    seen: Counter[str] = Counter()
    found = []
    for item in items:
        seen[item.example.id] += 1
        id = unit_id("inconsistency", seen[item.example.id])
        found.append(replace(item, unit=replace(item.unit, id=id)))
    return found


def choose_items(items: Sequence[ErrorItem], sample: int | None, seed: int) -> list[ErrorItem]:
    """So many of each side, in their order; the same seed chooses the same."""
    sides = ([item for item in items if item.side == side] for side in SIDES)
    chosen = {item.key for some in sides for item in choose(some, sample, seed)}
    return [item for item in items if item.key in chosen]


def _items(corpus: Sequence[Annotated], unit: GoldUnit, reading: str) -> list[Item]:
    policy = GoldPolicy(unit, reading=reading)
    return [each for each in find_items(corpus, policy) if each.faithful is not None]


def _of_case(case: Case) -> Iterator[ErrorItem]:
    for error in case.missed:
        reported = tuple(each.description for each in case.predicted)
        yield ErrorItem("missed", case.example, error.unit, error.category, beside=reported)
    for error in case.unmatched:
        known = tuple(each.description for each in case.gold)
        yield ErrorItem("invented", case.example, error.unit, beside=known)


def _of_label(judged: Judged, annotated: Annotated) -> ErrorItem:
    unit, example = judged.item.unit, annotated.example
    is_whole = unit.id == RESPONSE
    # An error of a sentence lies in it; the errors of an example are numbered later.
    error = Unit(unit.id, "inconsistency", made_description(unit.text), unit.spans)
    if is_whole:
        error = replace(error, text=_WHOLE if judged.item.faithful else _UNEXPLAINED, spans=())
    gold = gold_inconsistencies(annotated) or ()
    if judged.item.faithful:
        note = "" if isinstance(judged.outcome, Failure) else judged.outcome.note
        known = tuple(each.description for each in gold)
        return ErrorItem("invented", example, error, said=note, beside=known)
    # Gold errors without a place are only in the response as a whole.
    inside = [each for each in gold if is_whole or overlap(each.unit, unit)]
    words = " ".join(each.description for each in inside)
    given = inside[0].category if len(inside) == 1 else None
    return ErrorItem("missed", example, replace(error, text=words or error.text), given)
