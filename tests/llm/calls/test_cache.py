"""Replies that are kept: what they go by, when they are asked for, and in which file."""

import asyncio
import multiprocessing
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.llm.calls.cache import Cached, SqliteReplies
from assay.llm.client import CallError, Message, Reply, Request, Scripted, Setting, Token, Usage

QUESTION = Request((Message("system", "Judge."), Message("user", "Is it so?")))
FULL = Reply("yes", Usage(10, 2), "length", "no", (Token("yes", -0.5), Token("!", -1.25)))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteReplies]:
    with closing(SqliteReplies(tmp_path / "replies.db")) as store:
        yield store


class Configured(Scripted):
    """A scripted client with settings."""

    def __init__(self, **settings: Setting) -> None:
        super().__init__(["a", "b", "c"])
        self.settings = settings

    def describe(self) -> Mapping[str, Setting]:
        return self.settings


class Slow(Scripted):
    """A scripted client that takes a moment."""

    async def ask(self, request: Request) -> Reply:
        await asyncio.sleep(0.01)
        return await super().ask(request)


def test_second_time_is_not_asked(store: SqliteReplies) -> None:
    inside = Scripted(["a", "b"])
    client = Cached(inside, store)
    first, second = asyncio.run(client.ask(QUESTION)), asyncio.run(client.ask(QUESTION))
    assert (first.cached, second.cached) == (False, True)
    assert replace(second, cached=False) == first
    assert len(inside.requests) == 1


def test_cache_that_a_folder_names_is_told_once_for_each_use(
    store: SqliteReplies, caplog: pytest.LogCaptureFixture
) -> None:
    other = replace(QUESTION, sample=1)
    client = Cached(Scripted(["a", "b"]), store, "r.db, as assay.toml says")
    with caplog.at_level("INFO", "assay"):
        for asked in (QUESTION, other, QUESTION, other):
            asyncio.run(client.ask(asked))
        asyncio.run(Cached(Scripted(["a"]), store).ask(QUESTION))
    assert caplog.messages == [
        "replies are kept in r.db, as assay.toml says",
        "replies come from r.db, as assay.toml says",
    ]
    assert all(vars(record)["from_folder"] for record in caplog.records)


def test_reply_comes_back_whole(store: SqliteReplies) -> None:
    store.put("k", FULL)
    assert store.get("k") == replace(FULL, cached=True)


def test_odd_characters_come_back(store: SqliteReplies) -> None:
    text = 'naïve \ud800 \x00 😀 " \u2028'
    store.put("k", Reply(text, Usage(1, 1)))
    kept = store.get("k")
    assert kept is not None
    assert kept.text == text


def test_first_reply_under_a_key_stays(store: SqliteReplies) -> None:
    store.put("k", Reply("first", Usage(1, 1)))
    store.put("k", Reply("second", Usage(1, 1)))
    kept = store.get("k")
    assert kept is not None
    assert kept.text == "first"


def test_refusals_and_cut_off_replies_are_kept(store: SqliteReplies) -> None:
    client = Cached(Scripted([Reply("", Usage(5, 0), "filter", "I will not"), "b"]), store)
    asyncio.run(client.ask(QUESTION))
    assert asyncio.run(client.ask(QUESTION)).refusal == "I will not"


def test_errors_are_not_kept(store: SqliteReplies) -> None:
    client = Cached(Scripted([CallError("transport", "gone"), "b"]), store)
    with pytest.raises(CallError):
        asyncio.run(client.ask(QUESTION))
    assert asyncio.run(client.ask(QUESTION)).text == "b"


def test_key_changes_with_all_that_changes_the_answer(store: SqliteReplies) -> None:
    schema = {"type": "object", "properties": {"reason": {}, "verdict": {}}}
    turned = {"type": "object", "properties": {"verdict": {}, "reason": {}}}
    user = Message("user", "Is it so?")
    questions = [
        QUESTION,
        Request((user,)),
        Request((user, user)),
        Request((Message("assistant", "Is it so?"),)),
        Request((Message("user", "Is it"), Message("user", " so?"))),
        Request((Message("user", "Is it so?user 9\nIs it so?"),)),
        replace(QUESTION, sample=1),
        replace(QUESTION, attempt=1),
        replace(QUESTION, sample=1, attempt=1),
        replace(QUESTION, schema=schema),
        replace(QUESTION, schema=turned),
        replace(QUESTION, probabilities=True),
        replace(QUESTION, probabilities=True, alternatives=5),
        replace(QUESTION, template={"think": False}),
        replace(QUESTION, template={"think": True}),
    ]
    client = Cached(Configured(model="m"), store)
    assert len(set(map(client.key, questions))) == len(questions)


