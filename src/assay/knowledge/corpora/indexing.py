"""Builds a local corpus from files, and updates it when they change.

Each file is identified by the digest of its content: an unchanged file is skipped, a changed one is
replaced, a missing one is removed. Work is written in batches, so that an interruption loses no
more than the last batch; the next run continues where it stopped.
"""

import sqlite3
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import file_digest
from itertools import islice
from os.path import exists  # unlike Path.exists, it does not raise without permission
from pathlib import Path

from assay.core.errors import InputError
from assay.core.system.files import require_writable
from assay.knowledge.corpora.documents import (
    CorpusFile,
    Document,
    Unreadable,
    find_files,
    read_documents,
)
from assay.knowledge.corpora.tables import CORPUS, writing_alone
from assay.knowledge.database import open_database, reading, transaction
from assay.knowledge.ranking import WORDS, cut_passages, indexed_text
from assay.knowledge.sources import encodable, utc_now

BATCH = 5_000  # passages written together
_WORTH_MERGING = 0.1  # share of changed passages above which the index is merged and counted
_COMMON = 0.005  # share of all passages above which a term is common
_REMOVED_TOGETHER = 500  # documents removed together
_DOCUMENTS = "SELECT id, title, first, passages FROM documents WHERE file = ? LIMIT ?"
_PASSAGES = "SELECT id, text FROM passages WHERE id >= ? AND id < ?"
_KNOWN = (
    "SELECT id, path, digest, complete, rows, passages, words, unreadable FROM files WHERE path = ?"
)
MOST_NAMED = 100  # problems that are listed with their places; all are counted


@dataclass(slots=True)
class IndexReport:
    """Progress of a run of the index, which has read `bytes` of `total_bytes`."""

    files: int = 0
    total_bytes: int = 0
    bytes: int = 0
    unchanged: int = 0
    indexed: int = 0
    removed: int = 0
    documents: int = 0
    passages: int = 0
    unreadable: int = 0
    problems: list[Unreadable] = field(default_factory=list)

    def add(self, problem: Unreadable) -> None:
        """Counts a problem, and lists it unless there are too many."""
        self.unreadable += 1
        if len(self.problems) < MOST_NAMED:
            self.problems.append(problem)


Watcher = Callable[[IndexReport], None]


@dataclass(slots=True)
class _File:
    """A file as the corpus records it; `rows` is how many of its documents have been read."""

    id: int
    path: str
    digest: str
    complete: int = 0
    rows: int = 0
    passages: int = 0
    words: int = 0
    unreadable: int = 0


