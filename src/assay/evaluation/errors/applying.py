"""Proposals that people accepted, taken into the gold: new judgements beside or over old ones."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement
from assay.core.labels import Label
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.units import RESPONSE, Unit, unit_id
from assay.core.verdicts import NO_ATTRIBUTES, Verdict
from assay.evaluation.errors.enrichment import Decision, read_decisions
from assay.evaluation.errors.explanations import today
from assay.evaluation.gold import gold_labels
from assay.evaluation.localization.gold import gold_inconsistencies
from assay.evaluation.policy import USUAL
from assay.metrics import Estimate, proportion
from assay.text.units import response_unit

_FOUND = "Errors were found in it that people had not seen before."


@dataclass(frozen=True, slots=True)
class Enriched:
    """The examples with what was accepted, and what became of the proposals.

    `added` counts the errors that are new in the gold, `known` the accepted ones that it has
    already; `newly_unfaithful` counts responses in which people had found nothing before.
    """

    annotated: tuple[Annotated, ...]
    states: Counter[str]
    errors_before: int
    added: int
    known: int
    newly_unfaithful: int
    dropped: int

    @property
    def accepted(self) -> Estimate:
        """The share of the decided proposals that was accepted."""
        decided = sum(self.states[each] for each in ("accepted", "rejected", "unsure"))
        return proportion(self.states["accepted"], decided)

    def to_dict(self) -> dict[str, Any]:
        """The counts as plain JSON values."""
        return {
            "proposals": dict(self.states),
            "accepted": asdict(self.accepted),
            "errors_before": self.errors_before,
            "added": self.added,
            "known": self.known,
            "newly_unfaithful": self.newly_unfaithful,
            "dropped": self.dropped,
            "examples": len(self.annotated),
        }


def apply_tasks(
    corpus: Sequence[Annotated], tasks: Iterable[Annotated], *, drop_unsure: bool = False
) -> Enriched:
    """The corpus with what people accepted; examples with an unsure proposal may be dropped."""
    decisions = read_decisions(tasks, corpus)
    unsure = {each.example for each in decisions if each.state == "unsure" and drop_unsure}
    kept = [each for each in corpus if each.id not in unsure]
    accepted: dict[str, list[Decision]] = {each.id: [] for each in kept}
    for each in decisions:
        if each.state == "accepted" and each.example in accepted:
            accepted[each.example].append(each)
    new = [(annotated, _new(annotated, accepted[annotated.id])) for annotated in kept]
    added = sum(len(chosen) for _, chosen in new)
    return Enriched(
        tuple(enriched(annotated, chosen) for annotated, chosen in new),
        Counter(each.state for each in decisions),
        sum(len(gold_inconsistencies(annotated) or ()) for annotated in kept),
        added,
        sum(map(len, accepted.values())) - added,
        sum(bool(chosen) and not _is_unfaithful(annotated) for annotated, chosen in new),
        len(corpus) - len(kept),
    )


def enriched(annotated: Annotated, accepted: Sequence[Decision]) -> Annotated:
    """The example with more gold errors; without any it stays as it is.

    What people said before is kept. A response that counted as faithful does so no more, and a
    person who judged it before has a new judgement, which supersedes the old one.
    """
    if not accepted:
        return annotated
    if not _is_unfaithful(annotated):
        annotated = annotated.with_judgements(_turned(annotated))
    for name in dict.fromkeys(each.by for each in accepted):
        own = [each for each in accepted if each.by == name]
        annotated = annotated.with_judgements(_added(annotated, Author(name, "person"), own))
    return annotated


def _new(annotated: Annotated, accepted: Iterable[Decision]) -> list[Decision]:
    """Those that the gold does not have, each once: the same tasks may be applied again."""
    known = {_words(unit) for judgement in annotated.gold for unit in judgement.units}
    new: dict[object, Decision] = {}
    for each in accepted:
        if _words(each.unit) not in known:
            new.setdefault(_words(each.unit), each)
    return list(new.values())


def _words(unit: Unit) -> tuple[object, ...]:
    return unit.kind, unit.text, unit.spans


def _added(annotated: Annotated, author: Author, accepted: Sequence[Decision]) -> Judgement:
    """The author's judgement with the accepted errors, under ids that are free in the example."""
    taken = {unit.id for judgement in annotated.judgements for unit in judgement.units}
    ids = (unit_id("inconsistency", number) for number in range(1, len(taken) + len(accepted) + 1))
    free = [id for id in ids if id not in taken]
    units = [replace(each.unit, id=id) for each, id in zip(accepted, free, strict=False)]
    verdicts = [
        Verdict(
            unit.id,
            BINARY["unfaithful"],
            note=f"{each.origin} Accepted by {each.by}. {each.comment}".strip(),
            evidence=each.evidence,
            error=each.category,
        )
        for each, unit in zip(accepted, units, strict=True)
    ]
    return _revised(annotated, author, units, verdicts)


def _turned(annotated: Annotated) -> Judgement:
    """The corpus's own judgement, in which the response is now unfaithful."""
    unit, label = response_unit(annotated.example), _gold_label(annotated)
    before = next((each for each in annotated.gold if each.author == GOLD), None)
    finding = before.finding(RESPONSE) if before else None
    verdict = finding.verdict if finding else None
    if verdict and verdict.label:
        told = " ".join((verdict.attributes.explanation or verdict.note).split())
        verdict = replace(
            verdict,
            label=_unfaithful(verdict.label),
            note=f"{_FOUND} Before: {verdict.label.name}. {told}".strip(),
            attributes=NO_ATTRIBUTES,  # what explained a faithful verdict explains no error
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
    menu = taxonomy(label.taxonomy) if label else BINARY
    labels = [each for each in menu if each.coarse == "unfaithful"]
    return max(labels, key=lambda each: each.rank)


def _gold_label(annotated: Annotated) -> Label | None:
    found = gold_labels(annotated, "response", "corpus")
    return found[0][1] if found else None


def _is_unfaithful(annotated: Annotated) -> bool:
    label = _gold_label(annotated)
    if label is None:
        return bool(gold_inconsistencies(annotated))
    return USUAL.is_faithful(label) is False
