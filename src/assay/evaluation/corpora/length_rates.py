"""Rates of unfaithful responses by the length of source and response, for each LLM.

FaithBench's appendix B: the parts are cut at the quintiles of the lengths in words. For a corpus, a
response counts by its gold label; for a board, by what a judge says. Of the responses that are not
faithful, the share of each label is counted as well.
"""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.examples import Annotated
from assay.core.labels import Label
from assay.core.pooling import GoldBasis, Pool, Voices
from assay.core.taxonomies import taxonomy
from assay.evaluation.gold import find_gold
from assay.metrics import Estimate, proportion
from assay.metrics.arrays import Bools, Ints

Side = Literal["source", "response"]
SIDES: tuple[Side, ...] = ("source", "response")
Numbers = NDArray[np.integer[Any]]
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

    def __init__(self, pool: Pool = "corpus") -> None:
        self._pool = pool
        self._voices: Counter[Voices] = Counter()
        self._lengths = {side: array("l") for side in SIDES}
        self._labels: dict[Label, int] = {}
        self._given = array("l")
        self._models: dict[str, int] = {}
        self._by = array("l")

    def add(self, annotated: Annotated, source: int, response: int) -> None:
        """One more example, and how many words its texts have; one without a label is left out."""
        for gold in find_gold(annotated, "response", self._pool):
            label = gold.label
            self._voices[gold.voices] += 1
            self._lengths["source"].append(source)
            self._lengths["response"].append(response)
            whole = taxonomy(label.taxonomy)[label.parent] if label.parent else label
            self._given.append(self._labels.setdefault(whole, len(self._labels)))
            model = annotated.example.response.model
            self._by.append(self._models.setdefault(model, len(self._models)))

    @property
    def basis(self) -> GoldBasis:
        """The basis of the gold labels of the responses."""
        return GoldBasis(self._pool, self._voices)

    def rates(self) -> tuple[LengthRates, ...]:
        """A table for each side whose lengths differ."""
        given = np.array(self._given, dtype=np.int64)
        wrong = [place for label, place in self._labels.items() if label.coarse == "unfaithful"]
        errors = [each for each in self._labels if each.coarse in ("unfaithful", "not-sure")]
        kinds = {
            label.name: given == self._labels[label]
            for label in sorted(errors, key=lambda each: (each.rank, each.name))
        }
        return rates_by_length(
            {side: np.array(self._lengths[side], dtype=np.int64) for side in SIDES},
            np.isin(given, wrong),
            np.array(self._by, dtype=np.int64),
            list(self._models),
            kinds,
        )


def rates_by_length(
    lengths: Mapping[Side, Numbers],
    wrong: Bools,
    models: Numbers,
    names: Sequence[str],
    kinds: Mapping[str, Bools],
) -> tuple[LengthRates, ...]:
    """A table for each side whose lengths differ, of responses that are wrong or not.

    `models` are places in `names`; without any name there are no rates by model. `kinds` says which
    responses have each kind of error.
    """
    found = (
        _rates(side, words, wrong, _groups(models, names), kinds)
        for side, words in lengths.items()
        if words.size and words.min() < words.max()
    )
    return tuple(each for each in found if len(each.ends) > 1)


def _groups(models: Numbers, names: Sequence[str]) -> dict[str, Bools]:
    """The responses of each model, by name."""
    if not any(names):
        return {}
    present = set(np.unique(models).tolist())
    numbered = sorted((name, place) for place, name in enumerate(names) if place in present)
    return {name: models == place for name, place in numbered}


def _rates(
    side: Side,
    lengths: Numbers,
    wrong: Bools,
    groups: Mapping[str, Bools],
    kinds: Mapping[str, Bools],
) -> LengthRates:
    cuts = np.quantile(lengths, CUTS, method="inverted_cdf")
    ends = np.unique([*cuts, lengths.max()]).astype(np.int64)
    parts, count = np.searchsorted(ends, lengths), ends.size
    every = {"all": np.ones_like(wrong), **groups} if len(kinds) > 1 else {}
    flawed = np.logical_or.reduce([*kinds.values(), np.zeros_like(wrong)])
    return LengthRates(
        side,
        tuple(ends.tolist()),
        _shares(parts, wrong, count),
        {name: _shares(parts[own], wrong[own], count) for name, own in groups.items()},
        {
            name: {
                kind: _shares(parts[own & flawed], has[own & flawed], count)
                for kind, has in kinds.items()
            }
            for name, own in every.items()
        },
    )


def _shares(parts: Ints, hits: Bools, count: int) -> tuple[Estimate, ...]:
    n = np.bincount(parts, minlength=count).tolist()
    found = np.bincount(parts[hits], minlength=count).tolist()
    return tuple(map(proportion, found, n))
