"""How alike two descriptions are, by hand arithmetic."""

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evaluation.localization.wording import Wordings

PLAIN = Wordings("")


def test_same_words_are_wholly_alike_and_different_ones_not_at_all() -> None:
    assert PLAIN.similarity("The red boat sank.", "A boat, red, sank") == pytest.approx(1.0)
    assert PLAIN.similarity("The red boat sank.", "It rained.") == 0.0


def test_similarity_is_the_shared_weight_over_the_geometric_mean() -> None:
    # {red, boat, sank} and {boat, burn}: 1 / sqrt(3 x 2).
    assert PLAIN.similarity("red boat sank", "boat burned") == pytest.approx(1 / sqrt(6))


def test_number_weighs_twice_as_much_as_a_word() -> None:
    # {boat: 1, 12: 2} and {ship: 1, 12: 2}: 2 / sqrt(3 x 3).
    assert PLAIN.similarity("12 boats", "12 ships") == pytest.approx(2 / 3)


def test_number_is_the_same_however_it_is_written() -> None:
    # {boat: 1, 12: 2} and {ship: 1, twelve: 1, 12: 2}: 2 / sqrt(3 x 4).
    assert PLAIN.similarity("12 boats", "twelve ships") == pytest.approx(2 / sqrt(12))


def test_words_of_reporting_weigh_nothing() -> None:
    first = "The summary says that the boat sank, which the source does not mention."
    assert PLAIN.similarity(first, "boat sank") == pytest.approx(1.0)
    assert PLAIN.similarity("The source does not say so.", "The source does not mention it.") == 0.0


def test_word_that_the_response_repeats_weighs_less() -> None:
    wordings = Wordings("The boat left. The boat sank. A storm came.")
    # {boat: 1/2, storm: 1} and {boat: 1/2, sank: 1}: 1/2 / (3/2); and the same with the storm.
    assert wordings.similarity("boat storm", "boat sank") == pytest.approx(1 / 3)
    assert wordings.similarity("boat storm", "storm sank") == pytest.approx(1 / sqrt(1.5 * 2))


@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_symmetric_and_between_0_and_1(first: str, second: str) -> None:
    wordings = Wordings(first)
    alike = wordings.similarity(first, second)
    assert alike == pytest.approx(wordings.similarity(second, first))
    assert 0 <= alike <= 1 + 1e-9
