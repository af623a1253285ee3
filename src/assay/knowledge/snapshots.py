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
from typing import Any, Self, TypeGuard

from assay.core.errors import InputError
from assay.core.writing import replacing
from assay.knowledge.database import Database, FileKind, transaction
from assay.knowledge.sources import (
    KnowledgePassage,
    KnowledgeSource,
    SourceWrapper,
    encodable,
)

SNAPSHOTS = FileKind(
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
            row = connection.execute(select, (source, encodable(query))).fetchone()
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
    found = [[each.digest, encodable(each.address), each.score] for each in search.passages]
    row = (search.source, encodable(search.query), search.most, json.dumps(found))
    connection.execute("INSERT OR REPLACE INTO searches VALUES (?, ?, ?, ?)", row)


def _row(passage: KnowledgePassage) -> tuple[object, ...]:
    about = (passage.address, passage.title, passage.time, passage.retrieved)
    return (passage.digest, *map(encodable, about), passage.start, encodable(passage.text))


def _passage(row: tuple[str, str, str, str, str, int | None]) -> KnowledgePassage:
    text, title, address, time, retrieved, start = row
    return KnowledgePassage(text, title, address, time, retrieved, start=start)


class RecordingSource(SourceWrapper):
    """A source around a source: what it finds is kept before it is used."""

    def __init__(self, source: KnowledgeSource, snapshots: Snapshots) -> None:
        super().__init__(source)
        self._source = source
        self._snapshots = snapshots

    @property
    def name(self) -> str:
        """The source inside."""
        return self._source.name

    @property
    def digest(self) -> str:
        """That of the source inside."""
        return self._source.digest

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """What the source inside finds."""
        passages = await self._source.search(query, most)
        self._snapshots.put([Search(self.name, query, most, passages)])
        return passages

    def close(self) -> None:
        """Frees the file."""
        self._snapshots.close()


class ReplayedSource:
    """The searches of a source that were kept, without the source: nothing leaves the machine."""

    def __init__(self, name: str, snapshots: Snapshots) -> None:
        self.name = name
        self._snapshots = snapshots

    @property
    def digest(self) -> str:
        """That of the file that is played back."""
        return self._snapshots.digest()

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """What was found when the source was asked; a query that it was not asked raises."""
        kept = self._snapshots.get_search(self.name, query)
        if kept is None:
            raise InputError(
                f"{self._snapshots.path} holds no search of {self.name} for '{_shown(query)}': "
                "search once with the network"
            )
        if most > kept.most and len(kept.passages) >= kept.most:
            raise InputError(
                f"{self._snapshots.path} holds {kept.most} passages for '{_shown(query)}', and "
                f"{most} are wanted: search once with the network"
            )
        return kept.passages[:most]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._snapshots.close()


def _shown(query: str) -> str:
    line = " ".join(query.split())
    return line if len(line) <= 80 else line[:80] + "…"


def export_passages(
    passages: Iterable[KnowledgePassage], target: str | Path, searches: Iterable[Search] = ()
) -> int:
    """Writes passages, then searches that point at them; gives the number of passages."""
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
    """Writes all that a file of snapshots holds; gives the number of passages."""
    return export_passages(snapshots, target, snapshots.searches())


def import_snapshots(path: str | Path, snapshots: Snapshots) -> None:
    """Adds the snapshots and searches of a file, all of them or, if one is wrong, none."""
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
            value = json.loads(raw.decode("utf-8-sig"))
            is_search = isinstance(value, dict) and "query" in value
            yield _read_search(value, snapshots) if is_search else KnowledgePassage.from_dict(value)
        except InputError as error:
            raise InputError(f"{name} line {number}: {error}") from None
        except (ValueError, RecursionError):
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
    if not (_is_text(source) and _is_text(query) and type(most) is int and most > 0):
        raise InputError("a search is an object with 'source', 'query' and 'most'")
    if not isinstance(found, list):  # that nothing was found is an empty list
        raise InputError("a search says in a list what it has 'found'")
    passages = []
    for each in found:
        if not (isinstance(each, list) and len(each) == 3 and all(map(_is_text, each[:2]))):
            raise InputError("what a search found is a list of digest, address and score")
        passage = snapshots.get(each[0], each[1])
        if passage is None:
            raise InputError(f"a search found a passage that is not in the file: {each[0]}")
        passages.append(passage.scored(each[2]) if isinstance(each[2], int | float) else passage)
    return Search(source, query, most, tuple(passages))


def _is_text(value: object) -> TypeGuard[str]:
    return isinstance(value, str)
