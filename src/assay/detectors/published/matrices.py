"""Every sentence of a source with every sentence of a claim, as a classifier sees each pair."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from assay.detectors.published.pairs import PairReader
from assay.detectors.published.scores import Claim, Place


@dataclass(frozen=True, slots=True)
class Split:
    """The places of the sentences of a source and of a claim; `read` is the end of those read."""

    source: Sequence[Place]
    claim: Sequence[Place]
    read: int | None = None

    def first(self, most: int) -> "Split":
        """At most so many sentences of the source."""
        if len(self.source) <= most:
            return self
        return replace(self, source=self.source[:most], read=self.source[most - 1][1])


@dataclass(frozen=True, slots=True)
class SentenceMatrix:
    """Probabilities of classes: sentences of the source, of the claim, classes."""

    split: Split
    values: np.ndarray


def matrices(
    reader: PairReader, claims: Sequence[Claim], splits: Sequence[Split]
) -> Iterator[SentenceMatrix]:
    """The matrix of each claim; pairs of all claims are read together."""
    pairs = [
        (claim.source[slice(*premise)], claim.text[slice(*hypothesis)])
        for claim, split in zip(claims, splits, strict=True)
        for premise in split.source
        for hypothesis in split.claim
    ]
    found = iter(reader.read(pairs))
    for split in splits:
        size = (len(split.source), len(split.claim))
        values = np.array(list(islice(found, size[0] * size[1])), dtype=np.float64)
        yield SentenceMatrix(split, values.reshape((*size, -1)) if values.size else values)
