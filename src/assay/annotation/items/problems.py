"""Problems that keep a draft from being submitted: missing or contradictory answers, evidence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.annotation.items.drafts import answers_of, label_of, labels_of, places_of, read_label
from assay.annotation.items.validation import is_web_address
from assay.annotation.settings import ProjectSettings
from assay.core.consistency import Cited, contradictions
from assay.core.decision import Answers, Question, decide
from assay.core.errors import UndecidedError
from assay.core.labels import Label
from assay.core.units import RESPONSE
from assay.core.wire import UnitRecord, VerdictRecord
from assay.datasets.corpora.faithbench_marks import class_of

Missing = Literal[
    "label", "answer", "meaning", "source", "external", "reason", "sentence", "parent"
]
_NEED_A_REASON = ("unwanted", "questionable")


@dataclass(frozen=True, slots=True)
class DraftProblem:
    """A reason not to submit a unit yet: answers that do not fit, or something `missing`."""

    questions: tuple[Question, ...]
    message: str
    missing: Missing | None = None


Problems = dict[str, tuple[DraftProblem, ...]]  # by the ids of units


def problems(
    units: Sequence[UnitRecord],
    settings: ProjectSettings,
    begun: Sequence[UnitRecord],
    response: str,
) -> Problems:
    """All that keeps a draft from being submitted; what concerns no unit is under `response`.

    `begun` are the units that the work began with: their words stay in some sentence.
    """
    found = problems_of(units, units)
    whole = tuple(_lost_words(units, begun, response)) if settings.has_sentences else ()
    return {id: each for id, each in {RESPONSE: whole, **found}.items() if each}


def problems_of(chosen: Iterable[UnitRecord], draft: Sequence[UnitRecord]) -> Problems:
    """The problems of some units of a draft, with an empty entry where there is none."""
    by_id = {unit.id: unit for unit in draft}
    return {
        unit.id: tuple(_of_sentence(unit) if unit.kind == "sentence" else _of_span(unit, by_id))
        for unit in chosen
    }


def _of_sentence(unit: UnitRecord) -> Iterator[DraftProblem]:
    verdict, label = unit.verdict, label_of(unit)
    if verdict is None or label is None:
        yield DraftProblem((), "it has no label yet", "label")
        return
    answers = answers_of(verdict)
    for each in contradictions(answers, label, cited=_cited(verdict), strict=True):
        yield DraftProblem(each.questions, each.message, each.missing)
    yield from _of_readings(verdict, answers)


def _cited(verdict: VerdictRecord) -> Cited:
    looked = bool(verdict.attributes and verdict.attributes.nothing_found)
    return Cited(
        source=bool(verdict.evidence) or looked,
        external=any(is_web_address(each.address) for each in verdict.external),
        reason=bool(verdict.note.strip()),
    )


def _of_readings(verdict: VerdictRecord, answers: Answers) -> Iterator[DraftProblem]:
    """Problems of readings beyond their answers: missing words, and labels that do not follow."""
    asked: tuple[Question, ...] = ("several_readings",)
    if any(not each.meaning.strip() for each in answers.senses):
        yield DraftProblem(asked, "each reading needs its meaning in words", "meaning")
    if answers.several_readings and len(answers.senses) < 2:
        yield DraftProblem(
            asked, "it is said to have several readings: list at least two", "meaning"
        )
    chosen = [read_label(each.label, "sentence") for each in verdict.interpretations]
    for label, reading in zip(chosen, answers.senses, strict=False):
        led_to = _label_of(reading.answers)
        if led_to is not None and led_to != label:
            message = f"in the reading '{reading.meaning}', the answers lead to {led_to}, "
            yield DraftProblem(asked, f"{message}not {label}")


def _label_of(answers: Answers) -> Label | None:
    try:
        return decide(answers).label
    except UndecidedError:
        return None


def _of_span(unit: UnitRecord, draft: dict[str, UnitRecord]) -> Iterator[DraftProblem]:
    verdict, labels = unit.verdict, labels_of(unit)
    if verdict is None or not labels:
        yield DraftProblem((), "it has no label yet", "label")
        return
    serious = next((each for each in labels if class_of(each) in _NEED_A_REASON), None)
    if serious and not (verdict.note.strip() or verdict.evidence or verdict.external):
        yield DraftProblem((), f"{serious} needs a note or a link that says why", "reason")
    if unit.parent and not _is_inside(unit, draft.get(unit.parent)):
        message = f"it is not a part of '{unit.parent}', which it is nested in"
        yield DraftProblem((), message, "parent")


def _is_inside(unit: UnitRecord, parent: UnitRecord | None) -> bool:
    return parent is not None and all(
        any(first <= start and end <= last for first, last in places_of(parent))
        for start, end in places_of(unit)
    )


def _lost_words(
    units: Sequence[UnitRecord], begun: Sequence[UnitRecord], response: str
) -> Iterator[DraftProblem]:
    """The first words that were in a sentence when the work began, and are in none now."""
    places = {place for unit in units if unit.kind == "sentence" for place in places_of(unit)}
    moved = [place for unit in begun for place in places_of(unit) if place not in places]
    if not moved:
        return
    covered = bytearray(len(response))
    for start, end in places:
        covered[start:end] = bytes([1]) * (end - start)
    for start, end in moved:
        for at in range(start, end):
            if not covered[at] and not response[at].isspace():
                stop = covered.find(1, at, end)
                words = response[at : stop if stop >= 0 else end].strip()
                quoted = words if len(words) <= 60 else words[:60] + "…"
                yield DraftProblem((), f"'{quoted}' is in no sentence", "sentence")
                return
