"""BM25 by hand, and beside bm25s."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.text.bm25 import Bm25

WORDS = st.lists(st.sampled_from("abcdefgh"), max_size=12)


def test_rare_word_of_a_document_of_mean_length() -> None:
    index = Bm25([["cat", "mat"], ["dog", "mat"]], k1=1.5)
    # One of two documents has it: log(1 + 1.5 / 1.5); once in a document: 1 / (1 + 1.5).
    assert index.scores(["cat"]).tolist() == pytest.approx([math.log(2) / 2.5, 0])


def test_nothing_matches_nothing() -> None:
    assert Bm25([], k1=1.5).scores(["cat"]).tolist() == []
    assert Bm25([[], ["dog"]], k1=1.5).scores(["cat"]).tolist() == [0, 0]
    assert Bm25([["dog"]], k1=1.5).scores([]).tolist() == [0]


@given(st.lists(WORDS, min_size=1, max_size=20).filter(any), WORDS.filter(bool))
def test_scores_are_those_of_bm25s(documents: list[list[str]], query: list[str]) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is compared with, and no dependency")
    other = bm25s.BM25(k1=1.5, method="lucene")
    other.index(documents, show_progress=False)
    ours = Bm25(documents, k1=1.5)
    assert np.array_equal(ours.scores(query), other.get_scores(query))
    assert np.array_equal(ours.scores(query), other.get_scores(query))  # weighed by now
