"""Gold labels that detectors disagree with: which, and what finding them costs."""

from dataclasses import dataclass
from typing import cast, get_args

from assay.app.audit.detectors import (
    estimate_detectors,
    judging_of,
    open_detectors,
    refuse_forms,
    usual_unit,
)
from assay.app.judging import Asking, Judging
from assay.audit.ballots import RULES, Rule
from assay.audit.comparing import Comparing
from assay.audit.searching import Flagging, Searching, find_flags
from assay.core.errors import InputError, UnknownNameError
from assay.datasets.selection import DataChoice, Loaded, load
from assay.engine.estimate import RunEstimate
from assay.evaluation.policy import GoldUnit


@dataclass(frozen=True, slots=True)
class Preset:
    """A named way to flag: what is not said otherwise is as it says."""

    rule: Rule
    unit: GoldUnit
    reading: str
    left_out: tuple[str, ...]
    detectors: tuple[str, ...]


# Paper 000, section 4.2: five judges of three classes, and any that disagrees flags.
PRESETS = {
    "annotation-errors": Preset(
        "any",
        "sentence",
        "gray7-nli",
        ("ambiguous", "out-dependent"),
        ("judge-fewshot:definitions",),
    ),
}


@dataclass(frozen=True, slots=True)
class FlagRequest:
    """The data, the detectors, and when their verdicts flag a gold label.

    Each model judges by itself. What is empty is as the preset says, or as usual.
    """

    data: DataChoice
    asking: Asking
    detectors: tuple[str, ...] = ()
    rule: str = ""
    unit: str = ""
    reading: str = ""
    left_out: tuple[str, ...] = ()
    preset: str = ""

    def __post_init__(self) -> None:
        if self.preset and self.preset not in PRESETS:
            raise UnknownNameError("preset", self.preset, PRESETS, field="preset")
        for what, name, choices in (
            ("rule", self.rule, RULES),
            ("unit", self.unit, get_args(GoldUnit)),
        ):
            if name and name not in choices:
                raise UnknownNameError(what, name, choices, field=what)
        if not self.flaggers:
            raise InputError("there is no detector to compare the gold with", code="no-detectors")
        self.comparing()

    @property
    def flaggers(self) -> tuple[str, ...]:
        """The detectors that are named, or those of the preset."""
        preset = PRESETS.get(self.preset)
        return self.detectors or (preset.detectors if preset else ())

    def comparing(self) -> Comparing:
        """How gold labels and verdicts are compared."""
        preset = PRESETS.get(self.preset)
        named = self.reading or (preset.reading if preset else "")
        left = self.left_out or (preset.left_out if preset else ())
        return Comparing(named, frozenset(left))

    def searching(self, loaded: Loaded) -> Searching:
        """How the flags are found in data that is loaded."""
        preset = PRESETS.get(self.preset)
        rule = self.rule or (preset.rule if preset else "any")
        unit = self.unit or (preset.unit if preset else usual_unit(self.data, loaded.annotated))
        return Searching(
            cast(GoldUnit, unit), cast(Rule, rule), self.comparing(), tuple(loaded.entries)
        )


def flag(request: FlagRequest) -> Flagging:
    """Where detectors disagree with gold labels; those that ask a model are run first."""
    loaded = load(request.data.labelled().keeping_all())
    searching = request.searching(loaded)
    refuse_forms(request.data, loaded.annotated)
    predictions = open_detectors(_judging(request, loaded, searching), request.flaggers)
    return find_flags(request.data.target, loaded.annotated, predictions, searching)


def estimate_flags(request: FlagRequest) -> dict[str, RunEstimate]:
    """What the detectors would cost that ask a model; nothing is sent."""
    loaded = load(request.data.labelled().keeping_all())
    judging = _judging(request, loaded, request.searching(loaded))
    return estimate_detectors(judging, request.flaggers)


def _judging(request: FlagRequest, loaded: Loaded, searching: Searching) -> Judging:
    data, annotated = request.data.labelled(), loaded.annotated
    return judging_of(data, annotated, request.asking, searching.unit, searching.comparing)
