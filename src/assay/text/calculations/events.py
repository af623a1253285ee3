"""Times of a source by what happened then, in whatever words a sentence puts it."""

import re
from collections.abc import Iterator
from itertools import permutations

from assay.text.calculations.figures import PlacedFigure, Stems, stems
from assay.text.calculations.search import FigureSearch

# Words for one event. They say which times a sentence means, and nothing else.
_EVENTS = (
    "born birth birthday bear",
    "die dies died death dead lived outlived outlive survived widow widowed late",
    "married marry marriage wed wedding wife husband",
    "began begin start started starts launch launched opened opens opening founded established"
    " joined commenced commence took over appointed introduced premiere first",
    "end ended ends finish finished closed closes closing expires expired leave leaves left goes"
    " retire retires retired stopped handed over service",
    "arrive arrives arrived arrival reach reaches reached land landed lands touched gets",
    "depart departs departed departure departing leave leaves left sets off takeoff took planned",
    "published publish appeared released release book novel story came out issue issued",
    "built build building construction completed constructed house",
    "ordered order placed bought purchased purchase booked",
    "shipped sent dispatched parcel left delivered delivery",
    "admitted admission hospital discharged discharge home patient stay",
    "scheduled schedule timetable planned plan late delay delayed behind actual",
    "error fault failed failure broke problem",
    "extended extension rebuilt renovated enlarged",
    "moved move arrived came emigrated",
    "won win received prize award awarded",
    "record register date due deadline payment paid pay",
    "shop store business sold sale handed ran run",
)
_GROUPS: tuple[Stems, ...] = tuple(stems(each) for each in _EVENTS)
_BIRTHS = stems("born birth birthday")
_SAME_EVENT = 0.5  # the weight of an event in other words
_SPAN = 1.0  # the bonus of what is said to be a span
_BESIDE = re.compile(r" (?:after|later|before|earlier|apart|between|from)\b")
_RANGE = 2.0  # the bonus of two times that are written as a range
_NAMED = 1.0  # the relevance of a figure that a sentence names
_APART = 9  # characters
_BETWEEN = ("–", "-", "—", "to", "until", "till", "through", "and")
Pair = tuple[PlacedFigure, PlacedFigure, float]


def weight(search: FigureSearch, figure: PlacedFigure) -> float:
    """The words and events that a sentence has in common with a time."""
    found = search.relevance.of(figure)
    if figure.is_own:
        return found
    said = search.claim.stems | search.claim.asked
    near = figure.labels | figure.head
    for group in _GROUPS:
        if said & group and near & group and not said & near & group:
            found += _SAME_EVENT
    return found


def bound_pairs(search: FigureSearch, times: list[PlacedFigure]) -> Iterator[Pair]:
    """Pairs of times with the bonus of their events, without those that the words speak against.

    Where the words name both times of some pair, one of them at least must be named.
    """
    weights = {id(each): weight(search, each) for each in times}
    named = [each for each in times if weights[id(each)]]
    rivals = (each for each in search.source.figures if each.kind == search.stated.kind)
    is_other = any(search.relevance.of(each) >= _NAMED for each in rivals)
    is_between = _BESIDE.match(search.claim.text, search.stated.quantity.end)
    plain = _SPAN if is_between else 0.0
    least = 1 if len(named) > 1 or is_other else 0
    for one, other in permutations(times, 2):
        own = weights[id(one)], weights[id(other)]
        if (own[0] > 0) + (own[1] > 0) >= least:
            extra = sum(own) - sum(map(search.relevance.of, (one, other)))
            yield one, other, plain + extra + (_RANGE if _is_range(search, one, other) else 0.0)


def _is_range(search: FigureSearch, one: PlacedFigure, other: PlacedFigure) -> bool:
    """True if a source writes two times as one range: `19:40–20:55`."""
    if one.is_own or other.is_own or not 0 < other.quantity.start - one.quantity.end <= _APART:
        return False
    between = search.source.view.text[one.quantity.end : other.quantity.start]
    return between.strip().lower() in _BETWEEN


def is_birth(figure: PlacedFigure) -> bool:
    """True of the time at which somebody was born."""
    return bool((figure.labels | figure.head) & _BIRTHS)
