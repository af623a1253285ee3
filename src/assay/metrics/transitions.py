"""Faithfulness in the course of a response: from sentence to sentence, and to the first error.

Sentences are rows in reading order; `responses` says which response each belongs to. The rows of
one response need not be adjacent; only their order counts.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.metrics.arrays import Ints, class_numbers, group_numbers, require_same_length, truths
from assay.metrics.estimates import Estimate, proportion


def transition_counts(
    labels: ArrayLike, responses: ArrayLike, *, classes: int, steps: int = 1
) -> Ints:
    """Counts of sentences of class i (row) followed, `steps` sentences on, by class j (column).

    Formula: cell [i, j] = pairs of sentences t and t + steps of one response with labels i and j.
    Empty, or no response longer than `steps`: zeros.
    Reference: VeriGray, section 4.3 and appendix C.

    >>> transition_counts([0, 1, 1, 0], [7, 7, 7, 8], classes=2).tolist()
    [[0, 1], [0, 1]]
    """
    if steps < 1:
        raise ValueError(f"steps must be 1 or more, not {steps}")
    numbers = class_numbers(labels, classes, "labels")
    groups = group_numbers(responses, "responses")
    require_same_length(labels=numbers, responses=groups)
    order = np.argsort(groups, kind="stable")
    numbers, groups = numbers[order], groups[order]
    inside = groups[:-steps] == groups[steps:]
    cells = numbers[:-steps][inside] * classes + numbers[steps:][inside]
    return np.bincount(cells, minlength=classes**2).reshape(classes, classes)


def transition_probabilities(
    counts: ArrayLike, *, confidence: float = 0.95
) -> tuple[tuple[Estimate, ...], ...]:
    """Chance of each next class given the present one, with Wilson intervals, row by row.

    Formula: counts[i, j] / Σ_j counts[i, j]; n is the row's sum. Target classes are merged with
    `merge_classes(counts, columns=...)` first. A class that nothing follows: None with n = 0.
    Reference: VeriGray, figure 3.

    >>> for row in transition_probabilities([[1, 3], [0, 0]]):
    ...     print(" | ".join(str(cell) for cell in row))
    0.250 [0.046, 0.699] n=4 | 0.750 [0.301, 0.954] n=4
    undefined n=0 | undefined n=0
    """
    return tuple(
        tuple(proportion(cell, sum(row), confidence=confidence) for cell in row)
        for row in np.asarray(counts, dtype=np.int64).tolist()
    )


@dataclass(frozen=True, slots=True)
class FirstErrors:
    """The first errors of responses; entry 0 of each tuple is the first sentence.

    `counts`: responses whose first unfaithful sentence is there. `reached`: responses that have
    such a sentence and were faithful before it. `clean`: responses without an unfaithful sentence.
    """

    counts: tuple[int, ...]
    reached: tuple[int, ...]
    clean: int

    @property
    def shares(self) -> tuple[Estimate, ...]:
        """Of the responses with an error, the share whose first one is at each position."""
        return tuple(proportion(count, sum(self.counts)) for count in self.counts)

    @property
    def hazards(self) -> tuple[Estimate, ...]:
        """Of the responses still faithful, the share that goes wrong at each position."""
        pairs = zip(self.counts, self.reached, strict=True)
        return tuple(proportion(count, reached) for count, reached in pairs)


def first_errors(faithful: ArrayLike, responses: ArrayLike) -> FirstErrors:
    """At which sentence responses first become unfaithful.

    Formula: position of the first unfaithful sentence of each response, counted.
    Empty: no positions. Nothing unfaithful: counts of zero, shares undefined, hazards of zero.

    >>> first_errors([True, False, False, True], [7, 7, 7, 8])
    FirstErrors(counts=(0, 1, 0), reached=(2, 1, 0), clean=1)
    """
    truth = truths(faithful, "faithful")
    groups = group_numbers(responses, "responses")
    require_same_length(faithful=truth, responses=groups)
    order = np.argsort(groups, kind="stable")
    lengths = np.bincount(groups)
    places = np.arange(groups.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    wrong = np.flatnonzero(~truth[order])
    first = lengths.copy()
    np.minimum.at(first, groups[order][wrong], places[wrong])
    longest = int(lengths.max(initial=0))
    counts = np.bincount(first[first < lengths], minlength=longest)
    ends = np.bincount(np.minimum(first, lengths - 1), minlength=longest)
    reached = np.cumsum(ends[::-1])[::-1]
    return FirstErrors(
        tuple(counts.tolist()), tuple(reached.tolist()), int((first == lengths).sum())
    )
