"""How often responses are unfaithful by the length of source and response, for each LLM.

FaithBench's appendix B: the parts are cut at the quintiles of the lengths in words, and a response
counts by the label that the corpus gives it, or the worst that annotators give.
"""

from array import array
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.core.examples import Annotated
from assay.evaluation.gold import gold_labels
from assay.metrics import Estimate, proportion
from assay.metrics.arrays import Ints

Side = Literal["source", "response"]
SIDES: tuple[Side, ...] = ("source", "response")
CUTS = (0.2, 0.4, 0.6, 0.8)


@dataclass(frozen=True, slots=True)
class LengthRates:
    """The share of unfaithful responses in each part; `ends` is the most words of each part."""

    side: Side
    ends: tuple[int, ...]
    overall: tuple[Estimate, ...]
    by_model: dict[str, tuple[Estimate, ...]]


class LengthRateCounter:
    """Gathers lengths and labels, response after response."""

    def __init__(self) -> None:
        self._lengths = {side: array("l") for side in SIDES}
        self._unfaithful = array("b")
        self._models: dict[str, int] = {}
        self._by = array("l")

    def add(self, annotated: Annotated, source: int, response: int) -> None:
        """One more example, and how many words its texts have; one without a label is left out."""
        for _, label in gold_labels(annotated, "response", "corpus"):
            self._lengths["source"].append(source)
            self._lengths["response"].append(response)
            self._unfaithful.append(label.coarse == "unfaithful")
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
        wrong = np.array(self._unfaithful, dtype=np.int64)
        models = np.array(self._by, dtype=np.int64)
        by_model = {
            name: _shares(parts[models == number], wrong[models == number], ends.size)
            for name, number in sorted(self._models.items())
        }
        return LengthRates(
            side,
            tuple(ends.tolist()),
            _shares(parts, wrong, ends.size),
            by_model if any(self._models) else {},
        )


def _shares(parts: Ints, wrong: Ints, count: int) -> tuple[Estimate, ...]:
    n = np.bincount(parts, minlength=count).tolist()
    found = np.bincount(parts[wrong == 1], minlength=count).tolist()
    return tuple(proportion(*each) for each in zip(found, n, strict=True))
