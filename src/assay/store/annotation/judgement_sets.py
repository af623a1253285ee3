"""Sets of judgements in a project, as they are opened from outside the studio."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Connection, select

from assay import __version__
from assay.core.codec import read_judgement
from assay.core.errors import InputError, UnknownNameError
from assay.core.judgements import Author, Judgement, Judgements, Manifest
from assay.store.annotation.database import open_database
from assay.store.annotation.exchange import items_with_judgements
from assay.store.annotation.finals import origin_of, settled, settling
from assay.store.annotation.projects import project_by_slug
from assay.store.annotation.records import (
    BLIND_STATES,
    StoredItem,
    StoredJudgement,
    StoredProject,
    grouped,
)
from assay.store.annotation.tables import judgements, projects
from assay.store.database import is_url

STUDIO = "ASSAY_STUDIO"
USUAL_PLACE = "assay-studio.sqlite"
FINAL = "final"


def studio_place(place: str | None = None) -> str:
    """The place of the studio: as given, as the environment says, or a file in this folder."""
    return place or os.environ.get(STUDIO) or USUAL_PLACE


def require_studio(place: str) -> None:
    """Raises where there is no file of a studio; whether a server has one shows when it is used."""
    if not is_url(place) and not Path(place).is_file():
        raise InputError(f"there is no studio at {place}", code="no-studio", field="database")


def is_public(item: StoredItem, said: StoredJudgement) -> bool:
    """True if a judgement may leave the studio: nobody's does while its item is annotated blind.

    What detectors said, and what training examples and the quiz are graded by, is no secret work.
    """
    if item.purpose != "real":
        return said.stage == "imported"
    return item.state not in BLIND_STATES or said.kind == "detector"


def open_studio_judgements(name: str, place: str | None = None) -> Judgements:
    """The judgements that PROJECT/NAME names: an annotator's, a detector's, or the final ones."""
    slug, _, author = name.rpartition("/")
    if not slug or not author:
        raise InputError(
            f"'{name}' names nobody's judgements; give PROJECT/NAME, with the name of an annotator "
            f"or a detector, or '{FINAL}'",
            code="no-judgements",
        )
    place = studio_place(place)
    require_studio(place)
    with _reading(place) as connection:
        project = _project(connection, slug, place)
        known = _authors(connection, project.id)
        if author != FINAL and author not in known:
            raise UnknownNameError(f"annotator or detector of '{slug}'", author, (*known, FINAL))
        if len(known.get(author, ())) > 1:
            raise InputError(
                f"'{author}' is the name of a person and of a detector in '{slug}', so that it "
                "does not tell whose judgements are meant",
                code="ambiguous-name",
            )
        first = next(_said(connection, project.id, author), None)
    if first is None:
        raise InputError(
            f"nothing that {author} said in '{slug}' can be used yet: judgements of items that are "
            "still annotated blind stay in the studio",
            code="no-judgements",
        )
    who = Author(FINAL, "person") if author == FINAL else first.author
    labels = [verdict.label for verdict in first.verdicts if verdict.label]
    manifest = Manifest(
        author=who,
        version=__version__,
        detector=author if who.kind == "detector" else "",
        unit_kind=first.findings[0].kind if first.findings else "response",
        taxonomy=labels[0].taxonomy if labels else "",
        dataset=project.name,
    )
    return Judgements(f"studio:{slug}/{author}", manifest, lambda: _read(place, project.id, author))


def _read(place: str, project: int, author: str) -> Iterator[Judgement]:
    with _reading(place) as connection:
        yield from _said(connection, project, author)


@contextmanager
def _reading(place: str) -> Iterator[Connection]:
    """A view of a studio that is opened for this only."""
    database = open_database(place)
    try:
        with database.read() as connection:
            yield connection
    finally:
        database.close()


def _project(connection: Connection, slug: str, place: str) -> StoredProject:
    found = project_by_slug(connection, slug)
    if found is None:
        known = connection.execute(select(projects.c.slug)).scalars().all()
        if not known:
            raise InputError(f"the studio {place} has no projects", code="no-project")
        raise UnknownNameError("project", slug, known)
    return found


def _authors(connection: Connection, project: int) -> dict[str, list[str]]:
    """The authors of judgements in a project, by name: people, detectors or both."""
    query = select(judgements.c.author, judgements.c.kind).where(judgements.c.project == project)
    return grouped(connection, query.distinct().order_by(judgements.c.author))


def _said(connection: Connection, project: int, author: str) -> Iterator[Judgement]:
    """One author's judgements that hold now, or those that settle an item, in order of items."""
    for item, said in items_with_judgements(connection, project):
        if item.purpose == "real":
            yield from _chosen(item, said, author)


def _chosen(item: StoredItem, said: Sequence[StoredJudgement], author: str) -> Iterator[Judgement]:
    if author != FINAL:
        for row in said:
            if row.author == author and row.is_current and is_public(item, row):
                yield _judgement(item, row)
    elif item.state == "done" and (chosen := settling(said)):
        yield settled([_judgement(item, row) for row in chosen], origin_of(chosen))


def _judgement(item: StoredItem, row: StoredJudgement) -> Judgement:
    return read_judgement(row.record, f"the judgement of '{item.example}' by {row.author}")
