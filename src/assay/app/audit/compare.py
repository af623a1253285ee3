"""Two versions of the labels of the same data: what changed, and how detectors rank on each."""

from dataclasses import dataclass, field, replace
from typing import Annotated, cast

from assay.app.audit.detectors import READING, UNIT, judging_of, open_detectors, usual_unit
from assay.app.evaluate import BY_MODEL
from assay.app.judging import EACH_MODEL, Asking
from assay.audit.versions import Versions, rank_shifts
from assay.core.errors import InputError
from assay.core.options import Argument, Option, Takes, require_choices
from assay.core.pooling import find_pool
from assay.datasets.selection import DataChoice, load
from assay.evaluation.corpora.label_changes import compare_labels
from assay.evaluation.evaluate import Settings
from assay.evaluation.items import basis_of, describe_gold, find_items
from assay.evaluation.policy import OWN_POOL, GoldPolicy, GoldUnit
from assay.evaluation.references import recorded_detectors


@dataclass(frozen=True, slots=True)
class VersionsRequest:
    """An older and a newer version of some data; without detectors, all recorded in the older."""

    old: Annotated[str, Argument("A corpus or file with gold.", "OLD")]
    new: Annotated[str, Argument("The same with other labels, matched by ids.", "NEW")]
    asking: Annotated[Asking, Takes("peers", model=EACH_MODEL)] = field(default_factory=Asking)
    detectors: Annotated[
        tuple[str, ...],
        Argument("Who is ranked on both; by default all that OLD carries.", "DETECTOR"),
    ] = ()
    folder: Annotated[
        str | None, Option("Folder of the corpora; default: ASSAY_DATA.", "DIR", name="data")
    ] = None
    unit: Annotated[str, UNIT] = ""
    reading: Annotated[str, READING] = ""
    by_model: Annotated[bool, BY_MODEL] = False
    pool: Annotated[str, OWN_POOL] = ""

    def __post_init__(self) -> None:
        find_pool(self.pool or "corpus")
        require_choices(self)


def compare_versions(request: VersionsRequest) -> Versions:
    """The labels that changed, and the rankings on both versions of the same predictions."""
    data = DataChoice(request.old, request.folder).labelled()
    old = load(data).annotated
    new = load(replace(data, target=request.new).labelled()).annotated
    later = {each.id: each for each in new}
    before = [
        each
        for each in old
        if each.id in later and each.example.response.text == later[each.id].example.response.text
    ]
    after = [later[each.id] for each in before]
    if not before:
        raise InputError(
            f"{request.old} and {request.new} have no example in common: none has "
            "the same id and response in both",
            field="new",
        )
    unit = cast(GoldUnit, request.unit) if request.unit else usual_unit(data, before)
    policy = GoldPolicy(unit, find_pool(request.pool or "corpus"), request.reading)
    names = request.detectors or tuple(recorded_detectors(before))
    judging = judging_of(data, before, request.asking, policy)
    predictions = open_detectors(judging, names)
    settings = Settings(policy, by_model=request.by_model)
    old_items, new_items = find_items(before, policy), find_items(after, policy)
    return Versions(
        request.old,
        request.new,
        describe_gold(old_items, policy),
        (basis_of(old_items, policy), basis_of(new_items, policy)),
        len(before),
        len(old) - len(before),
        len(new) - len(before),
        compare_labels(before, after, unit, policy.pool),
        rank_shifts(request.old, before, after, predictions, settings) if predictions else (),
        request.by_model,
    )
