"""The rows of a run: those of a judgement as they are written, and all as they are read.

What is read is checked, since the file may be anybody's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import msgspec
from msgspec import Meta
from sqlalchemy import Connection, Engine, Table, insert, select, update

from assay.core.codec import Reader, write_judgement
from assay.core.errors import InputError
from assay.core.judgements import Judgement
from assay.core.verdicts import Failure
from assay.core.wire import Count
from assay.store.tables import examples, judgements, replies, runs, searches, units


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A judgement to keep, and where its example stands in the data.

    Of its failures, `retryable` may be asked for again; `attempt` counts the passes over them.
    """

    position: int
    judgement: Judgement
    retryable: int = 0
    attempt: int = 0


def rows_of(run: int, entry: JournalEntry) -> Iterator[tuple[Table, tuple[Any, ...]]]:
    """The rows of a judgement, by table; the first judgement brings its example."""
    said = entry.judgement
    where = (run, entry.position)
    if not said.supersedes:
        yield examples, (*where, _text(said.example), said.source_characters)
    yield (
        judgements,
        (
            *where,
            said.round,
            _text(said.author.name),
            said.at,
            _text(said.supersedes),
            True,
            entry.attempt,
            len(said.failures),
            entry.retryable,
            said.characters_read,
            write_judgement(said).decode(),
        ),
    )
    for finding in said.findings:
        outcome, unit = finding.outcome, finding.unit
        yield (
            units,
            (
                *where,
                said.round,
                _text(unit.id),
                unit.kind,
                _text(unit.parent),
                said.is_part(unit),
                outcome.label.name if outcome.label else None,
                outcome.score is not None,
                outcome.reason if isinstance(outcome, Failure) else None,
            ),
        )


def insert_run(connection: Connection, name: str, manifest: str) -> None:
    """A new run in a database."""
    connection.execute(insert(runs).values(name=name, manifest=manifest, facts="{}"))


def _text(value: str) -> str:
    """Text as a database can hold it: without half characters and zeros."""
    return value.encode(errors="replace").decode().replace("\0", "\ufffd")


def insertion(table: Table, engine: Engine) -> str:
    """The statement that inserts rows of a table; one that is there already stays.

    A server takes any number of rows at once, as one array for each column.
    """
    stays = " ON CONFLICT DO NOTHING" if table in (replies, searches, examples) else ""
    columns = list(table.columns)
    names = ", ".join(f'"{each.name}"' for each in columns)
    if engine.dialect.name == "sqlite":
        return f"INSERT INTO {table.name} ({names}) VALUES ({', '.join('?' * len(columns))}){stays}"
    kinds = ("text" if each.type.python_type is str else str(each.type) for each in columns)
    arrays = ", ".join(f"%b::{kind}[]" for kind in kinds)  # %b: as they are, unescaped
    return f"INSERT INTO {table.name} ({names}) SELECT * FROM unnest({arrays}){stays}"


def revision(engine: Engine) -> str:
    """The statement after which the judgements at positions of runs are not the current ones."""
    changed = "UPDATE judgements SET is_current = FALSE"
    if engine.dialect.name == "sqlite":
        return f"{changed} WHERE run = ? AND position = ? AND is_current"
    return (
        f"{changed} FROM unnest(%s::integer[], %s::integer[]) AS old (run, position)"
        " WHERE judgements.run = old.run AND judgements.position = old.position AND is_current"
    )


def update_of_facts(engine: Engine) -> str:
    """The statement that writes the facts of a run."""
    statement = update(runs).where(runs.c.id == 0).values(facts="")
    return str(statement.compile(dialect=engine.dialect))


def lookup(table: Table, engine: Engine) -> str:
    """The statement that finds a text by its key."""
    value = table.c.reply if table is replies else table.c.found
    query = select(value).where(table.c.run == 0, table.c.key == "")
    return str(query.compile(dialect=engine.dialect))


_Amount = Annotated[int, Meta(ge=0, le=2**63 - 1)]  # of money: trillionths of a dollar
_Measure = Annotated[float, Meta(ge=0, le=1e15)]


class _Usage(TypedDict, total=False):
    calls: Count
    cached: Count
    failed: Count
    prompt_tokens: Count
    completion_tokens: Count
    estimated: Count
    cost: _Measure | None
    seconds: _Measure
    spent: Annotated[list[_Amount], Meta(min_length=3, max_length=3)]


class _Retry(TypedDict):
    attempt: Annotated[int, Meta(ge=0, le=2**31 - 1)]
    open: bool


class _Unread(TypedDict):
    count: Count
    first: list[tuple[str, str, str]]


class _Facts(TypedDict, total=False):
    """The facts that somebody reads; others are kept as they are."""

    state: str
    usage: _Usage
    adaptations: list[str]
    retry: _Retry
    unread: _Unread


_facts = Reader(dict[str, Any])


def require_types(rows: Sequence[Any], query: Any, what: str) -> Sequence[Any]:
    """The rows, if all values are of the types of their columns, which SQLite does not see to."""
    columns = [
        (each.type.python_type, getattr(each, "nullable", True)) for each in query.selected_columns
    ]
    for row in rows:
        for value, (kind, may_be_empty) in zip(row, columns, strict=True):
            if type(value) is not kind and not (value is None and may_be_empty):
                found = f"a value of type {type(value).__name__} in the place of {kind.__name__}"
                raise InputError(f"{what} is damaged: it has {found}", code="damaged")
    return rows


def read_facts(text: str, origin: str) -> dict[str, Any]:
    """The facts of a run; a known one of another type raises and says where.

    The origin is a noun in the singular.
    """
    found = _facts.read(text, origin)
    try:
        msgspec.convert(found, _Facts)
    except msgspec.ValidationError as error:
        raise InputError(f"{origin} is damaged: {error}", code="damaged") from None
    return found
