"""The kinds of error in the revised labels of a data set (the re-annotation study, Figure 3).

A kind of semantic reframing counts as semantic reframing as well.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from assay.audit.disagreement import outcome_on
from assay.core.labels import Label
from assay.core.taxonomies import ERROR5
from assay.core.verdicts import Verdict
from assay.decisions.proposals import Decided
from assay.evaluation.shares import share_of, source_of
from assay.metrics import Estimate


@dataclass(frozen=True, slots=True)
class KindShare:
    """The revised labels with a kind of error, and their share of those with any kind."""

    label: Label
    count: int
    share: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Count and share as plain JSON values."""
        return {"count": self.count, "share": asdict(self.share)}


@dataclass(frozen=True, slots=True)
class Profile:
    """The kinds of error in the revised labels of one data set; those without a kind are apart.

    `kinds` has the five, each followed by kinds of its own, which are counted with it. `by_people`
    counts the kinds that people gave; the others are those of detectors.
    """

    name: str
    kinds: tuple[KindShare, ...]
    without: int
    by_people: int

    @property
    def known(self) -> int:
        """The number of revised labels that have a kind."""
        return sum(each.count for each in self.kinds if not each.label.parent)

    @property
    def has_parts(self) -> bool:
        """True if somebody told the kinds of a kind apart."""
        return any(each.count for each in self.kinds if each.label.parent)

    @property
    def shown(self) -> tuple[KindShare, ...]:
        """The kinds that tables show: all five, and those below them where somebody gave one."""
        return tuple(each for each in self.kinds if self.has_parts or not each.label.parent)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values; what is counted with another kind stands below it."""
        return {
            "name": self.name,
            "kinds": {
                each.label.name: each.to_dict() | _below(each.label, self.kinds)
                for each in self.kinds
                if not each.label.parent
            },
            "without_kind": self.without,
            "by_people": self.by_people,
        }


def _below(label: Label, kinds: Sequence[KindShare]) -> dict[str, Any]:
    inside = {e.label.name: e.to_dict() for e in kinds if e.label.parent == label.name}
    return {"kinds": inside} if inside else {}


def profile_of(name: str, applied: Sequence[Decided]) -> Profile:
    """The kinds of error in some revised labels."""
    kinds = [(source_of(each.proposal.line.example), *_kind(each)) for each in applied]
    known = [(source, label) for source, label, _ in kinds if label]
    return Profile(
        name,
        tuple(
            KindShare(
                label,
                sum(_is_of(other, label) for _, other in known),
                share_of((source, _is_of(other, label)) for source, other in known),
            )
            for label in ERROR5
        ),
        len(kinds) - len(known),
        sum(by_people for _, label, by_people in kinds if label),
    )


def _is_of(label: Label, kind: Label) -> bool:
    return kind.name in (label.name, label.parent)


def _kind(decided: Decided) -> tuple[Label | None, bool]:
    """The kind of error that was overlooked, and whether people said so.

    Where they did not, and the revised label is no faithful one, the detectors' word is taken.
    """
    verdict = decided.decision.verdict if decided.decision else None
    if verdict and verdict.error and verdict.error.taxonomy == ERROR5.name:
        return verdict.error, True
    if verdict is None or verdict.label is None or verdict.label.coarse == "faithful":
        return None, False
    for judgement in decided.proposal.line.detected:
        said = outcome_on(decided.proposal.unit, judgement)
        error = said.error if isinstance(said, Verdict) else None
        if error and error.taxonomy == ERROR5.name:
            return error, False
    return None, False
