"""Reads do not wait for writes that wait."""

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import QueuePool

from assay.annotation.people.accounts import add_person
from assay.annotation.people.sessions import begin
from assay.annotation.studio import Studio, open_studio
from assay.studio.application import create_app
from assay.studio.security import TOKEN_HEADER
from tests.annotating import ORIGIN

SAVES = 20  # more than there are threads


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Studio]:
    """A studio in a file."""
    made = open_studio(str(tmp_path / "studio.sqlite"))
    yield made
    made.close()


def test_reads_go_on_while_another_process_holds_the_lock(opened: Studio, tmp_path: Path) -> None:
    app, pool = create_app(opened), opened.database.engine.pool
    with opened.write() as connection:
        session = begin(
            opened, connection, add_person(opened, connection, "ada", "administrator", "")
        )
    assert isinstance(pool, QueuePool)

    def browser() -> TestClient:
        made = TestClient(app, ORIGIN, headers={"Origin": ORIGIN, TOKEN_HEADER: session.csrf})
        cookies = app.state.cookies
        made.cookies.set(cookies.session, cookies.signed(cookies.session, session.token))
        return made

    def save(number: int) -> int:
        return browser().post("/api/projects", json={"name": f"p{number}"}).status_code

    with closing(sqlite3.connect(tmp_path / "studio.sqlite")) as other:
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(SAVES + 1) as clients:
            saves = [clients.submit(save, number) for number in range(SAVES)]
            try:
                while pool.checkedout() < 12:
                    time.sleep(0.01)
                read = clients.submit(browser().get, "/api/projects")
                assert read.result(timeout=15).json() == []
            finally:
                other.rollback()
            assert {each.result() for each in saves} == {200}
