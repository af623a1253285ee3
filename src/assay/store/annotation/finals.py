"""The judgement that a project settles on for each finished item: its gold.

A revision by an audit counts most, then an adjudication, then a review, then what the annotators
agree on, and where nobody annotated it here, the label that the data came with. Of annotators who
agree, the first one's sentences are taken with their reasons, and the spans of all: FaithBench's
classes can agree where marks do not.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, TypeVar

from sqlalchemy import Connection, select

from assay.core.codec import read_judgement
from assay.core.judgements import GOLD, Judgement
from assay.core.texts import Span
from assay.core.units import Unit, unit_id
from assay.core.verdicts import Outcome
from assay.store.annotation.judgements import judgements_of
from assay.store.annotation.records import StoredItem, StoredJudgement, all_of
from assay.store.annotation.tables import items

_AT_ONCE = 500
Origin = Literal["audit", "adjudication", "review", "agreement", "import"]
_ORIGINS: dict[str, Origin] = {
    "audit": "audit",
    "adjudicate": "adjudication",
    "review": "review",
    "imported": "import",
}


class Spoken(Protocol):
    """A judgement, by the columns of its row that tell what it counts for."""

    @property
    def kind(self) -> str: ...
    @property
    def author(self) -> str: ...
    @property
    def stage(self) -> str: ...
    @property
    def is_current(self) -> bool: ...


S = TypeVar("S", bound=Spoken)


def settling(said: Sequence[S]) -> list[S]:
    """Of all that was said of an item which is done, what settles it: all that agree, or one."""
    people = [each for each in said if each.kind == "person" and each.is_current]
    for stage in ("audit", "adjudicate", "review"):
        if found := [each for each in people if each.stage == stage]:
            return found[-1:]
    if here := [each for each in people if each.stage in ("annotate", "discuss")]:
        return here
    imported = [each for each in people if each.stage == "imported"]
    gold = [each for each in imported if each.author == GOLD.name]
    return gold[-1:] or (imported if len(imported) == 1 else [])


def origin_of(settling: Sequence[Spoken]) -> Origin:
    """The origin of a settled judgement."""
    return _ORIGINS.get(settling[0].stage, "agreement")


def settled(given: Sequence[Judgement], origin: Origin) -> Judgement:
    """The judgement by `gold` that some judgements make; an audit's says what it supersedes."""
    whole = given[0] if len(given) == 1 else merged(given)
    if origin == "audit":
        return replace(whole, author=GOLD)
    return replace(whole, author=GOLD, round=1, supersedes="")


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


@dataclass(frozen=True, slots=True)
class Final:
    """The settled judgement of an item, by the author `gold`, and where it comes from."""

    item: int
    position: int
    example: str
    origin: Origin
    authors: tuple[str, ...]  # the people whose judgement it is
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class _Place:
    id: int
    position: int
    example: str


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
    places = all_of(_Place, connection, query.order_by(items.c.position))
    if numbers is not None:
        wanted = frozenset(numbers)
        places = [each for each in places if each.id in wanted]
    found: list[Final] = []
    for start in range(0, len(places), _AT_ONCE):
        some = places[start : start + _AT_ONCE]
        said = judgements_of(connection, [each.id for each in some])
        finals = (final_from(each, said.get(each.id, [])) for each in some)
        found += [each for each in finals if each is not None]
    return found


def final_of(connection: Connection, item: StoredItem, *, audited: bool = True) -> Final | None:
    """The settled judgement of one item, with or without audits; None where it is not finished."""
    if item.state != "done":
        return None
    said = judgements_of(connection, [item.id]).get(item.id, [])
    return final_from(item, said if audited else _before_audits(said))


def _before_audits(said: Sequence[StoredJudgement]) -> list[StoredJudgement]:
    """Judgements without audits; gold that only an audit replaced holds again."""
    kept = [each for each in said if each.stage != "audit"]
    last: dict[str, int] = {}
    if len(kept) < len(said):
        last = {each.kind: each.id for each in kept if each.author == GOLD.name}
    return [
        replace(each, is_current=True)
        if each.author == GOLD.name and last.get(each.kind) == each.id
        else each
        for each in kept
    ]


def final_from(item: StoredItem | _Place, said: Sequence[StoredJudgement]) -> Final | None:
    """The settled judgement of a finished item, from all that was said of it."""
    chosen = settling(said)
    if not chosen:
        return None
    origin = origin_of(chosen)
    given = [read_judgement(each.record, f"item {item.position}") for each in chosen]
    authors = tuple(each.author for each in chosen)
    judgement = settled(given, origin)
    return Final(item.id, item.position, item.example, origin, authors, judgement)
