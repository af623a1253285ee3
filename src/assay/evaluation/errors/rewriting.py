"""An example with what was decided about it: explanations rewritten, errors added.

Nothing is overwritten: a judgement that says something new supersedes the one before.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.labels import Coarse, Label
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import NO_ATTRIBUTES, Attributes, Verdict
from assay.evaluation.errors.counts import gold_label, is_unfaithful
from assay.evaluation.errors.decisions import Decision, Described, Task
from assay.evaluation.errors.enrichment import explained_by
from assay.evaluation.errors.explanations import today
from assay.evaluation.localization.gold import DECISIONS
from assay.text.units import response_unit

_FOUND = "Errors were found in it that people had not seen before."


def apply_decisions(
    annotated: Annotated, decided: Sequence[tuple[Task, Decision]]
) -> tuple[Annotated, int, int]:
    """The example with the decisions, and how many errors are new in it and how many are not."""
    for task, decision in decided:
        if not task.is_proposal and decision.state in DECISIONS:
            annotated = _rewritten(annotated, decision)
        elif not task.is_proposal and decision.state == "kept":
            annotated = _restored(annotated)
    accepted = [
        (decision, _with_origin(error, task.origin, decision))
        for task, decision in decided
        if task.is_proposal
        for error in decision.errors
    ]
    new = _new(annotated, accepted)
    return _enriched(annotated, new), len(new), len(accepted) - len(new)


def _rewritten(annotated: Annotated, decision: Decision) -> Annotated:
    """The example with an explanation replaced by single errors, or discarded.

    The judgement that explained it is superseded; its words are kept, and what was decided about
    them says that only the described errors count.
    """
    errors = [each for each in decision.errors if each.operation != "wrong"]
    done = _decided_before(annotated)
    holder = done or explained_by(annotated)
    if holder is None or (done and _same(done, decision.state, errors)):
        return annotated
    units = [replace(each.unit, id=id) for each, id in _numbered(annotated, errors)]
    finding = holder.finding(RESPONSE)
    before = finding.verdict if finding else None
    label = before.label if before else None
    is_faithful = decision.state != "discarded" and not errors
    whole = replace(
        before or Verdict(RESPONSE, _unfaithful(None)),
        label=_faithful(label) if is_faithful else label or _unfaithful(None),
        note=_told(f"The explanation was {decision.state} by {decision.by}.", decision.note),
        attributes=replace(before.attributes if before else NO_ATTRIBUTES, decision=decision.state),
    )
    verdicts = [
        Verdict(
            unit.id,
            BINARY["unfaithful"],
            note=_told(f"Described by {decision.by}.", each.note),
            evidence=each.evidence,
            error=each.category,
            attributes=Attributes(category=each.operation),
        )
        for each, unit in zip(errors, units, strict=True)
    ]
    kept = {unit.id for unit in holder.units if unit.kind != "inconsistency"}
    revised = replace(
        holder,
        units=(*(unit for unit in holder.units if unit.id in kept), *units),
        outcomes=(
            *(each for each in holder.outcomes if each.unit in kept and each.unit != RESPONSE),
            whole,
            *verdicts,
        ),
        at=today(),
        round=holder.round + 1,
        supersedes=holder.key,
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
    """What a judgement says was decided about the explanation of the response; mostly nothing."""
    finding = judgement.finding(RESPONSE)
    return finding.verdict.attributes.decision if finding and finding.verdict else ""


def _same(done: Judgement, state: str, errors: Sequence[Described]) -> bool:
    """Whether a judgement says already what was decided."""
    units = [unit for unit in done.units if unit.kind == "inconsistency"]
    return _decision(done) == state and [(unit.text, unit.spans) for unit in units] == [
        each.words for each in errors
    ]


def _enriched(annotated: Annotated, accepted: Sequence[tuple[Decision, Described]]) -> Annotated:
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
        annotated = annotated.with_judgements(_added(annotated, Author(name, "person"), own))
    return annotated


def _new(
    annotated: Annotated, accepted: Iterable[tuple[Decision, Described]]
) -> list[tuple[Decision, Described]]:
    """Those that the gold does not have, each once: the same tasks may be applied again."""
    known = {
        (unit.text, unit.spans)
        for judgement in annotated.gold
        for unit in judgement.units
        if unit.kind == "inconsistency"
    }
    new: dict[object, tuple[Decision, Described]] = {}
    for decision, error in accepted:
        if error.words not in known:
            new.setdefault(error.words, (decision, error))
    return list(new.values())


def _with_origin(error: Described, origin: str, decision: Decision) -> Described:
    return replace(error, note=_told(f"{origin} Accepted by {decision.by}.".strip(), decision.note))


def _numbered(annotated: Annotated, errors: Sequence[Described]) -> list[tuple[Described, str]]:
    """The errors with ids that are free in the example."""
    taken = {unit.id for judgement in annotated.judgements for unit in judgement.units}
    ids = (unit_id("inconsistency", number) for number in range(1, len(taken) + len(errors) + 1))
    free = [id for id in ids if id not in taken]
    return list(zip(errors, free, strict=False))


def _added(annotated: Annotated, author: Author, errors: Sequence[Described]) -> Judgement:
    """The author's judgement with the accepted errors."""
    pairs = _numbered(annotated, errors)
    units = [replace(each.unit, id=id) for each, id in pairs]
    verdicts = [
        Verdict(
            id, BINARY["unfaithful"], note=each.note, evidence=each.evidence, error=each.category
        )
        for each, id in pairs
    ]
    return _revised(annotated, author, units, verdicts)


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
            label=_unfaithful(verdict.label),
            note=f"{_FOUND} Before: {verdict.label.name}. {told}".strip(),
            # What explained a faithful verdict explains no error.
            attributes=replace(NO_ATTRIBUTES, decision=decision),
        )
    else:
        verdict = Verdict(RESPONSE, _unfaithful(label), note=_FOUND)
    return _revised(annotated, GOLD, [unit], [verdict])


def _revised(
    annotated: Annotated, author: Author, units: Sequence[Unit], verdicts: Sequence[Verdict]
) -> Judgement:
    """An author's judgement with more said; one that was there before is superseded."""
    before = next((each for each in annotated.gold if each.author == author), None)
    if before is None:
        return Judgement(annotated.id, author, tuple(units), tuple(verdicts), at=today())
    return replace(
        before,
        units=tuple({each.id: each for each in (*before.units, *units)}.values()),
        outcomes=tuple({each.unit: each for each in (*before.outcomes, *verdicts)}.values()),
        at=today(),
        round=before.round + 1,
        supersedes=before.key,
    )


def _unfaithful(label: Label | None) -> Label:
    """The mildest label of the same taxonomy that means unfaithful."""
    return _mildest(label, "unfaithful")


def _faithful(label: Label | None) -> Label:
    """The most faithful label of the same taxonomy."""
    return _mildest(label, "faithful")


def _mildest(label: Label | None, coarse: Coarse) -> Label:
    menu = taxonomy(label.taxonomy) if label else BINARY
    return max((each for each in menu if each.coarse == coarse), key=lambda each: each.rank)


def _told(*parts: str) -> str:
    return " ".join(filter(None, (part.strip() for part in parts)))
