"""A studio with somebody of each role, for tests of what each of them may do.

`ann` annotates item 1 of `demo` and nobody else has a part in it; item 2 has been annotated and
waits for an adjudicator. The adjudicator is a member; the stranger has an account and is none.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import insert, select, update

from assay.annotation.people.invitations import invite
from assay.annotation.studio import Person, Studio
from assay.store.annotation.tables import fetches, items, snapshots, work
from tests.annotating import Client, MakePerson, MakeProject

ROLES = ("anonymous", "stranger", "annotator", "adjudicator", "administrator")
DIGEST = "d" * 64


@pytest.fixture
def studio_at(tmp_path: Path) -> str:
    """One kind of database is enough here: the rules do not ask which it is."""
    return str(tmp_path / "studio.sqlite")


@dataclass(frozen=True)
class Scene:
    """Browsers by role, and what stands in the place of names in a route."""

    browsers: dict[str, TestClient]
    values: dict[str, Any]
    people: dict[str, Person]
    client: Client

    def browser(self, role: str) -> TestClient:
        """A new browser of somebody of that role."""
        return self.client(self.people.get(role))


@pytest.fixture
def scene(
    studio: Studio, make_person: MakePerson, make_project: MakeProject, client: Client
) -> Scene:
    """The studio that the table is about."""
    people: dict[str, Person] = {
        "stranger": make_person("stranger", "annotator"),
        "annotator": make_person("ann", "annotator"),
        "adjudicator": make_person("judge", "adjudicator"),
        "administrator": make_person("admin", "administrator"),
    }
    made = make_project("demo", members=[people["annotator"], people["adjudicator"]])
    with studio.write() as connection:
        rows = connection.execute(select(items).where(items.c.project == made.id)).all()
        first, second = (row.id for row in rows[:2])
        states = {first: "open", second: "adjudication"}
        for item, state in states.items():
            changed = update(items).where(items.c.id == item)
            connection.execute(changed.values(state=state, batch=1))
        begun = insert(work).values(
            project=made.id, item=first, person=people["annotator"].id, stage="annotate",
            state="assigned", version=0, draft="", seconds=0, started_at="", submitted_at="",
        )  # fmt: skip
        key = connection.execute(begun).inserted_primary_key
        connection.execute(
            insert(snapshots).values(
                digest=DIGEST, address="http://a.example/", title="", text="a", content=b"a",
                content_type="text/plain", at=studio.now(),
            )
        )  # fmt: skip
        connection.execute(
            insert(fetches).values(
                digest=DIGEST, item=first, person=people["annotator"].id,
                address="http://a.example/", at=studio.now(),
            )
        )  # fmt: skip
    token = invite(studio, people["administrator"], "annotator").token
    browsers = {role: client(people.get(role)) for role in ROLES}
    number = key[0] if key else 0
    values = {"slug": "demo", "work_id": number, "number": number, "token": token, "name": "ann"}
    return Scene(browsers, values, people, client)
