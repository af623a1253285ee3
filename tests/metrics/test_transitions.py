from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.metrics import (
    first_errors,
    merge_classes,
    transition_counts,
    transition_probabilities,
)

# Response "a": 0 1 1 0, response "b": 1 0.
LABELS = [0, 1, 1, 0, 1, 0]
RESPONSES = ["a"] * 4 + ["b"] * 2
SENTENCES = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=40)


def test_one_step_stays_inside_a_response() -> None:
    # a: 0-1, 1-1, 1-0; b: 1-0
    counts = transition_counts(LABELS, RESPONSES, classes=2)
    assert counts.tolist() == [[0, 1], [2, 1]]


def test_two_steps_skip_one_sentence() -> None:
    # a: 0-1, 1-0; b is too short
    assert transition_counts(LABELS, RESPONSES, classes=2, steps=2).tolist() == [[0, 1], [1, 0]]


def test_more_steps_than_sentences_count_nothing() -> None:
    assert transition_counts(LABELS, RESPONSES, classes=2, steps=9).sum() == 0
    assert transition_counts([], [], classes=2).sum() == 0


@given(SENTENCES, st.integers(1, 4))
def test_counts_equal_the_loop_over_responses(rows: list[tuple[int, int]], steps: int) -> None:
    expected = np.zeros((3, 3), dtype=int)
    for response in {response for response, _ in rows}:
        chain = [label for owner, label in rows if owner == response]
        for before, after in zip(chain, chain[steps:], strict=False):
            expected[before, after] += 1
    responses, labels = [row[0] for row in rows], np.array([row[1] for row in rows], dtype=int)
    counts = transition_counts(labels, responses, classes=3, steps=steps)
    assert (counts == expected).all()


def test_a_step_is_at_least_one() -> None:
    with pytest.raises(ValueError, match="steps must be 1 or more"):
        transition_counts(LABELS, RESPONSES, classes=2, steps=0)


def test_probabilities_are_shares_of_a_row_with_wilson_intervals(stats: Any) -> None:
    (first, second), (nothing, _) = transition_probabilities([[3, 9], [0, 0]])
    assert (first.value, first.n, second.value) == (0.25, 12, 0.75)
    wilson = stats.binomtest(3, 12).proportion_ci(method="wilson")
    assert (first.low, first.high) == pytest.approx((wilson.low, wilson.high))
    assert (nothing.value, nothing.n, nothing.low) == (None, 0, None)


def test_target_classes_are_merged_by_columns() -> None:
    counts = merge_classes([[1, 2, 3]], columns=(0, 1, 1))
    assert [cell.value for cell in transition_probabilities(counts)[0]] == [1 / 6, 5 / 6]


def test_first_error_is_counted_once_for_each_response() -> None:
    # a: wrong at 1 and 2; b: wrong at 0; c: clean with two sentences; d: wrong at 1
    faithful = [True, False, False, False, True, True, True, False]
    found = first_errors(faithful, list("aaabccdd"))
    assert found.counts == (1, 2, 0)
    assert found.reached == (4, 3, 0)
    assert found.clean == 1


def test_shares_are_of_faulty_and_hazards_of_still_faithful_responses() -> None:
    faithful = [True, False, False, False, True, True, True, False]
    found = first_errors(faithful, list("aaabccdd"))
    assert [share.value for share in found.shares] == [1 / 3, 2 / 3, 0]
    assert [hazard.value for hazard in found.hazards] == [1 / 4, 2 / 3, None]


def test_rows_of_a_response_may_lie_apart() -> None:
    assert first_errors([True, True, False, True], [1, 2, 1, 2]).counts == (0, 1)


def test_without_an_error_shares_are_undefined() -> None:
    found = first_errors([True, True], ["a", "b"])
    assert (found.counts, found.clean) == ((0,), 2)
    assert found.shares[0].value is None
    assert found.hazards[0].value == 0


def test_without_sentences_there_are_no_positions() -> None:
    found = first_errors([], [])
    assert (found.counts, found.reached, found.clean) == ((), (), 0)
