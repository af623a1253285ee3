"""One run in a database: what it is, its judgements as they come, its replies, what it has used.

What is added waits until `flush` writes it in one transaction: a process that is killed loses
nothing that was flushed, and whoever reads meanwhile sees whole judgements only.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, Insert, Table, and_, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from assay.core.codec import encode, read_judgement, read_manifest, write_judgement
from assay.core.errors import AssayError
from assay.core.judgements import Judgement, Manifest
from assay.core.verdicts import Failure
from assay.store.checking import read_facts, require_types
from assay.store.database import failing_as_input, fold_in, require_room, unusable
from assay.store.tables import examples, judgements, replies, runs, searches, units

_PAGE = 500  # judgements read at once
_REPLY = 2**14  # bytes that a reply and what is made of it take, generously


@dataclass(frozen=True, slots=True)
class Entry:
    """A judgement to keep, and where its example stands in the data.

    Of its failures, `retryable` may be asked for again; `attempt` counts the passes over them.
    """

    position: int
    judgement: Judgement
    retryable: int = 0
    attempt: int = 0


class Journal:
    """A run, opened; `place` is where it is kept, for messages."""

    def __init__(self, engine: Engine, name: str, place: str, *, to_write: bool = False) -> None:
        self.name = name
        self.place = place
        self._to_write = to_write
        self.schedule: Callable[[Callable[[], None]], object] | None = None  # flushes soon
        self.measure: Callable[[], Mapping[str, Any]] | None = None  # what was used so far
        self._engine = engine
        with self._failing(), engine.connect() as connection:
            query = select(runs.c.id, runs.c.manifest, runs.c.facts)
            if engine.dialect.name != "sqlite":  # a file holds one run, whatever it is called now
                query = query.where(runs.c.name == name)
            row = connection.execute(query).one()
        self._run: int = row.id
        self.manifest: Manifest = read_manifest(row.manifest, f"the manifest of run '{name}'")
        self._facts: dict[str, Any] = read_facts(row.facts, f"the state of run '{name}'")
        self._is_scheduled = False
        self._changes = self._written = 0  # so many, and so many of them on disk
        self._problem: AssayError | None = None
        self._waiting: dict[Table, list[tuple[Any, ...]]] = {}
        self._fresh: dict[tuple[Table, str], str] = {}  # added, and not yet on disk
        self._revised: list[int] = []
        self._after: list[Callable[[], None]] = []
        self._statements = {
            table: _statement(table, engine)
            for table in (examples, judgements, units, replies, searches)
        }
        self._update = _update(engine)
        self._lookups = {table: _lookup(table, engine) for table in (replies, searches)}
        with self._failing():
            self._connection: Connection = engine.connect()
            self._asked = self._connection if engine.dialect.name == "sqlite" else _idle(engine)

    def fact(self, name: str, default: Any = None) -> Any:
        """What was kept under a name."""
        return self._facts.get(name, default)

    def keep(self, **facts: Any) -> None:
        """Keeps JSON values under their names, with the next flush."""
        self._facts.update(facts)
        self._change()

    def touch(self) -> None:
        """Has written, with the next flush, what was used so far."""
        self._change()

    async def written(self) -> None:
        """Waits until all that was added so far is on disk; raises where it cannot be.

        All who wait in the same turn of the loop share one transaction.
        """
        changes = self._changes
        if self.schedule is None:
            self.flush()
        while self._written < changes and not self._problem:
            await asyncio.sleep(0)
        if self._problem:
            raise self._problem

    def require_room(self, replies: int) -> None:
        """Raises, before they are paid for, where so many replies could not be kept."""
        with self._failing():
            require_room(self._connection, self._run, replies * _REPLY)

    def find_reply(self, key: str) -> str | None:
        """The reply kept under a key."""
        return self._find(replies, key)

    def add_reply(self, key: str, reply: str) -> None:
        """Keeps a reply; the first under a key stays."""
        self._keep_text(replies, key, reply)

    def find_search(self, key: str) -> str | None:
        """What a search of that key found."""
        return self._find(searches, key)

    def add_search(self, key: str, found: str) -> None:
        """Keeps what a search found."""
        self._keep_text(searches, key, found)

    def add(self, entry: Entry, after: Callable[[], None] | None = None) -> None:
        """Keeps a judgement; one that it supersedes stays, and is no longer current."""
        said = entry.judgement
        where = (self._run, entry.position)
        if said.supersedes:
            self._revised.append(entry.position)
        else:
            self._add(examples, (*where, _text(said.example), said.source_characters))
        self._add(
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
            self._add(
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
        if after:
            self._after.append(after)
        self._change()

    def positions(self) -> bytearray:
        """Which examples have been judged: not 0 at their positions in the data."""
        done = bytearray(self.manifest.examples)
        for row in self._rows(select(judgements.c.position).where(self._current())):
            if row.position >= len(done):
                done.extend(bytes(row.position + 1 - len(done)))
            done[row.position] = 1
        return done

    def judgement_at(self, position: int) -> Judgement | None:
        """What was said last of the example at a position, if it has been judged."""
        query = select(judgements.c.record).where(
            self._current(), judgements.c.position == position
        )
        record = self._one(query)
        return None if record is None else self._read(record)

    def to_retry(self, position: int, attempt: int) -> Judgement | None:
        """The judgement at a position, if this attempt has still to ask for some of it again."""
        query = select(judgements.c.record).where(
            self._to_retry(attempt), judgements.c.position == position
        )
        record = self._one(query)
        return None if record is None else self._read(record)

    def count_to_retry(self, attempt: int) -> int:
        """How many examples have failures that this attempt has still to ask for again."""
        return int(self._one(select(func.count()).where(self._to_retry(attempt))))

    def read(self, having: str = "") -> Iterator[Judgement]:
        """The current judgements in the order of the data; those whose record has some text."""
        for record in self.records(having):
            yield self._read(record)

    def records(self, having: str = "") -> Iterator[str]:
        """The current judgements as they are kept, in the order of the data."""
        last = -1
        while True:
            query = (
                select(judgements.c.position, judgements.c.record)
                .where(self._current(), judgements.c.position > last)
                .where(*([judgements.c.record.contains(having)] if having else []))
                .order_by(judgements.c.position)
                .limit(_PAGE)
            )
            page = self._rows(query)
            yield from (row.record for row in page)
            if len(page) < _PAGE:
                return
            last = page[-1].position

    def count(self) -> int:
        """How many examples have been judged."""
        return int(self._one(select(func.count()).where(self._current())))

    def failures(self) -> int:
        """How many units have no verdict."""
        query = select(func.coalesce(func.sum(judgements.c.failures), 0)).where(self._current())
        return int(self._one(query))

    def select(self, query: Any) -> Sequence[Any]:
        """The rows that a query over the tables finds, for those who count."""
        return self._rows(query)

    @property
    def id(self) -> int:
        """The run's number in its database."""
        return self._run

    def flush(self) -> None:
        """Writes everything that was added, at once or not at all.

        Raises where that, or something before it, could not be written.
        """
        if self._problem:
            raise self._problem
        if self._written == self._changes:
            return
        waiting, self._waiting = self._waiting, {}
        revised, self._revised = self._revised, []
        after, self._after = self._after, []
        changes = self._changes
        if self.measure:
            self._facts["usage"] = self.measure()
        facts = encode(self._facts).decode()
        try:
            with self._failing(), self._connection.begin():
                if revised:
                    self._connection.execute(
                        update(judgements)
                        .where(self._current(), judgements.c.position.in_(revised))
                        .values(is_current=False)
                    )
                for table, statement in self._statements.items():
                    if table in waiting:
                        self._connection.exec_driver_sql(statement, waiting[table])
                self._connection.exec_driver_sql(self._update, (facts, self._run))
        except AssayError as error:  # what was added is lost: whatever comes next is told so too
            self._problem = error
            raise
        self._written = changes
        self._fresh.clear()
        for call in after:
            call()

    def close(self) -> None:
        """Flushes and closes; files beside a SQLite file are taken into it."""
        try:
            self.flush()
        finally:
            if self._to_write:
                fold_in(self._connection)
            self._connection.close()
            self._asked.close()
            self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.close()
        except AssayError:
            if error is None:  # otherwise that says more
                raise

    def _add(self, table: Table, row: tuple[Any, ...]) -> None:
        self._waiting.setdefault(table, []).append(row)

    def _change(self) -> None:
        """Notes that there is something to write, and has it written soon."""
        if self._problem:
            raise self._problem
        if self.schedule and not self._is_scheduled:
            self._is_scheduled = True
            self.schedule(self._flush_later)
        self._changes += 1

    def _flush_later(self) -> None:
        self._is_scheduled = False
        with suppress(AssayError):  # told by whatever comes next, since nobody waits here
            self.flush()

    def _keep_text(self, table: Table, key: str, value: str) -> None:
        self._add(table, (self._run, key, value))
        self._fresh.setdefault((table, key), value)
        self._change()

    def _find(self, table: Table, key: str) -> str | None:
        if self._problem:  # what would be asked instead could not be kept
            raise self._problem
        found = self._fresh.get((table, key))
        if found is not None:
            return found
        # Past SQLAlchemy, which would begin a transaction for each of many thousand look-ups.
        driver: Any = self._asked.connection.driver_connection
        try:
            row = driver.execute(self._lookups[table], (self._run, key)).fetchone()
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise unusable(f"the run {self.place}", error) from None
        return row[0] if row else None

    def _current(self) -> Any:
        return and_(judgements.c.run == self._run, judgements.c.is_current)

    def _to_retry(self, attempt: int) -> Any:
        return and_(self._current(), judgements.c.retryable > 0, judgements.c.attempt < attempt)

    def _read(self, record: str) -> Judgement:
        return read_judgement(record, f"a judgement of the run '{self.name}'")

    def _rows(self, query: Any) -> Sequence[Any]:
        with self._failing(), self._connection.begin():
            rows = self._connection.execute(query).all()
        return require_types(rows, query, f"the run {self.place}")

    def _one(self, query: Any) -> Any:
        rows = self._rows(query)
        return rows[0][0] if rows else None

    def _failing(self) -> Any:
        return failing_as_input(f"the run {self.place}")


