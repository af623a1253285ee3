"""One run in a database: what it is, its judgements as they come, its replies, what it has used.

What is added waits until `flush` writes it in one transaction: a process that is killed loses
nothing that was flushed, and other readers see whole judgements only. On an event loop, replies and
what is set aside of a budget are written at its next turn, all that wait for that in one
transaction. Judgements, which can be made again from the replies, take part in it, or follow a
little later.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

from sqlalchemy import Connection, Engine, Table, and_, func, select

from assay.core.codec import encode, read_judgement, read_manifest
from assay.core.errors import AssayError
from assay.core.judgements import Judgement, Manifest
from assay.store.database import failing_as_input, fold_in, require_form, require_room
from assay.store.rows import (
    JournalEntry,
    insertion,
    lookup,
    read_facts,
    require_types,
    revision,
    rows_of,
    update_of_facts,
)
from assay.store.tables import examples, judgements, replies, runs, searches, units
from assay.store.transactions import transaction

_PAGE = 500  # judgements read at once
_REPLY = 2**14  # bytes that a reply and what is made of it take, generously
_DELAY = 0.05  # seconds until judgements are written, which nobody waits for
_MOST_WAITING = 32  # judgements that wait for that


class Journal:
    """A run, opened; `place` is where it is kept, for messages.

    It takes one connection, or uses one that is handed in and stays open: what is written through
    the connection that holds the lock of a run is not written once that lock is lost.
    """

    def __init__(
        self,
        engine: Engine,
        name: str,
        place: str,
        *,
        to_write: bool = False,
        connection: Connection | None = None,
    ) -> None:
        self.name = name
        self.place = place
        self._to_write = to_write
        self.measure: Callable[[], Mapping[str, Any]] | None = None  # what was used so far
        self._engine = engine
        self._problem: AssayError | None = None
        self._is_own = connection is None
        with self._failing():
            self._connection: Connection = connection or engine.connect()
        try:
            self._begin()
        except BaseException:
            self._leave()
            raise

    def _begin(self) -> None:
        engine, name = self._engine, self.name
        query = select(runs.c.id, runs.c.manifest, runs.c.facts)
        if engine.dialect.name != "sqlite":  # a file holds one run, whatever it is called now
            query = query.where(runs.c.name == name)
        with self._failing(), self._connection.begin():
            row = self._connection.execute(query).one()
        self._run: int = row.id
        self.manifest: Manifest = read_manifest(row.manifest, f"the manifest of run '{name}'")
        self._facts: dict[str, Any] = read_facts(row.facts, f"the state of run '{name}'")
        self._loop: asyncio.AbstractEventLoop | None = None
        self._flushes: dict[str, asyncio.Handle] = {}  # that are scheduled
        self._changes = self._written = 0  # so many, and so many of them on disk
        self._waiting: dict[Table, list[tuple[Any, ...]]] = {}
        self._fresh: dict[tuple[Table, str], str] = {}  # added, and not yet on disk
        self._revised: list[int] = []
        self._after: list[Callable[[], None]] = []
        self._statements = {
            table: insertion(table, engine)
            for table in (examples, judgements, units, replies, searches)
        }
        self._update = update_of_facts(engine)
        self._revision = revision(engine)
        self._lookups = {table: lookup(table, engine) for table in (replies, searches)}

    def fact(self, name: str, default: Any = None) -> Any:
        """The value kept under a name."""
        return self._facts.get(name, default)

    def keep(self, **facts: Any) -> None:
        """Keeps JSON values under their names, with the next flush."""
        self._facts.update(facts)
        self._change()

    def touch(self) -> None:
        """Has the usage so far written with the next flush."""
        self._change()

    @contextmanager
    def on_loop(self) -> Iterator[None]:
        """Has the running event loop write what is added; at the end everything is written."""
        self._loop = asyncio.get_running_loop()
        try:
            yield
        finally:
            self._loop = None
            for scheduled in self._flushes.values():
                scheduled.cancel()
            self._flushes.clear()
            self.flush()

    async def written(self) -> None:
        """Waits until all that was added so far is on disk; raises where it cannot be.

        All who wait in the same turn of the loop share one transaction.
        """
        changes = self._changes
        if self._loop is None:
            self.flush()
        elif self._written < changes:
            self._flush_soon(self._loop)
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
        """The result of a search, kept under a key."""
        return self._find(searches, key)

    def add_search(self, key: str, found: str) -> None:
        """Keeps what a search found."""
        self._keep_text(searches, key, found)

    def add(self, entry: JournalEntry, after: Callable[[], None] | None = None) -> None:
        """Keeps a judgement; one that it supersedes stays, and is no longer current."""
        if entry.judgement.supersedes:
            self._revised.append(entry.position)
        for table, row in rows_of(self._run, entry):
            self._add(table, row)
        if after:
            self._after.append(after)
        self._change()

    def positions(self) -> bytearray:
        """The examples that have been judged: not 0 at their positions in the data."""
        done = bytearray(self.manifest.examples)
        for row in self.select(select(judgements.c.position).where(self._current())):
            if row.position >= len(done):
                done.extend(bytes(row.position + 1 - len(done)))
            done[row.position] = 1
        return done

    def judgement_at(self, position: int) -> Judgement | None:
        """The last judgement of the example at a position, if there is one."""
        return self._judgement(self._current(), position)

    def to_retry(self, position: int, attempt: int) -> Judgement | None:
        """The judgement at a position, if this attempt has still to ask for some of it again."""
        return self._judgement(self._to_retry(attempt), position)

    def count_to_retry(self, attempt: int) -> int:
        """The number of examples with failures that this attempt has still to ask for again."""
        return int(self._one(select(func.count()).where(self._to_retry(attempt))))

    def read(self, having: str = "") -> Iterator[Judgement]:
        """The current judgements in the order of the data; those whose record has some text."""
        for record in self.records(having):
            yield self._read(record)

    def records(self, having: str = "") -> Iterator[str]:
        """The current judgements as they are kept, in the order of the data."""
        return (row.record for row in self._rows(-1, having))

    def read_after(self, position: int) -> Iterator[tuple[int, Judgement]]:
        """The current judgements of examples after a position, with theirs, in that order."""
        return ((row.position, self._read(row.record)) for row in self._rows(position))

    def count(self) -> int:
        """The number of examples that have been judged."""
        return int(self._one(select(func.count()).where(self._current())))

    def failures(self) -> int:
        """The number of units without a verdict."""
        query = select(func.coalesce(func.sum(judgements.c.failures), 0)).where(self._current())
        return int(self._one(query))

    def select(self, query: Any) -> Sequence[Any]:
        """The rows that a query over the tables finds, also for those who count."""
        with self._failing(), self._connection.begin():
            rows = self._connection.execute(query).all()
        return require_types(rows, query, f"the run {self.place}")

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
            with self._failing(), transaction(self._connection) as writing:
                # First, so that everybody locks the tables in the same order: see `upgrade`.
                writing.one(self._update, (facts, self._run))
                if revised:
                    writing.many(self._revision, [(self._run, each) for each in revised])
                for table, statement in self._statements.items():
                    if table in waiting:
                        writing.many(statement, waiting[table])
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
            self._leave()

    def _leave(self) -> None:
        if self._is_own:
            self._connection.close()

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
        """Notes that there is something to write, and has it written in a while."""
        if self._problem:
            raise self._problem
        self._changes += 1
        if self._loop is None:
            return
        if "later" not in self._flushes:
            later = self._loop.call_later(_DELAY, self._flush_scheduled, "later")
            self._flushes["later"] = later
        if len(self._waiting.get(judgements, ())) >= _MOST_WAITING:
            self._flush_soon(self._loop)

    def _flush_soon(self, loop: asyncio.AbstractEventLoop) -> None:
        if "now" not in self._flushes:
            self._flushes["now"] = loop.call_soon(self._flush_scheduled, "now")

    def _flush_scheduled(self, when: str) -> None:
        del self._flushes[when]
        with suppress(AssayError):  # raised by whatever comes next, since nobody waits here
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
        driver: Any = self._connection.connection.driver_connection
        with self._failing():
            row = driver.execute(self._lookups[table], (self._run, key)).fetchone()
        return row[0] if row else None

    def _rows(self, last: int, having: str = "") -> Iterator[Any]:
        while True:
            query = (
                select(judgements.c.position, judgements.c.record)
                .where(self._current(), judgements.c.position > last)
                .where(*([judgements.c.record.contains(having)] if having else []))
                .order_by(judgements.c.position)
                .limit(_PAGE)
            )
            page = self.select(query)
            yield from page
            if len(page) < _PAGE:
                return
            last = page[-1].position

    def _current(self) -> Any:
        return and_(judgements.c.run == self._run, judgements.c.is_current)

    def _to_retry(self, attempt: int) -> Any:
        return and_(self._current(), judgements.c.retryable > 0, judgements.c.attempt < attempt)

    def _judgement(self, which: Any, position: int) -> Judgement | None:
        query = select(judgements.c.record).where(which, judgements.c.position == position)
        record = self._one(query)
        return None if record is None else self._read(record)

    def _read(self, record: str) -> Judgement:
        return read_judgement(record, f"a judgement of the run '{self.name}'")

    def _one(self, query: Any) -> Any:
        rows = self.select(query)
        return rows[0][0] if rows else None

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Errors of the database as one line; without a connection there is no lock any more."""
        try:
            with failing_as_input(f"the run {self.place}"):
                yield
        except AssayError as error:
            if error.code == "store-gone":
                self._problem = error
            elif error.code == "store":
                require_form(self._engine, self.place)
            raise
