"""What a project settled on for each finished item: its gold.

A revision by an audit or an adjudication counts most, whichever came last; then a review; then what
annotators agree on. Where they agree on sentences, the first one's judgement is taken with its
reasons; spans are those of all of them, because FaithBench's classes can agree where marks do not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, Select, select

from assay.app.annotation.cases import opinions
from assay.core.judgements import GOLD, Judgement
from assay.core.spans import Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Outcome
from assay.store.studio.queues import AnyRow
from assay.store.studio.tables import items, judgements

Origin = Literal["audit", "adjudication", "review", "agreement"]
_SENIOR = ("audit", "adjudicate")
_ORIGINS: dict[str, Origin] = {"audit": "audit", "adjudicate": "adjudication", "review": "review"}


@dataclass(frozen=True, slots=True)
class Final:
    """The settled judgement of an item, by the author `gold`, and where it comes from."""

    item: int
    position: int
    example: str
    origin: Origin
    authors: tuple[str, ...]  # the people whose judgement it is
    judgement: Judgement


def final(connection: Connection, project: int) -> list[Final]:
    """The settled judgements of all finished items of a project, in the order of the items."""
    return list(_finals(connection, project))


def final_of(connection: Connection, item: AnyRow, *, audited: bool = True) -> Final | None:
    """The settled judgement of one item, with or without audits; None where it is not finished."""
    query = _said().where(items.c.id == item.id)
    rows = connection.execute(query).all()
    return settle([row for row in rows if audited or row.stage != "audit"])


def _finals(connection: Connection, project: int) -> Iterator[Final]:
    query = _said().where(items.c.project == project, items.c.purpose == "real")
    here: list[AnyRow] = []
    for row in connection.execute(query):
        if here and row.item != here[0].item:
            if (found := settle(here)) is not None:
                yield found
            here = []
        here.append(row)
    if here and (found := settle(here)) is not None:
        yield found


def _said() -> Select[*tuple[Any, ...]]:
    stages = ("annotate", "discuss", "review", "adjudicate", "audit")
    return (
        select(judgements, items.c.position, items.c.example)
        .join(items, items.c.id == judgements.c.item)
        .where(items.c.state == "done", judgements.c.kind == "person")
        .where(judgements.c.stage.in_(stages))
        .order_by(items.c.position, judgements.c.round, judgements.c.id)
    )


def settle(rows: Sequence[AnyRow]) -> Final | None:
    """What a finished item settles on, from all that people said of it in the order of rounds."""
    if not rows:
        return None
    senior = [row for row in rows if row.stage in _SENIOR]
    reviews = [row for row in rows if row.stage == "review"]
    if senior:
        chosen = [max(senior, key=lambda row: (row.at, row.id))]
    elif reviews:
        chosen = [reviews[-1]]
    else:
        chosen = list(rows)
    given = opinions(chosen)
    first = rows[0]
    origin = _ORIGINS.get(given[0].stage, "agreement")
    authors = tuple(each.author for each in given)
    round = given[0].judgement.round if origin == "audit" else 1
    settled = merged([each.judgement for each in given]) if len(given) > 1 else given[0].judgement
    key = f"{first.example}/{GOLD.name}/{round - 1}" if round > 1 else ""
    judgement = replace(settled, author=GOLD, round=round, supersedes=key)
    return Final(first.item, first.position, first.example, origin, authors, judgement)


def merged(given: Sequence[Judgement]) -> Judgement:
    """The first judgement with the spans of the others; spans that are the same stay one."""
    spans = merged_spans(given)
    first = given[0]
    units = [unit for unit in first.units if unit.kind != "span"]
    kept = {unit.id for unit in units}
    outcomes = [outcome for outcome in first.outcomes if outcome.unit in kept]
    return replace(
        first,
        units=(*units, *(unit for unit, _ in spans)),
        outcomes=(*outcomes, *(outcome for _, outcome in spans)),
    )


def merged_spans(given: Sequence[Judgement]) -> list[tuple[Unit, Outcome]]:
    """The spans that anybody marked, numbered anew; a mark with the same label stays one."""
    found: dict[tuple[tuple[Span, ...], str], tuple[Unit, Outcome]] = {}
    for judgement in given:
        names: dict[str, str] = {}
        for finding in judgement.findings:
            if finding.kind != "span":
                continue
            key = (finding.unit.spans, str(finding.label))
            if key not in found:
                id = unit_id("span", len(found) + 1)
                parent = names.get(finding.unit.parent, "")
                unit = replace(finding.unit, id=id, parent=parent)
                found[key] = (unit, replace(finding.outcome, unit=id))
            names[finding.id] = found[key][0].id
    return list(found.values())
