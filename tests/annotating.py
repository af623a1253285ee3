"""Studios to test with: people, projects, and browsers that are signed in.

The fixtures here are those of `tests/annotation` and of `tests/studio`.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from argon2 import PasswordHasher
from fastapi.testclient import TestClient
from sqlalchemy import insert, select

from assay.annotation.people import accounts
from assay.annotation.people.accounts import add_person
from assay.annotation.people.sessions import begin
from assay.annotation.settings import ProjectSettings, write_settings
from assay.annotation.studio import Person, Purpose, Role, Studio, open_studio
from assay.core.codec import write_example
from assay.core.examples import Annotated, Example
from assay.core.rendering import read_source
from assay.core.texts import Response
from assay.store.annotation.tables import items, projects
from assay.store.annotation.tables import members as memberships
from assay.store.database import is_url
from assay.studio.application import Serving, create_app
from assay.studio.security import TOKEN_HEADER

ORIGIN = "http://localhost"
EXAMPLES = (
    Example("a", read_source("The cat sat on the mat."), Response("It sat. It slept.")),
    Example("b", read_source("The dog ran home at 5."), Response("The dog ran. It was 6.")),
    Example("c", read_source("Rain fell all day."), Response("It rained.")),
)


@dataclass(frozen=True)
class MadeProject:
    """A project in the database."""

    id: int
    slug: str
    settings: ProjectSettings


MakePerson = Callable[..., Person]
MakeProject = Callable[..., MadeProject]
Client = Callable[..., TestClient]


# For what databases do differently: many at once, and tables read and written as a whole.
on_both_databases = pytest.mark.parametrize("studio_at", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)])
def studio_at(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a studio is kept, in turn: a file that is not there yet, and an empty database."""
    if request.param == "sqlite":
        return str(tmp_path / "studio.sqlite")
    return str(request.getfixturevalue("database"))


@pytest.fixture(autouse=True)
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords are hashed as always, but with the least work."""
    least = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    monkeypatch.setattr(accounts, "_hasher", least)


@cache
def _empty_file() -> bytes:
    """The file of a studio in which nothing has been done, made once."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "studio.sqlite"
        open_studio(str(path)).close()
        return path.read_bytes()


@pytest.fixture
def studio(studio_at: str) -> Iterator[Studio]:
    """An empty studio: in a file, and on a server."""
    if not is_url(studio_at):
        Path(studio_at).write_bytes(_empty_file())
    opened = open_studio(studio_at)
    yield opened
    opened.close()


@pytest.fixture
def make_person(studio: Studio) -> MakePerson:
    """Makes accounts: `make_person("ann", "annotator")`; without a password nobody signs in."""
    names = (f"person{number}" for number in count(1))

    def make(name: str = "", role: Role = "annotator") -> Person:
        with studio.write() as connection:
            return add_person(studio, connection, name or next(names), role, "")

    return make


@pytest.fixture
def make_project(studio: Studio) -> MakeProject:
    """Makes projects: `make_project("demo", ProjectSettings(k=2), EXAMPLES, members=[ann])`.

    `examples` may also be `Annotated`; nothing of it has been given out.
    """

    def make(
        slug: str = "demo",
        settings: ProjectSettings | None = None,
        examples: Iterable[Example | Annotated] = EXAMPLES,
        *,
        members: Iterable[Person] = (),
        purpose: Purpose = "real",
    ) -> MadeProject:
        settings = settings or ProjectSettings()
        with studio.write() as connection:
            found = select(projects.c.id).where(projects.c.slug == slug)
            project = connection.execute(found).scalar()
            if project is None:
                row = insert(projects).values(
                    slug=slug,
                    name=slug.title(),
                    settings=write_settings(settings),
                    dataset="tests",
                    at=studio.now(),
                )
                key = connection.execute(row).inserted_primary_key
                project = int(key[0]) if key else 0
            for position, each in enumerate(examples, start=1):
                annotated = each if isinstance(each, Annotated) else Annotated(each)
                connection.execute(
                    insert(items).values(
                        project=project,
                        position=position,
                        purpose=purpose,
                        example=annotated.id,
                        record=write_example(annotated).decode(),
                        source=sha256(annotated.example.source.text.encode()).hexdigest(),
                        model=annotated.example.response.model or "",
                        batch=0,
                        k=settings.k,
                        state="new",
                    )
                )
            for person in members:
                row = insert(memberships).values(
                    project=project, person=person.id, at=studio.now(), passed_at=""
                )
                connection.execute(row)
        return MadeProject(project, slug, settings)

    return make


@pytest.fixture
def client(studio: Studio) -> Client:
    """Browsers: `client(who)` is signed in and its requests carry the token, `client()` is not."""
    app = create_app(studio, Serving())

    def make(who: Person | None = None) -> TestClient:
        made = TestClient(app, base_url=ORIGIN, headers={"Origin": ORIGIN}, follow_redirects=False)
        if who is not None:
            with studio.write() as connection:
                session = begin(studio, connection, who)
            cookies = app.state.cookies
            made.cookies.set(cookies.session, cookies.signed(cookies.session, session.token))
            made.headers[TOKEN_HEADER] = session.csrf
        return made

    return make
