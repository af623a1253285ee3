"""Tables brought up to date while others use them."""

import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from assay.core.errors import InputError
from assay.store import database as databases
from assay.store import lineages, migrations
from assay.store.journal import Journal
from assay.store.runs import RunStore, open_store
from tests.store.conftest import MANIFEST, entry, judged

ADDING = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

def upgrade():
    with op.batch_alter_table("runs") as table:
        table.add_column(sa.Column("owner", sa.Text(), nullable=False, server_default="nobody"))
    with op.batch_alter_table("judgements") as table:
        table.add_column(sa.Column("minutes", sa.Integer()))
        table.alter_column("at", existing_type=sa.String(40), type_=sa.Text())
"""
TAKING = """
from alembic import op

revision = "0002"
down_revision = "0001"

def upgrade():
    with op.batch_alter_table("judgements") as table:
        table.drop_column("attempt")
"""

Renew = Callable[[str, str], None]


@pytest.fixture
def renew(tmp_path: Path) -> Renew:
    """Brings a place up to date, as a version of Assay does that has another migration."""

    def upgrade(place: str, script: str) -> None:
        folder = tmp_path / "migrations"
        shutil.copytree(Path(str(migrations.__file__)).parent, folder)
        (folder / "versions" / "0002_second.py").write_text(script, encoding="utf-8")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(databases, "RUNS", replace(databases.RUNS, folder=folder, head="0002"))
            store = open_store(place)
            for name in store.names():
                store.open(name).close()

    return upgrade


def use(journal: Journal, positions: range) -> None:
    """Does all that a run does."""
    for position in positions:
        assert journal.find_reply(f"k{position}") is None
        journal.add_reply(f"k{position}", "v")
        journal.add(entry(position))
        journal.flush()
        assert journal.find_reply(f"k{position}") == "v"
        assert journal.judgement_at(position) == judged(position)
        assert journal.count() == position + 1
        assert journal.failures() == 0


def test_run_that_is_being_written_goes_on_after_a_migration(
    store: RunStore, runs_at: str, renew: Renew
) -> None:
    with store.lock("a"), store.create("a", MANIFEST) as journal:
        use(journal, range(20))
        renew(runs_at, ADDING)
        use(journal, range(20, 40))
        assert list(journal.read()) == [judged(position) for position in range(40)]


def test_run_that_is_being_written_all_the_time_and_its_migration_do_not_wait_for_each_other(
    store: RunStore, runs_at: str, renew: Renew
) -> None:
    begun, enough = threading.Event(), threading.Event()

    def write() -> int:
        with store.lock("a"), store.create("a", MANIFEST) as journal:
            for position in range(10**6):
                use(journal, range(position, position + 1))
                begun.set()
                if enough.is_set() and position >= 100:
                    break
            return position + 1

    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write)
        try:
            assert begun.wait(60)
            renew(runs_at, ADDING)
        finally:
            enough.set()
        assert writing.result(60) >= 100


def test_run_whose_tables_no_longer_fit_ends_in_one_line_and_keeps_what_it_has(
    database: str, renew: Renew
) -> None:
    journal = open_store(database).create("a", MANIFEST)
    use(journal, range(3))
    renew(database, TAKING)
    journal.add(entry(3))
    with pytest.raises(InputError, match="a newer version of assay has changed") as caught:
        journal.flush()
    assert ("\n" in str(caught.value), caught.value.code) == (False, "newer-run")
    with pytest.raises(InputError, match="a newer version"):
        journal.close()
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT count(*) FROM judgements").fetchone() == (3,)
    with pytest.raises(InputError, match="written by a newer version"):
        open_store(database).open("a")


def test_migration_does_not_wait_for_ever_and_changes_nothing_then(
    database: str, renew: Renew, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(database)
    store.create("a", MANIFEST).close()
    monkeypatch.setattr(lineages, "PATIENCE", 1)
    with psycopg.connect(database) as idle:
        idle.execute("SELECT count(*) FROM judgements")
        with pytest.raises(InputError, match="begin again when that is over") as caught:
            renew(database, ADDING)
        assert "\n" not in str(caught.value)
    with store.lock("a"), store.open("a", to_write=True) as journal:
        use(journal, range(3))


def test_opening_tables_of_the_present_form_waits_for_nobody(database: str) -> None:
    open_store(database).create("a", MANIFEST).close()
    with psycopg.connect(database) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", (databases.RUNS.mark,))
        assert open_store(database).names() == ["a"]
