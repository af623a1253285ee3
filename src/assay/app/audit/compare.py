"""Two versions of the labels of the same data: what changed, and how detectors rank on each."""

from dataclasses import dataclass
from typing import cast, get_args

from assay.app.audit.detectors import judging_of, open_detectors, require_detectors, usual_unit
from assay.app.judging import Asking
from assay.audit.shifts import rank_shifts
from assay.audit.versions import Versions
from assay.core.errors import InputError, UnknownNameError
from assay.core.pooling import find_pool
from assay.datasets.selection import DataChoice, load
from assay.evaluation.evaluate import Settings
from assay.evaluation.items import basis_of, describe_gold, find_items
from assay.evaluation.label_changes import compare_labels
from assay.evaluation.policy import GoldPolicy, GoldUnit
from assay.evaluation.references import recorded_detectors


@dataclass(frozen=True, slots=True)
class VersionsRequest:
    """An older and a newer version of some data; without detectors, all recorded in the older."""

    old: DataChoice
    new: DataChoice
    asking: Asking
    detectors: tuple[str, ...] = ()
    unit: str = ""
    reading: str = ""
    by_model: bool = False
    pool: str = ""  # how labels of several annotators become one; empty means `corpus`

    def __post_init__(self) -> None:
        find_pool(self.pool or "corpus")
        if self.unit and self.unit not in get_args(GoldUnit):
            raise UnknownNameError("unit", self.unit, get_args(GoldUnit), field="unit")


def compare_versions(request: VersionsRequest) -> Versions:
    """What became of the labels, and who ranks where since; the predictions are the same."""
    old, new = load(request.old.labelled()).annotated, load(request.new.labelled()).annotated
    later = {each.id: each for each in new}
    before = [
        each
        for each in old
        if each.id in later and each.example.response.text == later[each.id].example.response.text
    ]
    after = [later[each.id] for each in before]
    if not before:
        raise InputError(
            f"{request.old.target} and {request.new.target} have no example in common: none has "
            "the same id and response in both",
            field="new",
        )
    unit = cast(GoldUnit, request.unit) if request.unit else usual_unit(request.old, before)
    policy = GoldPolicy(unit, find_pool(request.pool or "corpus"), request.reading)
    names = request.detectors or tuple(recorded_detectors(before))
    judging = judging_of(request.old.labelled(), before, request.asking, policy)
    require_detectors(judging, names)
    predictions = open_detectors(judging, names)
    settings = Settings(policy, by_model=request.by_model)
    old_items, new_items = find_items(before, policy), find_items(after, policy)
    return Versions(
        request.old.target,
        request.new.target,
        describe_gold(old_items, policy),
        (basis_of(old_items, policy), basis_of(new_items, policy)),
        len(before),
        len(old) - len(before),
        len(new) - len(before),
        compare_labels(before, after, unit, policy.pool),
        rank_shifts(request.old.target, before, after, predictions, settings)
        if predictions
        else (),
        request.by_model,
    )
