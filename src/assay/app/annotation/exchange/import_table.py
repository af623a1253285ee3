"""What people and detectors said of the items of a project, from a table of annotations.

The table has no texts: the project has the items already. Each judgement keeps its author and
round. People's are taken only where nobody has worked on the item in this studio.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, select, update

from assay.app.annotation.exchange.import_rows import Keeping, is_annotated, judgement_rows
from assay.app.annotation.exchange.imported import Imported
from assay.app.annotation.exchange.project_file import ItemRecord
from assay.app.annotation.exchange.storable import require_storable
from assay.app.annotation.studio import Studio
from assay.core.codec import read_example, read_judgement, write_judgement
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.problems import Problem
from assay.datasets.formats.flat import read_annotations
from assay.store.studio.items import lock_project
from assay.store.studio.judgements import add_judgements
from assay.store.studio.reading import judgements_of
from assay.store.studio.tables import items, work

_AT_ONCE = 200


def import_table(studio: Studio, slug: str, keeping: Keeping, path: str) -> Imported:
    """Adds the judgements of a table to the items that they are about, item by item."""
    if keeping.purpose != "real":
        raise InputError(
            "a table of annotations has no texts; training examples and quiz questions come from "
            "a file that has them",
            field="purpose",
        )
    query = select(items.c.record).where(
        items.c.project == keeping.project, items.c.purpose == "real"
    )
    with studio.read() as connection:
        found = (read_example(record).example for record in connection.execute(query).scalars())
        examples = {each.id: each for each in found}
    result = Imported(slug)
    said: dict[str, list[Judgement]] = {}
    for row in read_annotations(path, examples):
        if isinstance(row, Problem):
            result = result.without(row)
        else:
            said.setdefault(row.example, []).append(row)
    ids = list(said)
    for begin in range(0, len(ids), _AT_ONCE):
        some = {id: said[id] for id in ids[begin : begin + _AT_ONCE]}
        with studio.write() as connection:
            lock_project(connection, keeping.project)
            result = _add(connection, keeping, examples, some, result)
    return result


def _add(
    connection: Connection,
    keeping: Keeping,
    examples: dict[str, Example],
    some: dict[str, list[Judgement]],
    result: Imported,
) -> Imported:
    query = select(items).where(
        items.c.project == keeping.project,
        items.c.purpose == "real",
        items.c.example.in_(list(some)),
    )
    rows = connection.execute(query).all()
    numbers = [row.id for row in rows]
    before = judgements_of(connection, numbers)
    begun = select(work.c.item).where(work.c.item.in_(numbers)).distinct()
    busy = set(connection.execute(begun).scalars())
    for item in rows:
        there = before.get(item.id, [])
        is_busy = item.id in busy or any(_is_own(each) for each in there)
        new: list[Judgement] = []
        for judgement in some[item.example]:
            state = _refusal(judgement, there, is_busy=is_busy)
            if state is None:
                result = replace(result, known=result.known + 1)
            elif state:
                result = result.without(Problem(f"the example '{item.example}'", state))
            else:
                new.append(judgement)
        try:
            require_storable(examples[item.example], tuple(new))
        except InputError as error:
            result = result.without(Problem(f"the example '{item.example}'", error.message))
            continue
        made = judgement_rows(keeping, new, ItemRecord("", item.example))
        add_judgements(connection, [{**row, "item": item.id} for row in made])
        result = replace(result, judgements=result.judgements + len(new))
        if new and item.state == "new" and not is_busy and not keeping.again:
            _settle(connection, keeping, Annotated(examples[item.example], tuple(new)), item, there)
    return result


def _is_own(row: Any) -> bool:
    """Whether somebody said it in this studio."""
    return bool(row.kind == "person" and row.stage != "imported")


def _refusal(judgement: Judgement, there: Sequence[Any], *, is_busy: bool) -> str | None:
    """Why a judgement cannot be taken; None if it is there already, empty if it is welcome."""
    name, number = judgement.author.name, judgement.round
    author = (name, judgement.author.kind)
    own = {row.round: row.record for row in there if (row.author, row.kind) == author}
    if own.get(number) == write_judgement(judgement).decode():
        return None
    if number <= max(own, default=0):
        return f"'{name}' has said something else of it, in round {max(own)}"
    if judgement.author.kind == "person" and is_busy:
        return f"people work on it here, so what '{name}' said elsewhere is not taken"
    return ""


def _settle(
    connection: Connection, keeping: Keeping, said: Annotated, item: Any, there: Sequence[Any]
) -> None:
    """An item that people have now judged as the project asks is done."""
    known = (read_judgement(row.record, f"item {item.position}") for row in there)
    if is_annotated(said.with_judgements(*known), keeping.settings):
        connection.execute(update(items).where(items.c.id == item.id).values(state="done"))
