"""A cache of replies, so that the same question is paid for only once."""

import asyncio
import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from assay.core.errors import InputError
from assay.core.system.notices import notify
from assay.llm.calls.kept_texts import read_reply, write_reply
from assay.llm.calls.shared_replies import SharedReplies
from assay.llm.client import ModelClient, Reply, Request, Wrapper
from assay.llm.costs.estimates import as_text

_TABLE = "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply TEXT) WITHOUT ROWID"
_GET = "SELECT CAST(reply AS BLOB) FROM replies WHERE key = ?"
_DELETE = "DELETE FROM replies WHERE key = ?"
_PUT = "INSERT INTO replies (key, reply) VALUES (?, ?) ON CONFLICT DO NOTHING"
_PATIENCE = 30.0  # seconds to wait while another process writes
_MOST_SCHEMAS = 64


class ReplyStore(Protocol):
    """A place that keeps replies."""

    def get(self, key: str) -> Reply | None:
        """The reply under a key, if there is one."""
        ...

    def put(self, key: str, reply: Reply) -> None:
        """Keeps a reply; the first one under a key stays."""
        ...


class SqliteReplies:
    """Replies in a SQLite file that several processes may use at the same time."""

    def __init__(self, file: str | Path) -> None:
        self._file = Path(file).expanduser()
        self._connection: sqlite3.Connection | None = _connected(self._file)

    @property
    def place(self) -> str:
        """The file, as the user named it."""
        return str(self._file)

    def get(self, key: str) -> Reply | None:
        """The reply under a key, if there is one; one that cannot be read is removed."""
        try:
            connection = self._connection or self._reopened()
            row = connection.execute(_GET, (key,)).fetchone()
            reply = read_reply(row[0]) if row else None
            if row and not reply:  # otherwise it would stay in the place of the next one
                connection.execute(_DELETE, (key,))
        except sqlite3.Error as error:
            raise InputError(
                f"cannot read replies from {self._file}: {error}", field="cache"
            ) from None
        return reply

    def put(self, key: str, reply: Reply) -> None:
        """Keeps a reply; the first one under a key stays."""
        try:
            (self._connection or self._reopened()).execute(_PUT, (key, write_reply(reply)))
        except sqlite3.Error as error:
            raise InputError(
                f"cannot keep replies in {self._file}: {error}", field="cache"
            ) from None

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        if self._connection:
            self._connection.close()
            self._connection = None

    def _reopened(self) -> sqlite3.Connection:
        self._connection = connection = _connected(self._file)
        return connection


class _AtHand:
    """A store at hand, asked in the way of one that is far away."""

    def __init__(self, store: ReplyStore) -> None:
        self._store = store

    async def get(self, key: str) -> Reply | None:
        return self._store.get(key)

    async def put(self, key: str, reply: Reply) -> None:
        self._store.put(key, reply)


class Cached(Wrapper):
    """Answers from a store what was asked before; calls for the same reply at once share it.

    Every reply is kept, even refusals and cut-off ones, since they were paid for. Errors are not.
    Where a file of the working folder names the store, `place` says so, and the user is told.
    """

    def __init__(
        self, client: ModelClient, store: ReplyStore | SharedReplies, place: str = ""
    ) -> None:
        super().__init__(client)
        self._store = store if isinstance(store, SharedReplies) else _AtHand(store)
        self._untold = {"replies come from", "replies are kept in"} if place else set()
        self._place = place
        asked = json.dumps(dict(client.describe()), sort_keys=True)
        self._start = hashlib.sha256(asked.encode())
        self._schemas: dict[int, tuple[Mapping[str, Any], bytes]] = {}
        self._asking: dict[str, asyncio.Future[None]] = {}

    async def ask(self, request: Request) -> Reply:
        """The reply in the store, or else the client's."""
        key = self.key(request)
        while True:
            reply = await self._store.get(key)
            if reply:
                self._tell("replies come from")
                return reply if reply.cached else replace(reply, cached=True)
            first = self._asking.get(key)
            if not first:
                return await self._ask_first(key, request)
            # However the first call ends, the others look again, and one may become the next first.
            await asyncio.wait([first])

    def key(self, request: Request) -> str:
        """A digest of everything that affects the answer, unambiguous about where parts end."""
        digest = self._start.copy()
        for message in request.messages:
            content = message.content.encode("utf-8", "surrogatepass")
            digest.update(b"%s %d\n" % (message.role.encode(), len(content)))
            digest.update(content)
        schema = self._schema(request.schema) if request.schema else b""
        digest.update(b"%d %d %s" % (request.sample, request.attempt, schema))
        if request.probabilities or request.template:  # the keys of all others stay as they were
            asked = f"{request.probabilities} {request.alternatives} {as_text(request.template)}"
            digest.update(asked.encode())
        return digest.hexdigest()

    async def _ask_first(self, key: str, request: Request) -> Reply:
        done = asyncio.get_running_loop().create_future()
        self._asking[key] = done
        try:
            reply = await self.client.ask(request)
            if not reply.cached:  # otherwise an inner store has it
                await self._store.put(key, reply)
                self._tell("replies are kept in")
            return reply
        finally:
            del self._asking[key]
            done.set_result(None)

    def _tell(self, what: str) -> None:
        """Says once what is done with a store that the working folder named."""
        if what in self._untold:
            self._untold.remove(what)
            notify(f"{what} {self._place}", from_folder=True)

    def _schema(self, schema: Mapping[str, Any]) -> bytes:
        """A schema as text, remembered by identity: a judge always sends the same object."""
        known = self._schemas.get(id(schema))
        if known:
            return known[1]
        if len(self._schemas) >= _MOST_SCHEMAS:
            self._schemas.clear()
        text = as_text(schema).encode()
        self._schemas[id(schema)] = (schema, text)
        return text


def _connected(file: Path) -> sqlite3.Connection:
    """A connection to the file, with the table of replies in it."""
    if file.exists() and not file.is_file():  # a pipe would be waited for
        raise InputError(f"{file} is not a cache of replies: not a regular file", field="cache")
    try:
        connection = sqlite3.connect(
            file, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
        )
    except sqlite3.Error as error:
        raise InputError(f"cannot keep replies in {file}: {error}", field="cache") from None
    try:
        _prepare(connection)
    except sqlite3.Error as error:
        connection.close()
        raise InputError(f"{file} is not a cache of replies: {error}", field="cache") from None
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    if names and ("replies",) not in names:
        raise sqlite3.DatabaseError("it is another kind of database")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(_TABLE)
    connection.execute("SELECT key, reply FROM replies LIMIT 0")