def test_key_changes_with_the_settings_of_the_client(store: SqliteReplies) -> None:
    clients = [
        Configured(model="m", temperature=0.0),
        Configured(model="m", temperature=1.0),
        Configured(model="n", temperature=0.0),
        Configured(model="m", temperature=0.0, seed=1),
    ]
    assert len({Cached(client, store).key(QUESTION) for client in clients}) == len(clients)


def test_key_leaves_out_what_is_for_dry_runs(store: SqliteReplies) -> None:
    client = Cached(Configured(model="m"), store)
    assert client.key(replace(QUESTION, example="x", reply_tokens=9)) == client.key(QUESTION)


def test_equal_schemas_have_equal_keys_however_many_there_are(store: SqliteReplies) -> None:
    client = Cached(Configured(model="m"), store)

    def key(number: int) -> str:
        return client.key(replace(QUESTION, schema={"const": number}))

    assert [key(number) for number in range(200)] == [key(number) for number in range(200)]
    assert len({key(number) for number in range(200)}) == 200


def test_same_question_at_the_same_time_is_asked_once(store: SqliteReplies) -> None:
    async def run() -> list[Reply]:
        client = Cached(inside, store)
        return await asyncio.gather(*(client.ask(QUESTION) for _ in range(5)))

    inside = Slow(["a", "b", "c", "d", "e"])
    replies = asyncio.run(run())
    assert [reply.text for reply in replies] == ["a"] * 5
    assert [reply.cached for reply in replies] == [False, True, True, True, True]


def test_failed_first_leaves_the_question_to_the_others(store: SqliteReplies) -> None:
    async def run() -> list[Reply | BaseException]:
        client = Cached(inside, store)
        asked = (client.ask(QUESTION) for _ in range(3))
        return await asyncio.gather(*asked, return_exceptions=True)

    inside = Slow([CallError("transport", "gone"), "b"])
    first, second, third = asyncio.run(run())
    assert isinstance(first, CallError)
    assert isinstance(second, Reply)
    assert isinstance(third, Reply)
    assert (second.text, third.text, third.cached) == ("b", "b", True)


