"""A row of the input that could not be read: said, counted, and never the end of the others."""

from dataclasses import dataclass, replace
from dataclasses import field as described
from typing import Any

from assay.core.examples import Example
from assay.core.places import RowPlace

NO_ANSWER = "no-answer"  # the code of a problem: the response is empty
MOST_NAMED = 10  # problems that are told one by one; the rest are counted


@dataclass(frozen=True, slots=True)
class Problem:
    """The place of a row and its fault; `field` is the setting to blame, if one is.

    `example` has as much of the row as could be read: its id, and the texts or empty ones.
    """

    where: str
    message: str
    field: str = ""
    example: Example | None = described(default=None, repr=False)  # its texts may be long
    code: str = ""
    place: RowPlace | None = described(default=None, repr=False)  # where it is known more closely

    @classmethod
    def at(cls, place: RowPlace, message: str) -> "Problem":
        """The problem of a row of which nothing could be read."""
        return cls(str(place), message, place=place)

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


@dataclass(frozen=True, slots=True)
class Unread:
    """The number of rows that could not be read, and the problems of the first of them."""

    count: int = 0
    first: tuple[Problem, ...] = ()

    def plus(self, problem: Problem) -> "Unread":
        """The same with one more."""
        first = self.first if len(self.first) == MOST_NAMED else (*self.first, problem)
        return replace(self, count=self.count + 1, first=first)

    def __str__(self) -> str:
        return f"{self.count:,} {'row' if self.count == 1 else 'rows'} that cannot be read"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        problems = [{"where": each.where, "message": each.message} for each in self.first]
        return {"unread_rows": self.count, "problems": problems}
