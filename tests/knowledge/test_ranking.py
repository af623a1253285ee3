"""Passages are cut where a reader would, without loss; BM25 ranks a few of them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.knowledge import KnowledgePassage
from assay.knowledge.corpora.corpus import _heaviest
from assay.knowledge.ranking import MOST_TERMS, TermTokenizer, bm25, cut_passages, rank, weight

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


@pytest.fixture
def words() -> TermTokenizer:
    return TermTokenizer()


def test_words_are_stemmed_folded_and_each_is_taken_once(words: TermTokenizer) -> None:
    found = words.terms("Bridges, the BRIDGE and Café-bridging")
    words.close()
    assert list(found) == ["bridg", "the", "and", "cafe"]
    assert found["bridg"] == "bridges"


def test_only_the_first_words_of_a_long_query_are_looked_up(words: TermTokenizer) -> None:
    assert len(words.terms(" ".join(f"w{n}" for n in range(500)))) == MOST_TERMS
    words.close()


def test_terms_are_counted_in_each_text(words: TermTokenizer) -> None:
    texts = ["A bridge, two bridges.", "", "No boat."]
    counts = words.counts(texts, ["bridg", "boat"])
    words.close()
    assert counts == [{"bridg": 2}, {}, {"boat": 1}]


def test_bm25_by_hand() -> None:
    # Two of ten passages hold the term: log(1 + 8.5 / 2.5) = log(4.4) = 1.4816.
    assert weight(2, 10) == pytest.approx(1.4816, abs=1e-4)
    # Twice in a passage of average length: 1.4816 * 2 * 2.2 / (2 + 1.2) = 2.0372.
    assert bm25({"a": 2}, {"a": weight(2, 10)}, 50, 50.0) == pytest.approx(2.0372, abs=1e-4)
    # In one of double length: 2 * 2.2 / (2 + 1.2 * (0.25 + 1.5)) = 4.4 / 4.1 = 1.0732.
    assert bm25({"a": 2}, {"a": 1.0}, 100, 50.0) == pytest.approx(1.0732, abs=1e-4)


def test_a_term_that_stands_everywhere_still_counts_a_little() -> None:
    assert 0 < weight(10, 10) < 0.05


def test_passages_without_a_word_of_the_query_are_left_out(words: TermTokenizer) -> None:
    passages = [KnowledgePassage(text) for text in ("A boat.", "A bridge of stone.", "A bridge.")]
    found = rank("stone bridge", passages, 5, words)
    words.close()
    assert [each.text for each in found] == ["A bridge of stone.", "A bridge."]
    assert [each.score for each in found] == sorted((e.score or 0 for e in found), reverse=True)


def test_the_title_counts_as_part_of_a_passage(words: TermTokenizer) -> None:
    passages = [KnowledgePassage("It sank."), KnowledgePassage("It sank.", title="The ferry")]
    assert rank("ferry", passages, 5, words) == (
        passages[1].scored(rank("ferry", passages, 1, words)[0].score or 0),
    )
    words.close()


def test_nothing_comes_of_nothing(words: TermTokenizer) -> None:
    assert rank("ferry", [], 5, words) == ()
    assert rank("?!", [KnowledgePassage("A boat.")], 5, words) == ()
    words.close()


LISTS = st.lists(st.sets(st.integers(1, 60), min_size=1), min_size=1, max_size=6)


@given(LISTS, st.integers(1, 70))
def test_the_heaviest_are_those_with_the_largest_sums(lists: list[set[int]], most: int) -> None:
    import numpy as np

    weights = [1.5**n for n in range(len(lists))]
    sums = {i: 0.0 for ids in lists for i in ids}
    for ids, one in zip(lists, weights, strict=True):
        for i in ids:
            sums[i] += one
    found = _heaviest(
        np.concatenate([np.array(sorted(ids)) for ids in lists]),
        np.repeat(weights, [len(ids) for ids in lists]),
        most,
    )
    best = sorted(sums, key=lambda i: (-sums[i], i))[:most]
    assert [sums[i] for i in found.tolist()] == pytest.approx([sums[i] for i in best])
    assert len(set(found.tolist())) == len(best)


def test_digest_is_that_of_the_text_alone() -> None:
    one, other = KnowledgePassage("Text.", "A", "a"), KnowledgePassage("Text.", "B", "b", score=1)
    assert one.digest == other.digest != KnowledgePassage("Text").digest
    assert one.evidence.quote == "Text."
    assert math.isclose(other.scored(0.5).score or 0, 0.5)
