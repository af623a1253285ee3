"""Searching a local corpus."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from assay.core.errors import InputError
from assay.knowledge import LocalCorpus, index_corpus
from assay.knowledge.corpora.corpus import find_candidates

SIGNS = ['"', "'", "*", "^", "(", ")", ":", "{", "}", "+", "-", "AND", "OR", "NOT", "NEAR(a b, 2)",
         "text:ferry", '"ferry', "ferry*", ";--", "\0", "%", "\ud800", "ferry", "sank"]  # fmt: skip


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., LocalCorpus]]:
    """Corpora from texts, one passage each."""
    made = []

    def make_corpus(texts: list[str], looked_up: int = 1000) -> LocalCorpus:
        folder = tmp_path_factory.mktemp("corpus")
        rows = (json.dumps({"text": text}) for text in texts)
        (folder / "rows.jsonl").write_text("\n".join(rows), "utf-8")
        index_corpus(folder / "rows.jsonl", folder / "c.sqlite")
        made.append(LocalCorpus(folder / "c.sqlite", looked_up=looked_up))
        return made[-1]

    yield make_corpus
    for corpus in made:
        corpus.close()


@pytest.fixture(scope="module")
def ferries(make: Callable[..., LocalCorpus]) -> LocalCorpus:
    return make(["The ferry sank.", "The ferry was sold in 1986.", "The school was sold.", "The."])


def texts(corpus: LocalCorpus, query: str, most: int = 5) -> list[str]:
    return [each.text for each in corpus.find(query, most)]


def test_rare_words_weigh_more(ferries: LocalCorpus) -> None:
    assert texts(ferries, "the ferry was sold in 1986", 2) == [
        "The ferry was sold in 1986.",
        "The school was sold.",
    ]


def test_words_are_found_in_other_forms_and_without_accents(ferries: LocalCorpus) -> None:
    assert texts(ferries, "FÉRRIES", 5) == ["The ferry sank.", "The ferry was sold in 1986."]


@pytest.mark.parametrize("query", ["", "?!", "zebra", "\0"])
def test_a_query_that_nothing_fits_finds_nothing(query: str, ferries: LocalCorpus) -> None:
    assert texts(ferries, query) == []


@pytest.mark.parametrize("sign", SIGNS)
def test_signs_of_the_query_language_are_data(sign: str, ferries: LocalCorpus) -> None:
    assert "The ferry sank." in texts(ferries, f"{sign} sank {sign}")


@given(st.lists(st.one_of(st.sampled_from(SIGNS), st.text(max_size=5)), max_size=8))
def test_any_text_is_a_query(ferries: LocalCorpus, pieces: list[str]) -> None:
    assert len(ferries.find(" ".join(pieces), 2)) <= 2


def test_not_is_a_word(ferries: LocalCorpus) -> None:
    assert texts(ferries, "ferry NOT sank") == ["The ferry sank.", "The ferry was sold in 1986."]


def test_fewer_than_one_passage_cannot_be_wanted(ferries: LocalCorpus) -> None:
    with pytest.raises(InputError, match="most must be 1 or more, not 0"):
        ferries.find("ferry", 0)


def make_sentences(count: int) -> list[str]:
    pick = random.Random(5)
    vocabulary = [f"w{n}" for n in range(400)]
    weights = [1 / (n + 1) for n in range(400)]
    return [
        " ".join(pick.choices(vocabulary, weights, k=pick.randint(5, 15))) for _ in range(count)
    ]


def test_ranking_agrees_with_another_implementation(
    make: Callable[..., LocalCorpus],
) -> None:
    sentences = make_sentences(300)
    corpus = make(sentences)
    other = BM25Okapi([text.split() for text in sentences], k1=1.2, b=0.75, epsilon=0)
    for query in make_sentences(20):
        rare = [w for w in dict.fromkeys(query.split()) if 0 < other_count(w, sentences) < 150]
        scores = other.get_scores(rare)
        # Both leave out what stands in half of all passages; weights differ by log1p against log,
        # which for rare words is nothing, so the best passage must be the same.
        best = max(scores)
        found = corpus.find(" ".join(rare), 1)[0].text
        assert scores[sentences.index(found)] > 0.97 * best


def other_count(word: str, sentences: list[str]) -> int:
    return sum(word in text.split() for text in sentences)


def test_a_query_of_common_words_finds_passages_that_hold_them_together(
    make: Callable[..., LocalCorpus],
) -> None:
    corpus = make(["the of"] * 30 + ["the and of"] * 3 + ["and"] * 20, 10)
    assert texts(corpus, "the of and", 3) == ["the and of"] * 3
    assert len(corpus.find("the", 7)) == 7


def test_frequent_words_do_not_choose_candidates_but_rank_them(
    make: Callable[..., LocalCorpus],
) -> None:
    corpus = make(
        ["common"] * 50 + ["rare word"] * 4 + ["rare word common"] * 4 + ["other"] * 500, 10
    )
    assert texts(corpus, "rare common", 4) == ["rare word common"] * 4


def test_candidates_are_no_more_than_wanted(ferries: LocalCorpus) -> None:
    with ferries._database.reading() as connection:
        terms = ferries._terms(connection, "ferry sold the")
        assert [term.term for term in terms] == ["ferri", "sold", "the"]
        assert len(find_candidates(connection, terms, 2)) == 2


def test_many_tasks_and_threads_may_search_at_once(ferries: LocalCorpus) -> None:
    async def search_often() -> list[int]:
        found = await asyncio.gather(*(ferries.search("ferry", 2) for _ in range(20)))
        return [len(each) for each in found]

    with ThreadPoolExecutor(4) as pool:
        loops = [pool.submit(asyncio.run, search_often()) for _ in range(3)]
        assert [each.result() for each in loops] == [[2] * 20] * 3


def test_a_corpus_that_grows_is_seen_growing(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite"
    index_corpus(folder, path)
    corpus = LocalCorpus(path)
    assert texts(corpus, "harbour") == []
    (folder / "new.txt").write_text("The harbour of Calder.", "utf-8")
    index_corpus(folder, path)
    assert texts(corpus, "harbour") == ["The harbour of Calder."]
    corpus.close()


def test_a_closed_corpus_opens_again(folder: Path, tmp_path: Path) -> None:
    index_corpus(folder, tmp_path / "c.sqlite")

    async def twice() -> list[int]:
        source = LocalCorpus(tmp_path / "c.sqlite")
        found = []
        for _ in range(2):
            async with source:
                found.append(len(await source.search("ferry")))
        return found

    assert asyncio.run(twice()) == [1, 1]
