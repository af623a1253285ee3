"""Rows that could not be read: told on standard error, and given to outputs in their turn."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from assay.cli.errors import say
from assay.core.problems import MOST_NAMED, Problem, Unread

if TYPE_CHECKING:
    from assay.app.check import Row


class Keeper(Protocol):
    """An output that keeps rows that could not be read, the first of them one by one."""

    def add_problem(self, problem: Problem) -> None:
        """Takes one more of them."""
        ...


class Problems:
    """Rows that could not be read: the first are reported at once, the others counted."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self, problem: Problem) -> None:
        self.count += 1
        if self.count <= MOST_NAMED:
            option = f" (--{problem.field.replace('_', '-')})" if problem.field else ""
            say(f"{problem}{option}")

    def close(self) -> None:
        """Says how many more there were."""
        if self.count > MOST_NAMED:
            say(f"... and {self.count - MOST_NAMED:,} more rows that could not be read")

    def tell(self, unread: Unread) -> None:
        """Reports rows that were found before, and closes."""
        for problem in unread.first:
            self(problem)
        self.count = unread.count
        self.close()


class InOrder:
    """Has outputs take rows that could not be read between the results of those around them.

    A detector reads ahead of its results, and so a row may be read long before its turn.
    """

    def __init__(self, rows: "Iterable[Row]") -> None:
        self._rows = rows
        self.keepers: Sequence[Keeper] = ()
        self._waiting = deque[tuple[int, Problem]]()  # each after so many results
        self._read = 0  # rows that have a result
        self._judged = 0

    def __iter__(self) -> "Iterator[Row]":
        for row in self._rows:
            if isinstance(row, Problem):
                self._waiting.append((self._read, replace(row, example=None)))
            else:
                self._read += 1
            yield row

    def next_result(self) -> None:
        """Has outputs take those before the next result."""
        self._give(self._judged)
        self._judged += 1

    def end(self) -> None:
        """Has outputs take all that are left."""
        self._give(self._read)

    def _give(self, judged: int) -> None:
        while self._waiting and self._waiting[0][0] <= judged:
            _, problem = self._waiting.popleft()
            for keeper in self.keepers:
                keeper.add_problem(problem)


def tell_unread(*found: Unread) -> bool:
    """Reports the rows of some data that were left out, and says whether there are any."""
    for unread in found:
        Problems().tell(unread)
    return any(unread.count for unread in found)
