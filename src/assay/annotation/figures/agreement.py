"""The agreement of a project's annotators, before and after discussion, and where they differ.

Only items whose annotation is over count, and of people only annotators: reviewers and
adjudicators have seen what others said. Whoever marked no span in a response called it consistent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.annotation.figures.ratings import GivenLabels, RatedItem, unit_votes
from assay.annotation.team.disagreement import Place, Severity, compare
from assay.core.codec import read_example
from assay.core.labels import Label
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.evaluation.agreement.agreement import (
    AgreementFigures,
    Convention,
    Kind,
    Ratings,
    Round,
    all_figures,
)
from assay.store.annotation.database import Connection
from assay.store.annotation.items import item_records

MOST_SHOWN = 200
_LONGEST = 300  # characters of a text that is shown
# People judge sentences by the decision tree, and responses by the spans that they mark.
_MENUS = {"sentence": GRAY7, "response": FAITHBENCH}


@dataclass(frozen=True, slots=True)
class AnnotatorVote:
    """One annotator's label."""

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
    votes: tuple[AnnotatorVote, ...]


@dataclass(frozen=True, slots=True)
class Disagreements:
    """The number of disputed items among those with several annotators, and the worst of them."""

    count: int
    of: int
    worst: tuple[Disagreement, ...]


_Found = tuple[Severity, Kind, Place, dict[str, Label]]


def is_discussed(rated: Sequence[RatedItem]) -> bool:
    """True if anybody has said something again after a discussion."""
    return any(each.stage == "discuss" for item in rated for each in item.opinions)


def agreements(
    rated: Sequence[RatedItem],
    kinds: Sequence[Kind],
    *,
    pairs_everywhere: bool = False,
    convention: Convention = "standard",
) -> tuple[AgreementFigures, ...]:
    """The agreement of annotators in every reading of some kinds of units, in both rounds."""

    def figures(round_: Round) -> list[AgreementFigures]:
        return [
            each
            for ratings in _ratings(round_, rated, kinds)
            for each in all_figures(
                ratings, round_, pairs_everywhere=pairs_everywhere, convention=convention
            )
        ]

    blind = figures("first")
    if not is_discussed(rated):
        return (*blind, *(replace(each, round="discussed") for each in blind))
    return (*blind, *figures("discussed"))


def _ratings(round_: Round, rated: Sequence[RatedItem], kinds: Sequence[Kind]) -> Iterator[Ratings]:
    choose = RatedItem.first if round_ == "first" else RatedItem.last
    said = [(item, choose(item)) for item in rated]
    for kind in kinds:
        ratings = Ratings(kind, _MENUS[kind].name)
        for item, each in said:
            for _, votes in unit_votes(kind, each):
                ratings.add(votes, item.source, item.batch)
        yield ratings


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
    found.sort(key=lambda each: each[1].position)
    found.sort(key=lambda each: each[0], reverse=True)
    shown = found[:MOST_SHOWN]
    texts = _texts(connection, [item.id for _, item, _ in shown])
    return Disagreements(
        len(found),
        several,
        tuple(_shown(severity, item, where, texts[item.id]) for severity, item, where in shown),
    )


def _differing(kind: Kind, said: dict[str, GivenLabels]) -> Iterator[_Found]:
    """The units that people differ about."""
    for place, votes in unit_votes(kind, said):
        severity = compare([{place: label} for label in votes.values()], _MENUS[kind])
        if severity.units:
            yield severity, kind, place, votes


def _shown(severity: Severity, item: RatedItem, where: _Found, text: str) -> Disagreement:
    _, kind, (start, end), votes = where
    text = text if kind == "response" else text[start:end]
    return Disagreement(
        position=item.position,
        example=item.example,
        state=item.state,
        severity=severity,
        kind=kind,
        text=text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…",
        votes=tuple(AnnotatorVote(name, label.name) for name, label in sorted(votes.items())),
    )


def _texts(connection: Connection, numbers: Sequence[int]) -> dict[int, str]:
    records = item_records(connection, numbers)
    return {id: read_example(record).example.response.text for id, record in records.items()}
