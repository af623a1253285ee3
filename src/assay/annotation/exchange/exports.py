"""A project as a file: our own JSON lines, FaithBench's batches, RAGTruth's files, or a table.

Drafts never leave the studio, and what people said of an item only when its annotation is over.
What came with the data is in the files of those who may bring data in, whoever it is by; the quiz
is in theirs, and in those of people who passed it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import msgspec
from msgspec.structs import replace as replace_fields

from assay import __version__
from assay.annotation.access import ROLES, require
from assay.annotation.exchange.database_limits import with_whole_characters
from assay.annotation.exchange.export_forms import (
    EXPORT_FORMS,
    ZIP,
    ExportForm,
    Form,
    file_of,
    write_batches,
)
from assay.annotation.exchange.project_file import (
    ITEM_SCHEMA,
    SNAPSHOT_SCHEMA,
    CommentRecord,
    FlagRecord,
    ItemRecord,
    PageRecord,
    PersonRecord,
    ProjectRecord,
    SnapshotRecord,
    StageRecord,
    WorkRecord,
    write_exercise,
)
from assay.annotation.settings import read_settings
from assay.annotation.studio import Person, Studio
from assay.annotation.team import training
from assay.core.codec import Reader, encode, read_example, read_judgement, write_example
from assay.core.examples import Annotated
from assay.core.judgements import GOLD, Judgement
from assay.datasets.conversion import PROJECT_SCHEMA
from assay.datasets.formats.faithbench import batch_name
from assay.store.annotation import exchange
from assay.store.annotation.comments import comments_of
from assay.store.annotation.database import Connection
from assay.store.annotation.finals import final_from
from assay.store.annotation.judgement_sets import is_public
from assay.store.annotation.people import names_by_id
from assay.store.annotation.records import StoredItem, StoredJudgement, StoredProject, StoredWork
from assay.store.annotation.work import work_on

_CHUNK = 2**16


@dataclass(frozen=True, slots=True)
class Export:
    """A file to be sent: its name, its type, and its content piece by piece.

    `left_out` counts the items that nobody has judged, where the form could not tell that.
    """

    name: str
    media_type: str
    content: Callable[[], Iterator[bytes]]
    left_out: int = 0


class _Place(msgspec.Struct):
    """The fields of an example that name its origin."""

    id: str
    split: str = ""
    original: str = ""


def export_project(studio: Studio, who: Person, slug: str, form: Form = "jsonl") -> Export:
    """The file of a project in a form; whether somebody may have it is decided at once."""
    wanted = EXPORT_FORMS[form]
    with studio.write() as connection:
        project = require(connection, who, "export", slug)
        studio.note(connection, who, "exported", {"form": form}, project.id)
        with_data = who.role in ROLES["manage-project"]
        with_quiz = with_data or training.has_passed(connection, who.id, project.id)
        batches: set[tuple[str, str]] = set()
        if form == "faithbench":
            batches = _batches(connection, project.id, with_data=with_data)
        left_out = 0
        if wanted.only_judged:
            left_out = exchange.count_unjudged(connection, project.id, with_data=with_data)
    name = slug + wanted.ending
    if wanted.write is None:
        allowed = {"with_data": with_data, "with_quiz": with_quiz}
        return Export(name, wanted.media_type, lambda: _lines(studio, project, **allowed))
    if len({file for file, _ in batches}) > 1:
        wanted = replace(wanted, media_type=ZIP, write=write_batches)
        name = f"{slug}.faithbench.zip"
    elif released := "".join(batch for _, batch in batches):  # ids of samples come from this name
        name = f"{released}.json"
    return Export(
        name,
        wanted.media_type,
        lambda: _converted(studio, project.id, wanted, with_data=with_data),
        left_out,
    )


_places = Reader(_Place)


def _batches(connection: Connection, project: int, *, with_data: bool) -> set[tuple[str, str]]:
    """The files that FaithBench has the items of a project in, each with the batch it is of."""
    found = set()
    for record in exchange.judged_records(connection, project, with_data=with_data):
        place = _places.read(record, "an item")
        given = (place.id, place.split, place.original)
        found.add((file_of(*given), batch_name(*given)))
    return found


def _lines(
    studio: Studio, project: StoredProject, *, with_data: bool, with_quiz: bool
) -> Iterator[bytes]:
    """Our own lines, in one view of the database however long they take."""
    kept: set[str] = set()
    with studio.read() as connection:
        names = names_by_id(connection)
        yield encode(project_record(connection, project)) + b"\n"
        for item, annotated, said in _items(connection, project.id, with_data=with_data):
            if item.purpose == "quiz" and not with_quiz:
                continue
            gold = _settled(item, said)
            record = item_record(connection, item, annotated, said, names)
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
    studio: Studio, project: int, form: ExportForm, *, with_data: bool
) -> Iterator[bytes]:
    """Another form, which is written to a file first: its writer wants to see all of it."""
    assert form.write is not None
    rows = annotated_items(studio, project, settled=form.only_settled, with_data=with_data)
    if form.only_judged:
        rows = (each for each in rows if each.gold)
    else:
        rows = map(with_whole_characters, rows)
    with TemporaryDirectory(prefix="assay-export-") as folder:
        path = Path(folder) / "export"
        form.write(rows, path)
        with path.open("rb") as file:
            while piece := file.read(_CHUNK):
                yield piece


def _items(
    connection: Connection, project: int, *, with_data: bool
) -> Iterator[tuple[StoredItem, Annotated, list[StoredJudgement]]]:
    """The items in order, training first, each with what may be told of it."""
    for item, everything in exchange.items_with_judgements(connection, project):
        said = [
            each
            for each in everything
            if is_public(item, each) or (with_data and each.stage == "imported")
        ]
        origin = f"item {item.position}"
        example = read_example(item.record, origin).example
        told = tuple(read_judgement(each.record, origin) for each in said)
        yield item, Annotated(example, told), said


def _settled(item: StoredItem, said: list[StoredJudgement]) -> Judgement | None:
    """The judgement that settles an item."""
    is_done = item.purpose == "real" and item.state == "done"
    found = final_from(item, said) if is_done else None
    return found.judgement if found else None


def project_record(connection: Connection, project: StoredProject) -> ProjectRecord:
    """The first line: what a project is, and who worked in it."""
    return ProjectRecord(
        schema=PROJECT_SCHEMA,
        assay=__version__,
        name=project.name,
        settings=read_settings(project.settings),
        dataset=project.dataset,
        people=[
            PersonRecord(
                person.name,
                person.role,
                is_member=True,
                passed_at=member.passed_at,
                quiz_score=member.quiz_score,
                quiz_near=member.quiz_near,
                quiz_attempts=member.quiz_attempts,
            )
            if member
            else PersonRecord(person.name, person.role)
            for person, member in exchange.project_people(connection, project.id)
        ],
    )


def item_record(
    connection: Connection,
    item: StoredItem,
    annotated: Annotated,
    said: Sequence[StoredJudgement],
    names: dict[int, str],
) -> ItemRecord:
    """The state of an item; one that is still annotated is written as if nobody had it yet."""
    record = ItemRecord(ITEM_SCHEMA, item.example, item.purpose, item.state, item.batch, item.k)
    if item.purpose != "real":
        return record
    if item.state in ("new", "open"):
        return replace_fields(record, state="new", batch=0)
    work = [_work_record(each, names[each.person]) for each in work_on(connection, item.id)]
    return replace_fields(
        record,
        stages=[
            StageRecord(each.author, each.round, each.stage)
            for each in said
            if each.stage != "imported"
        ],
        work=work,
        comments=[
            CommentRecord(each.author, each.text, each.unit, each.at)
            for each in comments_of(connection, item.id)
        ],
        flags=[
            FlagRecord(
                each.unit,
                each.severity,
                each.reasons,
                each.decision,
                each.label,
                each.note,
                names[each.person] if each.person else "",
                each.at,
            )
            for each in exchange.flags_of_item(connection, item.id)
        ],
        pages=_cited_pages(connection, item, annotated, names) if work else [],
    )


def _cited_pages(
    connection: Connection, item: StoredItem, annotated: Annotated, names: dict[int, str]
) -> list[PageRecord]:
    """The pages from outside that judgements of an item cite, and who read them when."""
    cited = {
        external.digest
        for judgement in annotated.judgements
        for verdict in judgement.verdicts
        for external in verdict.external
    }
    return [
        PageRecord(each.digest, names[each.person], each.address, each.at)
        for each in exchange.pages_of_item(connection, item.id, cited)
    ]


def snapshot_records(connection: Connection, digests: set[str]) -> Iterator[SnapshotRecord]:
    """The words of some pages."""
    for each in exchange.snapshots_of(connection, digests):
        yield SnapshotRecord(
            SNAPSHOT_SCHEMA,
            each.digest,
            each.address,
            each.text,
            each.title,
            each.content_type,
            each.at,
        )


def _work_record(work: StoredWork, person: str) -> WorkRecord:
    """Somebody's work; unfinished work is written without its draft."""
    state: Literal["assigned", "submitted", "held"] = "assigned"
    if work.state == "submitted" or work.state == "held":
        state = work.state
    return WorkRecord(person, work.stage, state, work.seconds, work.started_at, work.submitted_at)
