"""Passages: exact offsets, nothing lost, borders where a reader would put them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.knowledge.ranking import cut_passages

TEXTS = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            ["One. ", "two, ", "\n\n", " \t\n", "x" * 1200, "三。", "word ", "!?\r\n\r\n"]
        ),
    ),
    max_size=120,
).map("".join)


@given(TEXTS, st.integers(2, 40))
def test_offsets_are_exact_and_nothing_but_white_space_is_lost(text: str, words: int) -> None:
    end = 0
    for piece in cut_passages(text, words):
        assert text[end : piece.start].strip() == ""
        assert text[piece.start : piece.end].strip() == text[piece.start : piece.end] != ""
        end = piece.end
    assert text[end:].strip() == ""


@given(TEXTS, st.integers(2, 40))
def test_no_passage_is_much_longer_than_wanted(text: str, words: int) -> None:
    for piece in cut_passages(text, words):
        assert 1 <= len(text[piece.start : piece.end].split()) <= words + words // 2


@given(TEXTS)
def test_words_are_counted(text: str) -> None:
    pieces = list(cut_passages(text, 10))
    assert sum(piece.words for piece in pieces) >= len(text.split())


def pieces_of(text: str, words: int) -> list[str]:
    return [text[piece.start : piece.end] for piece in cut_passages(text, words)]


def test_paragraphs_are_kept_together_where_they_fit() -> None:
    text = "a b c. d e f.\n\ng h i j. k l m n."
    assert pieces_of(text, 8) == ["a b c. d e f.", "g h i j. k l m n."]


def test_sentences_are_kept_together_where_paragraphs_do_not_fit() -> None:
    assert pieces_of("a b c d e. f g h i j. k l.", 6) == ["a b c d e.", "f g h i j.", "k l."]


def test_a_long_sentence_goes_on_a_little_rather_than_being_cut() -> None:
    assert pieces_of("a b c d e f g h i. j k l m.", 8) == ["a b c d e f g h i.", "j k l m."]


def test_a_sentence_without_end_is_cut_between_words() -> None:
    assert pieces_of("a b c d e f g h i j k l m", 4) == ["a b c d", "e f g h", "i j k l", "m"]


def test_a_word_without_end_is_cut_inside() -> None:
    assert [len(piece) for piece in pieces_of("字" * 2_600, 2)] == [1000, 1000, 600]


@pytest.mark.parametrize("text", ["", " \n\t "])
def test_text_without_words_has_no_passages(text: str) -> None:
    assert pieces_of(text, 10) == []
