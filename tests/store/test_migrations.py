"""The tables, and how older ones come to be like them."""

import shutil
import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, create_engine, inspect, text
from sqlalchemy.pool import NullPool

from assay.core.errors import InputError
from assay.store import database as databases
from assay.store import migrations
from assay.store.database import file_engine, is_url
from assay.store.runs import RunStore, open_store
from assay.store.tables import HEAD, metadata
from tests.store.conftest import MANIFEST, entry, judged

RELEASED = Path(__file__).parent / "released"
SECOND = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

def upgrade():
    with op.batch_alter_table("runs") as table:
        table.add_column(sa.Column("owner", sa.Text(), nullable=False, server_default="nobody"))
    with op.batch_alter_table("judgements") as table:
        table.alter_column("at", existing_type=sa.String(40), type_=sa.Text())
"""


@pytest.fixture
def engine(runs_at: str, tmp_path: Path) -> Iterator[Engine]:
    """An empty database of either kind."""
    made = _server(runs_at) if is_url(runs_at) else file_engine(tmp_path / "empty.sqlite", "rwc")
    yield made
    made.dispose()


@pytest.fixture
def with_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version of Assay that has a second migration."""
    folder = tmp_path / "migrations"
    shutil.copytree(Path(str(migrations.__file__)).parent, folder)
    (folder / "versions" / "0002_second.py").write_text(SECOND, encoding="utf-8")
    longer = replace(databases.RUNS, folder=folder, head="0002")
    monkeypatch.setattr(databases, "RUNS", longer)


def _server(url: str) -> Engine:
    return create_engine(url.replace("postgresql:", "postgresql+psycopg:"), poolclass=NullPool)


def columns(engine: Engine) -> set[str]:
    return {each["name"] for each in inspect(engine).get_columns("runs")}


def test_head_is_the_last_migration() -> None:
    assert migrations.scripts(databases.RUNS).get_current_head() == HEAD
    assert migrations.is_known(HEAD, databases.RUNS)
    assert not migrations.is_known("9999", databases.RUNS)


def test_run_of_the_first_form_is_opened_and_read(tmp_path: Path) -> None:
    path = tmp_path / "runs" / "a.sqlite"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript((RELEASED / "run_0001.sql").read_text(encoding="utf-8"))
    with open_store(str(path.parent)).open("a", to_write=True) as journal:
        assert list(journal.read()) == [judged(0)]
        assert journal.find_reply("k") == "v"
    with file_engine(path, "ro").begin() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD
        names = set(inspect(connection).get_table_names())
        assert names == {*metadata.tables, "alembic_version"}
        for table in metadata.tables:
            found = inspect(connection).get_pk_constraint(table)
            key = [each.name for each in metadata.tables[table].primary_key]
            assert (found["constrained_columns"], found["name"]) == (key, f"pk_{table}")


def test_tables_that_are_made_at_once_are_those_of_the_migrations(
    store: RunStore, engine: Engine, runs_at: str
) -> None:
    store.create("a", MANIFEST).close()
    made = engine if is_url(runs_at) else file_engine(Path(runs_at) / "a.sqlite", "ro")
    with made.begin() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD


def test_older_run_is_brought_up_to_date_and_keeps_everything(
    store: RunStore, runs_at: str, engine: Engine, request: pytest.FixtureRequest
) -> None:
    with store.create("a", MANIFEST) as journal:
        journal.add(entry(0))
        journal.add_reply("k", "v")
    request.getfixturevalue("with_second")
    later = open_store(runs_at)
    for to_write in (False, True, False):
        with later.open("a", to_write=to_write) as journal:
            assert list(journal.read()) == [judged(0)]
            assert journal.find_reply("k") == "v"
    made = engine if is_url(runs_at) else file_engine(Path(runs_at) / "a.sqlite", "ro")
    assert "owner" in columns(made)
    with made.begin() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).all() == [
            ("0002",)
        ]
        assert connection.execute(text("SELECT owner FROM runs")).all() == [("nobody",)]


def test_migration_that_fails_changes_nothing(
    store: RunStore, runs_at: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    store.create("a", MANIFEST).close()
    request.getfixturevalue("with_second")
    script = tmp_path / "migrations" / "versions" / "0002_second.py"
    script.write_text(SECOND + '    op.execute("UPDATE nowhere SET a = 1")\n', encoding="utf-8")
    later = open_store(runs_at)
    with pytest.raises(InputError, match="nowhere"):
        later.open("a")
    script.write_text(SECOND, encoding="utf-8")
    with later.open("a") as journal:
        assert journal.manifest == MANIFEST


def test_newer_server_is_refused_in_one_line(database: str) -> None:
    open_store(database).create("a", MANIFEST).close()
    with _server(database).begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(InputError, match="written by a newer version") as caught:
        open_store(database).names()
    assert "\n" not in str(caught.value)


def test_two_processes_may_find_the_same_empty_database(database: str) -> None:
    stores = [open_store(database) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda store: store.names(), stores)) == [[]] * 4
