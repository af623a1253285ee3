"""Servers that let in few, go away, or stand behind a pooler."""

from collections.abc import Iterator
from urllib.parse import urlsplit

import psycopg
import pytest
from sqlalchemy import text

from assay.core.errors import InputError
from assay.store import runs
from assay.store.annotation.database import open_database
from assay.store.runs import open_store
from tests import postgres
from tests.store.conftest import MANIFEST, entry


def execute(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for each in statements:
            connection.execute(each.encode())


@pytest.fixture
def limited(database: str) -> Iterator[str]:
    """The URL of a user who is allowed two connections."""
    name = urlsplit(database).path[1:]
    execute(database, f"CREATE ROLE {name} LOGIN CONNECTION LIMIT 2")
    execute(database, "GRANT ALL ON SCHEMA public TO PUBLIC")
    yield database.replace("assay@", f"{name}@")
    execute(database, f"DROP OWNED BY {name}", f"DROP ROLE {name}")


def test_a_run_takes_one_connection_and_another_for_moments(limited: str) -> None:
    store = open_store(limited)
    with store.lock("a"), store.create("a", MANIFEST) as journal:
        for position in range(3):
            journal.add(entry(position))
            journal.flush()
        assert (journal.count(), store.names(), store.is_locked("a")) == (3, ["a"], True)


def test_server_that_lets_no_more_in_is_one_line_that_says_what_to_do(limited: str) -> None:
    open_store(limited).names()
    with (
        psycopg.connect(limited),
        psycopg.connect(limited),
        pytest.raises(InputError, match="raise the server's limit: a run takes one") as caught,
    ):
        open_store(limited).names()
    assert ("\n" in str(caught.value), caught.value.code) == (False, "store-gone")


def test_lock_that_went_with_its_connection_lets_nothing_more_be_written(database: str) -> None:
    store = open_store(database)
    with store.lock("a"):
        journal = store.create("a", MANIFEST)
        journal.add(entry(0))
        journal.flush()
        execute(
            database,
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        with pytest.raises(InputError, match="cannot use the run 'a'") as caught:
            journal.find_reply("k")
        assert caught.value.code == "store-gone"
        with pytest.raises(InputError, match="cannot use the run 'a'"):
            journal.add(entry(1))
        with open_store(database).lock("a"):  # somebody else may have it now
            pass
        with pytest.raises(InputError, match="cannot use the run 'a'"):
            journal.close()


def test_pooler_of_transactions_is_refused_and_one_of_sessions_is_not(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(database)
    monkeypatch.setattr(psycopg.ConnectionInfo, "backend_pid", 0)  # as behind a pooler
    with store.lock("a"):
        assert store.is_locked("a")
    monkeypatch.setattr(runs, "_scalar", lambda *_, **__: 7)  # one connection serves both
    with pytest.raises(InputError, match="have it pool sessions") as caught, store.lock("b"):
        pass
    assert ("\n" in str(caught.value), caught.value.field) == (False, "runs")


@pytest.mark.slow
def test_studio_says_that_its_server_is_gone_and_goes_on_when_it_is_back() -> None:
    with postgres.fickle_server() as server:
        studio = open_database(f"{server.address}/postgres")
        server.stop()
        with pytest.raises(InputError) as caught, studio.read() as connection:
            connection.execute(text("SELECT 1"))
        assert ("\n" in str(caught.value), caught.value.code) == (False, "store-gone")
        server.start()
        with studio.write() as connection:
            assert connection.execute(text("SELECT 1")).scalar() == 1
        studio.close()
