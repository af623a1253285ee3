"""What the tables of a board are made of, and how those of several levels become one."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from assay.board.results import Board, Ranking, Standing
from assay.evaluation.levels import Level
from assay.metrics import Estimate

NONE = "-"


@dataclass(frozen=True, slots=True)
class Section:
    """A table with a title and what has to be known to read it; `words` columns are words.

    `by_people` says that figures in it rest on people's labels, so that it is told how these were
    pooled.
    """

    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    by_people: bool = False


def has_people(board: Board, judges: Iterable[str]) -> bool:
    """Whether people are among some judges."""
    people = {judge.name for judge in board.judges if judge.kind == "person"}
    return not people.isdisjoint(judges)


def at_levels(board: Board, make: Callable[[Board, Level], Section | None]) -> Iterator[Section]:
    """A table for each level; levels at which it is the same share one."""
    found: dict[Section, list[Level]] = {}
    for level in board.levels:
        if section := make(board, level):
            found.setdefault(section, []).append(level)
    for section, levels in found.items():
        if len(board.levels) == 1:
            yield section
        elif len(levels) == len(board.levels):
            yield replace(section, note=f"{section.note} The same at every level.")
        else:
            titles = "; ".join(level.title for level in levels)
            yield replace(section, title=f"{section.title}: {titles}")


def find_ranking(board: Board, judge: str, level: str, task: str = "") -> Ranking | None:
    """The ranking by a judge at a level in a task, if there is one."""
    wanted = judge, level, task
    return next((r for r in board.rankings if (r.judge, r.level, r.task) == wanted), None)


def percent(each: Estimate, *, interval: bool = True) -> str:
    """A rate in percent, with its interval.

    >>> percent(Estimate(0.125, 8, 0.05, 0.21)), percent(Estimate(None, 0))
    ('12.5 [5.0, 21.0]', '-')
    """
    if each.value is None:
        return NONE
    value = f"{100 * each.value:.1f}"
    if not interval or each.low is None or each.high is None:
        return value
    return f"{value} [{100 * each.low:.1f}, {100 * each.high:.1f}]"


def place(standing: Standing) -> str:
    """The rank, with the range that it may have.

    >>> place(Standing("m", 2, (1, 4), Estimate(0.1, 10), 1, 10, 10))
    '2 (1-4)'
    """
    if standing.rank is None:
        return NONE
    if standing.ranks is None:
        return str(standing.rank)
    low, high = standing.ranks
    return f"{standing.rank} ({low}-{high})"


def figure(each: Estimate) -> str:
    """A figure with its interval.

    >>> figure(Estimate(0.5, 8, 0.25, 0.75)), figure(Estimate(0.5, 3))
    ('0.500 [0.250, 0.750]', '0.500')
    """
    if each.value is None:
        return NONE
    if each.low is None or each.high is None:
        return f"{each.value:.3f}"
    return f"{each.value:.3f} [{each.low:.3f}, {each.high:.3f}]"