class CorpusWriter:
    """One run over the files of a corpus. Nothing is locked while files are being read."""

    def __init__(self, connection: sqlite3.Connection, words: int, watch: Watcher) -> None:
        self.report = IndexReport()
        self._connection = connection
        self._words = words
        self._changed = 0  # passages added or removed
        self._watch = watch
        self._next = {name: self._last(name) + 1 for name in ("files", "documents", "passages")}
        self._files: list[tuple[object, ...]] = []
        self._documents: list[tuple[object, ...]] = []
        self._passages: list[tuple[int, int, int, str]] = []
        self._indexed: list[tuple[int, str]] = []
        connection.execute("PRAGMA journal_mode = WAL")  # searches go on meanwhile
        connection.execute("PRAGMA synchronous = NORMAL")

    def update(self, file: CorpusFile) -> None:
        """Indexes a file, or what remains of it; an unchanged file is skipped."""
        path, before = str(file.path.absolute()), self.report.bytes
        if path != encodable(path):
            wrong = "its name is not UTF-8; rename it"
            self.report.add(Unreadable(encodable(file.address), wrong))
            return
        try:
            digest, size = self._digest(file), file.path.stat().st_size
        except InputError as error:
            self._refuse(path, Unreadable(file.address, str(error)))
            return
        except OSError as error:
            self.report.add(Unreadable(file.address, f"it cannot be read: {error.strerror}"))
            return
        known = self._known(path)
        if known and known.digest != digest:
            self._remove(known)
            known = None
        if known and known.complete:
            self.report.unchanged += 1
            if known.unreadable:
                self._report_again(read_documents(file))
        else:
            self._index(file, known or _File(self._take("files"), path, digest))
            self.report.indexed += 1
        self.report.bytes = before + size
        self._watch(self.report)

    def _refuse(self, path: str, problem: Unreadable) -> None:
        """Reports a file that must not be read, and takes out what an earlier run read from it."""
        self.report.add(problem)
        if known := self._known(path):
            self._remove(known)
            self.report.removed += 1

    def remove_missing(self, folder: Path, files: Iterable[CorpusFile]) -> None:
        """Removes the files of a folder that no longer exist."""
        here = {str(file.path.absolute()) for file in files if exists(file.path)}
        beginning = str(folder.absolute() / "x")[:-1]
        query = "SELECT path FROM files WHERE substr(path, 1, ?) = ?"
        rows = self._connection.execute(query, (len(beginning), beginning)).fetchall()
        for (path,) in rows:
            if path not in here and (known := self._known(path)):
                self._remove(known)
                self.report.removed += 1

    def finish(self) -> None:
        """Writes what remains, and leaves a single file that can be read from anywhere."""
        self._flush()
        execute = self._connection.execute
        total = execute("SELECT ifnull(sum(passages), 0) FROM files").fetchone()[0]
        if self._changed > _WORTH_MERGING * total:
            execute("INSERT INTO words (words) VALUES ('optimize')")
            self._count_common(total)
        execute("PRAGMA wal_checkpoint(TRUNCATE)")
        with suppress(sqlite3.OperationalError):  # a search is open; the next run tries again
            execute("PRAGMA journal_mode = DELETE")

    def _count_common(self, total: int) -> None:
        """Records how many passages contain each common term, which is slow to count."""
        execute = self._connection.execute
        execute("CREATE VIRTUAL TABLE temp.counted USING fts5vocab (main, words, 'row')")
        with transaction(self._connection):
            execute("DELETE FROM common")
            insert = "INSERT INTO common SELECT term, doc FROM temp.counted WHERE doc > ?"
            execute(insert, (_COMMON * total,))
        execute("DROP TABLE temp.counted")

    def _index(self, file: CorpusFile, state: _File) -> None:
        items = read_documents(file)
        self._report_again(islice(items, state.rows))
        state.complete = 1
        for item in items:
            self.report.bytes += item.size
            if isinstance(item, Document):
                self._add(state, item)
            else:
                self.report.add(item)
                if item.breaks_off:  # the next run tries to continue
                    state.complete = 0
                    break
                state.unreadable += 1
            state.rows += 1
            if len(self._passages) >= BATCH:
                self._keep(replace(state, complete=0))
                self._flush()
        self._keep(state)

    def _add(self, state: _File, document: Document) -> None:
        number, first = self._take("documents"), self._next["passages"]
        for piece in cut_passages(document.text, self._words):
            text, id_ = document.text[piece.start : piece.end], self._take("passages")
            self._passages.append((id_, number, piece.start, text))
            self._indexed.append((id_, indexed_text(document.title, text)))
            state.words += piece.words
        count = self._next["passages"] - first
        about = (document.title, document.address, document.time)
        self._documents.append((number, state.id, first, count, *about))
        state.passages += count
        self._changed += count
        self.report.documents += 1
        self.report.passages += count

    def _report_again(self, items: Iterable[Document | Unreadable]) -> None:
        """Reports again what an earlier run could not read."""
        for item in items:
            if isinstance(item, Unreadable):
                self.report.add(item)

    def _keep(self, state: _File) -> None:
        """Records the progress of a file with the next batch."""
        counts = (state.rows, state.passages, state.words, state.unreadable)
        self._files.append((state.id, state.path, state.digest, state.complete, *counts, utc_now()))

    def _flush(self) -> None:
        """Writes the batch; earlier batches are safe, whatever happens."""
        if not self._files:
            return
        many = self._connection.executemany
        with transaction(self._connection):
            many("INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?)", self._documents)
            many("INSERT INTO passages VALUES (?, ?, ?, ?)", self._passages)
            many("INSERT INTO words (rowid, text) VALUES (?, ?)", self._indexed)
            many("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", self._files)
        for pending in (self._files, self._documents, self._passages, self._indexed):
            pending.clear()
        self._watch(self.report)

    def _remove(self, known: _File) -> None:
        """Removes a file in batches; until that is done, it counts as changed."""
        execute, many = self._connection.execute, self._connection.executemany
        execute("UPDATE files SET digest = '', complete = 0 WHERE id = ?", (known.id,))
        while documents := execute(_DOCUMENTS, (known.id, _REMOVED_TOGETHER)).fetchall():
            with transaction(self._connection):
                for number, title, first, count in documents:
                    rows = execute(_PASSAGES, (first, first + count)).fetchall()
                    texts = [(id_, indexed_text(title, text)) for id_, text in rows]
                    many("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", texts)
                    execute("DELETE FROM passages WHERE id >= ? AND id < ?", (first, first + count))
                    execute("DELETE FROM documents WHERE id = ?", (number,))
        execute("DELETE FROM files WHERE id = ?", (known.id,))
        self._changed += known.passages

    def _known(self, path: str) -> _File | None:
        row = self._connection.execute(_KNOWN, (path,)).fetchone()
        return _File(*row) if row else None

    def _digest(self, file: CorpusFile) -> str:
        """Changes with the content of a file and the length of passages."""
        with file.open() as content:
            return f"{file_digest(content, 'sha256').hexdigest()}/{self._words}"

    def _take(self, name: str) -> int:
        """The next id of a table."""
        self._next[name] += 1
        return self._next[name] - 1

    def _last(self, table: str) -> int:
        return int(
            self._connection.execute(f"SELECT ifnull(max(id), 0) FROM {table}").fetchone()[0]
        )


def index_corpus(
    target: str | Path,
    corpus: str | Path,
    *,
    words: int = WORDS,
    keep_missing: bool = False,
    watch: Watcher = lambda _: None,
) -> IndexReport:
    """Updates a corpus from a file or a folder; `watch` is called after each batch."""
    if words < 10:
        raise InputError(f"words must be 10 or more, not {words}", field="words")
    target, corpus = Path(target), Path(corpus)
    if str(target.absolute()) != encodable(str(target.absolute())):
        raise InputError(f"the name of {encodable(str(target))} is not UTF-8; rename it")
    found = list(find_files(target))
    files = [each for each in found if isinstance(each, CorpusFile)]
    require_writable(corpus)
    with writing_alone(corpus), reading(corpus, CORPUS):
        connection = open_database(corpus, CORPUS, to_write=True)
        try:
            writer = CorpusWriter(connection, words, watch)
            writer.report.files = len(files)
            writer.report.total_bytes = sum(map(_size, files))
            if target.is_dir() and not keep_missing:
                writer.remove_missing(target, files)
            for each in found:
                if isinstance(each, CorpusFile):
                    writer.update(each)
                else:
                    writer.report.add(each)
            writer.finish()
            return writer.report
        finally:
            connection.close()


def _size(file: CorpusFile) -> int:
    try:
        return file.path.stat().st_size
    except OSError:  # it has disappeared, which is reported when it is read
        return 0
