"""A local corpus: BM25 search over a million passages in milliseconds.

Ranking every passage that contains any word of a sentence takes seconds where there are a million,
most of it spent on words that occur everywhere and say nothing. So a search has two steps. Only the
rarest words are looked up, as many as occur in `LOOKED_UP` passages together, and the passages with
the largest sum of weights become candidates; for a query of common words alone, these are passages
that contain its rarest words together. The candidates are then read and ranked by BM25 over all
words of the query.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.knowledge.corpora.tables import CORPUS, CorpusCounts, count, digest
from assay.knowledge.database import Database, marks, one_state
from assay.knowledge.ranking import TermTokenizer, bm25, indexed_text, weight
from assay.knowledge.sources import KnowledgePassage

Ids = NDArray[np.int64]

LOOKED_UP = 30_000  # entries of the index that the first step goes through
CANDIDATES = 150  # passages that are read and ranked for one query
_MOST_KNOWN = 100_000  # terms whose counts are remembered
_MAPPED = 2**30  # bytes of the file that SQLite maps into memory
_TEXTS = "SELECT p.id, d.title, p.text FROM passages p JOIN documents d ON d.id = p.document"
_READ = (
    "SELECT p.text, d.title, d.address, d.time, f.indexed, p.start FROM passages p"
    " JOIN documents d ON d.id = p.document JOIN files f ON f.id = d.file"
)
_TOGETHER = 3  # words of a query of common words that a candidate must contain
# SQLite returns one long string several times faster than as many rows.
_HOLDING = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
_FIRST = "SELECT group_concat(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)"


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a query: a word it comes from, how many passages contain it, and its weight."""

    term: str
    word: str
    passages: int
    weight: float


