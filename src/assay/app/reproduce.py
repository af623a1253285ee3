"""Published tables, recomputed from released data."""

from collections.abc import Iterable

from assay.evaluation.reproduce import Reproduction, reproduce
from assay.evaluation.reproduce.cells import read_published
from assay.evaluation.reproduce.tables import PublishedTable, find_tables

__all__ = ["Reproduction", "list_tables", "reproduce"]


def list_tables(names: Iterable[str] = ()) -> list[tuple[str, int, PublishedTable]]:
    """The tables that can be recomputed: name, number of cells, and what it is."""
    return [(name, len(read_published(name)), table) for name, table in find_tables(names).items()]
