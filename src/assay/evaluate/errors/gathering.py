"""The errors of a judge on some examples with gold: what it missed, and what it invented."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assay.core.examples import Example, Judgement
from assay.core.spans import Span
from assay.core.units import Unit
from assay.core.verdicts import Failure, Outcome
from assay.detectors.protocol import Detector
from assay.evaluate.errors.items import ErrorItem, identified
from assay.evaluate.errors.levels import Level
from assay.evaluate.gold import GoldUnit
from assay.evaluate.items import Item, Reading, find_items
from assay.evaluate.judged import Judged, says_faithful
from assay.evaluate.localization.cases import Case, known_examples, make_cases
from assay.evaluate.localization.gold import gold_inconsistencies
from assay.evaluate.localization.hearing import Tick, hear_detector
from assay.evaluate.localization.inconsistencies import Inconsistency, made_description
from assay.evaluate.localization.matching import Matcher
from assay.evaluate.predictions import Predictions, run_predictions

_UNEXPLAINED = "The response is not faithful to the source; nobody wrote down what is wrong."
_WHOLE = "The judge calls the response as a whole unfaithful."


@dataclass(frozen=True, slots=True)
class Gathered:
    """The errors, and what could not be looked at; `units` counts what was judged."""

    judge: str
    level: Level
    units: int
    items: tuple[ErrorItem, ...]
    failures: Counter[str] = field(default_factory=Counter)
    matcher_failures: Counter[str] = field(default_factory=Counter)
    cases: tuple[Case, ...] = ()
    judgements: tuple[Judgement, ...] = ()  # of judges that describe nothing

    @property
    def unchecked(self) -> int:
        """Parts of responses without a verdict; an error in one of them counts as missed."""
        return sum(case.unchecked for case in self.cases)


def gather_described(
    name: str,
    detector: Detector,
    dataset: tuple[str, Sequence[Example]],
    matcher: Matcher,
    tick: Tick = lambda _: None,
) -> Gathered:
    """The errors of a judge that says what is wrong, on examples of which people did as well."""
    heard = hear_detector(name, detector, known_examples(*dataset), tick)
    cases = tuple(make_cases(heard.judgements, matcher))
    failed = [case for case in cases if case.failure]
    return Gathered(
        name,
        "error",
        len(cases),
        tuple(identified(item for case in cases for item in _of_case(case))),
        Counter(c.failure.reason for c in failed if c.failure and not c.failed_matcher),
        Counter(c.failure.reason for c in failed if c.failure and c.failed_matcher),
        cases,
    )


def gather_labelled(
    name: str, detector: Detector, examples: Sequence[Example], level: Level
) -> Gathered:
    """The errors of a judge of sentences or responses: its labels against the gold labels.

    Where nobody said which sentences are unfaithful, its verdicts on responses count.
    """
    items = _items(examples, "sentence") if level == "sentence" else []
    if not any(item.faithful is False for item in items):
        whole = _items(examples, "response")
        if not items or any(item.faithful is False for item in whole):
            level, items = "response", whole
    said = run_predictions(examples, detector, items)
    judged = [Judged(item, said.on(item), says_faithful(said.on(item))) for item in items]
    by_id = {example.id: example for example in examples}
    errors = (_of_label(each, by_id[each.item.example]) for each in judged if each.is_error)
    return Gathered(
        name,
        level,
        len(items),
        tuple(identified(errors)),
        _failures(said, items),
        judgements=_judgements(said, by_id),
    )


def _items(examples: Sequence[Example], unit: GoldUnit) -> list[Item]:
    return [each for each in find_items(examples, Reading(unit)) if each.faithful is not None]


def _of_case(case: Case) -> Iterator[ErrorItem]:
    for error in case.missed:
        yield ErrorItem("missed", case.example, error.unit, error.category)
    for error in case.unmatched:
        yield ErrorItem("invented", case.example, error.unit)


def _of_label(judged: Judged, example: Example) -> ErrorItem:
    unit, spans = judged.item.unit, judged.item.unit.spans
    is_whole = unit.kind == "response"
    if judged.item.faithful:
        note = "" if isinstance(judged.outcome, Failure) else judged.outcome.note
        description = _WHOLE if is_whole else made_description(unit.text)
        return ErrorItem("invented", example, _unit(description, spans, is_whole), said=note)
    errors = _errors_at(example, spans)
    words = " ".join(error.description for error in errors)
    words = words or (_UNEXPLAINED if is_whole else made_description(unit.text))
    given = errors[0].category if len(errors) == 1 else None
    return ErrorItem("missed", example, _unit(words, spans, is_whole), given)


def _unit(description: str, spans: tuple[Span, ...], is_whole: bool) -> Unit:
    """An error of a sentence lies in it; one of a response has no place."""
    return Unit("inconsistency", description, () if is_whole else spans)


def _errors_at(example: Example, spans: Sequence[Span]) -> list[Inconsistency]:
    """The gold errors that touch some words; those without a place touch only the whole."""
    is_whole = any(span.text == example.response.text for span in spans)
    return [
        error
        for error in gold_inconsistencies(example) or ()
        if is_whole or any(a.overlaps(b) for a in error.unit.spans for b in spans)
    ]


def _judgements(said: Predictions, examples: Mapping[str, Example]) -> tuple[Judgement, ...]:
    """All that was said, so that nobody is asked twice."""
    outcomes: dict[str, list[Outcome]] = {}
    for (example, *_), outcome in said.outcomes.items():
        outcomes.setdefault(example, []).append(outcome)
    return tuple(Judgement(examples[key], tuple(all_), 0) for key, all_ in outcomes.items())


def _failures(said: Predictions, items: Sequence[Item]) -> Counter[str]:
    outcomes = (said.on(item) for item in items)
    return Counter(each.reason for each in outcomes if isinstance(each, Failure))
