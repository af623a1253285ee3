"""A run as a SQLite file, and files that are something else."""

import sqlite3
from pathlib import Path

import pytest

from assay.core.errors import InputError
from assay.store.runs import FolderRuns
from tests.store.conftest import MANIFEST, entry

MARK = 0x41535359


@pytest.fixture
def store(tmp_path: Path) -> FolderRuns:
    """An empty folder of runs."""
    return FolderRuns(tmp_path)


def refusal(store: FolderRuns) -> str:
    """Why the run 'x' cannot be opened: one line, whoever asks, and the file stays as it was."""
    before = store.path("x").read_bytes()
    messages = set()
    for to_write in (False, True):
        with pytest.raises(InputError) as caught:
            store.open("x", to_write=to_write)
        messages.add(str(caught.value))
    assert store.path("x").read_bytes() == before
    (message,) = messages
    assert "\n" not in message
    return message


def test_closed_run_is_one_file_also_after_it_was_read(store: FolderRuns) -> None:
    with store.create("one", MANIFEST) as journal:
        journal.add(entry(0))
    with store.open("one") as reader:
        assert reader.count() == 1
    assert [each.name for each in store.folder.iterdir()] == ["one.sqlite"]


def test_file_appears_with_its_manifest_in_it(store: FolderRuns) -> None:
    journal = store.create("one", MANIFEST)
    with store.open("one") as reader:
        assert (reader.manifest, reader.count()) == (MANIFEST, 0)
    journal.close()


def test_empty_file_is_no_run(store: FolderRuns) -> None:
    store.path("x").touch()
    assert refusal(store).endswith("x.sqlite is not a run of assay: it is empty")


def test_file_that_is_no_database_is_no_run(store: FolderRuns) -> None:
    store.path("x").write_bytes(b"not a database at all" * 50)
    assert refusal(store).endswith("x.sqlite: file is not a database")


def test_other_database_is_no_run(store: FolderRuns) -> None:
    with sqlite3.connect(store.path("x")) as other:
        other.execute("CREATE TABLE t (a)")
    other.close()
    assert refusal(store).endswith("x.sqlite is not a run of assay: it is another SQLite file")


def test_run_of_the_first_version_is_refused(store: FolderRuns) -> None:
    with sqlite3.connect(store.path("x")) as old:
        old.execute(f"PRAGMA application_id = {MARK}")
        old.execute("PRAGMA user_version = 1")
        old.execute("CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT)")
    old.close()
    message = refusal(store)
    assert "x.sqlite is a run of assay 0.1, whose form this version does not read" in message
    assert "judge the data again" in message


def test_run_of_a_newer_version_is_refused(store: FolderRuns) -> None:
    store.create("x", MANIFEST).close()
    with sqlite3.connect(store.path("x")) as newer:
        newer.execute("UPDATE alembic_version SET version_num = '9999'")
    newer.close()
    assert "was written by a newer version of assay (its form is 9999" in refusal(store)


def test_run_whose_tables_are_gone_is_refused(store: FolderRuns) -> None:
    store.create("x", MANIFEST).close()
    with sqlite3.connect(store.path("x")) as other:
        other.execute("DROP TABLE alembic_version")
    other.close()
    assert "no such table: alembic_version" in refusal(store)


def test_damaged_manifest_is_refused(store: FolderRuns) -> None:
    store.create("x", MANIFEST).close()
    with sqlite3.connect(store.path("x")) as other:
        other.execute("UPDATE runs SET manifest = '{}'")
    other.close()
    with pytest.raises(InputError, match="the manifest of run 'x' is damaged"):
        store.open("x", to_write=True)
