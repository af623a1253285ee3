"""Capitals for a text that has lost them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.casing import with_capitals

LOWER = "the mayor of lund , ada berg , said on friday that she was late . i left early ."


def test_words_get_the_capitals_that_the_other_text_shows() -> None:
    cased = with_capitals(LOWER, "On Friday, Ada Berg of Lund was late.")
    assert (
        cased == "The mayor of Lund , Ada Berg , said On Friday that she was late . I left early ."
    )


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("The mayor of Lund, Ada Berg, said on Friday that she was late.", "Ada Berg was late."),
        (LOWER, "ada berg was late"),
        ("ada berg left", "Ada Berg left."),
    ],
)
def test_a_text_with_capitals_a_model_without_and_a_short_text_stay(text: str, model: str) -> None:
    assert with_capitals(text, model) == text


@given(
    st.text(alphabet=st.characters(categories=["Ll", "Lu", "Zs", "Po"]), max_size=200), st.text()
)
def test_no_character_moves(text: str, model: str) -> None:
    cased = with_capitals(text.lower(), model)
    assert len(cased) == len(text.lower())
    assert cased.lower() == text.lower().lower()
