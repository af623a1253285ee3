"""A journal that cannot be written: nothing of it is kept, and everything after says so."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import text

from assay.core.errors import InputError
from assay.store.journal import Journal
from assay.store.runs import FolderRuns, RunStore, open_store
from tests.store.conftest import MANIFEST, entry


@pytest.fixture
def journal(store: RunStore) -> Iterator[Journal]:
    """A new run; closing it says once more what has been said."""
    made = store.create("a", MANIFEST)
    yield made
    with suppress(InputError):
        made.close()


def break_units(journal: Journal) -> None:
    """Takes away a table that is written after the judgements."""
    with journal._engine.begin() as connection:
        connection.execute(text("DROP TABLE units"))


def test_flush_that_fails_keeps_nothing_and_counts_nothing(
    journal: Journal, store: RunStore
) -> None:
    counted: list[int] = []
    break_units(journal)
    journal.add(entry(0), lambda: counted.append(0))
    with pytest.raises(InputError, match=r"cannot use the run .*units") as caught:
        journal.flush()
    assert ("\n" in str(caught.value), caught.value.code) == (False, "store")
    assert (journal.count(), counted) == (0, [])
    with store.open("a") as reader:
        assert reader.count() == 0


@pytest.mark.parametrize(
    "write",
    [
        lambda journal: journal.add(entry(1)),
        lambda journal: journal.add_reply("k", "v"),
        lambda journal: journal.add_search("k", "v"),
        lambda journal: journal.keep(state="complete"),
        lambda journal: journal.flush(),
    ],
    ids=["judgement", "reply", "search", "fact", "flush"],
)
def test_every_write_after_a_failed_one_raises(
    write: Callable[[Journal], None], journal: Journal
) -> None:
    break_units(journal)
    journal.add(entry(0))
    with pytest.raises(InputError):
        journal.flush()
    with pytest.raises(InputError, match="units"):
        write(journal)


def test_scheduled_flush_that_fails_is_told_to_all_who_wait_or_write(journal: Journal) -> None:
    break_units(journal)

    async def write() -> None:
        with journal.on_loop():
            journal.add(entry(0))
            with pytest.raises(InputError, match="units"):
                await journal.written()
            with pytest.raises(InputError, match="units"):
                journal.add(entry(1))

    with pytest.raises(InputError, match="units"):
        asyncio.run(write())


def test_closing_after_a_failed_flush_says_so_and_closes(store: RunStore) -> None:
    journal = store.create("a", MANIFEST)
    break_units(journal)
    journal.add(entry(0))
    with pytest.raises(InputError, match="units"):
        journal.close()
    assert journal._connection.closed


def test_full_disk_is_one_line_and_keeps_what_was_written(tmp_path: Path) -> None:
    store = FolderRuns(tmp_path)
    journal = store.create("a", MANIFEST)
    journal.add(entry(0))
    journal.flush()
    with journal._connection.begin():
        pages = journal._connection.exec_driver_sql("PRAGMA page_count").scalar()
        journal._connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    journal.add(entry(1))
    journal.add_reply("k", "x" * 100_000)
    with pytest.raises(InputError, match=r"a\.sqlite: database or disk is full"):
        journal.close()
    with store.open("a") as reader:
        assert (reader.count(), reader.find_reply("k")) == (1, None)


def test_reading_what_is_damaged_is_one_line(journal: Journal) -> None:
    with journal._engine.begin() as connection:
        connection.execute(text("DROP TABLE judgements"))
        connection.execute(text("DROP TABLE replies"))
    for read in (journal.count, journal.failures, journal.positions, lambda: list(journal.read())):
        with pytest.raises(InputError, match=r"cannot use the run .*judgements") as caught:
            read()
        assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match=r"cannot use the run .*replies") as caught:
        journal.find_reply("k")
    assert "\n" not in str(caught.value)


def test_server_that_is_gone_is_one_line(database: str) -> None:
    journal = open_store(database).create("a", MANIFEST)
    end = b"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()"
    with psycopg.connect(database) as other:
        other.execute(end + b" AND datname = current_database()")
    journal.add(entry(0))
    with pytest.raises(InputError, match=r"cannot use the run 'a' in postgresql://") as caught:
        journal.flush()
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError, match="cannot use the run"):
        journal.close()
