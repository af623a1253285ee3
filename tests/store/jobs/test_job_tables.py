"""The tables of jobs in a file and on a server, and what is refused in their place."""

import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from assay.core.errors import InputError
from assay.core.problems import Unread
from assay.store.annotation.database import open_database
from assay.store.jobs import jobs
from assay.store.jobs.database import FILE, JOBS, open_jobs
from assay.store.jobs.records import JobEnding
from assay.store.jobs.tables import HEAD, VERSION_TABLE, metadata
from assay.store.migrations import scripts
from assay.store.runs import open_store
from tests.store.conftest import MANIFEST


def line_when_opened(place: object) -> str:
    with pytest.raises(InputError) as caught:
        open_jobs(str(place))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_head_is_the_last_migration() -> None:
    assert scripts(JOBS).get_current_head() == HEAD


def test_tables_that_are_made_at_once_are_those_of_the_migrations(runs_at: str) -> None:
    opened = open_jobs(runs_at)
    with opened.read() as connection:
        options = {"compare_type": True, "version_table": VERSION_TABLE}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
        assert context.get_current_revision() == HEAD
    opened.close()


def test_jobs_of_the_first_form_are_kept_and_had_no_problems(tmp_path: Path) -> None:
    opened = open_jobs(str(tmp_path))
    with opened.write() as connection:
        jobs.begin(connection, "a", "", "overlap")
        jobs.enqueue(connection, "a", 1, Unread(2))
    opened.close()
    with closing(sqlite3.connect(tmp_path / FILE)) as raw:
        raw.execute("ALTER TABLE jobs DROP COLUMN problems")
        raw.execute(f"UPDATE {VERSION_TABLE} SET version_num = '0001'")
        raw.commit()
    opened = open_jobs(str(tmp_path))
    with opened.read() as connection:
        assert jobs.unread(connection, "a") == Unread(2)
    opened.close()


def test_many_may_find_the_same_empty_database(runs_at: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(open_jobs, [runs_at] * 4))
    for each in opened:
        each.close()


def test_many_may_begin_the_same_file_at_the_same_time(tmp_path: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        for number in range(20):  # about one in ten such meetings went wrong once
            for each in pool.map(open_jobs, [str(tmp_path / str(number))] * 6):
                each.close()


def test_job_that_is_queued_again_while_it_is_cancelled_is_cancelled(database: str) -> None:
    opened = open_jobs(database)
    with opened.write() as connection:
        jobs.begin(connection, "a", "", "overlap")
        jobs.enqueue(connection, "a", 1, Unread())
        claim = jobs.take(connection, "a", "token")
    assert claim

    def cancel() -> None:
        with opened.write() as connection:
            jobs.cancel(connection, "a")

    with ThreadPoolExecutor(1) as pool:
        with opened.write() as connection:
            jobs.end(connection, claim, JobEnding("queued"))
            cancelling = pool.submit(cancel)
            time.sleep(0.5)  # it has found the job running, and waits for its row
            assert not cancelling.done()
        cancelling.result()
    with opened.read() as connection:
        found = jobs.find(connection, "a")
    assert found
    assert (found.state, found.ended != "") == ("cancelled", True)
    opened.close()


def test_jobs_runs_and_a_studio_may_share_a_server(database: str) -> None:
    open_store(database).create("a", MANIFEST).close()
    for opened in (open_database(database), open_jobs(database), open_jobs(database)):
        opened.close()
    assert open_store(database).names() == ["a"]


def test_list_of_jobs_is_no_run_among_the_files_of_runs(tmp_path: Path) -> None:
    open_jobs(str(tmp_path)).close()
    assert open_store(str(tmp_path)).names() == []


def test_newer_form_is_refused_in_one_line(runs_at: str) -> None:
    opened = open_jobs(runs_at)
    with opened.write() as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = '9999'"))
    opened.close()
    assert "written by a newer version of assay" in line_when_opened(runs_at)


def test_file_of_something_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / FILE
    with closing(sqlite3.connect(path)) as raw:
        raw.execute("CREATE TABLE mine (a)")
    before = path.read_bytes()
    assert f"{path} is not a list of jobs of assay" in line_when_opened(tmp_path)
    path.write_bytes(b"not a database, and long enough to be one" * 20)
    assert f"{path} is not a list of jobs: file is not a database" in line_when_opened(tmp_path)
    path.write_bytes(before)
    line_when_opened(tmp_path)
    assert path.read_bytes() == before


def test_damaged_file_is_one_line(tmp_path: Path) -> None:
    open_jobs(str(tmp_path)).close()
    path = tmp_path / FILE
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))
    assert f"cannot use the list of jobs {path}" in line_when_opened(tmp_path)


def test_place_that_cannot_be_one_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot make the folder" in line_when_opened(tmp_path / "file")
    told = line_when_opened("mysql://somebody:secret@host/jobs")
    assert (
        told
        == "jobs are kept in a folder or in PostgreSQL (postgresql://...), not at mysql://host/jobs"
    )
