"""Which LLMs differ by more than chance, which may be the best, and the ranks that this leaves."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from assay.board.tallies import Tally
from assay.metrics.arrays import Bools, Floats
from assay.metrics.pairs import holm, holm_rows, pairwise_gaps, pairwise_p_values, rank_sets
from assay.metrics.standings import ranks


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """All LLMs of a tally compared with each other, in its order.

    `differs` stands after a correction over all pairs, `differs_from` over the comparisons with the
    LLM of the row. `starred` are the lowest rates, and those that are not distinguishable from one
    of them. These have rank 1 in their `ranges`, and others that were compared with it do not.
    """

    p_values: Floats
    differs: Bools
    differs_from: Bools
    starred: Bools
    ranges: tuple[tuple[int, int] | None, ...]


def compare(tally: Tally) -> Comparisons:
    """Compares the LLMs of a tally on the sources that each pair of them shares."""
    rates = tally.rates
    p_values = pairwise_p_values(tally.hits, tally.counted)
    gaps = pairwise_gaps(tally.hits, tally.counted)
    upper = np.triu_indices(len(rates), 1)
    differs: Bools = np.zeros(p_values.shape, dtype=np.bool_)
    differs[upper] = holm(p_values[upper])
    differs |= differs.T
    differs_from = holm_rows(p_values)
    # On the sources that a pair shares it may be the other way round: then neither is the better.
    apart = differs_from & (np.sign(gaps) == np.sign(rates[:, None] - rates))
    first: Bools = ranks(rates) == 1
    known: Bools = ~np.isnan(p_values)
    compared = np.logical_or.reduce(known[first])
    starred: Bools = first | np.logical_or.reduce((known & ~apart)[first])
    ranges = tuple(_ranges(rank_sets(rates, apart), starred, compared))
    return Comparisons(p_values, differs, differs_from, starred, ranges)


def _ranges(
    found: list[tuple[int, int] | None], starred: Bools, compared: Bools
) -> Iterator[tuple[int, int] | None]:
    """Ranges that agree with the stars: each LLM's own comparisons may say less or more."""
    for ends, is_starred, is_compared in zip(found, starred, compared, strict=True):
        if ends is None:
            yield None
        elif is_starred:
            yield 1, ends[1]
        else:
            yield max(ends[0], 2) if is_compared else ends[0], ends[1]
