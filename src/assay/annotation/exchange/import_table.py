"""Judgements of people and detectors, from a table of annotations.

The table has no texts: the project has the items already. Each judgement keeps its author and
round. People's are taken only where nobody has worked on the item in this studio.
"""

from collections.abc import Sequence
from dataclasses import replace

from assay.annotation.exchange.database_limits import require_storable
from assay.annotation.exchange.new_items import (
    Imported,
    ImportTarget,
    is_annotated,
    stored_judgements,
)
from assay.annotation.exchange.project_file import ItemRecord
from assay.annotation.studio import Studio
from assay.core.codec import read_example, read_judgement, write_judgement
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.core.problems import Problem
from assay.datasets.formats.flat import read_annotations
from assay.store.annotation import exchange
from assay.store.annotation.database import Connection
from assay.store.annotation.items import lock_project, set_item_state
from assay.store.annotation.judgements import add_judgements, judgements_of
from assay.store.annotation.records import StoredItem, StoredJudgement

_AT_ONCE = 200


def import_table(studio: Studio, slug: str, target: ImportTarget, path: str) -> Imported:
    """Adds the judgements of a table to the items that they are about, item by item."""
    if target.purpose != "real":
        raise InputError(
            "a table of annotations has no texts; training examples and quiz questions come from "
            "a file that has them",
            field="purpose",
        )
    with studio.read() as connection:
        records = exchange.real_records(connection, target.project)
        found = (read_example(record).example for record in records)
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
            lock_project(connection, target.project)
            result = _add(connection, target, examples, some, result)
    return result


def _add(
    connection: Connection,
    target: ImportTarget,
    examples: dict[str, Example],
    some: dict[str, list[Judgement]],
    result: Imported,
) -> Imported:
    found = exchange.real_items(connection, target.project, list(some))
    numbers = [item.id for item in found.values()]
    before = judgements_of(connection, numbers)
    busy = exchange.items_with_work(connection, numbers)
    for item in found.values():
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
        made = stored_judgements(target, new, ItemRecord("", item.example), item.id)
        add_judgements(connection, made)
        result = replace(result, judgements=result.judgements + len(new))
        if new and item.state == "new" and not is_busy and not target.again:
            _settle(connection, target, Annotated(examples[item.example], tuple(new)), item, there)
    return result


def _is_own(said: StoredJudgement) -> bool:
    """Tells whether somebody said it in this studio."""
    return said.kind == "person" and said.stage != "imported"


def _refusal(
    judgement: Judgement, there: Sequence[StoredJudgement], *, is_busy: bool
) -> str | None:
    """The reason to refuse a judgement; None if it is there already, empty if it is welcome."""
    name, number = judgement.author.name, judgement.round
    author = (name, judgement.author.kind)
    own = {each.round: each.record for each in there if (each.author, each.kind) == author}
    if own.get(number) == write_judgement(judgement).decode():
        return None
    if number <= max(own, default=0):
        return f"'{name}' has said something else of it, in round {max(own)}"
    if judgement.author.kind == "person" and is_busy:
        return f"people work on it here, so what '{name}' said elsewhere is not taken"
    return ""


def _settle(
    connection: Connection,
    target: ImportTarget,
    said: Annotated,
    item: StoredItem,
    there: Sequence[StoredJudgement],
) -> None:
    """Lets an item be done that people have now judged as the project asks."""
    known = (read_judgement(each.record, f"item {item.position}") for each in there)
    if is_annotated(said.with_judgements(*known), target.settings):
        set_item_state(connection, item.id, "done")
