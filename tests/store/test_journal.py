"""One run in its database: what is added, revised, looked up and read back."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import select

from assay.core.errors import InputError
from assay.core.judgements import Author, Judgement
from assay.core.taxonomies import GRAY7
from assay.core.units import Unit
from assay.core.verdicts import Failure, Verdict
from assay.store import journal as journals
from assay.store.journal import Journal
from assay.store.rows import JournalEntry
from assay.store.runs import RunStore, open_store
from assay.store.tables import examples, judgements, units
from tests.store.conftest import MANIFEST, entry, judged


def on_disk(store: RunStore) -> int:
    """How many examples somebody else finds judged."""
    with store.open("a") as reader:
        return reader.count()


def test_judgements_are_read_back_in_the_order_of_the_data(
    journal: Journal, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "_PAGE", 3)
    for position in (6, 2, 0, 4, 1, 5, 3):
        journal.add(entry(position))
    journal.flush()
    with store.open("a") as again:
        assert list(again.read()) == [judged(position) for position in range(7)]
        assert len(list(again.records())) == again.count() == 7


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_pages_that_are_exactly_full_end_where_they_should(
    count: int, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "_PAGE", 2)
    for position in range(count):
        journal.add(entry(position))
    journal.flush()
    assert [each.example for each in journal.read()] == [f"ex{n}" for n in range(count)]


def test_revision_supersedes_and_overwrites_nothing(journal: Journal) -> None:
    journal.add(entry(4, failures=2))
    journal.add(entry(5))
    journal.flush()
    journal.add(entry(4, attempt=1))
    journal.flush()
    assert (journal.count(), journal.failures()) == (2, 0)
    assert journal.judgement_at(4) == judged(4, round=2)
    assert [each.round for each in journal.read()] == [2, 1]
    columns = judgements.c
    query = select(columns.round, columns.is_current, columns.supersedes, columns.record)
    rows = journal.select(query.where(columns.position == 4).order_by(columns.round))
    assert [(row.round, row.is_current) for row in rows] == [(1, False), (2, True)]
    assert [row.supersedes for row in rows] == ["", "ex4/overlap/1"]
    assert journal._read(rows[0].record) == judged(4, failures=2)
    assert len(journal.select(select(units.c.unit).where(units.c.position == 4))) == 6
    assert len(journal.select(select(examples.c.example))) == 2


def test_third_round_leaves_one_current_judgement(journal: Journal) -> None:
    for attempt in range(3):
        journal.add(entry(0, failures=2 - attempt, attempt=attempt))
        journal.flush()
    assert [each.round for each in journal.read()] == [3]
    assert len(journal.select(select(judgements.c.round))) == 3


def test_positions_say_what_has_been_judged(journal: Journal) -> None:
    assert not any(journal.positions())
    for position in (0, 7, 12):  # one lies beyond what the manifest counts
        journal.add(entry(position))
    journal.flush()
    done = journal.positions()
    assert [place for place, is_done in enumerate(done) if is_done] == [0, 7, 12]
    assert journal.judgement_at(7) == judged(7)
    assert journal.judgement_at(8) is None


def test_failures_are_found_until_they_have_been_asked_for_again(journal: Journal) -> None:
    journal.add(entry(0, failures=2))
    journal.add(entry(1))
    journal.flush()
    assert journal.to_retry(0, 1) == judged(0, failures=2)
    assert journal.to_retry(1, 1) is None
    assert (journal.count_to_retry(1), journal.failures()) == (1, 2)
    journal.add(entry(0, failures=1, attempt=1))
    journal.flush()
    assert journal.to_retry(0, 1) is None
    assert (journal.count_to_retry(1), journal.count_to_retry(2)) == (0, 1)
    assert journal.failures() == 1


def test_failures_that_are_findings_are_counted_but_not_asked_for_again(journal: Journal) -> None:
    journal.add(entry(0, failures=2, final=1))
    journal.add(entry(1, final=1))
    journal.flush()
    assert (journal.failures(), journal.count_to_retry(1)) == (4, 1)
    assert journal.to_retry(1, 1) is None


def test_facts_are_kept_by_name(journal: Journal, store: RunStore) -> None:
    journal.keep(state="running", usage={"calls": 1})
    journal.keep(usage={"calls": 2, "said": "\ud83d\0"})
    assert journal.fact("nothing", 7) == 7
    journal.flush()
    with store.open("a") as again:
        assert again.fact("usage") == {"calls": 2, "said": "\ud83d\0"}
        assert again.fact("state") == "running"


def test_first_reply_of_a_key_is_kept(journal: Journal, store: RunStore) -> None:
    assert journal.find_reply("k") is None
    journal.add_reply("k", "first")
    assert journal.find_reply("k") == "first"  # not on disk yet
    journal.add_reply("k", "second")
    journal.flush()
    journal.add_reply("k", "third")
    journal.flush()
    with store.open("a") as again:
        assert (again.find_reply("k"), again.find_reply("other")) == ("first", None)
        assert again.find_search("k") is None


def test_searches_are_kept_beside_replies(journal: Journal, store: RunStore) -> None:
    journal.add_search("k", "[]")
    journal.flush()
    with store.open("a") as again:
        assert (again.find_search("k"), again.find_reply("k")) == ("[]", None)


def test_runs_of_a_server_know_nothing_of_each_other(store: RunStore, journal: Journal) -> None:
    journal.add(entry(0, failures=1))
    journal.add_reply("k", "mine")
    journal.flush()
    with store.create("b", MANIFEST) as other:
        assert (other.count(), other.failures(), other.find_reply("k")) == (0, 0, None)
        other.add(entry(0))
        other.add(entry(0, attempt=1))
        other.flush()
    assert journal.judgement_at(0) == judged(0, failures=1)


@pytest.mark.parametrize("odd", ["a\ud83d", "a\0b", "\ud83d\0", "x" * 10_000, "日本語 😀"])
def test_odd_characters_are_kept_in_ids_replies_and_texts(
    odd: str, journal: Journal, store: RunStore
) -> None:
    unit = Unit("s1", "sentence", f"text {odd}")
    said = Judgement(
        f"id {odd}",
        Author(f"judge {odd}"),
        (unit, Unit("s2", "sentence", odd)),
        (
            Verdict("s1", GRAY7["fabricated"], note=f"note {odd}"),
            Failure("s2", "parse", f"detail {odd}", raw=odd),
        ),
    )
    journal.add(JournalEntry(0, said, 1))
    journal.flush()
    again = Judgement(
        said.example, said.author, said.units, said.outcomes, round=2, supersedes=said.key
    )
    journal.add(JournalEntry(0, again, 1, 1))
    reply = f'{{"text": "{odd.encode("unicode_escape").decode()}"}}'
    journal.add_reply("k", reply)
    journal.add_search("k", reply)
    journal.flush()
    with store.open("a") as reader:
        assert list(reader.read()) == [again]
        assert reader.find_reply("k") == reader.find_search("k") == reply


def test_units_have_ids_as_long_as_their_authors_gave_them(journal: Journal) -> None:
    first = Unit("s" * 1000, "sentence", "a")
    both = (first, Unit("c" * 1000, "claim", "b", parent=first.id))
    said = Judgement("1", Author("x"), both, tuple(Verdict(each.id, score=0.5) for each in both))
    journal.add(JournalEntry(0, said))
    journal.flush()
    assert list(journal.read()) == [said]


def test_ids_that_look_alike_once_kept_are_different_examples(journal: Journal) -> None:
    for position, id in enumerate(("a\0", "a\ufffd", "a\ud83d")):
        said = Judgement(id, Author("x"), (), (), source_characters=5)
        journal.add(JournalEntry(position, said))
    journal.flush()
    assert [each.example for each in journal.read()] == ["a\0", "a\ufffd", "a\ud83d"]
    assert len(journal.select(select(examples.c.position))) == 3


def test_what_is_not_flushed_is_seen_by_nobody(journal: Journal, store: RunStore) -> None:
    journal.add(entry(0))
    with store.open("a") as reader:
        assert reader.count() == 0
        journal.flush()
        assert reader.count() == 1
        journal.add(entry(1))
        journal.flush()
        assert reader.count() == 2


def test_judgements_after_a_position_are_read_with_theirs(journal: Journal) -> None:
    for position in (4, 0, 7, 2):
        journal.add(entry(position))
    journal.flush()
    assert list(journal.read_after(1)) == [(2, judged(2)), (4, judged(4)), (7, judged(7))]
    assert list(journal.read_after(7)) == []


def test_somebody_who_reads_page_by_page_does_not_keep_others_from_writing(
    journal: Journal, store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "_PAGE", 1)
    for position in (0, 1):
        journal.add(entry(position))
    journal.flush()
    with store.open("a") as reader:
        read: Iterator[Judgement] = reader.read()
        assert next(read) == judged(0)
        journal.add(entry(2))
        journal.flush()
        assert [each.example for each in read] == ["ex1", "ex2"]


def test_run_can_be_closed_while_somebody_reads_it(
    store: RunStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "_PAGE", 1)
    journal = store.create("a", MANIFEST)
    journal.add(entry(0))
    journal.add(entry(1))
    journal.flush()
    with store.open("a") as reader:
        read = reader.read()
        next(read)
        journal.close()
        assert len(list(read)) == 1
    assert on_disk(store) == 2


def test_closing_writes_what_was_added(store: RunStore) -> None:
    with store.create("a", MANIFEST) as journal:
        journal.add(entry(0))
        journal.keep(state="complete")
    assert on_disk(store) == 1


def test_what_comes_in_one_turn_of_the_loop_is_written_together_and_then_counted(
    journal: Journal, store: RunStore
) -> None:
    seen: list[int] = []

    async def write() -> None:
        with journal.on_loop():
            for position in range(3):
                journal.add(entry(position), lambda: seen.append(on_disk(store)))
            assert (on_disk(store), seen) == (0, [])
            await journal.written()
            assert on_disk(store) == 3
            journal.add_reply("k", "v")
            await journal.written()
            with store.open("a") as reader:
                assert reader.find_reply("k") == "v"

    journal.measure = lambda: {"calls": 5}
    asyncio.run(write())
    assert seen == [3, 3, 3]
    with store.open("a") as reader:
        assert reader.fact("usage") == {"calls": 5}


def test_judgement_that_nobody_waits_for_is_written_a_little_later(
    journal: Journal, store: RunStore
) -> None:
    async def write() -> None:
        with journal.on_loop():
            journal.add(entry(0))
            await asyncio.sleep(0)
            assert on_disk(store) == 0
            for _ in range(100):
                await asyncio.sleep(0.01)
                if on_disk(store):
                    return
            pytest.fail("it was not written within a second")

    asyncio.run(write())


def test_look_ups_leave_no_transaction_open(database: str) -> None:
    open_idle = b"SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'"
    with open_store(database).create("a", MANIFEST) as journal:
        journal.find_reply("k")
        journal.find_search("k")
        journal.count()
        with psycopg.connect(database) as watching:
            assert watching.execute(open_idle).fetchone() == (0,)


KILLED = """
import os, signal, sys
from assay.store.runs import open_store
from tests.store.conftest import MANIFEST, entry
journal = open_store(sys.argv[1]).create("a", MANIFEST)
for position in range(100):
    journal.add(entry(position))
    journal.flush()
