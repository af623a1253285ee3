"""The tables of a studio, and how older ones come to be like them."""

import shutil
import sqlite3
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, inspect, select, text

from assay.core.errors import InputError
from assay.store.annotation import database as databases
from assay.store.annotation import migrations as studio_migrations
from assay.store.annotation.database import open_database
from assay.store.annotation.tables import HEAD, VERSION_TABLE, metadata, people
from assay.store.migrations import scripts
from assay.store.runs import open_store
from tests.annotating import studio_at
from tests.store.conftest import MANIFEST

__all__ = ["studio_at"]

RELEASED = Path(__file__).parent / "released"
SECOND = """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

def upgrade():
    with op.batch_alter_table("studio_people") as table:
        table.add_column(sa.Column("address", sa.Text(), nullable=False, server_default="none"))
"""


@pytest.fixture
def with_second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A version of Assay that has a second migration; its script."""
    folder = tmp_path / "migrations"
    shutil.copytree(Path(str(studio_migrations.__file__)).parent, folder)
    script = folder / "versions" / "0002_second.py"
    script.write_text(SECOND, encoding="utf-8")
    longer = replace(databases.STUDIO, folder=folder, head="0002")
    monkeypatch.setattr(databases, "STUDIO", longer)
    return script


def context_of(connection: Connection) -> MigrationContext:
    options = {"compare_type": True, "version_table": VERSION_TABLE}
    return MigrationContext.configure(connection, opts=options)


def test_head_is_the_last_migration() -> None:
    assert scripts(databases.STUDIO).get_current_head() == HEAD


def test_studio_of_the_first_form_is_opened_and_read(tmp_path: Path) -> None:
    path, new = tmp_path / "released.sqlite", tmp_path / "new.sqlite"
    with closing(sqlite3.connect(path)) as raw:
        raw.executescript((RELEASED / "studio_0001.sql").read_text(encoding="utf-8"))
    opened, made = open_database(str(path)), open_database(str(new))
    with opened.read() as connection, made.read() as other:
        context = context_of(connection)
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD
        assert shape(connection) == shape(other)
        assert connection.execute(select(people.c.name)).scalars().all() == ["ann"]
    opened.close()
    made.close()


def shape(connection: Connection) -> dict[str, object]:
    """All that there is to say of the tables in a database."""
    found = inspect(connection)
    return {
        name: (
            [
                (each["name"], str(each["type"]), each["nullable"], each["default"])
                for each in found.get_columns(name)
            ],
            found.get_pk_constraint(name),
            _sorted(found.get_foreign_keys(name)),
            _sorted(found.get_unique_constraints(name)),
            _sorted(found.get_indexes(name)),
        )
        for name in found.get_table_names()
    }


def _sorted(each: Iterable[Any]) -> list[str]:
    return sorted(map(str, each))


def test_studio_that_is_made_at_once_has_the_tables_of_the_migrations(studio_at: str) -> None:
    opened = open_database(studio_at)
    with opened.read() as connection:
        context = context_of(connection)
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD
    opened.close()


def test_older_studio_is_brought_up_to_date_and_keeps_everything(
    studio_at: str, request: pytest.FixtureRequest
) -> None:
    _with_person(studio_at)
    request.getfixturevalue("with_second")
    for _ in range(2):
        later = open_database(studio_at)
        with later.read() as connection:
            rows = connection.execute(text("SELECT name, address FROM studio_people")).all()
            version = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()
        later.close()
        assert ([tuple(row) for row in rows], version) == ([("ann", "none")], "0002")


def test_migration_that_fails_changes_nothing(
    studio_at: str, request: pytest.FixtureRequest
) -> None:
    _with_person(studio_at)
    script = request.getfixturevalue("with_second")
    script.write_text(SECOND + '    op.execute("UPDATE nowhere SET a = 1")\n', encoding="utf-8")
    with pytest.raises(InputError, match="nowhere"):
        open_database(studio_at)
    script.write_text(SECOND, encoding="utf-8")
    later = open_database(studio_at)
    with later.read() as connection:
        assert connection.execute(text("SELECT address FROM studio_people")).scalar() == "none"
    later.close()


def test_newer_studio_is_refused_in_one_line(studio_at: str) -> None:
    opened = open_database(studio_at)
    with opened.write() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    opened.close()
    with pytest.raises(InputError, match="written by a newer version") as caught:
        open_database(studio_at)
    assert "\n" not in str(caught.value)


def test_studio_and_runs_may_share_a_server(database: str) -> None:
    open_store(database).create("a", MANIFEST).close()
    opened = open_database(database)
    opened.close()
    assert open_store(database).names() == ["a"]


def test_many_may_find_the_same_empty_database(studio_at: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(open_database, [studio_at] * 4))
    for each in opened:
        each.close()


def test_file_that_is_no_studio_is_refused_and_left_alone(tmp_path: Path) -> None:
    text_file, other = tmp_path / "a.txt", tmp_path / "b.sqlite"
    text_file.write_text("not a database, and long enough to be one" * 20)
    raw = sqlite3.connect(other)
    raw.execute("CREATE TABLE mine (a)")
    raw.close()
    for path in (text_file, other):
        before = path.read_bytes()
        with pytest.raises(InputError, match="is not a studio"):
            open_database(str(path))
        assert path.read_bytes() == before


def _with_person(place: str) -> None:
    opened = open_database(place)
    with opened.write() as connection:
        connection.execute(
            text(
                "INSERT INTO studio_people (name, folded, password, role, is_active)"
                " VALUES ('ann', 'ann', '', 'annotator', TRUE)"
            )
        )
    opened.close()
