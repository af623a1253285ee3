"""Searches that a run makes once and keeps in its file."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.runs import Run
from assay.evaluate.runs.searches import RunSearches
from assay.evaluate.runs.usage import RunUsage
from assay.evaluate.runs.writer import Writer
from assay.knowledge import FetchError, KnowledgePassage
from assay.store.journal import Journal, create_journal, open_journal
from tests.detectors.test_consult import JACKET, Shelf

RUN = Run("overlap", "1", taxonomy="gray7", examples=1)


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with create_journal(tmp_path / "a.sqlite", RUN) as made:
        yield made


def searching(shelf: Shelf, journal: Journal) -> RunSearches:
    searches = RunSearches(shelf)
    searches.open(Writer(journal, RunUsage()))
    return searches


def find(searches: RunSearches, query: str = "jacket") -> tuple[KnowledgePassage, ...]:
    return asyncio.run(searches.search(query, 3))


def test_a_run_that_goes_on_finds_what_it_found_and_does_not_search_again(
    journal: Journal, tmp_path: Path
) -> None:
    scored = JACKET.scored(2.5)
    assert find(searching(Shelf((scored,)), journal)) == (scored,)
    journal.close()
    shelf = Shelf(())
    with open_journal(tmp_path / "a.sqlite", to_write=True) as again:
        assert find(searching(shelf, again)) == (scored,)
        assert find(searching(shelf, again), "other") == ()
    assert shelf.queries == ["other"]


def test_what_was_found_is_on_disk_before_it_is_used(journal: Journal, tmp_path: Path) -> None:
    find(searching(Shelf((JACKET,)), journal))
    with open_journal(tmp_path / "a.sqlite") as reader:
        assert list(reader.select("SELECT query FROM searches")) == [("jacket",)]


def test_a_search_that_failed_is_made_again(journal: Journal) -> None:
    shelf = Shelf(FetchError("timeout", "too slow"))
    searches = searching(shelf, journal)
    for _ in range(2):
        with pytest.raises(FetchError):
            find(searches)
    assert shelf.queries == ["jacket"] * 2


def test_half_a_character_in_a_query_is_no_obstacle(journal: Journal) -> None:
    shelf = Shelf((JACKET,))
    searches = searching(shelf, journal)
    assert find(searches, "a\ud83d b") == find(searches, "a\ud83d b") == (JACKET,)
    assert len(shelf.queries) == 1
