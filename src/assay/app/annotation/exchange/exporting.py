"""A project as a file: our own JSON lines, FaithBench's batches, RAGTruth's files, or a table.

Drafts never leave the studio, and what people said of an item only when its annotation is over.
What came with the data is in the files of those who may bring data in, whoever it is by; the quiz
is in theirs, and in those of people who passed it. FaithBench and RAGTruth read an item without
marks as a faithful one, so that items which nobody has judged are not in these two forms;
`Export.left_out` counts them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace as replace_fields
from sqlalchemy import ColumnElement, Connection, Row, case, func, select

from assay.app.annotation.access import BLIND_STATES, ROLES, require
from assay.app.annotation.exchange.forms import Form as OtherForm
from assay.app.annotation.exchange.forms import file_of, written
from assay.app.annotation.exchange.project_file import write_exercise
from assay.app.annotation.exchange.project_records import (
    cited_pages,
    item_record,
    project_record,
    snapshot_records,
)
from assay.app.annotation.exchange.storable import with_whole_characters
from assay.app.annotation.studio import Person, Studio
from assay.app.annotation.team import training
from assay.core.codec import Reader, encode, read_example, read_judgement, write_example
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement
from assay.datasets.formats.faithbench import batch_name
from assay.store.studio.queues import note_event
from assay.store.studio.reading import is_public, judgements_of
from assay.store.studio.settling import origin_of, settled, settling
from assay.store.studio.tables import items, judgements, people

Form = Literal["jsonl", "faithbench", "ragtruth", "csv"]
FORMS: tuple[Form, ...] = get_args(Form)
_MARKS_ONLY: tuple[Form, ...] = ("faithbench", "ragtruth")  # no mark is a label in them
_AT_ONCE = 200
_CHUNK = 2**16
_ENDINGS: dict[Form, tuple[str, str]] = {
    "jsonl": (".jsonl", "application/x-ndjson"),
    "faithbench": (".faithbench.json", "application/json"),
    "ragtruth": (".ragtruth.zip", "application/zip"),
    "csv": (".csv", "text/csv"),
}
MEDIA_TYPES = tuple(media_type for _, media_type in _ENDINGS.values())


@dataclass(frozen=True, slots=True)
class Export:
    """A file to be sent: its name, its type, and its content piece by piece.

    `left_out` counts the items that nobody has judged, where the form could not tell that.
    """

    name: str
    media_type: str
    content: Callable[[], Iterator[bytes]]
    left_out: int = 0


def export_project(studio: Studio, who: Person, slug: str, form: Form = "jsonl") -> Export:
    """The file of a project in a form; whether somebody may have it is decided at once."""
    with studio.write() as connection:
        project: Any = require(connection, who, "export", slug)
        detail = encode({"form": form}).decode()
        now = studio.now()
        note_event(connection, now, "exported", detail, project=project.id, person=who.account)
        with_data = who.role in ROLES["manage-project"]
        with_quiz = with_data or training.may_annotate(connection, who, project)
        batches: set[tuple[str, str]] = set()
        if form == "faithbench":
            batches = _batches(connection, project.id, with_data=with_data)
        left_out = 0
        if form in _MARKS_ONLY:
            left_out = _count_unjudged(connection, project.id, with_data=with_data)
    name, media_type = slug + _ENDINGS[form][0], _ENDINGS[form][1]
    if form == "jsonl":
        told = _Told(with_data, with_quiz)
        return Export(name, media_type, lambda: _lines(studio, project, told))
    other: OtherForm = form
    if len({file for file, _ in batches}) > 1:
        other = "faithbench-zip"
        name, media_type = f"{slug}.faithbench.zip", _ENDINGS["ragtruth"][1]
    elif released := "".join(batch for _, batch in batches):  # ids of samples come from this name
        name = f"{released}.json"
    return Export(
        name,
        media_type,
        lambda: _converted(studio, project.id, other, with_data=with_data),
        left_out,
    )


@dataclass(frozen=True, slots=True)
class _Told:
    """What somebody may be told: all that came with the data; the quiz, with its answers."""

    data: bool
    quiz: bool


class _Place(msgspec.Struct):
    """What an example says of where it comes from."""

    id: str
    split: str = ""
    original: str = ""


_places = Reader(_Place)


def _is_judged(*, with_data: bool) -> ColumnElement[bool]:
    """Whether somebody said something of an item that may be told."""
    told: ColumnElement[bool] = items.c.state.not_in(BLIND_STATES)
    if with_data:
        told |= judgements.c.stage == "imported"
    said = select(judgements.c.id).where(
        judgements.c.item == items.c.id, judgements.c.kind == "person", told
    )
    return said.correlate(items).exists()


def _count_unjudged(connection: Connection, project: int, *, with_data: bool) -> int:
    query = select(func.count()).where(
        items.c.project == project, items.c.purpose == "real", ~_is_judged(with_data=with_data)
    )
    return connection.execute(query.select_from(items)).scalar_one()


def _batches(connection: Connection, project: int, *, with_data: bool) -> set[tuple[str, str]]:
    """The files that FaithBench has the items of a project in, each with the batch it is of."""
    query = select(items.c.record).where(
        items.c.project == project, items.c.purpose == "real", _is_judged(with_data=with_data)
    )
    found = set()
    for record in connection.execute(query).scalars():
        place = _places.read(record, "an item")
        given = (place.id, place.split, place.original)
        found.add((file_of(*given), batch_name(*given)))
    return found


def _lines(studio: Studio, project: Any, told: _Told) -> Iterator[bytes]:
    """Our own lines, in one view of the database however long they take."""
    kept: set[str] = set()
    with studio.read() as connection:
        rows = connection.execute(select(people.c.id, people.c.name))
        names = {row.id: row.name for row in rows}
        yield encode(project_record(connection, project)) + b"\n"
        for item, annotated, said in _items(connection, project.id, with_data=told.data):
            if item.purpose == "quiz" and not told.quiz:
                continue
            gold = _settled(item, said)
            record = item_record(connection, item, said, names)
            if record.work:
                record = replace_fields(
                    record, pages=cited_pages(connection, item, annotated, names)
                )
            new = {each.digest for each in record.pages} - kept
            yield from (encode(each) + b"\n" for each in snapshot_records(connection, new))
            kept |= new
            if gold is not None and GOLD.name not in {each.author for each in said}:
                annotated = annotated.with_judgements(replace(gold, author=GOLD, supersedes=""))
                record = replace_fields(record, is_settled=True)
            write = write_example if item.purpose == "real" else write_exercise
            yield write(annotated) + b"\n"
            yield encode(record) + b"\n"


def annotated_items(
    studio: Studio, project: int, *, settled: bool = False, with_data: bool = False
) -> Iterator[Annotated]:
    """The items of a project with what may be told of them.

    `settled` leaves only the judgement that settles an item, where there is one; `with_data` also
    tells what came with the data of items that are still annotated blind.
    """
    with studio.read() as connection:
        for item, annotated, said in _items(connection, project, with_data=with_data):
            gold = _settled(item, said) if settled else None
            if item.purpose == "real":
                yield Annotated(annotated.example, (gold,)) if gold else annotated


def _converted(
    studio: Studio, project: int, form: OtherForm, *, with_data: bool
) -> Iterator[bytes]:
    """Another form, which is written to a file first: its writer wants to see all of it."""
    settled = form == "ragtruth"  # it names no authors
    rows = annotated_items(studio, project, settled=settled, with_data=with_data)
    if form != "csv":
        rows = (each for each in rows if each.gold)
    else:
        rows = map(with_whole_characters, rows)
    with written(rows, form) as path, path.open("rb") as file:
        while piece := file.read(_CHUNK):
            yield piece


def _items(
    connection: Connection, project: int, *, with_data: bool
) -> Iterator[tuple[Row[Any], Annotated, Sequence[Row[Any]]]]:
    """The items in order, training first, each with what may be told of it."""
    order = case({"training": 0, "quiz": 1}, value=items.c.purpose, else_=2)
    query = select(items).where(items.c.project == project).order_by(order, items.c.position)
    numbers = connection.execute(query.with_only_columns(items.c.id)).scalars().all()
    for begin in range(0, len(numbers), _AT_ONCE):
        some = numbers[begin : begin + _AT_ONCE]
        rows = connection.execute(query.where(items.c.id.in_(some))).all()
        by_item = judgements_of(connection, some)
        for item in rows:
            said = [
                each
                for each in by_item.get(item.id, [])
                if is_public(item, each) or (with_data and each.stage == "imported")
            ]
            origin = f"item {item.position}"
            example = read_example(item.record, origin).example
            told = tuple(read_judgement(each.record, origin) for each in said)
            yield item, Annotated(example, told), said


def _settled(item: Row[Any], said: Sequence[Row[Any]]) -> Judgement | None:
    """The judgement that settles an item."""
    chosen = settling(said) if item.purpose == "real" and item.state == "done" else []
    given = [read_judgement(row.record, f"item {item.position}") for row in chosen]
    return settled(given, origin_of(chosen)) if given else None
