"""Words are found where they stand apart, and a part of a number is not that number."""

import time

import pytest

from assay.text.words import find_inside_words, find_words

TEXT = "Alfred covered 15 red boats, 1,250.5 miles."


@pytest.mark.parametrize(
    ("words", "apart", "within"),
    [
        ("red", 18, 3),
        ("boat", -1, 22),
        ("15", 15, 15),
        ("5", -1, -1),
        ("250", -1, -1),
        ("250.5", -1, -1),
        ("1,250.5", 29, 29),
        ("red boats,", 18, 18),
        ("none", -1, -1),
    ],
)
def test_place_of_words(words: str, apart: int, within: int) -> None:
    assert (find_words(TEXT, words), find_inside_words(TEXT, words)) == (apart, within)


def test_search_begins_after_a_place() -> None:
    assert find_words("red red", "red", 1) == 4
    assert find_words("red red", "red", 5) == -1


def test_text_that_repeats_itself_takes_no_longer() -> None:
    began = time.perf_counter()
    assert find_words("1" * 200_000, "1" * 50_000) == -1
    assert find_inside_words("1" * 200_000, "1") == -1
    assert time.perf_counter() - began < 2
