"""BM25 over a few passages, and the words of a query."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.knowledge.corpora.corpus import _heaviest
from assay.knowledge.ranking import MOST_TERMS, Tokenizer, bm25, rank, weight
from assay.knowledge.sources import KnowledgePassage


@pytest.fixture
def words() -> Tokenizer:
    return Tokenizer()


def test_words_are_stemmed_folded_and_each_is_taken_once(words: Tokenizer) -> None:
    found = words.terms("Bridges, the BRIDGE and Café-bridging")
    words.close()
    assert list(found) == ["bridg", "the", "and", "cafe"]
    assert found["bridg"] == "bridges"


def test_only_the_first_words_of_a_long_query_are_looked_up(words: Tokenizer) -> None:
    assert len(words.terms(" ".join(f"w{n}" for n in range(500)))) == MOST_TERMS
    words.close()


def test_terms_are_counted_in_each_text(words: Tokenizer) -> None:
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


def test_passages_without_a_word_of_the_query_are_left_out(words: Tokenizer) -> None:
    passages = [KnowledgePassage(text) for text in ("A boat.", "A bridge of stone.", "A bridge.")]
    found = rank("stone bridge", passages, 5, words)
    words.close()
    assert [each.text for each in found] == ["A bridge of stone.", "A bridge."]
    assert [each.score for each in found] == sorted((e.score or 0 for e in found), reverse=True)


def test_the_title_counts_as_part_of_a_passage(words: Tokenizer) -> None:
    passages = [KnowledgePassage("It sank."), KnowledgePassage("It sank.", title="The ferry")]
    assert rank("ferry", passages, 5, words) == (
        passages[1].scored(rank("ferry", passages, 1, words)[0].score or 0),
    )
    words.close()


def test_nothing_comes_of_nothing(words: Tokenizer) -> None:
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
