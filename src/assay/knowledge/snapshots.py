"""Passages that were used, kept word for word, so that a verdict can always cite them.

A snapshot is identified by the sha256 of its text. The file also records what each search found, so
that the same searches can be repeated without a network. Both can be exported as JSON lines: one
line for each passage, then one for each search.
"""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self

import msgspec

from assay.core.codec import Reader, loads
from assay.core.errors import InputError
from assay.core.system.files import replacing
from assay.core.wire import LARGEST
from assay.knowledge.database import Database, FileKind, transaction
from assay.knowledge.sources import KnowledgePassage, KnowledgeSource, SourceWrapper, encodable

SNAPSHOTS = FileKind(
    "file of snapshots",
    "snapshots",
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
_found = Reader(list[tuple[str, str, float | None]])
_Row = tuple[str, str, str, str, str, int | None]
_READ = "SELECT text, title, address, time, retrieved, start FROM snapshots"
_PUT = "INSERT OR IGNORE INTO snapshots VALUES (?, ?, ?, ?, ?, ?, ?)"


@dataclass(frozen=True, slots=True)
class Search:
    """A query, the number of passages asked for, and those that the source found."""

    source: str
    query: str
    most: int
    passages: tuple[KnowledgePassage, ...]


class Snapshots:
    """A file of snapshots, created if it is missing; several processes may use it at once."""

    def __init__(self, path: str | Path, *, to_write: bool = True) -> None:
        self.path = Path(path)
        self._database = Database(path, SNAPSHOTS, to_write=to_write)

    def put(self, items: Iterable["KnowledgePassage | Search"]) -> None:
        """Keeps passages and searches, all of them or none.

        Of two equal passages from the same address the first stays; of two equal searches the last.
        """
        with self._database.reading() as connection, transaction(connection):
            for item in items:
                if isinstance(item, Search):
                    _put_search(connection, item)
                else:
                    connection.execute(_PUT, _row(item))

    def get(self, digest: str, address: str | None = None) -> KnowledgePassage | None:
        """The snapshot with this digest, from this address if one is given."""
        where, values = "digest = ?", [digest]
        if address is not None:
            where, values = f"{where} AND address = ?", [digest, address]
        with self._database.reading() as connection:
            query = f"{_READ} WHERE {where} ORDER BY retrieved LIMIT 1"
            row = connection.execute(query, values).fetchone()
        return self._passage(row) if row else None

    def get_search(self, source: str, query: str) -> Search | None:
        """The kept results of a search, if there are any."""
        select = "SELECT most, found FROM searches WHERE source = ? AND query = ?"
        with self._database.reading() as connection:
            row = connection.execute(select, (source, encodable(query))).fetchone()
        if row is None:
            return None
        origin = f"a search in {self.path}"
        if type(row[0]) is not int or row[0] < 1:
            raise InputError(f"{origin} is damaged: it wanted {row[0]!r} passages", code="damaged")
        found = [
            replace(passage, score=score)
            for digest, address, score in _found.read(row[1], origin)
            if (passage := self.get(digest, address))
        ]
        return Search(source, query, row[0], tuple(found))

    def __iter__(self) -> Iterator[KnowledgePassage]:
        with self._database.reading() as connection:
            for row in connection.execute(f"{_READ} ORDER BY rowid"):
                yield self._passage(row)

    def searches(self) -> Iterator[Search]:
        """Every search that was kept."""
        with self._database.reading() as connection:
            keys = connection.execute("SELECT source, query FROM searches").fetchall()
        for source, query in keys:
            if not (isinstance(source, str) and isinstance(query, str)):
                raise InputError(f"a search in {self.path} is damaged", code="damaged")
            if search := self.get_search(source, query):
                yield search

    def count(self) -> tuple[int, int]:
        """The numbers of snapshots and of searches."""
        with self._database.reading() as connection:
            one, other = (
                connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
                for table in ("snapshots", "searches")
            )
        return one, other

    def digest(self) -> str:
        """Changes with any search that is kept and with what it found."""
        select = "SELECT source, query, most, found FROM searches ORDER BY source, query"
        made = sha256()
        with self._database.reading() as connection:
            for row in connection.execute(select):
                made.update(json.dumps(row, default=repr).encode())
        return made.hexdigest()[:32]

    def close(self) -> None:
        """Closes the file; the next use opens it again."""
        self._database.close()

    def _passage(self, row: tuple[object, ...]) -> KnowledgePassage:
        try:
            text, title, address, time, retrieved, start = msgspec.convert(row, _Row)
        except msgspec.ValidationError as error:
            raise InputError(
                f"a snapshot in {self.path} is damaged: {error}", code="damaged"
            ) from None
        return KnowledgePassage(text, title, address, time, retrieved, start=start)


def _put_search(connection: sqlite3.Connection, search: Search) -> None:
    connection.executemany(_PUT, map(_row, search.passages))
    found = [[each.digest, encodable(each.address), each.score] for each in search.passages]
    row = (encodable(search.source), encodable(search.query), search.most, json.dumps(found))
    connection.execute("INSERT OR REPLACE INTO searches VALUES (?, ?, ?, ?)", row)


def _row(passage: KnowledgePassage) -> tuple[object, ...]:
    about = (passage.address, passage.title, passage.time, passage.retrieved)
    return (passage.digest, *map(encodable, about), passage.start, encodable(passage.text))


class RecordingSource(SourceWrapper):
    """A source whose findings are kept before they are used."""

    def __init__(self, source: KnowledgeSource, snapshots: Snapshots) -> None:
        super().__init__(source)
        self._source = source
        self._snapshots = snapshots

    @property
    def name(self) -> str:
        """The name of the wrapped source."""
        return self._source.name

    @property
    def digest(self) -> str:
        """The digest of the wrapped source."""
        return self._source.digest

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The passages that the wrapped source finds."""
        passages = await self._source.search(query, most)
        self._snapshots.put([Search(self.name, query, most, passages)])
        return passages

    def close(self) -> None:
        """Closes the file of snapshots."""
        self._snapshots.close()


class ReplayedSource:
    """The recorded searches of a source, without the source: nothing leaves this machine."""

    def __init__(self, name: str, snapshots: Snapshots) -> None:
        self.name = name
        self._snapshots = snapshots

    @property
    def digest(self) -> str:
        """The digest of the file of snapshots."""
        return self._snapshots.digest()

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The recorded results of a search; one that was not recorded raises."""
        kept = self._snapshots.get_search(self.name, query)
        if kept is None:
            found = f"holds no search of {self.name} for '{_shorten(query)}'"
        elif most > kept.most and len(kept.passages) >= kept.most:
            found = f"holds {kept.most} passages for '{_shorten(query)}', but {most} are wanted"
        else:
            return kept.passages[:most]
        raise InputError(
            f"{self._snapshots.path} {found}: search once with network access",
            field="offline",
            code="not-recorded",
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._snapshots.close()


def _shorten(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= 80 else line[:80] + "…"


def export_passages(
    passages: Iterable[KnowledgePassage], target: str | Path, searches: Iterable[Search] = ()
) -> int:
    """Writes passages, then searches that refer to them; returns the number of passages."""
    count = 0
    with replacing(target) as part, part.open("w", encoding="utf-8") as file:
        for passage in passages:
            count += 1
            record = passage.to_dict()
            del record["score"]  # it belongs to a search
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
        for search in searches:
            file.write(json.dumps(_search_record(search), ensure_ascii=False) + "\n")
    return count


def export_snapshots(snapshots: Snapshots, target: str | Path) -> int:
    """Writes everything in a file of snapshots; returns the number of passages."""
    return export_passages(snapshots, target, snapshots.searches())


def import_snapshots(path: str | Path, snapshots: Snapshots) -> None:
    """Adds the snapshots and searches of a file; if one of them is invalid, none is added."""
    try:
        with Path(path).open("rb") as lines:
            snapshots.put(_items(lines, str(path), snapshots))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from None


def _items(
    lines: Iterable[bytes], name: str, snapshots: Snapshots
) -> Iterator[KnowledgePassage | Search]:
    for number, raw in enumerate(lines, 1):
        if raw.isspace():
            continue
        try:
            value = loads(raw.decode("utf-8-sig"))
            is_search = isinstance(value, dict) and "query" in value
            yield (
                _read_search(value, snapshots) if is_search else KnowledgePassage.from_dict(value)
            )
        except InputError as error:
            raise InputError(f"{name} line {number}: {error}") from None
        except (ValueError, OverflowError, RecursionError):
            raise InputError(f"{name} line {number} is not JSON") from None


def _search_record(search: Search) -> dict[str, Any]:
    return {
        "source": search.source,
        "query": search.query,
        "most": search.most,
        "found": [[each.digest, each.address, each.score] for each in search.passages],
    }


def _read_search(record: dict[str, Any], snapshots: Snapshots) -> Search:
    """A search; the passages that it found must have come before it."""
    source, query, most = (record.get(name) for name in ("source", "query", "most"))
    found = record.get("found")
    if (
        not (isinstance(source, str) and isinstance(query, str))
        or type(most) is not int
        or not 1 <= most <= LARGEST
    ):
        raise InputError("a search must be an object with 'source', 'query' and 'most'")
    if not isinstance(found, list):  # a search that found nothing has an empty list
        raise InputError("a search must list what it 'found'")
    passages = []
    for each in found:
        match each:
            case [str(digest), str(address), score]:
                passage = snapshots.get(digest, address)
            case _:
                raise InputError("'found' must list a digest, an address and a score each")
        if passage is None:
            raise InputError(f"a search found a passage that is not in the file: {digest}")
        passages.append(passage.scored(score) if isinstance(score, int | float) else passage)
    return Search(source, query, most, tuple(passages))
