"""Searches that a run makes once and keeps in its journal."""

import asyncio
from hashlib import sha256

import pytest

from assay.engine.opening import KeptSearches
from assay.knowledge import FetchError, KnowledgePassage
from assay.store.journal import Journal
from assay.store.runs import RunStore, open_store
from tests.detectors.combinators.test_consultation import JACKET, Shelf
from tests.engine.conftest import MANIFEST


def searching(shelf: Shelf, journal: Journal | None = None) -> KeptSearches:
    searches = KeptSearches(shelf)
    searches.journal = journal
    return searches


def find(
    searches: KeptSearches, query: str = "jacket", most: int = 3
) -> tuple[KnowledgePassage, ...]:
    return asyncio.run(searches.search(query, most))


def test_a_run_that_goes_on_finds_what_it_found_and_does_not_search_again(runs_at: str) -> None:
    store = open_store(runs_at)
    scored = JACKET.scored(2.5)
    with store.create("a", MANIFEST) as journal:
        assert find(searching(Shelf((scored,)), journal)) == (scored,)
    shelf = Shelf(())
    with store.open("a", to_write=True) as again:
        assert find(searching(shelf, again)) == (scored,)
        assert find(searching(shelf, again), "other") == ()
        assert find(searching(shelf, again), most=2) == ()
    assert shelf.queries == ["other", "jacket"]


def test_what_was_found_is_on_disk_before_it_is_used(journal: Journal, store: RunStore) -> None:
    async def search() -> str | None:
        with journal.on_loop():
            await searching(Shelf((JACKET,)), journal).search("jacket", 3)
            with store.open("a") as reader:
                return reader.find_search(_key("jacket", 3))

    assert "green jacket" in str(asyncio.run(search()))


def _key(query: str, most: int) -> str:
    return sha256(f"{most} {query}".encode()).hexdigest()


def test_a_search_that_failed_is_made_again(journal: Journal) -> None:
    shelf = Shelf(FetchError("timeout", "too slow"))
    searches = searching(shelf, journal)
    for _ in range(2):
        with pytest.raises(FetchError):
            find(searches)
    assert shelf.queries == ["jacket"] * 2


def test_without_a_journal_every_search_is_made() -> None:
    shelf = Shelf((JACKET,))
    searches = searching(shelf)
    assert find(searches) == find(searches) == (JACKET,)
    assert (len(shelf.queries), searches.name, searches.digest) == (2, "the shelf", "")


def test_half_a_character_in_a_query_is_no_obstacle(journal: Journal) -> None:
    shelf = Shelf((JACKET,))
    searches = searching(shelf, journal)
    assert find(searches, "a\ud83d b") == find(searches, "a\ud83d b") == (JACKET,)
    find(searches, "a\ud83e b")
    assert len(shelf.queries) == 2
