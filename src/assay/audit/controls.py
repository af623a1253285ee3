"""A control sample: labels that nobody flagged, decided about among the others.

Detectors flag where they disagree with labels, and people look only there. What they would have
changed elsewhere is seen in a random sample of the labels that were not flagged. Whoever decides
does not know which these are: only the key says so.
"""

from dataclasses import asdict, dataclass
from typing import Any

from assay.core.errors import InputError
from assay.decisions.proposals import Decided
from assay.evaluation.shares import share_of, source_of
from assay.metrics import Estimate, proportion

Place = tuple[str, str]  # the ids of example and unit


@dataclass(frozen=True, slots=True)
class ControlKey:
    """The units that are controls, a sample of the labels that were not flagged."""

    dataset: str
    seed: int
    not_flagged: int
    controls: frozenset[Place]

    def __post_init__(self) -> None:
        if len(self.controls) > self.not_flagged:
            raise InputError("a key has more controls than labels that were not flagged")

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "dataset": self.dataset,
            "seed": self.seed,
            "not_flagged": self.not_flagged,
            "controls": [{"example": id, "unit": unit} for id, unit in sorted(self.controls)],
        }


@dataclass(frozen=True, slots=True)
class ControlOutcome:
    """Decisions about controls and flagged labels, and what they say of all others.

    Rates are of those decided about. That of controls has Wilson's interval, since they are a
    random sample whatever source they are of; that of flagged labels resamples sources. `missed`
    is the rate of controls times all labels that were not flagged.
    """

    drawn: int
    decided: int
    changed: int
    rate: Estimate
    flagged_decided: int
    flagged_changed: int
    flagged_rate: Estimate
    not_flagged: int
    missed: Estimate

    @property
    def open(self) -> int:
        """The number of controls that nobody has decided about."""
        return self.drawn - self.decided

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return {
            "controls": {
                "drawn": self.drawn,
                "decided": self.decided,
                "changed": self.changed,
                "rate": asdict(self.rate),
            },
            "flagged": {
                "decided": self.flagged_decided,
                "changed": self.flagged_changed,
                "rate": asdict(self.flagged_rate),
            },
            "not_flagged": self.not_flagged,
            "estimated_errors_not_flagged": asdict(self.missed),
        }


def control_outcome(key: ControlKey, decided: tuple[Decided, ...]) -> ControlOutcome:
    """The changes among the controls of a key, and among the flagged labels beside them.

    A control that is not among what was decided about raises: the key is of other flags.
    """
    lost = key.controls - {each.proposal.key for each in decided}
    if lost:
        id, unit = min(lost)
        raise InputError(
            f"the key has a control, unit {unit} of '{id}', that is not among the flags; give all "
            "files of the audit, and the key that was written with them",
            field="key",
        )
    known = [each for each in decided if each.decision]
    controls = [each.is_revision for each in known if each.proposal.key in key.controls]
    flagged = [
        (source_of(each.proposal.line.example), each.is_revision)
        for each in known
        if each.proposal.key not in key.controls
    ]
    rate = proportion(sum(controls), len(controls))
    return ControlOutcome(
        len(key.controls),
        len(controls),
        sum(controls),
        rate,
        len(flagged),
        sum(changed for _, changed in flagged),
        share_of(flagged),
        key.not_flagged,
        _times(rate, key.not_flagged),
    )


def _times(rate: Estimate, count: int) -> Estimate:
    value, low, high = (
        None if each is None else each * count for each in (rate.value, rate.low, rate.high)
    )
    return Estimate(value, rate.n, low, high)
