"""One run in one SQLite file."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from assay.core import InputError
from assay.store.journal import FORMAT, Journal, create_journal, open_journal
from tests.store.conftest import RUN, entry


def test_run_and_outcomes_are_read_back_in_the_order_of_the_data(
    journal: Journal, tmp_path: Path
) -> None:
    for position in (2, 0, 1):
        journal.add(entry(position))
    with open_journal(tmp_path / "a.sqlite") as again:
        assert again.run == RUN
        assert [json.loads(line)["id"] for line in again.lines()] == ["ex0", "ex1", "ex2"]
        assert again.count() == 3


def test_outcome_of_the_same_example_replaces_the_earlier_one(journal: Journal) -> None:
    journal.add(entry(4, failures=2))
    journal.add(entry(4, attempt=1, note="better"))
    assert (journal.count(), journal.failures(), journal.attempt_at(4)) == (1, 0, 1)


def test_failures_are_found_until_they_have_been_asked_for_again(journal: Journal) -> None:
    journal.add(entry(0, failures=2))
    journal.add(entry(1))
    assert journal.failed_before(0, 1) == {"id": "ex0", "n": ""}
    assert journal.failed_before(1, 1) is None
    assert (journal.count_to_retry(1), journal.failures()) == (1, 2)
    journal.add(entry(0, failures=1, attempt=1))
    assert journal.failed_before(0, 1) is None
    assert (journal.count_to_retry(1), journal.count_to_retry(2)) == (0, 1)


def test_failures_that_are_findings_are_counted_but_not_asked_for_again(journal: Journal) -> None:
    journal.add(entry(0, failures=2, final=3))
    journal.add(entry(1, final=1))
    assert (journal.failures(), journal.count_to_retry(1)) == (6, 1)
    assert journal.failed_before(1, 1) is None


def test_closed_run_is_one_file_also_after_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    with create_journal(path, RUN) as journal:
        journal.add(entry(0))
    with open_journal(path) as reader:
        assert reader.count() == 1
    assert [each.name for each in tmp_path.iterdir()] == ["one.sqlite"]


def test_run_is_closed_while_somebody_reads(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite"
    journal = create_journal(path, RUN)
    journal.add(entry(0))
    with open_journal(path) as reader:
        lines = reader.lines()
        next(lines)
        journal.close()
        assert list(lines) == []
    with open_journal(path) as reader:
        assert reader.count() == 1


def test_facts_are_kept_by_name(journal: Journal) -> None:
    journal.keep("usage", {"calls": 1})
    journal.keep("usage", {"calls": 2})
    assert journal.fact("usage") == {"calls": 2}
    assert journal.fact("nothing", 7) == 7


def test_half_a_character_in_a_reply_is_kept(journal: Journal) -> None:
    journal.add(entry(0, note="\ud83d"))
    assert json.loads(next(journal.lines()))["n"] == "\ud83d"


def test_writes_that_are_not_committed_are_seen_by_nobody(journal: Journal, tmp_path: Path) -> None:
    journal.begin()
    journal.add(entry(0))
    with open_journal(tmp_path / "a.sqlite") as reader:
        assert reader.count() == 0
        journal.commit()
        assert reader.count() == 1
    journal.begin()
    journal.add(entry(1))
    journal.roll_back()
    assert journal.count() == 1


def test_writes_that_cannot_be_made_are_one_clear_error(journal: Journal, tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "a.sqlite", isolation_level=None)
    other.execute("DROP TABLE outcomes")
    other.close()
    with pytest.raises(InputError, match=r"cannot write the run .*a\.sqlite: no such table"):
        journal.add(entry(0))


def test_file_that_is_damaged_is_one_clear_error(journal: Journal) -> None:
    journal.connection.execute("DROP TABLE outcomes")
    with pytest.raises(InputError, match=r"cannot read the run .*a\.sqlite: no such table"):
        journal.count()


def test_process_that_is_killed_loses_nothing_that_was_written(tmp_path: Path) -> None:
    code = (
        "import os, sys\nfrom pathlib import Path\n"
        "from assay.store.journal import create_journal\n"
        "from tests.store.conftest import RUN, entry\n"
        "journal = create_journal(Path(sys.argv[1]), RUN)\n"
        "for position in range(100):\n    journal.add(entry(position))\n"
        "journal.begin()\njournal.add(entry(100))\n"
        f"os.kill(os.getpid(), {int(signal.SIGKILL)})\n"
    )
    root = Path(__file__).resolve().parents[2]
    path = tmp_path / "killed.sqlite"
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], cwd=root, env={**os.environ, "PYTHONPATH": "."}
    )
    assert done.returncode == -signal.SIGKILL
    with open_journal(path, to_write=True) as journal:
        assert journal.count() == 100
        assert journal.run == RUN


@pytest.mark.parametrize("content", [b"", b"not a database at all" * 50], ids=["empty", "text"])
def test_file_that_is_no_database_is_no_run(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"x\.sqlite is not a run of assay"):
        open_journal(path)


def test_other_database_is_no_run_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "x.sqlite"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE t (a)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(InputError, match="it is another SQLite file"):
        open_journal(path, to_write=True)
    assert path.read_bytes() == before


def test_run_of_a_newer_format_says_so(journal: Journal, tmp_path: Path) -> None:
    journal.connection.execute(f"PRAGMA user_version = {FORMAT + 1}")
    with pytest.raises(InputError, match=f"newer version of assay: its format is {FORMAT + 1}"):
        open_journal(tmp_path / "a.sqlite")


def test_run_that_cannot_be_made_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot write .*a\.sqlite: No such file"):
        create_journal(tmp_path / "no" / "such" / "a.sqlite", RUN)
