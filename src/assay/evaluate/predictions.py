"""What a detector said of the items of a corpus: recorded in the corpus, or heard now."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.checking.usage import meters_of, total_cost
from assay.core.errors import InputError
from assay.core.examples import Example, without_parts
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome
from assay.detectors.fold import Rule, fold_outcomes
from assay.detectors.protocol import Detector
from assay.evaluate.items import Item

Key = tuple[str, str, int | None, int | None, str]


@dataclass(frozen=True, slots=True)
class Predictions:
    """Outcomes by example and unit, and what they took."""

    detector: str
    outcomes: Mapping[Key, Outcome]
    seconds: float | None = None
    cost: float | None = None

    def on(self, item: Item) -> Outcome:
        """What was said of an item; nothing said is a `missing` failure."""
        found = self.outcomes.get(key_of(item.example, item.unit))
        return found or Failure(item.unit, "missing", f"{self.detector} says nothing of it")


def key_of(example: str, unit: Unit) -> Key:
    """How a unit of an example is found again: by its place, a claim also by its wording."""
    if unit.kind == "response":
        return (example, "response", None, None, "")
    wording = unit.text if unit.kind in ("claim", "relation") else ""
    return (example, unit.kind, unit.start, unit.end, wording)


def recorded_judges(examples: Iterable[Example]) -> list[str]:
    """The detectors whose outcomes a corpus carries, in the order they are met."""
    return list(dict.fromkeys(each.judge for example in examples for each in example.recorded))


def recorded_predictions(
    examples: Iterable[Example], judge: str, items: Sequence[Item], rule: Rule = "worst"
) -> Predictions:
    """What one detector said when the corpus was made."""
    outcomes = {
        key_of(example.id, outcome.unit): outcome
        for example in examples
        for outcome in example.recorded
        if outcome.judge == judge
    }
    return Predictions(judge, _folded(outcomes, items, rule))


def run_predictions(
    examples: Iterable[Example], detector: Detector, items: Sequence[Item], rule: Rule = "worst"
) -> Predictions:
    """Runs a detector on the examples that have items, and on exactly their units."""
    units: dict[str, list[Unit]] = {}
    for item in items:
        units.setdefault(item.example, []).append(item.unit)
    began = time.perf_counter()
    outcomes: dict[Key, Outcome] = {}
    wanted = (
        replace(example, units=_units(detector, units[example.id]))
        for example in examples
        if example.id in units
    )
    for judgement in detector.detect(wanted):
        for outcome in judgement.outcomes:
            outcomes[key_of(judgement.example.id, outcome.unit)] = outcome
    seconds = time.perf_counter() - began
    cost = total_cost(meters_of(detector))
    return Predictions(detector.name, _folded(outcomes, items, rule), seconds, cost)


def refuse_repeated(name: str, ids: Iterable[str]) -> None:
    """Raises if an example appears twice, since its verdicts could not be told apart."""
    twice = [key for key, count in Counter(ids).items() if count > 1]
    if twice:
        raise InputError(f"{name}: {len(twice):,} ids appear twice, the first is '{twice[0]}'")


def _units(detector: Detector, wanted: list[Unit]) -> tuple[Unit, ...]:
    """The wanted units, if the detector judges their kind; otherwise it finds its own."""
    return tuple(unit for unit in wanted if unit.kind == detector.unit_kind)


def _folded(
    outcomes: dict[Key, Outcome], items: Sequence[Item], rule: Rule
) -> Mapping[Key, Outcome]:
    """The outcomes, with those of smaller units folded where only these were judged."""
    parts: dict[str, list[Outcome]] = {}
    for key, outcome in outcomes.items():
        if outcome.unit.kind != "response":
            parts.setdefault(key[0], []).append(outcome)
    folded = dict(outcomes)
    for item in items:
        key = key_of(item.example, item.unit)
        if key not in folded:
            inside = [each for each in parts.get(item.example, ()) if _is_part(each, item)]
            if inside:
                folded[key] = _fold(item, without_parts(inside), rule)
    return folded


def _fold(item: Item, parts: Sequence[Outcome], rule: Rule) -> Outcome:
    """The verdict on the whole; what the sentences leave out counts as a sentence that failed."""
    rest = Failure(replace(item.unit, kind="sentence"), "missing", "not judged")
    left = [rest] if _leaves_out(item.unit, parts) else []
    return fold_outcomes(item.unit, [*parts, *left], rule)


def _leaves_out(unit: Unit, parts: Sequence[Outcome]) -> bool:
    """Whether sentences leave out letters or digits of the whole; claims have no such duty."""
    if not unit.spans or any(part.unit.kind != "sentence" for part in parts):
        return False
    text = list(unit.text)
    for span in (span for part in parts for span in part.unit.spans):
        text[span.start : span.end] = " " * (span.end - span.start)
    return any(character.isalnum() for character in text)


def _is_part(outcome: Outcome, item: Item) -> bool:
    """Whether a unit belongs to an item: any to its response, claims to the sentence they touch."""
    if item.unit.kind == "response":
        return True
    return outcome.unit.kind == "claim" and any(
        a.overlaps(b) for a in outcome.unit.spans for b in item.unit.spans
    )


def refuse_unknown(name: str, ids: Iterable[str], examples: Iterable[Example]) -> None:
    """Raises if predictions name examples that the corpus does not have."""
    known = {example.id for example in examples}
    unknown = [each for each in ids if each not in known]
    if unknown:
        raise InputError(
            f"{name}: {len(unknown):,} examples are not in the corpus, first '{unknown[0]}'"
        )
