"""Words as the lexical methods compare them, and where they occur in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.words import (
    content_words,
    count_words,
    find_inside_words,
    find_words,
    terms,
    words,
)

TEXT = "Alfred covered 15 red boats, 1,250.5 miles."


def test_words_are_written_as_they_stand_without_a_list_marker() -> None:
    assert words("2. The dog's 3.5 bones, e.g. big-ones") == [
        *("The", "dog's", "3.5", "bones", "e.g", "big", "ones")
    ]


def test_function_words_are_no_content_words() -> None:
    assert terms("It is what it was, and that's that.") == []


@pytest.mark.parametrize(
    ("language", "first", "second"),
    [
        ("en", "The miners were running", "A miner who runs"),
        ("de", "Häusern", "Häuser"),
        ("fr", "continuellement", "continuelle"),
        ("en", "Lovelace’s", "Lovelace"),
        ("en", "STRASSE", "straße"),
    ],
)
def test_forms_of_a_word_have_the_same_term(language: str, first: str, second: str) -> None:
    assert terms(first, language) == terms(second, language) != []


def test_content_word_is_given_with_its_term() -> None:
    assert list(content_words("The Miners sang")) == [("Miners", "miner"), ("sang", "sang")]


def test_text_without_spaces_is_compared_by_characters() -> None:
    assert terms("今天好", "zh") == ["今", "天", "好"]
    assert terms("the 中文 word") == ["中", "文", "word"]


def test_unknown_language_is_not_stemmed() -> None:
    assert terms("Miners", "none-such") == ["miners"]


@pytest.mark.parametrize("text", ["", " \n", "?!…", "---"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert terms(text) == []


@pytest.mark.parametrize(
    ("words", "whole", "inside"),
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
def test_place_of_words(words: str, whole: int, inside: int) -> None:
    assert (find_words(TEXT, words), find_inside_words(TEXT, words)) == (whole, inside)


@given(st.one_of(st.text(alphabet="ab1'’.,_ -\n•é½", max_size=20), st.text(max_size=20)))
def test_words_are_counted_as_they_are_found(text: str) -> None:
    assert count_words(text) == len(words(text))


def test_search_begins_after_a_place() -> None:
    assert find_words("red red", "red", 1) == 4
    assert find_words("red red", "red", 5) == -1


def test_a_repetitive_text_is_searched_in_bounded_time() -> None:
    assert find_words("1" * 200_000, "1" * 50_000) == -1
    assert find_inside_words("1" * 200_000, "1") == -1