journal.add(entry(100))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_process_that_is_killed_loses_nothing_that_was_flushed(
    store: RunStore, runs_at: str
) -> None:
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, runs_at],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    assert done.returncode == -signal.SIGKILL
    for to_write in (False, True):
        with store.open("a", to_write=to_write) as journal:
            assert (journal.count(), journal.manifest) == (100, MANIFEST)


def test_damaged_judgement_is_one_clear_error(journal: Journal) -> None:
    journal.add(entry(0))
    journal.flush()
    with journal._engine.begin() as connection:
        connection.execute(judgements.update().values(record='{"example": 5}'))
    with pytest.raises(InputError, match="a judgement of the run 'a' is damaged"):
        list(journal.read())


def test_all_who_wait_together_share_one_transaction(store: RunStore) -> None:
    flushes: list[object] = []
    with store.create("a", MANIFEST) as journal:

        async def secure() -> None:
            journal.touch()
            await journal.written()

        async def together() -> None:
            with journal.on_loop():
                await asyncio.gather(*(secure() for _ in range(50)))

        def measure() -> dict[str, list[int]]:
            flushes.append(None)  # each asks once
            return {"spent": [0, 0, 50]}

        journal.measure = measure
        asyncio.run(together())
        assert len(flushes) == 1
        with store.open("a") as reader:
            assert reader.fact("usage") == {"spent": [0, 0, 50]}