def test_cancelled_first_leaves_the_question_to_the_others(store: SqliteReplies) -> None:
    async def run() -> Reply:
        client = Cached(inside, store)
        first, second = (asyncio.create_task(client.ask(QUESTION)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    inside = Slow(["b"])
    assert asyncio.run(run()).text == "b"


def test_cancelled_other_does_not_disturb_the_first(store: SqliteReplies) -> None:
    async def run() -> Reply:
        client = Cached(Slow(["a"]), store)
        first, second = (asyncio.create_task(client.ask(QUESTION)) for _ in range(2))
        await asyncio.sleep(0.001)
        second.cancel()
        return await first

    assert asyncio.run(run()).text == "a"


def test_caches_can_be_stacked(tmp_path: Path, store: SqliteReplies) -> None:
    with closing(SqliteReplies(tmp_path / "run.db")) as run:
        asyncio.run(Cached(Scripted(["a"]), store).ask(QUESTION))
        again = asyncio.run(Cached(Cached(Scripted(["b"]), store), run).ask(QUESTION))
        assert (again.text, again.cached) == ("a", True)


def test_of_stacked_caches_only_the_inner_keeps_what_it_had(
    tmp_path: Path, store: SqliteReplies
) -> None:
    with closing(SqliteReplies(tmp_path / "run.db")) as run:
        asyncio.run(Cached(Scripted(["a"]), store).ask(QUESTION))
        asyncio.run(Cached(Cached(Scripted(["b"]), store), run).ask(QUESTION))
        assert asyncio.run(Cached(Scripted(["c"]), run).ask(QUESTION)).text == "c"


def test_a_new_reply_is_kept_by_both_of_stacked_caches(
    tmp_path: Path, store: SqliteReplies
) -> None:
    with closing(SqliteReplies(tmp_path / "run.db")) as run:
        asyncio.run(Cached(Cached(Scripted(["a"]), store), run).ask(QUESTION))
        kept = [Cached(Scripted(["b"]), each).ask(QUESTION) for each in (store, run)]
        assert [asyncio.run(each).text for each in kept] == ["a", "a"]


def test_closed_file_opens_again(tmp_path: Path) -> None:
    store = SqliteReplies(tmp_path / "replies.db")
    store.put("k", FULL)
    store.close()
    assert store.get("k") is not None
    store.close()
    store.put("l", FULL)
    store.close()
    assert not (tmp_path / "replies.db-wal").exists()


def test_reply_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    SqliteReplies(path).close()
    old = '["yes", [7, 2, false], "stop", "", [["yes", -0.5]]]'
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("INSERT INTO replies VALUES ('k', ?)", (old,))
    with closing(SqliteReplies(path)) as store:
        assert store.get("k") == Reply(
            "yes", Usage(7, 2), tokens=(Token("yes", -0.5),), cached=True
        )


def test_file_that_is_no_database_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, " * 100)
    with pytest.raises(InputError, match=r"notes\.txt is not a cache of replies") as caught:
        SqliteReplies(path)
    assert "\n" not in str(caught.value)
    assert path.read_text() == "not a database, " * 100


def test_database_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE people (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(InputError, match="another kind of database"):
        SqliteReplies(path)
    assert path.read_bytes() == before


def test_table_of_other_columns_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE replies (question TEXT)")
    with pytest.raises(InputError, match="no such column"):
        SqliteReplies(path)


def test_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot keep replies in"):
        SqliteReplies(tmp_path / "none" / "replies.db")


def _write(path: str, name: str, count: int) -> None:
    with closing(SqliteReplies(path)) as store:
        for number in range(count):
            store.put(f"{name} {number}", Reply(name, Usage(1, 1)))
            store.put(f"shared {number}", Reply("shared", Usage(1, 1)))


def test_two_processes_write_at_the_same_time(tmp_path: Path) -> None:
    path = str(tmp_path / "replies.db")
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_write, args=(path, name, 300)) for name in "ab"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join(60)
    assert [writer.exitcode for writer in writers] == [0, 0]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM replies").fetchone() == (900,)


def test_kept_reply_is_found_fast(store: SqliteReplies) -> None:
    client = Cached(Configured(model="m"), store)
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in "abcdefgh"}}
    question = Request((Message("system", "x" * 2000), Message("user", "y" * 6000)), schema)
    store.put(client.key(question), FULL)

    async def run() -> float:
        start = time.process_time()
        for _ in range(1000):
            await client.ask(question)
        return (time.process_time() - start) / 1000

    # The whole stack has 200 microseconds for a verdict; measured on a quiet machine: 16.
    assert min(asyncio.run(run()) for _ in range(5)) < 200e-6


@pytest.mark.parametrize(
    "row",
    [
        *("", "null", "{}", "[]", "[1, 2, 3]", '{"text": 3}', '{"text": "yes"', "[" * 100_000),
        *('["yes", [7, "x"], "stop", "", []]', '["yes", [7, NaN], "stop", "", []]', b"\xff\xfe"),
        *(7, None, '{"text": "yes", "usage": {"prompt_tokens": NaN}}'),
    ],
)
def test_row_that_cannot_be_read_is_asked_again_and_replaced(row: object, tmp_path: Path) -> None:
    path = tmp_path / "replies.db"
    with closing(SqliteReplies(path)) as store:
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("INSERT INTO replies VALUES ('k', ?)", (row,))
        assert store.get("k") is None
        store.put("k", Reply("yes", Usage(7, 2)))
        assert store.get("k") == Reply("yes", Usage(7, 2), cached=True)


def test_pipe_is_not_a_cache_and_nobody_waits_for_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="pipe is not a cache of replies: not a regular file"):
        SqliteReplies(tmp_path / "pipe")
