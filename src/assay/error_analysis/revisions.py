"""An example with what was decided about it: explanations rewritten, errors added.

Nothing is overwritten: a judgement that says something new supersedes the one before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.labels import Coarse, Label
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import NO_ATTRIBUTES, Attributes, Verdict
from assay.decisions.forms import judgement_of
from assay.decisions.proposals import DescribedError, PersonDecision, Proposal
from assay.error_analysis.explanations import today
from assay.error_analysis.proposals import explained_by
from assay.error_analysis.tasks import is_explanation, is_wrong
from assay.evaluation.gold import gold_labels
from assay.evaluation.localization.gold import DECISIONS, gold_inconsistencies
from assay.evaluation.policy import USUAL
from assay.text.sentences import response_unit

Settled = tuple[Proposal, PersonDecision]  # a task with the decision that counts
Accepted = tuple[PersonDecision, DescribedError]
_FOUND = "Errors were found in it that people had not seen before."


def gold_label(annotated: Annotated) -> Label | None:
    """The label of the response that the corpus settled on, if there is one."""
    found = gold_labels(annotated, "response", "corpus")
    return found[0][1] if found else None


def is_unfaithful(annotated: Annotated) -> bool:
    """True if the response counts as unfaithful, by its label or else by its errors."""
    label = gold_label(annotated)
    if label is None:
        return bool(gold_inconsistencies(annotated))
    return USUAL.is_faithful(label) is False


def apply_decisions(annotated: Annotated, decided: Sequence[Settled]) -> tuple[Annotated, int, int]:
    """The example with the decisions, and how many errors are new in it and how many are not."""
    for task, decision in decided:
        if is_explanation(task) and decision.state in DECISIONS:
            annotated = _rewritten(annotated, decision)
        elif is_explanation(task) and decision.state == "kept":
            annotated = _restored(annotated)
    accepted = [
        (decision, _accepted(error, task.origin, decision))
        for task, decision in decided
        if not is_explanation(task)
        for error in decision.errors
    ]
    new = _new(annotated, accepted)
    return _enriched(annotated, new), len(new), len(accepted) - len(new)


def _rewritten(annotated: Annotated, decision: PersonDecision) -> Annotated:
    """The example with an explanation replaced by single errors, or discarded.

    The judgement that explained it is superseded; its words are kept, and what was decided about
    them says that only the described errors count.
    """
    errors = [each for each in decision.errors if not is_wrong(each)]
    done = _decided_before(annotated)
    holder = done or explained_by(annotated)
    if holder is None or (done and _same(done, decision.state, errors)):
        return annotated
    finding = holder.finding(RESPONSE)
    before = finding.verdict if finding else None
    label = before.label if before else None
    is_faithful = decision.state != "discarded" and not errors
    told = f"The explanation was {decision.state} by {decision.by}."
    whole = replace(
        before or Verdict(RESPONSE, BINARY["unfaithful"]),
        label=_mildest(label, "faithful") if is_faithful else label or BINARY["unfaithful"],
        note=_joined(told, decision.verdict.note),
        attributes=replace(before.attributes if before else NO_ATTRIBUTES, decision=decision.state),
    )
    said = _numbered(annotated, [_noted(e, f"Described by {decision.by}.") for e in errors])
    kept = {unit.id for unit in holder.units if unit.kind != "inconsistency"}
    revised = _succeeding(
        holder,
        units=(*(unit for unit in holder.units if unit.id in kept), *(unit for unit, _ in said)),
        outcomes=(
            *(each for each in holder.outcomes if each.unit in kept and each.unit != RESPONSE),
            whole,
            *(verdict for _, verdict in said),
        ),
    )
    return annotated.with_judgements(revised)


def _restored(annotated: Annotated) -> Annotated:
    """The example with its explanation as it was before anybody rewrote it."""
    done = _decided_before(annotated)
    if done is None:
        return annotated
    by_key = {each.key: each for each in annotated.judgements}
    original: Judgement | None = done
    while original and _decision(original) in DECISIONS:
        original = by_key.get(original.supersedes)
    if original is None:
        raise InputError(
            f"example '{annotated.id}': the explanation is kept, but the data has only what it was "
            f"rewritten to, in {done.key}"
        )
    again = replace(original, at=today(), round=done.round + 1, supersedes=done.key)
    return annotated.with_judgements(again)


def _decided_before(annotated: Annotated) -> Judgement | None:
    """The judgement in which an explanation was rewritten before, if there is one."""
    return next((each for each in annotated.gold if _decision(each) in DECISIONS), None)


def _decision(judgement: Judgement) -> str:
    """The decision about the explanation of the response in a judgement; mostly none."""
    finding = judgement.finding(RESPONSE)
    return finding.verdict.attributes.decision if finding and finding.verdict else ""


def _same(done: Judgement, state: str, errors: Sequence[DescribedError]) -> bool:
    units = [unit for unit in done.units if unit.kind == "inconsistency"]
    return _decision(done) == state and [(unit.text, unit.spans) for unit in units] == [
        each.words for each in errors
    ]


def _enriched(annotated: Annotated, accepted: Sequence[Accepted]) -> Annotated:
    """The example with more gold errors; without any it stays as it is.

    What people said before is kept. A response that counted as faithful does so no more, and a
    person who judged it before has a new judgement, which supersedes the old one.
    """
    if not accepted:
        return annotated
    if not is_unfaithful(annotated):
        annotated = annotated.with_judgements(_turned(annotated))
    for name in dict.fromkeys(decision.by for decision, _ in accepted):
        own = [error for decision, error in accepted if decision.by == name]
        said = _numbered(annotated, own)
        annotated = annotated.with_judgements(_revised(annotated, Author(name, "person"), said))
    return annotated


def _new(annotated: Annotated, accepted: Iterable[Accepted]) -> list[Accepted]:
    """The errors that the gold does not have, each once: tasks may be applied again."""
    known = {
        (unit.text, unit.spans)
        for judgement in annotated.gold
        for unit in judgement.units
        if unit.kind == "inconsistency"
    }
    new: dict[object, Accepted] = {}
    for decision, error in accepted:
        if error.words not in known:
            new.setdefault(error.words, (decision, error))
    return list(new.values())


def _accepted(error: DescribedError, origin: str, decision: PersonDecision) -> DescribedError:
    plain = replace(error.verdict, note=decision.verdict.note, attributes=NO_ATTRIBUTES)
    return _noted(replace(error, verdict=plain), f"{origin} Accepted by {decision.by}.".strip())


def _noted(error: DescribedError, told: str) -> DescribedError:
    """The error with something more in front of its note."""
    return replace(error, verdict=replace(error.verdict, note=_joined(told, error.verdict.note)))


def _numbered(annotated: Annotated, errors: Sequence[DescribedError]) -> list[tuple[Unit, Verdict]]:
    """The errors as units of the gold, with ids that are free in the example."""
    taken = {unit.id for judgement in annotated.judgements for unit in judgement.units}
    ids = (unit_id("inconsistency", number) for number in range(1, len(taken) + len(errors) + 1))
    free = (id for id in ids if id not in taken)
    return [
        (
            replace(each.unit, id=id),
            Verdict(
                id,
                BINARY["unfaithful"],
                note=each.verdict.note,
                evidence=each.verdict.evidence,
                error=each.verdict.error,
                attributes=Attributes(category=each.verdict.attributes.category),
            ),
        )
        for each, id in zip(errors, free, strict=False)
    ]


def _turned(annotated: Annotated) -> Judgement:
    """The corpus's own judgement, in which the response is now unfaithful."""
    unit, label = response_unit(annotated.example), gold_label(annotated)
    before = next((each for each in annotated.gold if each.author == GOLD), None)
    finding = before.finding(RESPONSE) if before else None
    verdict = finding.verdict if finding else None
    if verdict and verdict.label:
        told = " ".join((verdict.attributes.explanation or verdict.note).split())
        decision = verdict.attributes.decision  # what was decided about an explanation stays
        verdict = replace(
            verdict,
            label=_mildest(verdict.label, "unfaithful"),
            note=f"{_FOUND} Before: {verdict.label.name}. {told}".strip(),
            # What explained a faithful verdict explains no error.
            attributes=replace(NO_ATTRIBUTES, decision=decision),
        )
    else:
        verdict = Verdict(RESPONSE, _mildest(label, "unfaithful"), note=_FOUND)
    return _revised(annotated, GOLD, [(unit, verdict)])


def _revised(
    annotated: Annotated, author: Author, said: Sequence[tuple[Unit, Verdict]]
) -> Judgement:
    """An author's judgement with more said; one that was there before is superseded."""
    before = next((each for each in annotated.gold if each.author == author), None)
    if before is None:
        return judgement_of(annotated.id, author, said, at=today())
    units = {each.id: each for each in (*before.units, *(unit for unit, _ in said))}
    outcomes = {each.unit: each for each in (*before.outcomes, *(verdict for _, verdict in said))}
    return _succeeding(before, units=tuple(units.values()), outcomes=tuple(outcomes.values()))


def _succeeding(before: Judgement, **changes: Any) -> Judgement:
    """A judgement that supersedes another one of its author."""
    return replace(before, at=today(), round=before.round + 1, supersedes=before.key, **changes)


def _mildest(label: Label | None, coarse: Coarse) -> Label:
    """The most faithful label of the same taxonomy that has a coarse reading."""
    menu = taxonomy(label.taxonomy) if label else BINARY
    return max((each for each in menu if each.coarse == coarse), key=lambda each: each.rank)


def _joined(*parts: str) -> str:
    return " ".join(filter(None, (part.strip() for part in parts)))
