"""Replies that a team shares in PostgreSQL."""

import multiprocessing
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from assay.core.errors import InputError
from assay.store import migrations
from assay.store.reply_cache import REPLIES, ServerReplies, open_server_replies
from assay.store.runs import open_store
from tests.store.conftest import MANIFEST


@pytest.fixture
def replies(database: str) -> Iterator[ServerReplies]:
    with closing(open_server_replies(database)) as made:
        yield made


def rows(database: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(database, autocommit=True) as connection:
        return connection.execute(query.encode()).fetchall()


def test_texts_are_found_by_their_keys_and_the_first_stays(replies: ServerReplies) -> None:
    assert replies.exchange({"a"}, {}) == {}
    assert replies.exchange({"a", "c"}, {"a": "1", "b": "2"}) == {"a": "1"}
    assert replies.exchange({"a", "b", "c"}, {"a": "3"}) == {"a": "1", "b": "2"}


def test_only_the_text_that_was_read_is_removed(replies: ServerReplies) -> None:
    replies.exchange((), {"a": "1"})
    replies.remove("a", "another")
    assert replies.exchange({"a"}, {}) == {"a": "1"}
    replies.remove("a", "1")
    assert replies.exchange({"a"}, {}) == {}


def test_runs_and_replies_share_a_database(replies: ServerReplies, database: str) -> None:
    replies.exchange((), {"a": "1"})
    open_store(database).create("a", MANIFEST).close()
    assert open_store(database).names() == ["a"]
    assert open_server_replies(database).exchange({"a"}, {}) == {"a": "1"}


def test_no_transaction_stays_open_between_exchanges(replies: ServerReplies, database: str) -> None:
    replies.exchange({"a"}, {"a": "1"})
    idle = "SELECT state FROM pg_stat_activity WHERE datname = current_database()"
    assert {state for (state,) in rows(database, idle)} == {"idle", "active"}


def test_connection_that_was_dropped_is_made_again(replies: ServerReplies, database: str) -> None:
    replies.exchange((), {"a": "1"})
    dropped = rows(
        database,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND pid <> pg_backend_pid()",
    )
    assert dropped == [(True,)]
    assert replies.exchange({"a"}, {}) == {"a": "1"}


def test_closed_cache_opens_again(replies: ServerReplies) -> None:
    replies.exchange((), {"a": "1"})
    replies.close()
    assert replies.exchange({"a"}, {}) == {"a": "1"}


def _write(url: str, name: str) -> None:
    with closing(open_server_replies(url)) as replies:
        for number in range(50):
            replies.exchange((), {f"{name} {number}": name, f"shared {number}": "shared"})


@pytest.mark.slow
def test_processes_write_at_the_same_time_from_the_first_moment_on(database: str) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(database, name)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0]
    assert rows(database, "SELECT count(*) FROM cached_replies") == [(150,)]


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("postgresql://user:secret@127.0.0.1:1/team", "cannot use the cache of replies"),
        ("postgresql://user:secret@127.0.0.1:x/team", "is not the URL of a database"),
        ("mysql://user:secret@host/team", "kept in a file or in PostgreSQL"),
    ],
)
def test_place_that_cannot_be_used_is_one_line_without_the_password(url: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as caught:
        open_server_replies(url)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.field == "cache"


def test_another_table_of_that_name_is_left_alone(database: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("CREATE TABLE cached_replies (question text)")
    with pytest.raises(InputError, match="'cached_replies'; name another database"):
        open_server_replies(database)
    tables = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text"
    assert rows(database, f"{tables} = 'public'") == [("cached_replies",)]


def test_user_without_rights_is_told_whom_to_ask(database: str) -> None:
    open_server_replies(database)
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS guest")
        connection.execute("CREATE ROLE guest LOGIN")
    try:
        with pytest.raises(InputError, match=r"permission denied.*; ask whoever runs the server"):
            open_server_replies(database.replace("assay@", "guest@"))
    finally:
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("DROP ROLE guest")


def test_head_is_the_last_migration() -> None:
    assert migrations.scripts(REPLIES).get_current_head() == REPLIES.head
