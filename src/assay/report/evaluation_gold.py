"""What the page of an evaluation shows of the gold labels alone."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assay.evaluate.items import Item
from assay.metrics import Estimate, first_errors
from assay.report.badges import label_badge
from assay.report.charts import Bar, Part, Scope, positions, stack
from assay.report.charts_matrix import Matrix, Pair, matrix

MOST_POSITIONS = 10


@dataclass(frozen=True, slots=True)
class GoldView:
    """What can be said of the gold labels without any detector."""

    parts: tuple[Part, ...]
    transitions: Matrix | None = None
    first_errors: tuple[Bar, ...] = ()
    clean: int = 0


def view_gold(items: Sequence[Item], scope: Scope) -> GoldView:
    parts = stack([label_badge(item.gold) for item in items], scope, "gold")
    if any(item.unit.kind != "sentence" for item in items):
        return GoldView(parts)
    listed = positions(item.example for item in items).values()
    responses = [_in_reading_order(items, response) for response in listed]
    order = [at for response in responses for at in response]
    # What the reading leaves out is no error.
    fine = [items[at].faithful is not False for at in order]
    found = first_errors(fine, [items[at].example for at in order])
    return GoldView(
        parts,
        _transitions(items, responses, scope),
        tuple(_first_error_bars(items, responses, found.hazards[:MOST_POSITIONS], scope)),
        found.clean,
    )


def _in_reading_order(items: Sequence[Item], response: Sequence[int]) -> list[int]:
    """The sentences of a response by where they stand; as they are listed if one stands nowhere."""
    starts = {at: items[at].unit.start for at in response}
    if None in starts.values():
        return list(response)
    return sorted(response, key=lambda at: starts[at] or 0)


def _transitions(
    items: Sequence[Item], responses: Sequence[Sequence[int]], scope: Scope
) -> Matrix | None:
    moves: dict[Pair, list[int]] = {}
    for before, after in (pair for response in responses for pair in pairwise(response)):
        pair = label_badge(items[before].gold), label_badge(items[after].gold)
        moves.setdefault(pair, []).append(after)
    names = ("sentence after", "gold")
    return matrix(moves, square=True, scope=scope, names=names, kinds={}) if moves else None


def _first_error_bars(
    items: Sequence[Item],
    responses: Sequence[Sequence[int]],
    hazards: Sequence[Estimate],
    scope: Scope,
) -> Iterator[Bar]:
    """Of the responses that are still faithful, the share that goes wrong at each sentence."""
    wrong = ([at for at in response if items[at].faithful is False] for response in responses)
    first = {each[0] for each in wrong if each}
    for number, hazard in enumerate(hazards):
        here = [r[number] for r in responses if len(r) > number and r[number] in first]
        link = scope.link(here, f"first unfaithful at sentence {number + 1}")
        yield Bar(str(number + 1), hazard, link)
