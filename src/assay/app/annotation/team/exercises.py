"""Training examples and questions of a quiz: those of a project, and those that come with Assay.

Each is an example with the judgement that is right. The shipped ones have both sentences and spans;
a project gets what it asks for.
"""

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from typing import Literal

from sqlalchemy import Connection, func, insert, select

from assay.app.annotation import access
from assay.app.annotation.settings import ProjectSettings, read_settings
from assay.app.annotation.studio import Person, Studio
from assay.core.codec import read_example, write_example, write_judgement
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.store.studio.tables import items, judgements

Kind = Literal["training", "quiz"]
KINDS: tuple[Kind, ...] = ("training", "quiz")


def shipped(purpose: Kind, settings: ProjectSettings) -> tuple[Annotated, ...]:
    """The training examples or the quiz that come with Assay, with the gold a project asks for."""
    place = files("assay.app.annotation") / "shipped" / f"{purpose}.jsonl"
    lines = place.read_text("utf-8").splitlines()
    return tuple(_asked_for(read_example(line, purpose), settings) for line in lines)


def add_shipped(studio: Studio, who: Person, slug: str) -> dict[str, int]:
    """Gives a project the training and the quiz that come with Assay; how many items of each."""
    with studio.write() as connection:
        project = access.require(connection, who, "manage-project", slug)
        settings, now = read_settings(project.settings), studio.now()
        if any(_last(connection, project.id, kind) for kind in KINDS):
            raise InputError("the project has training examples or a quiz already", code="has-quiz")
        return {
            kind: add_items(connection, now, project.id, kind, shipped(kind, settings))
            for kind in KINDS
        }


def add_items(
    connection: Connection, now: str, project: int, purpose: Kind, annotated: Iterable[Annotated]
) -> int:
    """Adds training examples or questions of the quiz; each needs one judgement by people."""
    position = start = _last(connection, project, purpose)
    for each in annotated:
        if len(each.gold) != 1:
            message = f"'{each.id}' needs one judgement by people as its gold, not {len(each.gold)}"
            raise InputError(message, code="no-gold")
        position += 1
        _add(connection, now, project, purpose, position, each)
    return position - start


def _add(
    connection: Connection,
    now: str,
    project: int,
    purpose: Kind,
    position: int,
    annotated: Annotated,
) -> None:
    example = annotated.example
    row = insert(items).values(
        project=project,
        position=position,
        purpose=purpose,
        example=example.id,
        record=write_example(Annotated(example)).decode(),
        source=sha256(example.source.text.encode("utf-8", "surrogatepass")).hexdigest(),
        model=example.response.model,
        batch=0,
        k=1,
        state="open",
    )
    item = connection.execute(row.returning(items.c.id)).scalar_one()
    (gold,) = annotated.gold
    connection.execute(
        insert(judgements).values(
            project=project,
            item=item,
            author=gold.author.name,
            kind="person",
            stage="imported",
            round=gold.round,
            is_current=True,
            at=gold.at or now,
            record=write_judgement(gold).decode(),
        )
    )


def _last(connection: Connection, project: int, purpose: Kind) -> int:
    """The position of the last item for a purpose; 0 where there is none."""
    last = select(func.max(items.c.position)).where(
        items.c.project == project, items.c.purpose == purpose
    )
    return connection.execute(last).scalar() or 0


def _asked_for(annotated: Annotated, settings: ProjectSettings) -> Annotated:
    wanted = {"sentence"} if settings.has_sentences else set()
    wanted |= {"span", "response"} if settings.has_spans else set()
    (gold,) = annotated.gold
    units = tuple(unit for unit in gold.units if unit.kind in wanted)
    kept = {unit.id for unit in units}
    outcomes = tuple(each for each in gold.outcomes if each.unit in kept)
    return Annotated(annotated.example, (replace(gold, units=units, outcomes=outcomes),))
