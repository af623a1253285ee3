"""A project as one file of JSON lines, from which the same project can be made again.

The first line says what the project is and who worked in it. Then each example stands on a line as
every command reads it, with all that was said of it, followed by a line that says how far the work
on it is. The words of pages from outside that somebody cites stand on lines before that. Training
examples and the quiz are no data: their lines have a form of their own, which other commands skip
as they skip the lines between examples. Drafts with their changes, passwords and sessions are in no
file.
"""

import re
from collections.abc import Iterator
from typing import Annotated as Limited
from typing import Literal

from msgspec import Meta, Struct

from assay.annotation.exchange.database_limits import LONGEST_TIME, MOST, require_texts
from assay.annotation.settings import MOST_ANNOTATORS, ProjectSettings
from assay.annotation.studio import ItemState, Purpose, Role, Stage
from assay.audit.disagreement import Reason
from assay.core.codec import Reader, read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.core.system.lines import TooLong
from assay.core.wire import EXAMPLE_SCHEMA
from assay.datasets.conversion import (
    PROJECT_LINE,
    PROJECT_SCHEMA,
    project_schema,
    read_lines,
)
from assay.decisions.proposals import LabelDecision
from assay.knowledge.sources import KnowledgePassage

ITEM_SCHEMA = "urn:assay:project-item:1"
SNAPSHOT_SCHEMA = "urn:assay:project-snapshot:1"
_EXAMPLE_BEGIN = f'{{"schema":"{EXAMPLE_SCHEMA}"'.encode()
_SNAPSHOT_LINE = re.compile(rb'\{"schema": ?"urn:assay:project-snapshot:')
EXERCISE_SCHEMA = "urn:assay:project-exercise:1"
_EXERCISE_LINE = re.compile(rb'\{"schema": ?"urn:assay:project-exercise:1"')
_ITEM_LINE = re.compile(rb'\{"schema": ?"urn:assay:project-item:')


Count = Limited[int, Meta(ge=0, le=MOST)]
Share = Limited[float, Meta(ge=0, le=1)]
Time = Limited[str, Meta(max_length=LONGEST_TIME)]


class _Record(Struct, omit_defaults=True, forbid_unknown_fields=True):
    """A JSON object; empty fields are left out, unknown ones refused."""


class PersonRecord(_Record):
    """Somebody who worked in a project."""

    name: str
    role: Role = "annotator"
    is_member: bool = False
    passed_at: Time = ""  # the quiz
    quiz_score: Share | None = None
    quiz_near: Share | None = None
    quiz_attempts: Count = 0


class ProjectRecord(_Record):
    """The first line."""

    schema: str
    assay: str
    name: str
    settings: ProjectSettings
    dataset: str = ""
    at: Time = ""
    people: list[PersonRecord] = []


class StageRecord(_Record):
    """In which stage a judgement was made; the others of an example came with the data."""

    author: str
    round: Count
    stage: Stage | Literal["audit"]


class WorkRecord(_Record):
    """Work that somebody finished, or has yet to do from the beginning."""

    person: str
    stage: Stage
    state: Literal["assigned", "submitted", "held"] = "submitted"
    seconds: Count = 0
    started_at: Time = ""
    submitted_at: Time = ""


class CommentRecord(_Record):
    """A comment in the discussion of an item."""

    author: str
    text: str
    unit: str = ""
    at: Time = ""


class FlagRecord(_Record):
    """A label that was flagged for audit, and the decision."""

    unit: str
    severity: float = 0.0
    reasons: str = "[]"
    decision: LabelDecision | Literal[""] = ""
    label: str = ""
    note: str = ""
    person: str = ""
    at: Time = ""


class PageRecord(_Record):
    """A page from outside that a judgement cites, and who read it; its words are a snapshot."""

    digest: Limited[str, Meta(max_length=64)]
    person: str
    address: str = ""
    at: Time = ""


class SnapshotRecord(_Record):
    """The words of a page from outside; its line comes before the first item that cites it."""

    schema: str
    digest: str
    address: str
    text: str
    title: str = ""
    content_type: str = ""
    at: Time = ""


class ItemRecord(_Record):
    """The state of the work on an example; its line follows that of the example.

    Of a settled example the judgement by `gold` is that which settled it, once more, so that every
    command that reads the file takes it for the truth.
    """

    schema: str
    example: str
    purpose: Purpose = "real"
    state: ItemState = "new"
    batch: Count = 0
    k: Limited[int, Meta(ge=1, le=MOST_ANNOTATORS)] = 1
    is_settled: bool = False
    stages: list[StageRecord] = []
    work: list[WorkRecord] = []
    comments: list[CommentRecord] = []
    flags: list[FlagRecord] = []
    pages: list[PageRecord] = []


Row = tuple[Annotated, ItemRecord]

_projects = Reader(ProjectRecord)
_items = Reader(ItemRecord)
_snapshots = Reader(SnapshotRecord)
_reasons = Reader(tuple[Reason, ...])


def read_project(path: str) -> ProjectRecord | None:
    """The first line of a project's file; None for a file of another form."""
    form = project_schema(path)
    if not form:
        return None
    if form != PROJECT_SCHEMA:
        raise InputError(f"{path} has the form '{form}'; this version reads '{PROJECT_SCHEMA}'")
    line = next(read_lines(path))
    if isinstance(line, TooLong):
        raise InputError(f"{path}: the first line is {line}")
    found = _projects.read(line, f"{path} line 1")
    require_texts(found)
    return found


def read_items(path: str) -> Iterator[Row | SnapshotRecord | Problem]:
    """The examples of a project with the work on each; a damaged one is a problem."""
    waiting: tuple[str, Annotated] | None = None
    for number, line in enumerate(read_lines(path), start=1):
        where = f"{path} line {number}"
        if isinstance(line, TooLong):
            yield Problem(where, str(line))
            continue
        try:
            if _ITEM_LINE.match(line):
                example, waiting = waiting, None
                item = _read_item(line)
                if example is None or example[1].id != item.example:
                    yield Problem(where, f"it is about '{item.example}', not the example above it")
                else:
                    yield example[1], item
            elif _SNAPSHOT_LINE.match(line):
                yield _read_snapshot(line)
            elif _EXERCISE_LINE.match(line) or not PROJECT_LINE.match(line):
                if waiting is not None:
                    yield Problem(waiting[0], "no line says how far the work on it is")
                    waiting = None
                plain = _EXERCISE_LINE.sub(_EXAMPLE_BEGIN, line, count=1)
                waiting = where, read_example(plain, "the line")
        except InputError as error:
            yield Problem(where, str(error))
    if waiting is not None:
        yield Problem(waiting[0], "no line says how far the work on it is: the file was cut off")


def write_exercise(annotated: Annotated) -> bytes:
    """A training example or a question of the quiz, on a line that other commands skip."""
    line = write_example(annotated)
    return line.replace(EXAMPLE_SCHEMA.encode(), EXERCISE_SCHEMA.encode(), 1)


def _read_item(line: bytes) -> ItemRecord:
    found = _items.read(line, "the line")
    require_texts(found)
    for each in found.flags:
        _reasons.read(each.reasons, f"the reasons of the flag on '{each.unit}'")
    return found


def _read_snapshot(line: bytes) -> SnapshotRecord:
    found = _snapshots.read(line, "the line")
    require_texts(found)
    if KnowledgePassage(found.text).digest != found.digest:
        raise InputError(f"the words of {found.address} are not those that were kept")
    return found
