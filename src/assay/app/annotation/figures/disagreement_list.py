"""The items that annotators differ about, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, select

from assay.app.annotation.figures.ratings import RatedItem, Said, stretches
from assay.app.annotation.team.disagreement import Place, Severity, compare
from assay.core.codec import read_example
from assay.core.labels import Label
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.evaluation.agreement import Kind
from assay.store.studio.tables import items

MOST_SHOWN = 200
_LONGEST = 300  # characters of a text that is shown


@dataclass(frozen=True, slots=True)
class Vote:
    """What one annotator says."""

    author: str
    label: str


@dataclass(frozen=True, slots=True)
class Disagreement:
    """An item that annotators differ about: how badly, and the unit where it is worst."""

    position: int
    example: str
    state: str
    severity: Severity
    kind: Kind
    text: str
    votes: tuple[Vote, ...]


@dataclass(frozen=True, slots=True)
class Disagreements:
    """How many of the items that several people annotated they differ about; the worst of them."""

    count: int
    of: int
    worst: tuple[Disagreement, ...]


_Found = tuple[Severity, Kind, Place, dict[str, Label]]


def find_disagreements(
    connection: Connection, rated: Sequence[RatedItem], kinds: Sequence[Kind]
) -> Disagreements:
    """The items that annotators differ about now, after a discussion if there was one."""
    found: list[tuple[Severity, RatedItem, _Found]] = []
    several = 0
    for item in rated:
        said = item.last()
        if len(said) < 2:
            continue
        several += 1
        places = [each for kind in kinds for each in _differing(kind, said)]
        if places:
            all_ = Severity(
                sum(each[0].conflicts for each in places),
                max(each[0].distance for each in places),
                len(places),
            )
            found.append((all_, item, max(places, key=lambda each: each[0])))
    found.sort(key=lambda each: (_reversed(each[0]), each[1].position))
    shown = found[:MOST_SHOWN]
    texts = _texts(connection, [item.id for _, item, _ in shown])
    return Disagreements(
        len(found),
        several,
        tuple(_shown(severity, item, where, texts[item.id]) for severity, item, where in shown),
    )


def _reversed(severity: Severity) -> tuple[float, ...]:
    return -severity.conflicts, -severity.distance, -severity.units


def _differing(kind: Kind, said: dict[str, Said]) -> list[_Found]:
    """The units that people differ about."""
    if kind == "response":
        votes = {name: each.response for name, each in said.items() if each.response}
        severity = compare([{(0, 0): label} for label in votes.values()], FAITHBENCH)
        return [(severity, kind, (0, -1), votes)] if severity.units else []
    found: list[_Found] = []
    for place, labels in stretches(said.values()):
        votes = {name: label for name, label in zip(said, labels, strict=True) if label}
        severity = compare([{place: label} for label in votes.values()], GRAY7)
        if severity.units:
            found.append((severity, kind, place, votes))
    return found


def _shown(severity: Severity, item: RatedItem, where: _Found, text: str) -> Disagreement:
    _, kind, (start, end), votes = where
    text = text if end < 0 else text[start:end]
    return Disagreement(
        position=item.position,
        example=item.example,
        state=item.state,
        severity=severity,
        kind=kind,
        text=text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…",
        votes=tuple(Vote(name, label.name) for name, label in sorted(votes.items())),
    )


def _texts(connection: Connection, numbers: Sequence[int]) -> dict[int, str]:
    query = select(items.c.id, items.c.record).where(items.c.id.in_(numbers))
    rows = connection.execute(query)
    return {row.id: read_example(row.record).example.response.text for row in rows}
