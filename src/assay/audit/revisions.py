"""A new version of the data, in which labels that were found incorrect are revised.

Nothing is overwritten. The decision of each person is a judgement that supersedes the gold before
it, and the new gold supersedes the last of these: whoever reads the data sees one label, whoever
looks back sees who changed it, why, on what evidence, by whose votes, and what stood there before.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from assay.audit.controls import ControlKey
from assay.audit.notes import SearchNotes
from assay.audit.verification import Ruled
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Author, Judgement, is_voter, utc_now
from assay.core.pooling import Pool
from assay.core.problems import Problem
from assay.core.units import Unit
from assay.core.verdicts import Attributes, Outcome, Verdict
from assay.decisions.forms import judgement_of, other_text
from assay.decisions.proposals import Decided, Proposal
from assay.evaluation.gold import gold_labels
from assay.evaluation.policy import GoldUnit


@dataclass(frozen=True, slots=True)
class Application:
    """The decisions about one data set, and which revisions count in it."""

    decided: tuple[Decided, ...]
    ruled: Mapping[tuple[str, str], Ruled]
    unverified: bool = False  # revisions count without enough votes, but not without evidence
    notes: SearchNotes = field(default_factory=SearchNotes)
    key: ControlKey | None = None

    def counts(self, decided: Decided) -> bool:
        """True if a proposed revision becomes the gold label."""
        ruled = self.ruled.get(decided.proposal.key)
        if ruled is None or ruled.standing == "refused":
            return False
        return self.unverified or ruled.standing == "verified"

    @property
    def flagged(self) -> tuple[Decided, ...]:
        """The decisions about flagged labels, without those about controls."""
        controls = self.key.controls if self.key else frozenset()
        return tuple(each for each in self.decided if each.proposal.key not in controls)

    @property
    def applied(self) -> tuple[Decided, ...]:
        """The revisions that count."""
        return tuple(each for each in self.decided if each.is_revision and self.counts(each))


def settle_gold(annotated: Annotated, unit: GoldUnit, pool: Pool) -> Annotated:
    """The example with the gold of a pool as its own label, wherever that is another one."""
    found = gold_labels(annotated, unit, pool)
    if found == gold_labels(annotated, unit, "corpus"):
        return annotated
    units = [each for each, _ in found]
    golds = [each for each in annotated.gold if each.author == GOLD]
    last = _nearest(golds, {each.id for each in units})
    new = gold_of(annotated, units, [each for each in golds if last and each.key == last.key], pool)
    return annotated.with_judgements(replace(new, **_next(annotated, last)))


def misfits(annotated: Iterable[Annotated], flags: Iterable[Proposal]) -> Iterator[Problem]:
    """Flags that are not about this data: other examples, texts, units or gold labels."""
    by_id = {each.id: each for each in annotated}
    labels: dict[tuple[str, GoldUnit], dict[str, tuple[Unit, str]]] = {}
    told: set[str] = set()
    for flag in flags:
        given = by_id.get(flag.line.id)
        if given is None or flag.line.id in told:
            if flag.line.id not in told:
                yield Problem(flag.where, f"the data has no example '{flag.line.id}'")
            told.add(flag.line.id)
            continue
        another = other_text(flag.line.example, given.example)
        if another:
            told.add(flag.line.id)
            yield Problem(flag.where, another)
            continue
        kind: GoldUnit = "response" if flag.unit.kind == "response" else "sentence"
        key = (flag.line.id, kind)
        if key not in labels:
            found = gold_labels(given, kind, "corpus")
            labels[key] = {unit.id: (unit, label.name) for unit, label in found}
        known = labels[key].get(flag.unit.id)
        place = f"example '{flag.line.id}', unit {flag.unit.id}"
        if known is None or known[0].text != flag.unit.text:
            yield Problem(flag.where, f"{place}: the gold of the data has no such unit")
        elif known[1] != flag.label.name:
            yield Problem(
                flag.where,
                f"{place}: its gold label is {known[1]} in the data, and {flag.label} in the "
                "flags; use the data that was flagged",
            )


def apply_revisions(
    annotated: Iterable[Annotated], application: Application
) -> Iterator[Annotated]:
    """All examples, those that people decided about with their decisions and the new gold."""
    by_example: dict[str, list[Decided]] = {}
    for each in application.decided:
        if each.proposal.decisions:
            by_example.setdefault(each.proposal.line.id, []).append(each)
    for example in annotated:
        decided = by_example.get(example.id)
        yield _revised(example, decided, application) if decided else example


def _revised(
    annotated: Annotated, decided: Sequence[Decided], application: Application
) -> Annotated:
    golds = [each for each in annotated.gold if each.author == GOLD]
    flagged = {each.proposal.unit.id for each in decided}
    last = _nearest(golds, flagged)
    votes = [
        each
        for each in decided[0].proposal.line.judgements
        if is_voter(each.author) and each not in annotated.judgements
    ]
    chain = list(_decisions(annotated, decided, last))
    end = chain[-1] if chain else last
    before = [each for each in golds if last and each.key == last.key]  # all are superseded
    new = gold_of(annotated, [each.proposal.unit for each in decided], before)
    revisions = {
        each.proposal.unit.id: _revised_verdict(each, application)
        for each in decided
        if each.is_revision and application.counts(each)
    }
    gold = replace(
        new,
        outcomes=tuple(revisions.get(each.unit, each) for each in new.outcomes),
        at=utc_now(),
        **_next(annotated, end),
    )
    return annotated.with_judgements(*votes, *chain, gold)


def _nearest(golds: Iterable[Judgement], units: set[str]) -> Judgement | None:
    """The gold with the most of some units, which new labels of these supersede."""
    return max(golds, key=lambda gold: len(units & set(gold.by_id)), default=None)


def _next(annotated: Annotated, last: Judgement | None) -> dict[str, Any]:
    """The round of new gold, and what it supersedes."""
    rounds = (each.round for each in annotated.judgements if each.author == GOLD)
    return {"round": max(rounds, default=0) + 1, "supersedes": last.key if last else ""}


def _decisions(
    annotated: Annotated, decided: Sequence[Decided], last: Judgement | None
) -> Iterator[Judgement]:
    """The decisions of each person, each in a judgement that supersedes the one before."""
    names = dict.fromkeys(each.by for one in decided for each in one.proposal.decisions)
    key = last.key if last else ""
    for name in names:
        said = [
            (one.proposal.unit, each)
            for one in decided
            for each in one.proposal.decisions
            if each.by == name
        ]
        rounds = (each.round for each in annotated.judgements if each.author.name == name)
        judgement = judgement_of(
            annotated.id,
            Author(name, "person"),
            ((unit, each.verdict) for unit, each in said),
            at=max(each.at for _, each in said) or utc_now(),
            round=max(rounds, default=0) + 1,
            supersedes=key,
        )
        key = judgement.key
        yield judgement


def gold_of(
    annotated: Annotated,
    looked_at: Iterable[Unit],
    before: Sequence[Judgement] = (),
    pool: Pool = "corpus",
) -> Judgement:
    """One judgement by gold with every label of the kinds of some units, and all from before."""
    units: dict[str, Unit] = {unit.id: unit for gold in before for unit in gold.units}
    outcomes: dict[str, Outcome] = {each.unit: each for gold in before for each in gold.outcomes}
    kinds: set[GoldUnit] = {
        "response" if unit.kind == "response" else "sentence" for unit in looked_at
    }
    for kind in sorted(kinds):
        for unit, label in gold_labels(annotated, kind, pool):
            units.setdefault(unit.id, unit)
            if pool != "corpus" or unit.id not in outcomes:
                outcomes[unit.id] = Verdict(unit.id, label)
    return Judgement(
        annotated.id,
        GOLD,
        tuple(units.values()),
        tuple(outcomes[id] for id in units if id in outcomes),
    )


def _revised_verdict(decided: Decided, application: Application) -> Verdict:
    """The new verdict, whose note says who changed the label, how the votes went, and why."""
    decision, ruled = decided.decision, application.ruled[decided.proposal.key]
    if decision is None:
        raise TypeError("a revision without a decision")
    cast = [each.agrees for each in ruled.votes if each.agrees is not None]
    votes = f"; {sum(cast)} of {len(cast)} votes agree" if cast else "; no votes"
    told = f"Was {decided.proposal.label}, revised by {decision.by}{votes}. {decision.verdict.note}"
    attributes = decision.verdict.attributes
    return replace(
        decision.verdict,
        note=told.strip(),
        attributes=Attributes(decision="incorrect", nothing_found=attributes.nothing_found),
    )
