"""The items of an evaluation: units with a gold label, and what a detector said of them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.folding import Rule, fold_outcomes
from assay.core.judgements import Finding, Judgement, Judgements
from assay.core.labels import Label
from assay.core.pooling import BY_CORPUS, GoldBasis, Voices
from assay.core.readings import reading
from assay.core.units import RESPONSE, Unit, UnitKind
from assay.core.verdicts import Failure, Outcome
from assay.evaluation.gold import find_gold, gold_labels
from assay.evaluation.policy import GoldPolicy, GoldUnit, Invalid, Threshold, says_faithful
from assay.evaluation.references import align
from assay.text.sentences import response_unit


@dataclass(frozen=True, slots=True)
class Item:
    """A unit with its gold label; `faithful` is None where the reading leaves the label out."""

    example: str
    group: str
    model: str
    unit: Unit
    gold: Label
    faithful: bool | None
    task: str = ""
    voices: Voices = BY_CORPUS


@dataclass(frozen=True, slots=True)
class Judged:
    """An item with the outcome for it, and whether that counts as "faithful"."""

    item: Item
    outcome: Outcome
    faithful: bool | None

    @property
    def is_error(self) -> bool:
        """True if the detector has a verdict and it is wrong under the reading."""
        known = self.faithful is not None and self.item.faithful is not None
        return known and self.faithful != self.item.faithful


def find_items(annotated: Iterable[Annotated], policy: GoldPolicy) -> list[Item]:
    """The items of some examples under a policy, in order."""
    return [
        Item(
            example=each.id,
            group=each.example.source.id or each.id,
            model=each.example.response.model,
            unit=gold.unit,
            gold=gold.label,
            faithful=policy.is_faithful(gold.label),
            task=each.example.task,
            voices=gold.voices,
        )
        for each in annotated
        for gold in find_gold(each, policy.unit, policy.pool)
    ]


def require_gold(
    items: Collection[object], dataset: str, annotated: Iterable[Annotated], unit: GoldUnit
) -> None:
    """Raises if there are no items, and says so where only whole responses were labelled."""
    if items:
        return
    message = f"{dataset} has no gold labels at {unit} level"
    if unit == "sentence" and any(gold_labels(each, "response", "corpus") for each in annotated):
        raise InputError(
            f"{message}: people labelled whole responses, which says nothing of their sentences",
            field="unit",
            code="whole-responses",
        )
    raise InputError(message, field="unit")


def describe_gold(items: Sequence[Item], policy: GoldPolicy) -> str:
    """The units that count, whose labels are held to be true, and their reading, in words."""
    return policy.describe(dict.fromkeys(i.gold.taxonomy for i in items), basis_of(items, policy))


def basis_of(items: Iterable[Item], policy: GoldPolicy) -> GoldBasis:
    """The basis of the gold labels of some items."""
    return GoldBasis.of(policy.pool, (item.voices for item in items))


def examples_to_judge(
    items: Iterable[Item], annotated: Iterable[Annotated], kind: UnitKind
) -> Iterator[Example]:
    """The examples that have items, for a detector that judges units of a kind.

    Each names its items where they are of that kind; otherwise the detector finds its own units,
    and these are folded.
    """
    units: dict[str, list[Unit]] = {}
    for item in items:
        units.setdefault(item.example, []).append(item.unit)
    for each in annotated:
        if each.id in units:
            named = tuple(unit for unit in units[each.id] if unit.kind == kind)
            yield replace(each.example, units=named)


def find_outcomes(
    items: Sequence[Item],
    annotated: Iterable[Annotated],
    predictions: Judgements,
    rule: Rule = "worst",
    known: Collection[str] | None = None,
) -> list[Outcome]:
    """The outcome of each item; smaller units are folded where only they were judged.

    With `known`, the ids of the whole corpus, judgements of other examples raise.
    """
    examples = examples_to_judge(items, annotated, "sentence")
    said = {each.example: each for each in align(predictions, examples, known)}
    return [_outcome(item.unit, said[item.example], predictions.reference, rule) for item in items]


def response_outcome(example: Example, judgement: Judgement, name: str, rule: Rule) -> Outcome:
    """The outcome of a whole response; its units are folded where only they were judged."""
    if len(judgement.outcomes) == len(judgement.units) == 1:  # nearly all recorded detectors
        (unit,) = judgement.units
        if unit.id == RESPONSE and unit.text == example.response.text:
            return judgement.outcomes[0]
    return _outcome(response_unit(example), judgement, name, rule)


def judge_items(
    items: Sequence[Item],
    outcomes: Sequence[Outcome],
    policy: GoldPolicy,
    threshold: Threshold = None,
    invalid: Invalid = "apart",
) -> tuple[Judged, ...]:
    """The items with what was said of each, read as faithful or not."""
    gold = {item.gold.taxonomy for item in items}
    return tuple(
        Judged(item, outcome, _reads(outcome, policy, gold, threshold, invalid))
        for item, outcome in zip(items, outcomes, strict=True)
    )


def _reads(
    outcome: Outcome,
    policy: GoldPolicy,
    gold: Collection[str],
    threshold: Threshold,
    invalid: Invalid,
) -> bool | None:
    """The reading of an outcome; a response that a judge called invalid may count as unfaithful."""
    if isinstance(outcome, Failure) and (outcome.reason, invalid) == ("invalid", "unfaithful"):
        return False
    return says_faithful(outcome, policy, gold, threshold)


def _outcome(unit: Unit, judgement: Judgement, name: str, rule: Rule) -> Outcome:
    """The outcome of a unit itself, or else that of its parts together."""
    itself = judgement.finding(unit.id)
    parts = judgement.counted if unit.id == RESPONSE else judgement.children(unit.id)
    if _is_another(unit, judgement.by_id.get(unit.id), parts):
        return Failure(unit.id, "missing", f"{name} is about another text")
    if itself is not None:
        return itself.outcome
    if not parts:
        return Failure(unit.id, "missing", f"{name} says nothing of it")
    outcomes = [part.outcome for part in parts]
    if _leaves_out(unit, parts):
        outcomes.append(Failure(unit.id, "missing", "not judged"))
    return fold_outcomes(unit.id, outcomes, rule)


def _is_another(unit: Unit, same: Unit | None, parts: Sequence[Finding]) -> bool:
    """True if the unit of that id reads otherwise, or has parts that lie elsewhere."""
    if same is not None:
        return same.text != unit.text
    places = [part.unit.spans for part in parts if part.unit.spans]
    return bool(unit.spans) and any(
        not any(a.overlaps(b) for a in spans for b in unit.spans) for spans in places
    )


def _leaves_out(unit: Unit, parts: Sequence[Finding]) -> bool:
    """True if sentences leave out letters or digits of the whole; claims need not cover it."""
    if not unit.spans or any(part.kind != "sentence" for part in parts):
        return False
    text = list(unit.text)
    for span in (span for part in parts for span in part.unit.spans):
        text[span.start : span.end] = " " * (span.end - span.start)
    return any(character.isalnum() for character in text)


@dataclass(frozen=True, slots=True)
class Scale:
    """The way from outcomes to faithful or unfaithful: a reading, a threshold, a rule of folding.

    A label of the reading's taxonomy is read by it, another one by its coarse reading, in which
    `not-sure` is no faithful vote; a score counts as faithful from 0.5 upwards.
    """

    policy: GoldPolicy = field(default_factory=GoldPolicy)
    threshold: Threshold = None
    rule: Rule = "worst"

    def vote(self, example: Example, judgement: Judgement, name: str) -> bool | str:
        """True if a judgement calls a response faithful, or the reason why it does not say so."""
        outcome = response_outcome(example, judgement, name, self.rule)
        if isinstance(outcome, Failure):
            return outcome.reason
        named = self.policy.reading
        menus = (reading(named).origin,) if named else ()
        said = says_faithful(outcome, self.policy, menus, self.threshold)
        return "missing" if said is None else said
