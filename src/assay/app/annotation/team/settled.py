"""What a project settled on for each finished item: its gold."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

from sqlalchemy import Connection, select

from assay.core.codec import read_judgement
from assay.core.judgements import GOLD, Judgement
from assay.store.studio.queues import AnyRow
from assay.store.studio.reading import judgements_of
from assay.store.studio.settling import Origin, origin_of, settled, settling
from assay.store.studio.tables import items

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Final:
    """The settled judgement of an item, by the author `gold`, and where it comes from."""

    item: int
    position: int
    example: str
    origin: Origin
    authors: tuple[str, ...]  # the people whose judgement it is
    judgement: Judgement


def final(
    connection: Connection, project: int, numbers: Collection[int] | None = None
) -> list[Final]:
    """The settled judgements of the finished items of a project, in the order of the items.

    `numbers` are those of the items to read; without it all are read.
    """
    query = select(items.c.id, items.c.position, items.c.example).where(
        items.c.project == project, items.c.purpose == "real", items.c.state == "done"
    )
    if numbers is not None and len(numbers) <= _AT_ONCE:
        query = query.where(items.c.id.in_(numbers))
    rows = connection.execute(query.order_by(items.c.position)).all()
    if numbers is not None:
        wanted = frozenset(numbers)
        rows = [each for each in rows if each.id in wanted]
    found: list[Final] = []
    for start in range(0, len(rows), _AT_ONCE):
        some = rows[start : start + _AT_ONCE]
        said = judgements_of(connection, [each.id for each in some])
        finals = (_final(each, said.get(each.id, [])) for each in some)
        found += [each for each in finals if each is not None]
    return found


def final_of(connection: Connection, item: AnyRow, *, audited: bool = True) -> Final | None:
    """The settled judgement of one item, with or without audits; None where it is not finished."""
    if item.state != "done":
        return None
    said = judgements_of(connection, [item.id]).get(item.id, [])
    return _final(item, said if audited else _before_audits(said))


def _before_audits(said: Sequence[Any]) -> list[Any]:
    """What was said without audits; gold that only an audit replaced holds again."""
    kept = [row for row in said if row.stage != "audit"]
    last: dict[tuple[str, str], int] = {}
    if len(kept) < len(said):
        for row in kept:
            if row.author == GOLD.name:
                last[row.author, row.kind] = row.id
    return [
        SimpleNamespace(**{**row._mapping, "is_current": True})
        if last.get((row.author, row.kind)) == row.id
        else row
        for row in kept
    ]


def _final(item: Any, said: Sequence[Any]) -> Final | None:
    chosen = settling(said)
    if not chosen:
        return None
    origin = origin_of(chosen)
    given = [read_judgement(row.record, f"item {item.position}") for row in chosen]
    authors = tuple(row.author for row in chosen)
    judgement = settled(given, origin)
    return Final(item.id, item.position, item.example, origin, authors, judgement)
