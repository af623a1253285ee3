"""An annotator with work, and what is kept of it."""

import pytest
from sqlalchemy import select

from assay.annotation.items.drafts import read_units
from assay.annotation.items.work import history_units
from assay.annotation.settings import ProjectSettings
from assay.annotation.studio import Person, Studio, open_studio
from assay.core.codec import read_judgement
from assay.core.judgements import Judgement
from assay.core.wire import UnitRecord
from assay.store.annotation import tables
from tests.annotating import EXAMPLES, MakePerson, MakeProject
from tests.annotation.working import (
    mine,
    take,
)


@pytest.fixture
def ann(make_person: MakePerson, make_project: MakeProject) -> Person:
    """An annotator of a project of three items."""
    person = make_person("ann")
    make_project(members=[person])
    return person


def said(studio: Studio, author: str) -> list[Judgement]:
    """What somebody submitted, in order."""
    query = select(tables.judgements.c.record).where(tables.judgements.c.author == author)
    with studio.read() as connection:
        rows = connection.execute(query.order_by(tables.judgements.c.id)).scalars().all()
    return [read_judgement(row) for row in rows]


def kept(studio: Studio, work_id: int) -> tuple[int, list[UnitRecord], list[UnitRecord]]:
    """The version of a work, its draft, and the draft that its history leads to."""
    with studio.read() as connection:
        query = select(tables.work).where(tables.work.c.id == work_id)
        row = connection.execute(query).one()
        return row.version, read_units(row.draft), history_units(connection, work_id)


@pytest.fixture
def sqlite_studio(tmp_path_factory: pytest.TempPathFactory) -> tuple[Studio, Person, int]:
    """A studio in a file with one opened work, for what does not depend on the database."""
    studio = open_studio(str(tmp_path_factory.mktemp("studio") / "studio.sqlite"))
    person, work_id = begun(studio)
    return studio, person, work_id


def begun(studio: Studio, mode: str = "sentences") -> tuple[Person, int]:
    """A person with an opened work, written down without fixtures."""
    from assay.annotation.people.accounts import add_person
    from assay.annotation.settings import write_settings
    from assay.core.codec import write_example
    from assay.core.examples import Annotated

    with studio.write() as connection:
        who = add_person(studio, connection, "ann", "annotator", "")
        made = ProjectSettings(mode=mode)  # type: ignore[arg-type]
        project = {"slug": "demo", "name": "Demo", "settings": write_settings(made), "dataset": ""}
        number = connection.execute(
            tables.projects.insert().values(**project, at="").returning(tables.projects.c.id)
        ).scalar_one()
        record = write_example(Annotated(EXAMPLES[0])).decode()
        item = {"position": 1, "purpose": "real", "example": "a", "record": record, "source": ""}
        connection.execute(
            tables.items.insert().values(
                **item, project=number, model="", batch=0, k=1, state="new"
            )
        )
        connection.execute(tables.members.insert().values(project=number, person=who.id, at=""))
    return who, mine(take(studio, who)).id
