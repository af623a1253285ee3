"""The first step of a search: which passages of a large corpus are worth to be read.

Ranking every passage that holds any word of a sentence takes seconds where there are a million of
them, most of it for words that stand everywhere and tell nothing. So only the rarest words are
looked up, as many as stand in `LOOKED_UP` passages together, and the passages with the largest sum
of weights are taken. A query of common words alone takes passages that hold its rarest together.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]

LOOKED_UP = 30_000
_TOGETHER = 3  # words of a query of common words that a passage must hold
# One long text comes out of SQLite several times faster than as many rows.
_HOLDING = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
_FIRST = "SELECT group_concat(rowid) FROM (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)"


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a query: a word that gives it, in how many passages it stands, what it tells."""

    term: str
    word: str
    passages: int
    weight: float


def find_candidates(
    connection: sqlite3.Connection, terms: Sequence[Term], most: int, looked_up: int = LOOKED_UP
) -> list[int]:
    """The ids of the passages to read; the terms come rarest first, and there is one at least."""
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
    """The ids with the largest sums of weights; of equal ones the smallest."""
    order = np.argsort(ids, kind="stable")  # quick, since the ids of each word are in order already
    ids = ids[order]
    first = np.flatnonzero(np.diff(ids, prepend=-1))
    sums = np.add.reduceat(weights[order], first)
    least = np.sort(sums)[-min(most, len(sums))]
    near = np.flatnonzero(sums >= least)
    return ids[first[near[np.argsort(-sums[near], kind="stable")[:most]]]]


def _common(connection: sqlite3.Connection, terms: Sequence[Term], most: int) -> list[int]:
    """Passages that hold the rarest of the terms together; else those with the rarest one."""
    words = [_quoted(term.word) for term in terms[:_TOGETHER]]
    ids = _ids(connection.execute(_FIRST, (" AND ".join(words), most)))
    if len(ids) < most:
        others = _ids(connection.execute(_FIRST, (words[0], 2 * most)))
        ids = np.concatenate([ids, others[~np.isin(others, ids)]])
    return list(map(int, ids[:most]))


def _ids(cursor: sqlite3.Cursor) -> Ids:
    """The ids that a query has put together, in order."""
    (found,) = cursor.fetchone()
    return np.fromstring(found or "", dtype=np.int64, sep=",")


def _quoted(word: str) -> str:
    """A word as FTS5 takes it as a word, whatever it looks like."""
    return '"' + word.replace('"', '""') + '"'


def count_passages(connection: sqlite3.Connection, word: str) -> int:
    """In how many passages a word stands, in any form that is indexed alike."""
    query = "SELECT count(*) FROM words WHERE words MATCH ?"
    return int(connection.execute(query, (_quoted(word),)).fetchone()[0])
