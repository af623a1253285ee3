"""Stars and ranges of ranks: what they say of few sources, how often they hold, and together."""

from math import sqrt
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.board.rankings import compare
from assay.board.tallies import Tally
from assay.metrics import Resampling
from assay.metrics.arrays import Floats
from tests.board.making import board_of, ranking_of, table_of

letters = st.text("+. ", min_size=8, max_size=8)


def tally_of(hits: Floats) -> Tally:
    """One response of each LLM (columns) to each source (rows)."""
    sources, models = hits.shape
    counts = np.zeros((models, 6), dtype=np.int64)
    found, counted = hits.astype(np.float32), np.ones(hits.shape, dtype=np.float32)
    return Tally("d", "l", "", np.arange(models), counts, found, counted, sources, Resampling(1))


def test_a_count_of_zero_of_few_sources_may_have_any_rank() -> None:
    # 0, 2 and 3 of 8: on 2 and on 3 sources there is a difference, and 2 x 0.5^3 = 0.25.
    standings = ranking_of(
        board_of(table_of({"a": "........", "b": "++......", "c": "+++....."}))
    ).standings
    assert [(each.rank, each.ranks) for each in standings] == [
        (1, (1, 3)),
        (2, (1, 3)),
        (3, (1, 3)),
    ]
    assert all(each.is_starred for each in standings)


def test_stars_are_corrected_over_the_comparisons_with_the_best_only() -> None:
    # b: 8 sources, p = 2^-7 = 0.0078, twice as much as 0.05 / 10 of all pairs, less than 0.05 / 4.
    words = {"a": "." * 40, "b": "." * 32 + "+" * 8}
    words |= dict.fromkeys(("c", "d", "e"), "." * 30 + "+" * 10)
    ranking = ranking_of(board_of(table_of(words)))
    assert [each.model for each in ranking.standings if each.is_starred] == ["a"]
    assert ranking.differs[0] == (False, False, True, True, True)
    assert ranking.differs_from[0] == (False, True, True, True, True)
    assert ranking.standings[0].ranks == (1, 1)
    assert ranking.standings[1].ranks == (2, 5)


def test_what_cannot_be_compared_has_no_star_and_may_have_any_rank() -> None:
    found = {
        each.model: each
        for each in ranking_of(
            board_of(table_of({"a": "...   ", "b": "   +..", "c": "+....."}))
        ).standings
    }
    assert {name: each.is_starred for name, each in found.items()} == {
        "a": True, "b": False, "c": True,
    }  # fmt: skip
    assert found["b"].ranks == (1, 3)


def test_ties_for_the_lowest_rate_are_all_the_best() -> None:
    words = {"a": "." * 20, "b": "." * 20, "c": "+" * 20}
    standings = ranking_of(board_of(table_of(words))).standings
    assert [(each.is_starred, each.ranks) for each in standings] == [
        (True, (1, 2)), (True, (1, 2)), (False, (3, 3)),
    ]  # fmt: skip


@given(st.tuples(letters, letters, letters, letters, letters), st.integers(1, 6))
@settings(max_examples=60, deadline=None)
def test_ranges_and_stars_agree(words: tuple[str, ...], times: int) -> None:
    rows = table_of({name: word * times for name, word in zip("abcde", words, strict=True)})
    if not rows:
        return
    ranking = ranking_of(board_of(rows, resampling=Resampling(5)))
    best = [at for at, each in enumerate(ranking.standings) if each.rank == 1]
    for at, each in enumerate(ranking.standings):
        if each.ranks is None:
            continue
        low, high = each.ranks
        assert each.rank is not None
        assert low <= each.rank <= high
        if each.is_starred:
            assert low == 1
        elif any(ranking.p_values[first][at] is not None for first in best):
            assert low > 1
    if len(best) == 1 and ranking.p_values and None not in ranking.p_values[best[0]][1:]:
        stars = sum(each.is_starred for each in ranking.standings)
        assert ranking.standings[best[0]].ranks == (1, stars)


@pytest.mark.parametrize(
    ("sources", "rates", "times"),
    [
        (8, [0.05, 0.06, 0.07, 0.08], 200),
        (72, np.linspace(0.1, 0.12, 10), 100),
        (511, np.linspace(0.06, 0.51, 20), 30),
    ],
    ids=["few", "close", "many"],
)
def test_ranges_hold_the_true_rank_and_stars_the_best(
    sources: int, rates: Floats, times: int
) -> None:
    random = np.random.default_rng(0)
    cuts = np.array([NormalDist().inv_cdf(rate) for rate in rates])
    holds, leads = [], []
    for _ in range(times):
        hard = random.standard_normal((sources, 1))  # a source is hard for all of them
        drawn = sqrt(0.3) * hard + sqrt(0.7) * random.standard_normal((sources, len(rates)))
        found = compare(tally_of((drawn < cuts).astype(np.float64)))
        ends = np.array(found.ranges)
        places = 1 + np.arange(len(rates))
        holds.append((ends[:, 0] <= places) & (places <= ends[:, 1]))
        leads.append(found.starred[0])
    assert np.mean(holds, axis=0).min() >= 0.95
    assert np.mean(leads) >= 0.95
