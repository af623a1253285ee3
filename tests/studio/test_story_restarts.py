"""A server that is killed and started again, several times, while people save and send again."""

import json
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx2
import pytest
from sqlalchemy import select, text

from assay.annotation.items.drafts import read_units
from assay.annotation.items.work import history_units
from assay.annotation.people.sessions import begin, secret
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio
from assay.core.examples import Example
from assay.store.annotation.tables import changes, work
from assay.studio.security import TOKEN_HEADER, Cookies
from tests.annotating import EXAMPLES, MakePerson, MakeProject
from tests.studio.serving import served_by_process

pytestmark = pytest.mark.soak
ROUNDS = 4
WRITERS = 4
LONGEST_WAIT = 60


@dataclass
class Writer:
    """Somebody who saves one change after the other, and remembers what was acknowledged."""

    who: Person
    cookie: tuple[str, str]
    client: httpx2.Client = field(default_factory=httpx2.Client)
    work: int = 0
    version: int = 0
    unit: dict[str, Any] = field(default_factory=dict)
    acknowledged: dict[int, dict[str, Any]] = field(default_factory=dict)  # by version
    pending: dict[str, Any] | None = None
    refused: list[str] = field(default_factory=list)

    def connect(self, url: str) -> None:
        """Turns to a server."""
        self.client.close()
        self.client = httpx2.Client(base_url=url, cookies=[self.cookie], timeout=30)
        token = self.client.get("/api/session").json()["token"]
        self.client.headers.update({"Origin": url, TOKEN_HEADER: token})

    def open(self) -> None:
        """Takes an item and opens it."""
        given = self.client.post("/api/projects/demo/next").json()["position"]
        own = self.client.get(f"/api/projects/demo/items/{given}").json()["work"]
        self.work, self.version, self.unit = own["id"], own["version"], own["units"][0]

    def save(self) -> bool:
        """Saves the next change, or again one without an answer; whether there was an answer."""
        if self.pending is None:
            note = f"{self.who.name} after {self.version} " + "word " * 200
            unit = {**self.unit, "verdict": {"label": "fabricated", "note": note.strip()}}
            self.pending = {
                "id": f"{self.who.name}-{self.version}",
                "base": self.version,
                "kind": "edit",
                "changes": [{"id": unit["id"], "unit": unit}],
            }
        try:
            answer = self.client.post(f"/api/work/{self.work}/changes", json=self.pending)
        except httpx2.TransportError:
            return False
        if answer.status_code != 200:
            self.refused.append(answer.text)
            return False
        self.version = answer.json()["version"]
        self.acknowledged[self.version] = self.pending
        self.pending = None
        return True

    def write(self) -> None:
        """Saves for as long as somebody answers."""
        while self.save():
            pass

    def send_again(self) -> None:
        """Sends once more what had no answer, twice: it is saved once, whatever happened before."""
        expected = self.version + 1
        assert self.save(), self.refused
        assert self.version == expected
        path = f"/api/work/{self.work}"
        again = self.client.post(f"{path}/changes", json=self.acknowledged[expected])
        assert (again.status_code, again.json()["version"]) == (200, expected)
        entries = self.client.get(f"{path}/history").json()["entries"]
        assert [each["version"] for each in entries][:2] == [expected, expected - 1]


@pytest.fixture
def writers(studio: Studio, make_person: MakePerson, make_project: MakeProject) -> list[Writer]:
    """People with an item each."""
    people = [make_person(f"ann{number}") for number in range(WRITERS)]
    one = EXAMPLES[0]
    examples = [Example(f"e{number}", one.source, one.response) for number in range(WRITERS)]
    make_project(settings=ProjectSettings(k=1), examples=examples, members=people)
    cookies = Cookies(secret(studio))
    made = []
    for who in people:
        with studio.write() as connection:
            token = begin(studio, connection, who).token
        made.append(Writer(who, (cookies.session, cookies.signed(cookies.session, token))))
    return made


def test_what_was_acknowledged_survives_every_kill_and_nothing_is_saved_twice(
    studio: Studio, studio_at: str, writers: list[Writer]
) -> None:
    chance = Random(15)
    for number in range(ROUNDS):
        with served_by_process(studio_at) as (url, process):
            for each in writers:
                each.connect(url)
                each.send_again() if number else each.open()
            _require_all_there(studio, writers)
            threads = [threading.Thread(target=each.write) for each in writers]
            before = _count(writers)
            for thread in threads:
                thread.start()
            _wait_for(writers, before + chance.randrange(20, 60))
            time.sleep(chance.uniform(0, 0.02))
            process.kill()
            for thread in threads:
                thread.join(LONGEST_WAIT)
        assert [each.refused for each in writers] == [[]] * WRITERS
        assert all(each.pending for each in writers), "each was cut off in a request"
        _require_all_there(studio, writers)
    for each in writers:
        each.client.close()
    with studio.read() as connection:
        if connection.dialect.name == "sqlite":
            assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"


def _require_all_there(studio: Studio, writers: Sequence[Writer]) -> None:
    """Every acknowledged change is in the history, in order, and the draft is what they make."""
    with studio.read() as connection:
        for each in writers:
            row: Any = connection.execute(select(work).where(work.c.id == each.work)).one()
            query = select(changes).where(changes.c.work == each.work)
            saved: dict[int, Any] = {step.version: step for step in connection.execute(query)}
            assert sorted(saved) == list(range(row.version + 1))  # it begins with version 0
            for version, body in each.acknowledged.items():
                assert saved[version].request == body["id"]
                (edit,) = json.loads(saved[version].units)
                sent = body["changes"][0]["unit"]["verdict"]
                assert edit["unit"]["verdict"]["note"] == sent["note"]
            unanswered = 1 if each.pending else 0
            assert each.version <= row.version <= each.version + unanswered
            assert read_units(row.draft) == history_units(connection, each.work)


def _count(writers: Sequence[Writer]) -> int:
    return sum(len(each.acknowledged) for each in writers)


def _wait_for(writers: Sequence[Writer], count: int) -> None:
    for _ in range(LONGEST_WAIT * 500):
        if _count(writers) >= count:
            return
        time.sleep(0.002)
    raise AssertionError(f"{_count(writers)} of {count} changes were saved: {writers[0].refused}")
