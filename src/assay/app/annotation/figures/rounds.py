"""How far the annotators of a project agree, before and after discussion.

Only items whose annotation is over count, and of people only annotators: reviewers and
adjudicators have seen what others said. Whoever marked no span in a response called it consistent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.app.annotation.figures.ratings import RatedItem, Said, stretches
from assay.core.labels import Label
from assay.core.taxonomies import FAITHBENCH, GRAY7
from assay.evaluation.agreement import (
    AgreementFigures,
    Convention,
    Kind,
    Ratings,
    Round,
    all_figures,
)

# People judge sentences by the decision tree, and responses by the spans that they mark.
_MENUS = {"sentence": GRAY7.name, "response": FAITHBENCH.name}


def is_discussed(rated: Sequence[RatedItem]) -> bool:
    """Whether anybody has said something again after a discussion."""
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
        ratings = Ratings(kind, _MENUS[kind])
        for item, each in said:
            for votes in _votes(kind, each):
                ratings.add(votes, item.source, item.batch)
        yield ratings


def _votes(kind: Kind, said: dict[str, Said]) -> Iterator[dict[str, Label]]:
    """What each annotator says of each unit of an item."""
    if kind == "response":
        votes = {name: each.response for name, each in said.items() if each.response}
        if votes:
            yield votes
        return
    for _, labels in stretches(said.values()):
        yield {name: label for name, label in zip(said, labels, strict=True) if label}
