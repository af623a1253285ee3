"""Votes of single annotators beside the gold labels: suppressed minority votes made visible.

A label is settled by some rule: unfaithful if any annotator says so, if most do, or only if all do.
These are the pools `any`, `majority` (in which ties count as unfaithful) and `all`. Each rule is
shown beside the labels that the data has, after the analysis of StorySumm's votes in
"Revisiting Faithfulness Annotations for Long-form Summaries", section 5.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.core.pooling import Pool, pool_labels
from assay.core.taxonomies import BINARY
from assay.evaluation.gold import annotator_ballots, gold_labels
from assay.evaluation.policy import GoldPolicy
from assay.evaluation.shares import share_of, source_of
from assay.metrics import Estimate

Rule = Literal["any", "majority", "unanimous"]
RULES: tuple[Rule, ...] = get_args(Rule)
_POOLS: dict[Rule, Pool] = {"any": "any", "majority": "majority", "unanimous": "all"}


def decides(rule: Rule, against: int, total: int) -> bool:
    """True if so many of all detectors flag a label; half of them is no majority.

    >>> [decides(rule, 1, 2) for rule in RULES], decides("majority", 2, 3)
    ([True, False, False], True)
    """
    if rule == "any":
        return against > 0
    return against * 2 > total if rule == "majority" else against == total > 0


@dataclass(frozen=True, slots=True)
class Ballot:
    """A unit that annotators voted on: how many said unfaithful, and its gold label.

    `by_rule` says which rules would call it unfaithful.
    """

    source: str
    example: str
    unit: str
    text: str
    votes: tuple[tuple[str, Label], ...]
    against: int
    final: Label
    is_unfaithful: bool
    by_rule: Mapping[Rule, bool]

    @property
    def is_suppressed(self) -> bool:
        """True if somebody said unfaithful and the gold label does not."""
        return self.against > 0 and not self.is_unfaithful

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "example": self.example,
            "unit": self.unit,
            "text": self.text,
            "votes": {name: label.name for name, label in self.votes},
            "against": self.against,
            "final": self.final.name,
        }


@dataclass(frozen=True, slots=True)
class VoteRow:
    """Units with so many annotators of whom so many said unfaithful, and how they ended."""

    annotators: int
    against: int
    units: int
    unfaithful: Estimate


@dataclass(frozen=True, slots=True)
class RuleRow:
    """The labels by a rule: its unfaithful units, and how many labels it would change."""

    rule: Rule
    unfaithful: Estimate
    to_unfaithful: int
    to_faithful: int


@dataclass(frozen=True, slots=True)
class Ballots:
    """The votes of single annotators on all units that two or more of them labelled.

    Units with a vote or a gold label that the reading leaves out are counted in `left_out`.
    """

    ballots: tuple[Ballot, ...]
    left_out: int = 0

    @property
    def rows(self) -> tuple[VoteRow, ...]:
        """By the number of annotators and of those who said unfaithful, from none to all."""
        ended: dict[tuple[int, int], list[tuple[str, bool]]] = {}
        for each in self.ballots:
            key = len(each.votes), each.against
            ended.setdefault(key, []).append((each.source, each.is_unfaithful))
        return tuple(VoteRow(*key, len(ended[key]), share_of(ended[key])) for key in sorted(ended))

    @property
    def rules(self) -> tuple[RuleRow, ...]:
        """The labels that each rule would have made of the votes."""
        return tuple(self._rule(rule) for rule in RULES)

    @property
    def suppressed(self) -> tuple[Ballot, ...]:
        """The units in which somebody saw an error that the gold label does not have."""
        found = [each for each in self.ballots if each.is_suppressed]
        return tuple(sorted(found, key=lambda each: -each.against / len(each.votes)))

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "units": len(self.ballots),
            "left_out": self.left_out,
            "votes": [asdict(row) for row in self.rows],
            "rules": [asdict(row) for row in self.rules],
            "suppressed": [each.to_dict() for each in self.suppressed],
        }

    def _rule(self, rule: Rule) -> RuleRow:
        said = [(each.source, each.by_rule[rule], each.is_unfaithful) for each in self.ballots]
        return RuleRow(
            rule,
            share_of((source, now) for source, now, _ in said),
            sum(now and not before for _, now, before in said),
            sum(before and not now for _, now, before in said),
        )


def count_ballots(annotated: Iterable[Annotated], policy: GoldPolicy) -> Ballots | None:
    """The votes of annotators beside the gold labels; None where no unit has two votes."""
    found: list[Ballot] = []
    left_out = 0
    for each in annotated:
        final = {unit.id: label for unit, label in gold_labels(each, policy.unit, policy.pool)}
        for unit, votes in annotator_ballots(each, policy.unit):
            if len(votes) < 2 or unit.id not in final:
                continue
            read = [policy.is_faithful(label) for label in votes.values()]
            ended = policy.is_faithful(final[unit.id])
            if ended is None or None in read:
                left_out += 1
                continue
            found.append(
                Ballot(
                    source_of(each.example),
                    each.id,
                    unit.id,
                    unit.text,
                    tuple((author.name, label) for author, label in votes.items()),
                    read.count(False),
                    final[unit.id],
                    not ended,
                    {rule: _is_unfaithful(votes.values(), rule, policy) for rule in RULES},
                )
            )
    return Ballots(tuple(found), left_out) if found or left_out else None


def _is_unfaithful(labels: Collection[Label], rule: Rule, policy: GoldPolicy) -> bool:
    """True if a rule calls a unit unfaithful; labels of several menus are read first."""
    if len({each.taxonomy for each in labels}) > 1:
        labels = [BINARY["faithful" if policy.is_faithful(e) else "unfaithful"] for e in labels]
    return not policy.is_faithful(pool_labels(labels, _POOLS[rule]))
