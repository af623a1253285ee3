from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import Hits, add_hits, character_hits, example_hits, matching_hits

RANGES = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 10)).map(lambda r: (r[0], sum(r))))
Ranges = list[tuple[int, int]]


def test_a_repeated_error_counts_once_and_costs_precision() -> None:
    # Gold errors 0, 1, 2. Predictions find 0 twice, 2 once, and one thing that is no error.
    hits = matching_hits([0, 0, 2, None], gold=3)
    assert (hits.precision, hits.recall) == (2 / 4, 2 / 3)
    assert hits.f1 == pytest.approx(2 * (1 / 2) * (2 / 3) / (1 / 2 + 2 / 3))


def test_nothing_predicted_has_no_precision() -> None:
    hits = matching_hits([], gold=2)
    assert (hits.precision, hits.recall, hits.f1) == (None, 0, 0)


def test_nothing_to_find_has_no_recall() -> None:
    hits = matching_hits([None], gold=0)
    assert (hits.precision, hits.recall, hits.f1) == (0, None, 0)


def test_a_clean_example_left_alone_adds_nothing() -> None:
    assert matching_hits([], gold=0).f1 is None
    assert add_hits([]) == Hits(0, 0, 0)


def test_a_match_must_name_a_gold_error() -> None:
    with pytest.raises(ValueError, match="outside 0 to 1"):
        matching_hits([2], gold=2)


def test_examples_are_added_before_dividing() -> None:
    # found 1 + 2, predicted 1 + 4, gold 2 + 2
    total = add_hits([matching_hits([0], 2), matching_hits([0, 1, None, None], 2)])
    assert (total.precision, total.recall) == (3 / 5, 3 / 4)


def test_overlapping_spans_of_one_side_count_once() -> None:
    # predicted 0-6 and 10-12: 8 characters; gold 4-11: 7; both: 4, 5, 10
    assert character_hits([(0, 4), (2, 6), (10, 12)], [(4, 11)]) == Hits(3, 8, 7)


def test_an_example_is_found_wherever_its_spans_lie() -> None:
    assert example_hits([(0, 1)], [(8, 9)]) == Hits(1, 1, 1)
    assert example_hits([(3, 3)], []) == Hits(0, 0, 0)


@pytest.mark.parametrize("bad", [(5, 3), (-1, 3)])
def test_a_span_that_runs_backwards_is_refused(bad: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match="0 <= start <= end"):
        character_hits([bad], [])


@given(RANGES, RANGES)
def test_characters_are_those_of_the_painted_text(predicted: Ranges, gold: Ranges) -> None:
    sides = [
        {place for start, end in side for place in range(start, end)} for side in (predicted, gold)
    ]
    expected = Hits(len(sides[0] & sides[1]), len(sides[0]), len(sides[1]))
    assert character_hits(predicted, gold) == expected


def test_character_f1_agrees_with_sklearn(sklearn_metrics: Any) -> None:
    predicted, gold = np.zeros((2, 40), dtype=bool)
    predicted[3:9] = predicted[20:31] = gold[7:22] = True
    hits = character_hits([(3, 9), (20, 31)], [(7, 22)])
    assert hits.f1 == pytest.approx(sklearn_metrics.f1_score(gold, predicted))
