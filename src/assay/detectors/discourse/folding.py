"""From the claims and relations of a sentence to its label; docs/discourse.md has the rules."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import attrgetter

from assay.core.consistency import contradictions
from assay.core.decision import (
    Answers,
    Interpretation,
    Sense,
    implied_answers,
)
from assay.core.labels import Label
from assay.core.results import count_of
from assay.core.taxonomies import GRAY7
from assay.core.texts import Span
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict
from assay.detectors.discourse.aligning import shorten
from assay.detectors.discourse.parts import JudgedPart, Parts
from assay.detectors.judges.settling import open_answers

MOST_READINGS = 8  # of a sentence; beyond these, one for each label

Readings = tuple[Interpretation, ...]


def fold_readings(judged: Sequence[JudgedPart]) -> Readings:
    """Each reading of the ambiguous parts, with the label that the sentence has in that reading.

    Readings of several parts are combined. Without a part that has two readings there are none:
    what is called ambiguous without them counts by its label.
    """
    several = [part for part in judged if _has_readings(part)]
    if not several:
        return ()
    others = [part.label for part in judged if not _has_readings(part)]
    found: Readings = several[0].verdict.interpretations
    for part in several[1:]:
        found = _combined(found, part.verdict.interpretations)
    return tuple(
        Interpretation(least_faithful([*others, each.label]), each.meaning) for each in found
    )


def least_faithful(labels: Sequence[Label]) -> Label:
    """The label of a sentence whose parts have these; no-fact counts only if all are so."""
    stating = [label for label in labels if label.coarse != "no-fact"] or labels
    return min(stating, key=attrgetter("rank"))


def _has_readings(part: JudgedPart) -> bool:
    return part.is_ambiguous and len(part.verdict.interpretations) > 1


def _combined(first: Readings, second: Readings) -> Readings:
    """Every reading of one part with every reading of another."""
    found = [
        Interpretation(
            least_faithful([one.label, other.label]),
            "; ".join(filter(None, (one.meaning, other.meaning))),
        )
        for one in first
        for other in second
    ]
    if len(found) > MOST_READINGS:
        found = list({each.label: each for each in reversed(found)}.values())
    return tuple(found)


MOST_EVIDENCE = 6  # passages shown with a sentence
AMBIGUOUS, OUT_DEPENDENT = GRAY7["ambiguous"], GRAY7["out-dependent"]
# What an unsupported relation is called if the model names no kind of error.
USUAL_ERRORS = {
    "cause": "fabricated-link",
    "contrast": "fabricated-link",
    "concession": "fabricated-link",
    "condition": "fabricated-link",
    "purpose": "fabricated-link",
    "temporal": "temporal-state",
    "attribution": "scope-attachment",
    "elaboration": "scope-attachment",
    "evaluation": "semantic-reframing",
}


def fold_sentence(parts: Parts, backend: str) -> Outcome:
    """One outcome for the sentence; unless it is unfaithful, an unanswered part leaves it open."""
    id, judged = parts.sentence.id, parts.judged
    readings = fold_readings(judged)
    label = _decided(judged, readings)
    labels = [each.label for each in readings] or ([label] if label else [])
    if not labels or any(each.coarse != "unfaithful" for each in labels):
        for first in parts.unanswered:
            if first.failure:
                detail = f"the {first.kind} “{shorten(first.text)}” has no verdict: {first.note}"
                return Failure(id, first.failure.reason, detail, first.failure.raw)
        if judged and parts.unchecked:
            return Failure(id, "missing", f"a part of it was not checked: {parts.unchecked}")
    if label is None:
        return Failure(id, "missing", "; ".join(("no claim covers it", *parts.remarks)))
    return _verdict(parts, label, readings, backend)


def _decided(judged: Sequence[JudgedPart], readings: Readings) -> Label | None:
    """The label by the tree: that of all readings, or ambiguous where they differ."""
    if not judged:
        return None
    labels = {each.label for each in readings} or {least_faithful([part.label for part in judged])}
    return labels.pop() if len(labels) == 1 else AMBIGUOUS


def _verdict(parts: Parts, label: Label, readings: Readings, backend: str) -> Verdict:
    """The verdict on a sentence with this label, and the part that decides it."""
    blamed = _blamed(parts, label)
    is_bad, is_faithful = label.coarse == "unfaithful", label.coarse in ("faithful", "no-fact")
    told = "" if label == "explicitly-supported" else parts.tell(blamed)
    counted = " and ".join(count_of(parts.count(kind), kind) for kind in ("claim", "relation"))
    said = (
        "" if is_bad else f"{counted} checked.",
        told,
        f"It is {label} in every reading." if readings and label != AMBIGUOUS else "",
        *_others(parts, blamed, label),
        *parts.remarks,
    )
    confidences = [part.verdict.confidence for part in parts.stating]
    least = min((each for each in confidences if each is not None), default=None)
    return Verdict(
        parts.sentence.id,
        label,
        confidence=blamed.verdict.confidence if is_bad else least,
        note=" ".join(filter(None, said)),
        evidence=_evidence(blamed, parts),
        answers=_answers(parts, label, readings),
        interpretations=readings,
        error=None if is_faithful else _error(parts, blamed, is_bad),
        attributes=Attributes(backend=backend),
    )


def _blamed(parts: Parts, label: Label) -> JudgedPart:
    """The part that decides the label."""
    stating = parts.stating
    bad = [part for part in stating if part.is_bad]
    if bad and (label.coarse == "unfaithful" or label == AMBIGUOUS):
        return min(_suspects(parts, bad), key=attrgetter("rank"))
    return min(stating, key=attrgetter("rank"))


def _suspects(parts: Parts, bad: Sequence[JudgedPart]) -> Sequence[JudgedPart]:
    """The parts among which the one to blame is: a relation only if its claims are right.

    Before a claim that is merely wrong comes one with a discourse error, the evaluation in it, and
    a wrong link between claims that are right.
    """
    claims = [part for part in bad if part.unit.kind == "claim"]
    misled = [part for part in claims if part.verdict.error]
    judging = [
        part
        for part in bad
        if part.verdict.error and part.unit.link and part.unit.link.name == "evaluation"
    ]
    return misled or judging or parts.sound_links or claims or bad


def _error(parts: Parts, blamed: JudgedPart, is_bad: bool) -> Label | None:
    """That of the part to blame; where nothing is unfaithful, the first that was found."""
    found = (part.verdict.error for part in (blamed, *(() if is_bad else parts.stating)))
    return next(filter(None, found), None)


def _others(parts: Parts, blamed: JudgedPart, label: Label) -> Iterator[str]:
    """The parts that are told beside the one to blame: they are bad, or have an error."""
    for part in parts.stating:
        has_error = part.verdict.error and (part.unit.link is None or part in parts.sound_links)
        is_told = part.is_bad or (has_error and label.coarse != "faithful")
        if is_told and part.unit.id != blamed.unit.id:
            error = f" ({part.verdict.error})" if has_error else ""
            yield f"Also {part.label}{error}: “{shorten(part.unit.text)}”."


def _answers(parts: Parts, label: Label, readings: Readings) -> Answers | None:
    """The tree's answers that a label implies; None where they would contradict the label.

    Whether outside knowledge supports an out-dependent part is answered only if its own verdict
    does so; otherwise that question stays open, and somebody may look it up.
    """
    knows = all(map(_is_looked_up, parts.stating))
    if label == AMBIGUOUS:
        senses = tuple(Sense(each.meaning, _implied(each.label, knows)) for each in readings)
        answers = Answers(states_fact=True, several_readings=True, senses=senses)
    else:
        answers = _implied(label, knows)
    return open_answers(label) if contradictions(answers, label) else answers


def _is_looked_up(part: JudgedPart) -> bool:
    """True if outside knowledge is known to support the part, or it does not depend on any."""
    answers, readings = part.verdict.answers, part.verdict.interpretations
    if part.label == OUT_DEPENDENT:
        return bool(answers and answers.entailed_with_knowledge)
    if not part.is_ambiguous or all(each.label != OUT_DEPENDENT for each in readings):
        return True
    senses = answers.senses if answers else ()
    return any(each.answers.entailed_with_knowledge for each in senses)


def _implied(label: Label, knows: bool) -> Answers:
    answers = implied_answers(label)
    return answers if knows else replace(answers, entailed_with_knowledge=None)


def _evidence(first: JudgedPart, parts: Parts) -> tuple[Span, ...]:
    """The evidence of all parts, that of one of them first."""
    ordered = (first, *(each for each in parts.judged if each.unit.id != first.unit.id))
    spans = dict.fromkeys(span for part in ordered for span in part.verdict.evidence)
    return tuple(spans)[:MOST_EVIDENCE]
