"""Which passages of a source matter for a sentence."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.rendering import read_source
from assay.core.texts import Source, Span
from assay.text.evidence import Bm25, SourceIndex, split_passages

ARTICLE = (
    "The museum opened on 3 May 1990. It was built by Ada King. "
    "Its garden has roses and tulips. Tickets cost 12 euros. Children enter free of charge."
)
ANY_TEXT = st.text(st.characters() | st.sampled_from(".!?\n- 123ABC"))


def best(sentence: str, source: object = ARTICLE, language: str = "en") -> list[str]:
    ranked = SourceIndex(read_source(source), language).rank(sentence)
    assert all(before.score >= after.score > 0 for before, after in pairwise(ranked))
    return [each.passage.text for each in ranked]


@pytest.mark.parametrize(
    ("sentence", "passage"),
    [
        ("You can see tulips in the gardens.", "Its garden has roses and tulips."),
        ("A ticket is 12 euros.", "Tickets cost 12 euros."),
        ("King was the builder.", "It was built by Ada King."),
        ("Entry is free for children.", "Children enter free of charge."),
    ],
)
def test_passage_that_says_it_is_ranked_first(sentence: str, passage: str) -> None:
    assert best(sentence)[0] == passage


@pytest.mark.parametrize("date", ["May 3rd, 1990", "1990-05-03", "3 May", "1990", "May 1990"])
def test_date_in_another_format_is_found(date: str) -> None:
    assert best(f"On {date}!")[0] == "The museum opened on 3 May 1990."


def test_words_are_matched_by_their_stem_in_the_given_language() -> None:
    source = "Die Stadt ist alt. Die Häuser sind neu."
    assert best("Häusern", source, "de") == ["Die Häuser sind neu."]


def test_nothing_in_common_gives_no_evidence() -> None:
    assert best("Submarines dive.") == []


@pytest.mark.parametrize("source", ["", " ", "?!… ---", [], ["", "..."], {}, "the of and"])
@pytest.mark.parametrize("sentence", ["", "?!", "Ada paid 12 euros.", "the of and"])
def test_source_or_sentence_without_content_gives_no_evidence(
    source: object, sentence: str
) -> None:
    index = SourceIndex(read_source(source))
    assert index.rank(sentence) == []
    assert index.choose([sentence], budget=1_000) == [*range(len(index.passages))]


def test_rare_number_counts_for_more_than_a_frequent_one() -> None:
    index = SourceIndex(read_source(["It was 7.", "So 7.", "And 7.", "Or 5."]))
    scores = {each.passage.text: each.score for each in index.rank("7 5", limit=4)}
    assert scores["Or 5."] > scores["So 7."]


def test_full_score_is_that_of_a_passage_of_mean_length_with_all_words() -> None:
    index = SourceIndex(read_source(["cats sleep", "dogs bark", "birds sing"]))
    assert index.word_scores("cats sleep")[0] == pytest.approx(index.full_score("cats sleep"))
    # A word that no passage has counts as the rarest: a passage with the others falls short of it.
    assert index.word_scores("cats sleep here")[0] < index.full_score("cats sleep where fish fly")
    assert index.full_score("the of and") == 0


def test_words_and_mentions_add_up_to_the_score() -> None:
    index = SourceIndex(Source(ARTICLE))
    sentence = "Ada King sold 12 tickets."
    parts = index.word_scores(sentence) + 0.5 * index.mention_scores(sentence)
    assert index.scores(sentence).tolist() == parts.tolist()
    assert index.mention_scores("tickets").tolist() == [0] * 5


def test_chosen_passages_fit_the_budget_and_stand_in_the_order_of_the_source() -> None:
    index = SourceIndex(Source(ARTICLE))
    chosen = index.choose(["Children enter free.", "The garden has roses."], budget=65)
    assert [index.passages[number].text for number in chosen] == [
        "Its garden has roses and tulips.",
        "Children enter free of charge.",
    ]
    assert index.choose(["Children enter free."], budget=10) == []


def test_rest_of_the_budget_goes_to_the_beginning_of_the_source() -> None:
    index = SourceIndex(read_source(["one", "two", "three", "four"]))
    assert index.choose(["four"], budget=10) == [0, 1, 3]
    assert index.choose(["four"], budget=3, sizes=[1, 1, 1, 1]) == [0, 1, 3]


def test_best_passage_of_every_sentence_is_chosen_before_any_second_best() -> None:
    source = read_source(["cats and dogs", "cats cats", "dogs dogs", "birds"])
    chosen = SourceIndex(source).choose(["cats", "dogs", "birds"], budget=23)
    assert chosen == [1, 2, 3]  # 9 + 9 + 5


def test_passages_never_cross_the_borders_of_the_sources_own() -> None:
    spans = split_passages(read_source(["It ends without a stop", "and this goes on. Yes."]))
    assert [span.text for span in spans] == [
        *("It ends without a stop", "and this goes on.", "Yes.")
    ]


@settings(max_examples=200)
@given(st.lists(ANY_TEXT) | st.dictionaries(ANY_TEXT, ANY_TEXT))
def test_every_passage_lies_inside_one_of_the_sources_own(value: object) -> None:
    source = read_source(value)
    for span in split_passages(source):
        span.verify(source.text)
        holders = [p for p in source.passages if p.start <= span.start and span.end <= p.end]
        assert len(holders) == 1


@settings(max_examples=200)
@given(ANY_TEXT, st.lists(ANY_TEXT, max_size=3), st.integers(0, 100))
def test_evidence_quotes_the_source(text: str, sentences: list[str], budget: int) -> None:
    index = SourceIndex(Source(text))
    numbers = index.choose(sentences, budget)
    chosen = [index.passages[number] for number in numbers]
    ranked = [each.passage for sentence in sentences for each in index.rank(sentence)]
    assert all(span.verify(text) in index.passages for span in (*chosen, *ranked))
    assert sum(len(span.text) for span in chosen) <= budget
    assert numbers == sorted(set(numbers))


def test_passages_are_spans_of_the_source() -> None:
    assert split_passages(Source("Yes. No.")) == (
        Span("source", 0, 4, "Yes."),
        Span("source", 5, 8, "No."),
    )


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
