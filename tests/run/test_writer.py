"""What comes in one turn of the loop reaches the disk together."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core import InputError
from assay.core.runs import Run
from assay.evaluate.runs.usage import RunUsage
from assay.evaluate.runs.writer import Writer
from assay.store.journal import Entry, Journal, create_journal, open_journal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with create_journal(tmp_path / "a.sqlite", Run("x", "1", examples=9)) as made:
        yield made


def entry(position: int) -> Entry:
    return Entry(position, str(position), 0, 0, 0, {})


def on_disk(journal: Journal) -> int:
    with open_journal(journal.path) as reader:
        return reader.count()


def test_writes_of_one_turn_are_committed_in_the_next_and_then_counted(journal: Journal) -> None:
    seen: list[int] = []

    async def write() -> None:
        writer = Writer(journal, RunUsage(), asyncio.get_running_loop().call_soon)
        for position in range(3):
            writer.begin()
            journal.add(entry(position))
            writer.after(lambda: seen.append(on_disk(journal)))
        assert (on_disk(journal), seen) == (0, [])
        await asyncio.sleep(0)
        assert on_disk(journal) == 3

    asyncio.run(write())
    assert seen == [3, 3, 3]
    assert journal.fact("usage")["calls"] == 0


def test_without_a_loop_nothing_is_kept_back(journal: Journal) -> None:
    writer = Writer(journal, RunUsage())
    writer.begin()
    journal.add(entry(0))
    writer.flush()
    assert on_disk(journal) == 1
    writer.flush()


def test_group_that_cannot_be_written_is_told_and_never_counted(journal: Journal) -> None:
    counted: list[int] = []
    journal.connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON facts BEGIN SELECT RAISE(ABORT, 'full'); END"
    )
    writer = Writer(journal, RunUsage())
    writer.begin()
    journal.add(entry(0))
    writer.after(lambda: counted.append(1))
    with pytest.raises(InputError, match="full"):
        writer.flush()
    with pytest.raises(InputError, match="full"):
        writer.begin()
    assert (counted, on_disk(journal)) == ([], 0)
