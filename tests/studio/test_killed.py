"""A server that is killed under load: every save that it acknowledged is there afterwards."""

import json
import threading
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any

from sqlalchemy import select

from assay.annotation.items import item_view, work_queue
from assay.annotation.items.drafts import read_units
from assay.annotation.items.work import history_units
from assay.annotation.people.sessions import begin, secret
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Studio, open_studio
from assay.store.annotation import tables
from assay.studio.security import TOKEN_HEADER, Cookies
from tests.annotating import EXAMPLES, MakePerson, MakeProject
from tests.studio.serving import served_by_process

WRITERS = 6
ENOUGH = 120  # saves that were acknowledged before the server is killed


class Writer:
    """Somebody who writes note after note, and remembers what was acknowledged."""

    def __init__(self, url: str, headers: dict[str, str], work: int, unit: dict[str, Any]) -> None:
        self.path = f"{url}/api/work/{work}/changes"
        self.headers = headers
        self.work = work
        self.unit = unit
        self.version = 0

    def write(self, count: threading.Semaphore) -> None:
        """Saves until the server is gone."""
        while True:
            said = {**self.unit, "verdict": {"note": f"note {self.version + 1}"}}
            changes = [{"id": said["id"], "unit": said}]
            body = {"base": self.version, "kind": "edit", "changes": changes}
            request = urllib.request.Request(self.path, json.dumps(body).encode(), self.headers)
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    self.version = json.load(answer)["version"]
            except urllib.error.HTTPError:
                raise
            except (OSError, HTTPException, ValueError):  # it is gone, perhaps in mid-sentence
                return
            count.release()


def test_every_acknowledged_save_survives_a_kill(
    studio: Studio, studio_at: str, make_person: MakePerson, make_project: MakeProject
) -> None:
    team = [make_person() for _ in range(WRITERS)]
    make_project(settings=ProjectSettings(k=WRITERS), examples=EXAMPLES[:1], members=team)
    cookies = Cookies(secret(studio))
    with served_by_process(studio_at) as (url, process):
        writers = []
        for who in team:
            work_queue.next_item(studio, who, "demo")
            own = item_view.open_item(studio, who, "demo", 1).work
            assert own is not None
            with studio.write() as connection:
                session = begin(studio, connection, who)
            signed = cookies.signed(cookies.session, session.token)
            headers = {
                "Cookie": f"{cookies.session}={signed}",
                TOKEN_HEADER: session.csrf,
                "Origin": url,
                "Content-Type": "application/json",
            }
            unit = {"id": "s1", "kind": "sentence", "text": "It sat.", "start": 0, "end": 7}
            writers.append(Writer(url, headers, own.id, unit))
        studio.close()
        count = threading.Semaphore(0)
        threads = [threading.Thread(target=each.write, args=(count,)) for each in writers]
        for thread in threads:
            thread.start()
        enough = all(count.acquire(timeout=60) for _ in range(ENOUGH))
        process.kill()
        for thread in threads:
            thread.join()
    assert enough
    assert sum(each.version for each in writers) >= ENOUGH
    again = open_studio(studio_at)
    with again.read() as connection:
        for writer in writers:
            query = select(tables.work).where(tables.work.c.id == writer.work)
            row = connection.execute(query).one()
            assert row.version in (writer.version, writer.version + 1)  # one may be unacknowledged
            draft = read_units(row.draft)
            assert draft == history_units(connection, writer.work)
            said = draft[0].verdict
            assert (said.note if said else "") == (f"note {row.version}" if row.version else "")
    again.close()