class LocalCorpus:
    """A corpus built by `index_corpus`; threads and tasks may share it.

    `looked_up` is how many entries of the index the first step of a search goes through: more of
    them find more and take longer.
    """

    def __init__(self, path: str | Path, *, looked_up: int = LOOKED_UP) -> None:
        self._looked_up = looked_up
        self._lock = threading.Lock()
        self._database = Database(path, CORPUS)
        self._words = TermTokenizer()
        self._seen: tuple[int, int] | None = None  # the connection and the version that was counted
        self._total = 0
        self._average = 1.0
        self._known: dict[str, int] = {}  # how many passages contain a term

    @property
    def name(self) -> str:
        """The name of the corpus, after its file."""
        return corpus_name(self._database.path)

    @property
    def digest(self) -> str:
        """The digest of all its files, in whatever order they were indexed."""
        with self._lock, self._database.reading() as connection:
            return digest(connection)

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The passages that match the query best; the event loop is not blocked."""
        return await asyncio.to_thread(self.find, query, most)

    def find(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """The passages that match the query best, best first."""
        if most < 1:
            raise InputError(f"most must be 1 or more, not {most}", field="most")
        with self._lock, self._database.reading() as connection:
            self._refresh(connection)
            with one_state(connection):
                return self._find(connection, query, most)

    def counts(self) -> CorpusCounts:
        """Counts of the corpus."""
        with self._lock, self._database.reading() as connection:
            return count(connection)

    def passages(self) -> Iterator[KnowledgePassage]:
        """Every passage, in the order of indexing."""
        with self._database.reading() as connection:
            for row in connection.execute(f"{_READ} ORDER BY p.id"):
                yield _passage(row)

    def close(self) -> None:
        """Closes the file; the next search opens it again."""
        with self._lock:
            self._database.close()
            self._words.close()
            self._seen = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()

    def _find(
        self, connection: sqlite3.Connection, query: str, most: int
    ) -> tuple[KnowledgePassage, ...]:
        terms = self._terms(connection, query)
        if not terms:
            return ()
        most_read = max(CANDIDATES, 2 * most)
        ids = find_candidates(connection, terms, most_read, self._looked_up)
        best = self._best(connection, ids, terms)[:most]
        read = f"{_READ} WHERE p.id = ?"
        return tuple(
            _passage(connection.execute(read, (id_,)).fetchone()).scored(score)
            for score, id_ in best
        )

    def _refresh(self, connection: sqlite3.Connection) -> None:
        """Counts again if the file has been written to or reopened."""
        seen = (id(connection), connection.execute("PRAGMA data_version").fetchone()[0])
        if seen != self._seen or len(self._known) > _MOST_KNOWN:
            self._seen = seen
            connection.execute(f"PRAGMA mmap_size = {_MAPPED}")
            query = "SELECT ifnull(sum(passages), 0), ifnull(sum(words), 0) FROM files"
            self._total, words = connection.execute(query).fetchone()
            self._average = words / max(self._total, 1)
            self._known = dict(connection.execute("SELECT term, passages FROM common"))

    def _terms(self, connection: sqlite3.Connection, query: str) -> list[Term]:
        """The terms of the query that occur in the corpus, rarest first."""
        found = []
        for term, word in self._words.terms(query).items():
            passages = self._known.get(term)
            if passages is None:
                passages = self._known[term] = count_passages(connection, word)
            if passages:
                told = weight(min(passages, self._total), self._total)
                found.append(Term(term, word, passages, told))
        return sorted(found, key=lambda each: each.passages)

    def _best(
        self, connection: sqlite3.Connection, ids: list[int], terms: list[Term]
    ) -> list[tuple[float, int]]:
        """The candidates ranked by BM25, best first; ties in the order of indexing."""
        weights = {each.term: each.weight for each in terms}
        rows = connection.execute(f"{_TEXTS} WHERE p.id IN ({marks(ids)})", ids).fetchall()
        texts = [indexed_text(title, text) for _, title, text in rows]
        counts = self._words.counts(texts, list(weights))
        scored = [
            (bm25(found, weights, len(text.split()), self._average), id_)
            for (id_, *_), text, found in zip(rows, texts, counts, strict=True)
        ]
        return sorted(scored, key=lambda each: (-each[0], each[1]))


def corpus_name(path: str | Path) -> str:
    """The name of the corpus in this file, which need not exist."""
    return f"corpus:{Path(path).name}"


def _passage(row: tuple[str, str, str, str, str, int]) -> KnowledgePassage:
    text, title, address, time, indexed, start = row
    return KnowledgePassage(text, title, address, time, indexed, start=start)


def find_candidates(
    connection: sqlite3.Connection, terms: Sequence[Term], most: int, looked_up: int = LOOKED_UP
) -> list[int]:
    """The ids of the passages to read; `terms` are rarest first and not empty."""
    if terms[0].passages > looked_up:
        return _common(connection, terms, most)
    chosen, passages = [], 0
    for term in terms:
        passages += term.passages
        if passages > looked_up:
            break
        chosen.append(term)
    lists = [_ids(connection.execute(_HOLDING, (_quoted(term.word),))) for term in chosen]
    weights = np.repeat([term.weight for term in chosen], [len(ids) for ids in lists])
    return list(map(int, _heaviest(np.concatenate(lists), weights, most)))


def _heaviest(ids: Ids, weights: NDArray[np.float64], most: int) -> Ids:
    """The ids with the largest sums of weights; of ties the smallest."""
    order = np.argsort(ids, kind="stable")  # fast, since the ids of each word are already in order
    ids = ids[order]
    first = np.flatnonzero(np.diff(ids, prepend=-1))
    sums = np.add.reduceat(weights[order], first)
    least = np.sort(sums)[-min(most, len(sums))]
    near = np.flatnonzero(sums >= least)
    return ids[first[near[np.argsort(-sums[near], kind="stable")[:most]]]]


def _common(connection: sqlite3.Connection, terms: Sequence[Term], most: int) -> list[int]:
    """Passages that contain the rarest terms together, then those with the rarest one."""
    words = [_quoted(term.word) for term in terms[:_TOGETHER]]
    ids = _ids(connection.execute(_FIRST, (" AND ".join(words), most)))
    if len(ids) < most:
        others = _ids(connection.execute(_FIRST, (words[0], 2 * most)))
        ids = np.concatenate([ids, others[~np.isin(others, ids)]])
    return list(map(int, ids[:most]))


def _ids(cursor: sqlite3.Cursor) -> Ids:
    """The ids that a query has concatenated, in order."""
    (found,) = cursor.fetchone()
    return np.fromstring(found or "", dtype=np.int64, sep=",")


def _quoted(word: str) -> str:
    """A word quoted for FTS5, whatever characters it contains."""
    return '"' + word.replace('"', '""') + '"'


def count_passages(connection: sqlite3.Connection, word: str) -> int:
    """The number of passages with a word, in any form with the same stem."""
    query = "SELECT count(*) FROM words WHERE words MATCH ?"
    return int(connection.execute(query, (_quoted(word),)).fetchone()[0])
