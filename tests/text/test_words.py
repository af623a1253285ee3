"""Words as the lexical methods compare them."""

import pytest

from assay.text.words import content_words, terms, words


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
