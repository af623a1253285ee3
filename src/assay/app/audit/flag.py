"""Gold labels that detectors disagree with, what finding them costs, and the key of controls.

The key of a control sample is in a file of its own, which those who decide do not see.
"""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Annotated, cast

import msgspec

from assay.app.audit.detectors import (
    READING,
    UNIT,
    judging_of,
    open_detectors,
    refuse_forms,
    usual_unit,
)
from assay.app.judging import EACH_MODEL, GOLD_ARGUMENT, Asking, Detectors
from assay.audit.ballots import RULES, Rule
from assay.audit.controls import ControlKey, Place
from assay.audit.disagreement import Comparing
from assay.audit.flags import Flagging
from assay.audit.search import Searching, find_flags
from assay.core.errors import InputError, UnknownNameError
from assay.core.judgements import Judgements
from assay.core.options import Argument, Option, Takes, require_choices
from assay.core.pooling import find_pool
from assay.core.system.files import refuse_as_output, replacing, require_writable
from assay.datasets.selection import DataChoice, Loaded, load
from assay.engine.estimate import RunEstimate
from assay.evaluation.items import find_items
from assay.evaluation.policy import OWN_POOL, GoldPolicy, GoldUnit


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

    data: Annotated[DataChoice, Takes("language sample seed", dataset=GOLD_ARGUMENT)]
    asking: Annotated[Asking, Takes("peers", model=EACH_MODEL)] = field(default_factory=Asking)
    detectors: Annotated[
        tuple[str, ...],
        Argument(
            "Whose verdicts are compared with the gold: runs as run:NAME, files of judgements "
            "(.json, .parquet, DIR/), recorded detectors of the data, or detectors to run. A "
            "preset brings its own.",
            "DETECTOR",
        ),
    ] = ()
    rule: Annotated[
        str, Option("How many of the detectors must disagree; default any.", choices=tuple(RULES))
    ] = ""
    unit: Annotated[str, UNIT] = ""
    reading: Annotated[str, READING] = ""
    left_out: Annotated[
        tuple[str, ...],
        Option("A gold label that is not looked at; may be repeated.", "LABEL", name="leave_out"),
    ] = ()
    preset: Annotated[
        str,
        Option(
            "A named configuration: annotation-errors is VeriGray's detector of them.",
            "NAME",
        ),
    ] = ""
    rationale: Annotated[
        tuple[str, ...],
        Option(
            "Ask this detector about flagged units only and show its reasons; it flags nothing. "
            "May be repeated.",
            "DETECTOR",
        ),
    ] = ()
    control: Annotated[
        int,
        Option(
            "Put N labels that nobody flagged among the others, as a blind control sample.",
            "N",
            least=0,
        ),
    ] = 0
    seed: Annotated[int | None, Option("Seed of the control sample; default 0.", "N")] = None
    pool: Annotated[str, OWN_POOL] = ""

    def __post_init__(self) -> None:
        find_pool(self.pool or "corpus")
        if self.preset and self.preset not in PRESETS:
            raise UnknownNameError("preset", self.preset, PRESETS, field="preset")
        require_choices(self)
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
        """The way in which gold labels and verdicts are compared."""
        preset = PRESETS.get(self.preset)
        named = self.reading or (preset.reading if preset else "")
        left = self.left_out or (preset.left_out if preset else ())
        return Comparing(named, frozenset(left))

    def searching(self, loaded: Loaded) -> Searching:
        """The settings of the search in data that is loaded."""
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
    """The gold labels that detectors disagree with; those that ask a model are run first."""
    loaded = load(request.data.labelled().keeping_all())
    searching = request.searching(loaded)
    refuse_forms(request.data, loaded.annotated)
    judging = _judging(request, loaded, searching)
    judging.require(*request.flaggers, *request.rationale)
    predictions = open_detectors(judging, request.flaggers, request.rationale)

    def ask_reasons(places: frozenset[Place]) -> list[Judgements]:
        among = _among(judging, places, searching.policy)
        return open_detectors(among, request.rationale, request.flaggers)

    return find_flags(request.data.target, loaded.annotated, predictions, searching, ask_reasons)


def estimate_flags(request: FlagRequest) -> dict[str, RunEstimate]:
    """The cost of the detectors that ask a model; nothing is sent.

    Those for the rationale cost so much only if everything is flagged.
    """
    loaded = load(request.data.labelled().keeping_all())
    judging = _judging(request, loaded, request.searching(loaded))
    most = judging.estimate(*request.rationale)
    return judging.estimate(*request.flaggers) | {
        f"{name}, at most": estimate for name, estimate in most.items()
    }


def _among(judging: Detectors, places: frozenset[Place], policy: GoldPolicy) -> Detectors:
    """The same detectors about some units only; nobody pays for the others."""
    ids = frozenset(id for id, _ in places)
    annotated = [each for each in judging.annotated if each.id in ids]
    items = find_items(annotated, policy)
    wanted = [item for item in items if (item.example, item.unit.id) in places]
    data = replace(judging.choice, ids=ids)
    return replace(judging, choice=data, annotated=annotated, items=wanted, items_only=True)


def _judging(request: FlagRequest, loaded: Loaded, searching: Searching) -> Detectors:
    data, annotated = request.data.labelled(), loaded.annotated
    return judging_of(data, annotated, request.asking, searching.policy, searching.comparing)


class _Place(msgspec.Struct):
    example: str
    unit: str


class _Key(msgspec.Struct):
    dataset: str
    seed: int
    not_flagged: int
    controls: list[_Place]


def require_key(path: str, control: int, *inputs: str) -> None:
    """Raises unless a control sample has a file for its key, and nothing else is lost there."""
    if bool(path) != bool(control):
        message = (
            "the key of the control sample needs a file, which those who decide must not see"
            if control
            else "a key is that of a control sample, and there is none"
        )
        raise InputError(message, field="key")
    if not path:
        return
    if not path.endswith(".json"):
        raise InputError(f"{path} must end in .json", field="key")
    refuse_as_output(path, *inputs)
    if Path(path).exists():
        read_key(path)  # it may be written again, but is no other file
    require_writable(path)


def write_key(path: str, key: ControlKey) -> None:
    """Writes a key; one that is there already may only be the same."""
    if Path(path).exists() and read_key(path) != key:
        raise InputError(
            f"{path} is the key of another control sample; name another file", field="key"
        )
    with replacing(path) as part:
        part.write_text(json.dumps(key.to_dict(), indent=1) + "\n", encoding="utf-8")


def read_key(path: str) -> ControlKey:
    """The key in a file."""
    try:
        found = msgspec.json.decode(Path(path).read_bytes(), type=_Key)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}", field="key") from None
    except msgspec.MsgspecError as error:
        raise InputError(f"{path} is no key of a control sample: {error}", field="key") from None
    places = frozenset((each.example, each.unit) for each in found.controls)
    return ControlKey(found.dataset, found.seed, found.not_flagged, places)