def insert_run(connection: Connection, name: str, manifest: str) -> None:
    """A new run in a database."""
    connection.execute(insert(runs).values(name=name, manifest=manifest, facts="{}"))


def _idle(engine: Engine) -> Connection:
    """A connection for look-ups, which leaves no transaction open between them."""
    return engine.connect().execution_options(isolation_level="AUTOCOMMIT")


def _text(value: str) -> str:
    """Text as a database can hold it: without half characters and zeros."""
    return value.encode(errors="replace").decode().replace("\0", "\ufffd")


def _statement(table: Table, engine: Engine) -> str:
    """The statement that inserts rows of a table; one that is there already stays."""
    build: Any = postgresql.insert if engine.dialect.name == "postgresql" else sqlite.insert
    statement: Insert = build(table)
    if table in (replies, searches, examples):
        statement = build(table).on_conflict_do_nothing()
    return str(statement.compile(dialect=engine.dialect))


def _update(engine: Engine) -> str:
    """The statement that writes the facts of a run."""
    statement = update(runs).where(runs.c.id == 0).values(facts="")
    return str(statement.compile(dialect=engine.dialect))


def _lookup(table: Table, engine: Engine) -> str:
    value = table.c.reply if table is replies else table.c.found
    query = select(value).where(table.c.run == 0, table.c.key == "")
    return str(query.compile(dialect=engine.dialect))
