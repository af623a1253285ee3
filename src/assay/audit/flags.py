"""Flags of a data set as data: the units, who disagrees with their labels, and how often."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from assay.audit.ballots import Ballots, Rule
from assay.audit.controls import ControlKey
from assay.audit.disagreement import Reason, Suspicion
from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.core.pooling import GoldBasis
from assay.core.units import Unit
from assay.evaluation.policy import GoldUnit
from assay.evaluation.shares import SourceShare
from assay.metrics import Estimate


@dataclass(frozen=True, slots=True)
class Flag:
    """A unit that people should look at, and who disagrees with its gold label.

    `rationales` are what detectors say of it that were asked for their reasons only.
    """

    example: str
    unit: Unit
    label: Label
    compared: int
    suspicion: Suspicion
    rationales: tuple[Reason, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "example": self.example,
            "unit": self.unit.id,
            "text": self.unit.text,
            "label": self.label.name,
            "taxonomy": self.label.taxonomy,
            "severity": self.suspicion.severity,
            "compared": self.compared,
            "reasons": [asdict(each) for each in self.suspicion.reasons],
            "rationales": [asdict(each) for each in self.rationales],
        }


@dataclass(slots=True)
class DetectorCounts:
    """One detector's verdicts on the units that were looked at, in counts."""

    detector: str
    compared: SourceShare = field(default_factory=SourceShare)
    incomparable: int = 0
    failures: Counter[str] = field(default_factory=Counter)

    @property
    def agrees(self) -> int:
        """The number of verdicts that do not disagree with the gold label."""
        return self.compared.n - self.compared.count

    @property
    def disagrees(self) -> int:
        """The number of verdicts that disagree with the gold label."""
        return self.compared.count

    @property
    def disagreement(self) -> Estimate:
        """The share of the comparable verdicts that disagree."""
        return self.compared.estimate()

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "detector": self.detector,
            "agrees": self.agrees,
            "disagrees": self.disagrees,
            "disagreement": asdict(self.disagreement),
            "incomparable": self.incomparable,
            "failures": dict(self.failures),
        }


@dataclass(frozen=True, slots=True)
class RationaleCounts:
    """The number of units that a detector gave reasons for, and its failures on others."""

    detector: str
    units: int
    failures: Counter[str]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "detector": self.detector,
            "units": self.units,
            "failures": dict(self.failures),
        }


@dataclass(frozen=True, slots=True)
class RuleFlags:
    """The share that a rule of the detectors would flag, and the gold labels put in doubt."""

    rule: Rule
    flagged: Estimate
    faithful: int
    unfaithful: int
    others: int


@dataclass(frozen=True, slots=True)
class Flagging:
    """The flags of a data set, the most severe first, and the lines in which people decide.

    `units` counts the labels that were looked at, `left_out` those that the reading or the user
    leaves out, by their names. `rules` says what each rule would flag, `share` is that of the
    chosen one. Intervals resample sources. `key` says which units on the lines are controls.
    """

    dataset: str
    about: str
    unit: GoldUnit
    examples: int
    units: int
    left_out: Counter[str]
    detectors: tuple[DetectorCounts, ...]
    rationale: tuple[RationaleCounts, ...]
    flags: tuple[Flag, ...]
    lines: tuple[Annotated, ...]
    share: Estimate
    rules: tuple[RuleFlags, ...]
    ballots: Ballots | None = None
    key: ControlKey | None = None
    gold: GoldBasis | None = None  # what the gold labels rest on

    @property
    def is_complete(self) -> bool:
        """True if every detector has a verdict on every unit that it was asked about."""
        failed = (*(e.failures for e in self.detectors), *(e.failures for e in self.rationale))
        return not any(failed)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the lines and the key as plain JSON values."""
        return {
            "dataset": self.dataset,
            "about": self.about,
            "unit": self.unit,
            "gold": self.gold.to_dict() if self.gold else None,
            "examples": self.examples,
            "units": self.units,
            "left_out": dict(self.left_out),
            "flagged": len(self.flags),
            "controls": len(self.key.controls) if self.key else 0,
            "share": asdict(self.share),
            "rules": [asdict(each) for each in self.rules],
            "detectors": [each.to_dict() for each in self.detectors],
            "rationale": [each.to_dict() for each in self.rationale],
            "flags": [each.to_dict() for each in self.flags],
            "annotators": self.ballots.to_dict() if self.ballots else None,
        }
