"""Gold labels that detectors disagree with: which, and what finding them costs."""

from dataclasses import dataclass, replace
from typing import cast, get_args

from assay.app.audit.detectors import (
    estimate_detectors,
    judging_of,
    open_detectors,
    refuse_forms,
    require_detectors,
    usual_unit,
)
from assay.app.judging import Asking, Judging
from assay.audit.ballots import RULES, Rule
from assay.audit.comparing import Comparing
from assay.audit.controls import Place
from assay.audit.flags import Flagging
from assay.audit.searching import Searching, find_flags
from assay.core.errors import InputError, UnknownNameError
from assay.core.judgements import Judgements
from assay.core.pooling import find_pool
from assay.datasets.selection import DataChoice, Loaded, load
from assay.engine.estimate import RunEstimate
from assay.evaluation.items import find_items
from assay.evaluation.policy import GoldPolicy, GoldUnit


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

    Each model judges by itself. What is empty is as the preset says, or as usual. Detectors for
    the `rationale` are asked about flagged units only; they flag nothing. `control` labels that
    were not flagged are drawn by `seed` and put among the flagged ones.
    """

    data: DataChoice
    asking: Asking
    detectors: tuple[str, ...] = ()
    rule: str = ""
    unit: str = ""
    reading: str = ""
    left_out: tuple[str, ...] = ()
    preset: str = ""
    rationale: tuple[str, ...] = ()
    control: int = 0
    seed: int | None = None
    pool: str = ""  # how labels of several annotators become one; empty means `corpus`

    def __post_init__(self) -> None:
        find_pool(self.pool or "corpus")
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
        twice = [name for name in self.rationale if name in self.flaggers]
        if twice:
            raise InputError(
                f"{twice[0]} flags, so that its reasons are shown already", field="rationale"
            )
        if self.control < 0:
            message = f"a control sample has 1 label or more, not {self.control}"
            raise InputError(message, field="control")
        if self.seed is not None and not self.control:
            raise InputError("a seed draws a control sample, and there is none", field="seed")
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
            cast(GoldUnit, unit),
            cast(Rule, rule),
            self.comparing(),
            tuple(loaded.entries),
            self.control,
            self.seed or 0,
            find_pool(self.pool or "corpus"),
        )


def flag(request: FlagRequest) -> Flagging:
    """Where detectors disagree with gold labels; those that ask a model are run first."""
    loaded = load(request.data.labelled().keeping_all())
    searching = request.searching(loaded)
    refuse_forms(request.data, loaded.annotated)
    judging = _judging(request, loaded, searching)
    require_detectors(judging, (*request.flaggers, *request.rationale))
    predictions = open_detectors(judging, request.flaggers)

    def ask_reasons(places: frozenset[Place]) -> list[Judgements]:
        return open_detectors(_among(judging, places, searching.policy), request.rationale)

    return find_flags(request.data.target, loaded.annotated, predictions, searching, ask_reasons)


def estimate_flags(request: FlagRequest) -> dict[str, RunEstimate]:
    """What the detectors would cost that ask a model; nothing is sent.

    Those for the rationale cost so much only if everything is flagged.
    """
    loaded = load(request.data.labelled().keeping_all())
    judging = _judging(request, loaded, request.searching(loaded))
    most = estimate_detectors(judging, request.rationale)
    return estimate_detectors(judging, request.flaggers) | {
        f"{name}, at most": estimate for name, estimate in most.items()
    }


def _among(judging: Judging, places: frozenset[Place], policy: GoldPolicy) -> Judging:
    """The same detectors about some units only; nobody pays for the others."""
    ids = frozenset(id for id, _ in places)
    annotated = [each for each in judging.annotated if each.id in ids]
    items = find_items(annotated, policy)
    wanted = [item for item in items if (item.example, item.unit.id) in places]
    data = replace(judging.choice, ids=ids)
    return replace(judging, choice=data, annotated=annotated, items=wanted, items_only=True)


def _judging(request: FlagRequest, loaded: Loaded, searching: Searching) -> Judging:
    data, annotated = request.data.labelled(), loaded.annotated
    return judging_of(data, annotated, request.asking, searching.policy, searching.comparing)
