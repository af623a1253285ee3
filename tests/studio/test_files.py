"""Exports over HTTP: whoever reads slowly, or goes away, keeps nothing of the database."""

import socket
from urllib.parse import urlsplit

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import QueuePool, update

from assay.annotation.exchange.imports import import_file
from assay.annotation.projects import create_project
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Studio
from assay.core.codec import encode
from assay.store.annotation.tables import items
from tests.annotating import Client, MakePerson, MakeProject
from tests.studio.serving import Served


def test_slow_reader_of_an_export_keeps_no_connection(
    server: Served, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ada = server.add("ada", "administrator")
    slug = create_project(server.studio, ada, "Big", ProjectSettings()).slug
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    rows = ({"id": str(n), "source": "x" * 1_000_000, "response": "It is."} for n in range(20))
    path.write_bytes(b"".join(encode(row) + b"\n" for row in rows))
    assert import_file(server.studio, ada, slug, str(path)).added == 20
    cookie, place = server.cookie(ada), urlsplit(server.url)
    pool = server.studio.database.engine.pool
    assert isinstance(pool, QueuePool)
    with socket.create_connection((place.hostname, place.port), timeout=60) as reader:
        request = f"GET /api/projects/{slug}/export HTTP/1.1\r\nHost: {place.netloc}\r\n"
        reader.sendall(f"{request}Cookie: {cookie['name']}={cookie['value']}\r\n\r\n".encode())
        begin = b""
        while len(begin) < 100_000:  # and then nothing more
            begin += reader.recv(10_000)
        assert b"200 OK" in begin[:100]
        assert pool.checkedout() == 0


def test_export_that_fails_is_no_file(
    studio: Studio, client: Client, make_person: MakePerson, make_project: MakeProject
) -> None:
    make_project()
    with studio.write() as connection:
        connection.execute(update(items).where(items.c.position == 3).values(record="{"))
    ada: TestClient = client(make_person("ada", "administrator"))
    answer = ada.get("/api/projects/demo/export")
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "damaged")


def test_length_of_an_export_is_told(
    client: Client, make_person: MakePerson, make_project: MakeProject
) -> None:
    make_project()
    answer = client(make_person("ada", "administrator")).get("/api/projects/demo/export")
    assert int(answer.headers["content-length"]) == len(answer.content)
    assert answer.headers["content-type"] == "application/x-ndjson"
