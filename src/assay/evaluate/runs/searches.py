"""The outside knowledge of a run: what each search found goes into its file.

A run that goes on does not search again for what was found, which may have been paid for and would
perhaps be found otherwise now. A search that failed is not kept.
"""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from assay.core.errors import InputError
from assay.detectors.consult import opened
from assay.evaluate.runs.writer import Writer
from assay.knowledge import KnowledgeChoice, KnowledgePassage, KnowledgeSource
from assay.knowledge.sources import SourceWrapper, encodable

_TABLE = (
    "CREATE TABLE IF NOT EXISTS searches (query TEXT NOT NULL, most INTEGER NOT NULL,"
    " found TEXT NOT NULL, PRIMARY KEY (query, most)) WITHOUT ROWID"
)
_GET = "SELECT found FROM searches WHERE query = ? AND most = ?"
_PUT = "INSERT OR REPLACE INTO searches VALUES (?, ?, ?)"


class RunSearches(SourceWrapper):
    """A source that is asked once for each query; nothing is kept until the run is open."""

    def __init__(self, source: KnowledgeSource) -> None:
        super().__init__(source)
        self._source = source
        self._writer: Writer | None = None

    @property
    def name(self) -> str:
        """The source inside."""
        return self._source.name

    @property
    def digest(self) -> str:
        """That of the source inside."""
        return self._source.digest

    def open(self, writer: Writer) -> None:
        """Keeps there what is found from now on."""
        self._execute(writer, _TABLE)
        self._writer = writer

    async def search(self, query: str, most: int = 5) -> tuple[KnowledgePassage, ...]:
        """What was found when the run asked first, or what the source inside finds now."""
        writer, key = self._writer, (encodable(query), most)
        if writer is None:
            return await self._source.search(query, most)
        for (kept,) in self._execute(writer, _GET, *key):
            return tuple(map(KnowledgePassage.from_dict, json.loads(kept)))
        found = await self._source.search(query, most)
        writer.begin()
        self._execute(writer, _PUT, *key, json.dumps([each.to_dict() for each in found]))
        writer.settle()
        return found

    def _execute(self, writer: Writer, statement: str, *values: object) -> list[tuple[str]]:
        try:
            return writer.journal.connection.execute(statement, values).fetchall()
        except sqlite3.Error as error:
            path = writer.journal.path
            raise InputError(f"cannot keep searches in the run {path}: {error}") from None


@contextmanager
def open_searches(choice: KnowledgeChoice) -> Iterator[RunSearches | None]:
    """The source that the user named, held open; None where none was named."""
    source = choice.open()
    if source is None:
        yield None
        return
    searches = RunSearches(source)
    with opened(searches):
        yield searches
