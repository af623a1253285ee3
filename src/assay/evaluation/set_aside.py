"""Judgements set aside on disk until the example that they are about comes by."""

import sqlite3

from assay.core.codec import read_judgement, write_judgement
from assay.core.judgements import Judgement


class SetAside:
    """Judgements by their examples, one for each, in a temporary database."""

    def __init__(self) -> None:
        self._database: sqlite3.Connection | None = None  # as soon as it is needed

    def add(self, judgement: Judgement) -> None:
        """Sets one aside, unless there is one about its example already."""
        if self._database is None:
            self._database = sqlite3.connect(
                "", isolation_level=None
            )  # in memory while there is little, else on disk
            self._database.execute("CREATE TABLE said (example BLOB PRIMARY KEY, line BLOB)")
        row = _key(judgement.example), write_judgement(judgement)
        self._database.execute("INSERT OR IGNORE INTO said VALUES (?, ?)", row)

    def take(self, example: str) -> Judgement | None:
        """The judgement of an example, if it was set aside."""
        if self._database is None:
            return None
        found = self._database.execute("SELECT line FROM said WHERE example = ?", (_key(example),))
        row = found.fetchone()
        return read_judgement(row[0]) if row else None

    def close(self) -> None:
        """Forgets all of them."""
        if self._database:
            self._database.close()


def _key(example: str) -> bytes:
    return example.encode(errors="surrogatepass")
