"""How often responses are unfaithful by the length of source and response, for each LLM.

FaithBench's appendix B: the parts are cut at the quintiles of the lengths in words, and a response
counts by the label that the corpus gives it, or the worst that annotators give. Of the responses
that are not faithful, the share of each label is counted as well.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.evaluation.gold import gold_labels
from assay.metrics import Estimate, proportion
from assay.metrics.arrays import Bools, Ints

Side = Literal["source", "response"]
SIDES: tuple[Side, ...] = ("source", "response")
CUTS = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, slots=True)
class LengthRates:
    """The share of unfaithful responses in each part; `ends` is the most words of each part.

    `types` has the share of each label among the responses of a part that are not faithful (no-fact
    aside), for each LLM and under "all"; it is empty where there is only one such label.
    """

    side: Side
    ends: tuple[int, ...]
    overall: tuple[Estimate, ...]
    by_model: dict[str, tuple[Estimate, ...]]
    types: dict[str, dict[str, tuple[Estimate, ...]]]


class LengthRateCounter:
    """Gathers lengths and labels, response after response."""

    def __init__(self) -> None:
        self._lengths = {side: array("l") for side in SIDES}
        self._labels: dict[Label, int] = {}
        self._given = array("l")
        self._models: dict[str, int] = {}
        self._by = array("l")

    def add(self, annotated: Annotated, source: int, response: int) -> None:
        """One more example, and how many words its texts have; one without a label is left out."""
        for _, label in gold_labels(annotated, "response", "corpus"):
            self._lengths["source"].append(source)
            self._lengths["response"].append(response)
            whole = taxonomy(label.taxonomy)[label.parent] if label.parent else label
            self._given.append(self._labels.setdefault(whole, len(self._labels)))
            model = annotated.example.response.model
            self._by.append(self._models.setdefault(model, len(self._models)))

    def rates(self) -> tuple[LengthRates, ...]:
        """A table for each side whose lengths differ."""
        found = (self._rates(side) for side in SIDES if len(set(self._lengths[side])) > 1)
        return tuple(each for each in found if len(each.ends) > 1)

    def _rates(self, side: Side) -> LengthRates:
        lengths = np.array(self._lengths[side], dtype=np.int64)
        cuts = np.quantile(lengths, CUTS, method="inverted_cdf")
        ends = np.unique([*cuts, lengths.max()]).astype(np.int64)
        parts = np.searchsorted(ends, lengths)
        given, models = (np.array(each, dtype=np.int64) for each in (self._given, self._by))
        wrong = self._are(given, [e for e in self._labels if e.coarse == "unfaithful"])
        mine = {name: models == number for name, number in sorted(self._models.items())}
        named = mine if any(self._models) else {}
        return LengthRates(
            side,
            tuple(ends.tolist()),
            _shares(parts, wrong, ends.size),
            {name: _shares(parts[own], wrong[own], ends.size) for name, own in named.items()},
            self._types(parts, given, {"all": np.ones_like(models, dtype=np.bool_), **named}),
        )

    def _types(
        self, parts: Ints, given: Ints, groups: Mapping[str, Bools]
    ) -> dict[str, dict[str, tuple[Estimate, ...]]]:
        """The share of each label among those that are not faithful, for each group."""
        errors = [each for each in self._labels if each.coarse in ("unfaithful", "not-sure")]
        if len(errors) < 2:
            return {}
        flawed, count = self._are(given, errors), int(parts.max()) + 1
        return {
            name: {
                label.name: _shares(parts[own], self._are(given[own], [label]), count)
                for label in sorted(errors, key=lambda each: (each.rank, each.name))
                for own in (group & flawed,)
            }
            for name, group in groups.items()
        }

    def _are(self, given: Ints, labels: Iterable[Label]) -> Bools:
        """Which of the responses have one of some labels."""
        return np.isin(given, [self._labels[each] for each in labels])


def _shares(parts: Ints, hits: Bools, count: int) -> tuple[Estimate, ...]:
    n = np.bincount(parts, minlength=count).tolist()
    found = np.bincount(parts[hits], minlength=count).tolist()
    return tuple(proportion(*each) for each in zip(found, n, strict=True))
