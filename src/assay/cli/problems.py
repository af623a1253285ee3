"""Rows that could not be read, told on standard error."""

from typing import Protocol

from assay.cli.errors import say
from assay.core.problems import MOST_NAMED, Problem, Unread


class Keeper(Protocol):
    """An output that keeps rows that could not be read, the first of them one by one."""

    def add_problem(self, problem: Problem) -> None:
        """Takes one more of them."""
        ...


class Problems:
    """Rows that could not be read: the first are reported at once, the others counted."""

    def __init__(self, *keepers: Keeper) -> None:
        self.count = 0
        self._keepers = keepers

    def __call__(self, problem: Problem) -> None:
        self.count += 1
        for keeper in self._keepers:
            keeper.add_problem(problem)
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


def tell_unread(*found: Unread) -> bool:
    """Reports the rows of some data that were left out, and says whether there are any."""
    for unread in found:
        Problems().tell(unread)
    return any(unread.count for unread in found)
