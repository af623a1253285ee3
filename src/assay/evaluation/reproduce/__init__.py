"""Published tables recomputed from released data: published, ours, difference, status."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.evaluation.reproduce.cells import STATUSES, Cell, Status, compare, read_published
from assay.evaluation.reproduce.tables import TABLES, PublishedTable, ReleasedData, find_tables

__all__ = ["TABLES", "Cell", "Reproduction", "reproduce"]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """A published table cell by cell."""

    name: str
    table: PublishedTable
    cells: tuple[Cell, ...]

    @property
    def counts(self) -> Counter[Status]:
        """The number of cells of each status."""
        return Counter(cell.status for cell in self.cells)

    @property
    def failed(self) -> int:
        """The number of cells that should match and do not."""
        return sum(cell.failed for cell in self.cells)

    def to_dict(self) -> dict[str, Any]:
        """The table as plain JSON values."""
        return {
            "name": self.name,
            "title": self.table.title,
            "how": self.table.how,
            "counts": {status: self.counts[status] for status in STATUSES},
            "failed": self.failed,
            "cells": [cell.to_dict() for cell in self.cells],
        }


def reproduce(tables: Iterable[str] = (), root: str | Path | None = None) -> Iterator[Reproduction]:
    """Recomputes the named tables, or all, from the data below a folder; one after the other."""
    wanted = find_tables(tables)
    data = ReleasedData(root)
    return (_recompute(name, table, data) for name, table in wanted.items())


def _recompute(name: str, table: PublishedTable, data: ReleasedData) -> Reproduction:
    figures = {(figure.row, figure.metric): figure for figure in table.compute(data)}
    cells = (compare(each, figures.get((each.row, each.metric))) for each in read_published(name))
    return Reproduction(name, table, tuple(cells))
