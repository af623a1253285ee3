"""Levels of what counts as hallucinated, and the classes of responses without a verdict."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assay.core.errors import UnknownNameError
from assay.core.labels import Label
from assay.core.readings import Reading, reading, usual_reading
from assay.core.taxonomies import BINARY
from assay.core.verdicts import Failure, Outcome
from assay.evaluation.policy import Invalid

# What a response is in a count. The last one is in none: no judge looked at it, it is a second
# response, or it lies outside the sources that are compared.
Class = Literal["hallucinated", "faithful", "refused", "invalid", "failed", "uncounted"]
CLASSES: tuple[Class, ...] = (
    "hallucinated",
    "faithful",
    "refused",
    "invalid",
    "failed",
    "uncounted",
)
RefusalRule = Literal["apart", "judged", "unfaithful"]

# Taxonomy -> its levels: what is added at each, and the reading for what counts then.
_GRADED: dict[str, tuple[tuple[str, str], ...]] = {
    "faithbench": (
        ("unwanted", "faithbench-unwanted"),
        ("questionable", "faithbench"),
        ("benign", "faithbench-strict"),
    ),
    "gray7": (
        ("unfaithful", "from-ambiguous"),
        ("ambiguous", "from-no-fact"),
        ("out-dependent", "from-implicitly-supported"),
    ),
}
ONLY = "unfaithful"


@dataclass(frozen=True, slots=True)
class Level:
    """A bar for what counts as hallucinated: a name, and the reading of each taxonomy."""

    name: str
    title: str
    readings: dict[str, str]  # taxonomy -> name of the reading; binary labels need none


@dataclass(frozen=True, slots=True)
class Counting:
    """The treatment of responses that are no answers.

    invalid: what a judge called invalid is counted apart, or as unfaithful. refusals: replies
    that decline or are empty are counted apart, as the judge says, or as unfaithful.
    """

    invalid: Invalid = "apart"
    refusals: RefusalRule = "apart"


def find_levels(taxonomies: Iterable[str]) -> tuple[Level, ...]:
    """The levels for labels of some taxonomies, the one at which least counts first.

    Taxonomies with levels of their own are laid side by side, under the names of the first. All
    others have one reading, which they keep at every level.

    >>> [level.title for level in find_levels(["binary", "faithbench"])]
    ['unwanted', 'unwanted + questionable', 'unwanted + questionable + benign']
    """
    menus = list(dict.fromkeys(taxonomies))
    graded = [menu for menu in menus if menu in _GRADED]
    plain = {
        menu: usual_reading(menu).name
        for menu in menus
        if menu not in graded and menu != BINARY.name
    }
    if not graded:
        return (Level(ONLY, ONLY, plain),)
    found = []
    for place, (name, _) in enumerate(_GRADED[graded[0]]):
        titles = [" + ".join(each for each, _ in _GRADED[m][: place + 1]) for m in graded]
        readings = {menu: _GRADED[menu][place][1] for menu in graded}
        found.append(Level(name, " / ".join(titles), {**readings, **plain}))
    return tuple(found)


def choose_levels(levels: tuple[Level, ...], names: Iterable[str]) -> tuple[Level, ...]:
    """The levels of some names, or all where none is named."""
    wanted = list(names)
    known = [level.name for level in levels]
    for name in wanted:
        if name not in known:
            raise UnknownNameError("level", name, known, field="levels")
    return tuple(level for level in levels if not wanted or level.name in wanted)


def is_hallucinated(label: Label, level: Level) -> bool:
    """True if a label counts at a level; what states no fact has no fault at any.

    A label that a reading leaves out counts by its coarse reading.
    """
    if label.coarse == "no-fact":
        return False
    if label.taxonomy == BINARY.name:
        return label.coarse == "unfaithful"
    name = level.readings.get(label.taxonomy, "")
    read = _table(label.taxonomy, name)(label)
    return label.coarse != "faithful" if read is None else read.coarse != "faithful"


@lru_cache(maxsize=256)
def _table(menu: str, name: str) -> Reading:
    usual = usual_reading(menu)
    return usual if name in ("", usual.name) else reading(name)


def class_of(
    outcome: Outcome | None, level: Level, counting: Counting, *, is_refusal: bool
) -> Class:
    """The class of a response by a judge's outcome; None where the judge says nothing of it."""
    if outcome is None:
        return "uncounted"
    if is_refusal and counting.refusals != "judged":
        return "refused" if counting.refusals == "apart" else "hallucinated"
    if isinstance(outcome, Failure):
        if outcome.reason != "invalid":
            return "failed"
        return "invalid" if counting.invalid == "apart" else "hallucinated"
    label = outcome.label or BINARY.labels[outcome.leaning == "faithful"]
    return "hallucinated" if is_hallucinated(label, level) else "faithful"
