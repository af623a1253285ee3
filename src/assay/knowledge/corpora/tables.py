"""The file of a local corpus: its tables, and what can be counted in it.

An FTS5 table records only which passages contain which words (`detail=none`, no content, no sizes),
in less than half the space of a full index. The passages and where they come from are in ordinary
tables beside it.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from assay.core.errors import InputError
from assay.core.system.locks import LockError, hold
from assay.knowledge.database import FileKind, require_fts5
from assay.knowledge.ranking import TOKENIZER

CORPUS = FileKind(
    "local corpus",
    "corpus",
    0x41534B43,
    1,
    (
        "CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE,"
        " digest TEXT NOT NULL, complete INTEGER NOT NULL, rows INTEGER NOT NULL,"
        " passages INTEGER NOT NULL, words INTEGER NOT NULL, unreadable INTEGER NOT NULL,"
        " indexed TEXT NOT NULL)",
        "CREATE TABLE documents (id INTEGER PRIMARY KEY, file INTEGER NOT NULL,"
        " first INTEGER NOT NULL, passages INTEGER NOT NULL, title TEXT NOT NULL,"
        " address TEXT NOT NULL, time TEXT NOT NULL)",
        "CREATE INDEX documents_of_file ON documents (file)",
        "CREATE TABLE passages (id INTEGER PRIMARY KEY, document INTEGER NOT NULL,"
        " start INTEGER NOT NULL, text TEXT NOT NULL)",
        "CREATE TABLE common (term TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID",
        "CREATE VIRTUAL TABLE words USING fts5 (text, content='', detail=none, columnsize=0,"
        f" tokenize='{TOKENIZER}')",
    ),
)


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """Counts of a corpus; `incomplete` files are finished by the next run of the index."""

    files: int
    documents: int
    passages: int
    words: int
    unreadable: int
    incomplete: int
    first_indexed: str
    last_indexed: str


def count(connection: sqlite3.Connection) -> CorpusCounts:
    """Counts what a corpus contains."""
    files, passages, words, unreadable, incomplete, first, last = connection.execute(
        "SELECT count(*), ifnull(sum(passages), 0), ifnull(sum(words), 0),"
        " ifnull(sum(unreadable), 0), ifnull(sum(NOT complete), 0), ifnull(min(indexed), ''),"
        " ifnull(max(indexed), '') FROM files"
    ).fetchone()
    documents = connection.execute("SELECT count(*) FROM documents").fetchone()[0]
    return CorpusCounts(files, documents, passages, words, unreadable, incomplete, first, last)


def digest(connection: sqlite3.Connection) -> str:
    """Changes with the name and content of any file in the corpus."""
    rows = connection.execute("SELECT path, digest, complete, rows FROM files")
    known = sorted((Path(path).name, *rest) for path, *rest in rows)
    return sha256(json.dumps(known).encode()).hexdigest()[:32]


@contextmanager
def writing_alone(path: Path) -> Iterator[None]:
    """Keeps other processes from writing to the corpus; raises at once if one already does.

    SQLite holds the lock on a separate file, so that the corpus can be searched meanwhile.
    """
    require_fts5()
    try:
        connection = hold(path.with_name(f".{path.name}.lock"))
    except LockError as error:
        raise InputError(f"cannot write to the folder of {path}: {error}") from None
    if connection is None:
        raise InputError(f"{path} is being indexed by another process")
    try:
        yield
    finally:
        connection.close()
