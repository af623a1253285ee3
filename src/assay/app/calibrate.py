"""Fitting how a detector's scores are read, on rows that the user has labelled."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, TypedDict

import numpy as np

from assay import __version__
from assay.app.evaluate import EvaluateRequest
from assay.app.judging import silently
from assay.app.rows import refuse
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Judgements
from assay.core.options import Argument, Option, Takes
from assay.core.pooling import GoldBasis
from assay.core.results import count_of, plural_of
from assay.core.system.files import refuse_as_output, replacing
from assay.core.verdicts import Verdict
from assay.datasets.selection import DataChoice, Loaded, load
from assay.detectors.embedded.calibration import Calibration
from assay.detectors.local import FittedCalibration, LocalOptions
from assay.detectors.registry import DetectorSpec, make_detector
from assay.engine.check import CheckRequest, Watch, start_kept_check
from assay.evaluation.calibration.fits import (
    SURE,
    LabelledScores,
    Read,
    cross_validated,
    fit,
    measure,
)
from assay.evaluation.calibration.worth import (
    require_use,
    warning_of_band,
    warnings_about,
    why_worse,
)
from assay.evaluation.items import (
    Item,
    basis_of,
    examples_to_judge,
    find_items,
    find_outcomes,
    require_gold,
)
from assay.evaluation.policy import POOL, READING, GoldPolicy
from assay.metrics import Estimate

LEAST = 20  # labelled units with a score
LEAST_OF_A_CLASS = 5
LEAST_SOURCES = 2
_UNITS = ("sentence", "response")


@dataclass(frozen=True, slots=True)
class CalibrateRequest:
    """Labelled data, the detector, and how often verdicts that are sure should be right."""

    data: Annotated[
        DataChoice,
        Takes(
            "language",
            dataset=Argument(
                "A file of examples with labels, or a corpus ('assay data list' names them).",
                "DATA",
            ),
        ),
    ]
    local: Annotated[LocalOptions, Takes("threshold calibration")] = field(
        default_factory=LocalOptions
    )
    detector: Annotated[
        str, Option("Detector to calibrate; 'assay detectors list' names them.", "NAME")
    ] = "embedded"
    unit: Annotated[
        str,
        Option(
            "Whose labels are used; default: those of sentences, if there are any.",
            choices=_UNITS,
        ),
    ] = ""
    reading: Annotated[str, READING] = ""
    sure: Annotated[
        float, Option("How often verdicts outside of the not-sure band should be right.", "P")
    ] = SURE
    pool: Annotated[str, POOL] = ""
    watch: Watch = silently

    def __post_init__(self) -> None:
        if not 0.5 <= self.sure < 1:
            raise InputError(
                f"sure verdicts are right at least half of the time, and not always: {self.sure}"
                " does not lie from 0.5 to 1",
                field="sure",
            )
        spec = DetectorSpec(self.detector)
        if not spec.capabilities.runs_here or spec.capabilities.asks_model:
            raise InputError(
                f"detector '{self.detector}' has no scores that could be calibrated: embedded and"
                " embedded-large have",
                field="detector",
            )


class CalibrateArguments(TypedDict, total=False):
    """The same as arguments of a Python function."""

    detector: str
    unit: str
    reading: str
    sure: float
    device: str
    pool: str


@dataclass(frozen=True, slots=True, repr=False)
class Calibrated:
    """A calibration, what it was fitted on, and what it changes.

    The figures after are those of units that the calibration was fitted without.
    """

    fitted: FittedCalibration
    own: Calibration
    data: str
    unit: str
    units: int
    unfaithful: int
    sources: int
    unscored: int
    repeated: int = 0
    before: Mapping[str, Estimate] = field(default_factory=dict)
    after: Mapping[str, Estimate] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    gold: GoldBasis | None = None  # what the labels rest on

    def to_dict(self) -> dict[str, Any]:
        """The document that is written to a file, which a check takes."""
        return {
            **self.fitted.to_dict(),
            "assay": __version__,
            "data": Path(self.data).name,
            "unit": self.unit,
            "gold": self.gold.to_dict() if self.gold else None,
            "n": {
                plural_of(self.unit): self.units,
                "unfaithful": self.unfaithful,
                "sources": self.sources,
                "without a score": self.unscored,
                "repeated": self.repeated,
            },
            "warnings": list(self.warnings),
            "before": {name: asdict(each) for name, each in self.before.items()},
            "after": {name: asdict(each) for name, each in self.after.items()},
        }

    def __repr__(self) -> str:
        return f"<{self.fitted.detector} calibrated on {self}>"

    def __str__(self) -> str:
        said = (
            f"{self.data}: {count_of(self.units, self.unit)} from"
            f" {count_of(self.sources, 'source')}, {self.unfaithful:,} unfaithful"
        )
        if self.unscored:
            said += f"; {self.unscored:,} without a score left out"
        if self.repeated:
            said += f"; {self.repeated:,} that repeat another left out"
        return f"{said}; {self.gold.describe()}" if self.gold else said

    @property
    def settings(self) -> tuple[tuple[str, str, str], ...]:
        """The settings that read scores, before and after, a line for each."""
        own, made = self.own, self.fitted.calibration
        return (
            ("scale", f"{own.scale:.3f}", f"{made.scale:.3f}"),
            ("shift", f"{own.shift:.3f}", f"{made.shift:.3f}"),
            ("threshold", f"{own.threshold:.3f}", f"{made.threshold:.3f}"),
            ("not sure", _band(own), _band(made)),
        )

    @property
    def why_worse(self) -> str:
        """In what it is worse than the model's own calibration, in words; empty if it is not."""
        return why_worse(self.before, self.after)

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Writes the document to a file, which is not the data itself.

        A calibration that makes things worse raises and leaves the file alone, unless forced.
        """
        refuse_as_output(path, self.data)
        if self.why_worse and not force:
            raise InputError(f"{self.why_worse}; nothing was written", code="worse-calibration")
        with replacing(path) as part:
            part.write_text(json.dumps(self.to_dict(), indent=1) + "\n", encoding="utf-8")


def _band(calibration: Calibration) -> str:
    low, high = calibration.unsure
    return "never" if low == high else f"{low:.3f} to {high:.3f}"


def calibrate(request: CalibrateRequest) -> Calibrated:
    """Judges labelled data and fits a calibration on it.

    If it is cut off, the same goes on where it stopped; what was judged is kept for a month. Too
    few labels raise before that, and labels that the scores say nothing of raise after it.
    """
    loaded = load(request.data.labelled())
    policy, labelled = _items(request, loaded)
    unit = policy.unit
    items = _distinct(labelled, loaded)
    _require_enough(items, unit)
    spec = DetectorSpec(request.detector, local=request.local)
    detector = make_detector(spec)
    own = getattr(detector, "calibration", None)
    if not isinstance(own, Calibration):
        raise InputError(
            f"detector '{request.detector}' changes the scores of its model, and cannot be"
            " calibrated itself; calibrate the detector that it rests on",
            field="detector",
        )
    scored = _scored(request, loaded, items)
    _require_enough([item for item, _ in scored], unit)
    given = LabelledScores(
        np.array([score for _, score in scored], dtype=np.float64),
        np.array([bool(item.faithful) for item, _ in scored], dtype=np.bool_),
        np.array([item.group for item, _ in scored], dtype=np.str_),
    )
    before = measure(given, Read.by(own, given.scores))
    after = measure(given, cross_validated(given, own, request.sure))
    require_use(given, before, after)
    made = fit(given, own, request.sure)
    band = warning_of_band(given, own, made, request.sure)
    return Calibrated(
        FittedCalibration(detector.author.name, detector.author.version, made),
        own,
        request.data.target,
        unit,
        len(given),
        int((~given.faithful).sum()),
        len(set(given.groups)),
        len(items) - len(given),
        len(labelled) - len(items),
        before,
        after,
        (*warnings_about(before, after, request.sure), *filter(None, (band,))),
        basis_of((item for item, _ in scored), policy),
    )


def _items(request: CalibrateRequest, loaded: Loaded) -> tuple[GoldPolicy, list[Item]]:
    """The labelled units that a reading calls faithful or unfaithful, and by which policy."""
    measuring = EvaluateRequest(request.data, reading=request.reading, pool=request.pool)
    for unit in (request.unit,) if request.unit else _UNITS:
        policy = replace(measuring, unit=unit).settings().policy
        found = [item for item in find_items(loaded.annotated, policy) if item.faithful is not None]
        if found:
            return policy, found
    if request.unit == "sentence":
        require_gold(found, request.data.target, loaded.annotated, "sentence")
    raise InputError(
        f"{request.data.target} has no labels to calibrate on: a file needs a field with labels,"
        " such as faithful and unfaithful",
        field="label_field",
    )


def _distinct(items: list[Item], loaded: Loaded) -> list[Item]:
    """The items without those that repeat another; items of one text have one group.

    Rows of a plain file have no ids of sources, and several of them may be about the same text.
    """
    examples = {each.id: each.example for each in loaded.annotated}
    found: dict[tuple[object, ...], Item] = {}
    for item in items:
        example = examples[item.example]
        group = example.source.id or _digest(example)
        response = (example.question, example.response.text)
        key = (group, *response, item.unit.id, item.unit.text, item.faithful)
        found.setdefault(key, replace(item, group=group))
    return list(found.values())


def _digest(example: Example) -> str:
    text = example.source.text.encode(errors="surrogatepass")
    return blake2b(text, digest_size=16).hexdigest()


def _scored(
    request: CalibrateRequest, loaded: Loaded, items: list[Item]
) -> list[tuple[Item, float]]:
    """The items that have a score, with it; judging them goes on where it was cut off."""
    spec = DetectorSpec(request.detector, local=request.local)
    examples = examples_to_judge(items, loaded.annotated, spec.capabilities.unit_kind)
    checking = start_kept_check(examples, CheckRequest(spec), request.watch)
    found = tuple(result.judgement for result in checking.results(refuse))
    said = Judgements(request.detector, checking.manifest, lambda: found)
    outcomes = find_outcomes(items, loaded.annotated, said)
    return [
        (item, outcome.score)
        for item, outcome in zip(items, outcomes, strict=True)
        if isinstance(outcome, Verdict) and outcome.score is not None
    ]


def _require_enough(items: list[Item], unit: str) -> None:
    """Raises in a line where there is too little to fit anything on."""
    good = sum(bool(item.faithful) for item in items)
    bad = len(items) - good
    has = f"{count_of(good, f'faithful {unit}')} and {bad:,} unfaithful"
    if min(good, bad) < LEAST_OF_A_CLASS or len(items) < LEAST:
        raise InputError(
            f"too few labels to calibrate on: {has}, where {LEAST} are needed and"
            f" {LEAST_OF_A_CLASS} of each kind",
            code="too-few-labels",
        )
    if len({item.group for item in items}) < LEAST_SOURCES:
        raise InputError(
            f"the labels are about one source, where {LEAST_SOURCES} are needed to see what a"
            " calibration is worth on another",
            code="too-few-labels",
        )
