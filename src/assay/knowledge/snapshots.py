"""Passages that were used, kept word for word, so that a verdict can cite them for good.

A snapshot is known by the sha256 of its text. Beside them stands what each search found, so that
the same searches can be repeated without a network. Both travel as JSON lines.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from assay.knowledge.database import Database, Kind, transaction
from assay.knowledge.passages import KnowledgePassage, whole

SNAPSHOTS = Kind(
    "file of snapshots",
    "--keep",
    0x41534B53,
    1,
    (
        "CREATE TABLE snapshots (digest TEXT NOT NULL, address TEXT NOT NULL, title TEXT NOT NULL,"
        " time TEXT NOT NULL, retrieved TEXT NOT NULL, start INTEGER, text TEXT NOT NULL,"
        " PRIMARY KEY (digest, address))",
        "CREATE TABLE searches (source TEXT NOT NULL, query TEXT NOT NULL, most INTEGER NOT NULL,"
        " found TEXT NOT NULL, PRIMARY KEY (source, query)) WITHOUT ROWID",
    ),
)
_READ = "SELECT text, title, address, time, retrieved, start FROM snapshots"
_PUT = "INSERT OR IGNORE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Search:
    """What a source found for a query when it was asked for so many passages."""

    source: str
    query: str
    most: int
    passages: tuple[KnowledgePassage, ...]


class Snapshots:
    """A file of snapshots, made if it is not there; several processes may use it at once."""

    def __init__(self, path: str | Path, *, to_write: bool = True) -> None:
        self.path = Path(path)
        self._database = Database(path, SNAPSHOTS, to_write=to_write)

    def put(self, items: Iterable["KnowledgePassage | Search"]) -> None:
        """Keeps passages and searches, all or none.

        Of two passages alike from the same address the first stays; of two searches the last.
        """
        with self._database.reading() as connection, transaction(connection):
            for item in items:
                if isinstance(item, Search):
                    _put_search(connection, item)
                else:
                    connection.execute(_PUT, _row(item))

    def get(self, digest: str, address: str | None = None) -> KnowledgePassage | None:
        """The snapshot with that digest, from that address if one is named."""
        where, values = "digest = ?", [digest]
        if address is not None:
            where, values = f"{where} AND address = ?", [digest, address]
        with self._database.reading() as connection:
            query = f"{_READ} WHERE {where} ORDER BY retrieved LIMIT 1"
            row = connection.execute(query, values).fetchone()
        return _passage(row) if row else None

    def get_search(self, source: str, query: str) -> Search | None:
        """What a search found, if it was kept."""
        select = "SELECT most, found FROM searches WHERE source = ? AND query = ?"
        with self._database.reading() as connection:
            row = connection.execute(select, (source, whole(query))).fetchone()
        if row is None:
            return None
        found = [
            replace(passage, score=score)
            for digest, address, score in json.loads(row[1])
            if (passage := self.get(digest, address))
        ]
        return Search(source, query, row[0], tuple(found))

    def __iter__(self) -> Iterator[KnowledgePassage]:
        with self._database.reading() as connection:
            for row in connection.execute(f"{_READ} ORDER BY rowid"):
                yield _passage(row)

    def searches(self) -> Iterator[Search]:
        """Every search that was kept."""
        with self._database.reading() as connection:
            keys = connection.execute("SELECT source, query FROM searches").fetchall()
        for source, query in keys:
            if search := self.get_search(source, query):
                yield search

    def count(self) -> tuple[int, int]:
        """How many snapshots and searches there are."""
        with self._database.reading() as connection:
            one, other = (
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("snapshots", "searches")
            )
        return one, other

    def digest(self) -> str:
        """Changes with any search that is kept, or what it found."""
        select = "SELECT source, query, most, found FROM searches ORDER BY source, query"
        made = sha256()
        with self._database.reading() as connection:
            for row in connection.execute(select):
                made.update(json.dumps(row).encode())
        return made.hexdigest()[:32]

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        self._database.close()


def _put_search(connection: sqlite3.Connection, search: Search) -> None:
    connection.executemany(_PUT, map(_row, search.passages))
    found = [[each.digest, whole(each.address), each.score] for each in search.passages]
    row = (search.source, whole(search.query), search.most, json.dumps(found))
    connection.execute("INSERT OR REPLACE INTO searches VALUES (?, ?, ?, ?)", row)


def _row(passage: KnowledgePassage) -> tuple[object, ...]:
    about = (passage.address, passage.title, passage.time, passage.retrieved)
    return (passage.digest, *map(whole, about), passage.start, whole(passage.text))


def _passage(row: tuple[str, str, str, str, str, int | None]) -> KnowledgePassage:
    text, title, address, time, retrieved, start = row
    return KnowledgePassage(text, title, address, time, retrieved, start=start)
