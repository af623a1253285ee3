"""Replies of language models in a PostgreSQL database, so that a team pays for each only once."""

import threading
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, Text
from sqlalchemy.pool import NullPool

from assay.core.errors import AssayError
from assay.core.system.urls import shown
from assay.store.database import failing_as_input, postgres_engine
from assay.store.lineages import Lineage, prepare
from assay.store.tables import NAMES

T = TypeVar("T")

_metadata = MetaData(naming_convention=NAMES)
cached_replies = Table(
    "cached_replies",
    _metadata,
    Column("key", String(80), primary_key=True),
    Column("reply", Text, nullable=False),
)
REPLIES = Lineage(
    noun="cache of replies",
    metadata=_metadata,
    head="0001",
    mark=0x41535352,
    folder=Path(__file__).parent / "reply_migrations",
    version_table="reply_version",
    newer="newer-cache",
    field="cache",
)
_FIND = "SELECT key, reply FROM cached_replies WHERE key = ANY(%s)"
_ADD = "INSERT INTO cached_replies (key, reply) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_REMOVE = "DELETE FROM cached_replies WHERE key = %s AND reply = %s"


class ServerReplies:
    """Texts of replies by the digests of what was asked, for many people at once.

    Every call stands for itself, so one whose connection was dropped meanwhile is made again.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None
        self._using = threading.Lock()

    @property
    def place(self) -> str:
        """The database, without its password."""
        return shown(self._url)

    def exchange(self, wanted: Collection[str], new: Mapping[str, str]) -> Mapping[str, str]:
        """Keeps new texts under keys that have none, and gives those under the wanted keys."""

        def both(driver: Any) -> Mapping[str, str]:
            if new:
                with driver.cursor() as cursor:
                    cursor.executemany(_ADD, sorted(new.items()))
            return dict(driver.execute(_FIND, (list(wanted),)).fetchall()) if wanted else {}

        return self._done(both)

    def remove(self, key: str, text: str) -> None:
        """Removes a text that cannot be read, unless another one has taken its place."""
        self._done(lambda driver: driver.execute(_REMOVE, (key, text)))

    def close(self) -> None:
        """Ends the connection; the next call begins another."""
        with self._using:
            self._leave()

    def _done(self, work: Callable[[Any], T]) -> T:
        with self._using:
            if self._connection is not None:
                try:
                    return self._do(work)
                except AssayError as error:
                    if error.code != "store-gone":
                        raise
                    self._leave()
            return self._do(work)

    def _do(self, work: Callable[[Any], T]) -> T:
        with failing_as_input(f"the cache of replies {self.place}", REPLIES.field):
            if self._connection is None:
                self._connection = _engine(self._url).connect()
            return work(self._connection.connection.driver_connection)

    def _leave(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def open_server_replies(url: str) -> ServerReplies:
    """The cache at a URL, with its table made ready; nothing is connected until it is used."""
    place = shown(url)
    with (
        failing_as_input(f"the cache of replies {place}", REPLIES.field),
        _engine(url).begin() as connection,
    ):
        prepare(connection, REPLIES, place)
    return ServerReplies(url)


def _engine(url: str) -> Engine:
    return postgres_engine(
        url,
        what="keeping replies in PostgreSQL",
        refusal="replies are kept in a file or in PostgreSQL (postgresql://...)",
        field=REPLIES.field,
        poolclass=NullPool,
        autocommit=True,
    )
