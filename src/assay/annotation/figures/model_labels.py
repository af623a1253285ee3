"""The labels of what each model wrote."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.annotation.figures.ratings import RatedItem, unit_votes
from assay.core.labels import worst
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.evaluation.agreement.agreement import Kind, Measured
from assay.evaluation.shares import estimate_share
from assay.metrics import Estimate
from assay.metrics.arrays import Floats, group_numbers

_LABELS: dict[Kind, tuple[str, ...]] = {
    "sentence": GRAY7.names,
    "response": tuple(label.name for label in FAITHBENCH if not label.parent),
}


@dataclass(frozen=True, slots=True)
class LabelShare:
    """The number of a model's units with a label, and their share."""

    label: str
    count: int
    share: Measured


@dataclass(frozen=True, slots=True)
class ModelLabels:
    """The labels of what one model wrote.

    A unit counts with the label that settled its item. Where nothing has, it counts with the worst
    label of its annotators; `pooled` items are of that sort.
    """

    model: str
    kind: Kind
    items: int
    pooled: int
    units: int
    labels: tuple[LabelShare, ...]


def label_shares(rated: Sequence[RatedItem], kinds: Sequence[Kind]) -> tuple[ModelLabels, ...]:
    """The labels of each model, by its name; intervals resample sources."""
    by_model: dict[str, list[RatedItem]] = {}
    for item in rated:
        by_model.setdefault(item.model, []).append(item)
    return tuple(
        _of_model(model, kind, by_model[model]) for kind in kinds for model in sorted(by_model)
    )


def _of_model(model: str, kind: Kind, rated: Sequence[RatedItem]) -> ModelLabels:
    names = _LABELS[kind]
    columns = {name: number for number, name in enumerate(names)}
    given = np.zeros((len(rated), len(names)))
    pooled = 0
    for row, item in enumerate(rated):
        settled = item.settled()
        pooled += settled is None
        said = {"": settled} if settled else item.last()
        for _, votes in unit_votes(kind, said):
            given[row, columns[worst(votes.values()).name]] += 1
    counts = given.sum(0)
    units = int(counts.sum())
    shares = _shares(given, [item.source for item in rated])
    return ModelLabels(
        model=model,
        kind=kind,
        items=len(rated),
        pooled=pooled,
        units=units,
        labels=tuple(
            LabelShare(name, int(count), Measured(share.value, share.low, share.high, units, units))
            for name, count, share in zip(names, counts, shares, strict=True)
        ),
    )


def _shares(given: Floats, sources: Sequence[str]) -> list[Estimate]:
    """The share of each label, with its interval over sources."""
    members = group_numbers(sources, "sources")
    summed = np.zeros((int(members.max(initial=-1)) + 1, given.shape[1]))
    np.add.at(summed, members, given)
    summed = summed[summed.any(1)]
    return [estimate_share(column, summed.sum(1)) for column in summed.T]
