"""Text as tokens, and tokens in a row."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.detectors.embedded.tokens import MARK, RESPONSE, SOURCE, START, Tokenizer, lay_out
from tests.detectors.embedded.conftest import WORDS

TOKENIZER = Tokenizer(WORDS)


def test_merges_make_words_and_digits_stay_single() -> None:
    tokens = TOKENIZER.encode(" the 12")
    assert len(tokens) == 4  # " the", " ", "1", "2"


@given(st.text())
def test_any_text_becomes_tokens_that_cover_it_from_start_to_end(text: str) -> None:
    tokens = TOKENIZER.encode(text)
    starts = TOKENIZER.starts(text, tokens)
    assert len(starts) == len(tokens) + 1
    assert starts[0] == 0
    assert starts[-1] == len(text)
    assert (np.diff(starts) >= 0).all()


def test_tokens_start_at_characters_even_behind_wide_ones() -> None:
    text = "é ☃ the"
    starts = TOKENIZER.starts(text, TOKENIZER.encode(text))
    assert starts[-2] == 3  # " the"


@pytest.mark.parametrize("text", ["\x00\x1b\x07", "\ud800", "\u202e", "a" * 5_000])
def test_odd_characters_are_read(text: str) -> None:
    assert len(TOKENIZER.encode(text)) > 0


def test_row_has_a_mark_behind_every_sentence() -> None:
    question, source = TOKENIZER.encode("q?"), TOKENIZER.encode("source")
    sentences = [TOKENIZER.encode("one"), TOKENIZER.encode("three")]
    row = lay_out(question, source, sentences)
    assert row.tokens[0] == START
    assert row.tokens[row.source.start - 1] == SOURCE
    assert np.array_equal(row.tokens[row.source], source)
    assert row.tokens[row.source.stop] == RESPONSE
    assert (row.tokens[row.marks] == MARK).all()
    assert row.marks[-1] == len(row.tokens) - 1
    assert len(row.marks) == 2


@pytest.mark.parametrize("space", [" ", "\n", " \t", "\u3000"])
def test_a_million_blanks_in_a_row_are_read(space: str) -> None:
    text = f"the {space * (1_000_000 // len(space))} the"  # more than the library can take at once
    tokens = TOKENIZER.encode(text)
    assert TOKENIZER.starts(text, tokens)[-1] == len(text)
