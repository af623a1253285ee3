"""A published figure beside ours, and what is to be said of the two."""

from dataclasses import dataclass
from typing import Literal

Demand = Literal["exact", "within", "differs", "absent"]
Status = Literal["exact", "within tolerance", "differs (known)", "DIFFERS", "not computable"]
STATUSES: tuple[Status, ...] = (
    "exact",
    "within tolerance",
    "differs (known)",
    "DIFFERS",
    "not computable",
)

# Figures are printed with up to 16 decimals; the last ones depend on the order of additions.
MOST_DECIMALS = 12
# For limits and halves, which are not all exact in binary.
SLACK = 1e-13


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a cell is to meet: equality, a tolerance, a difference that is understood, or nothing.

    `limit` is the largest difference allowed beyond that of the printed decimals.
    """

    demand: Demand
    limit: float = 0.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Published:
    """A figure as printed; one row and metric may be printed in several places."""

    table: str
    row: str
    metric: str
    text: str
    published_in: str
    expectation: Expectation

    @property
    def value(self) -> float:
        """The printed number."""
        return float(self.text)

    @property
    def decimals(self) -> int:
        """How many decimals are printed."""
        return len(self.text.partition(".")[2])


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure computed from the data, in the unit of the published one, and how many items."""

    row: str
    metric: str
    value: float | None
    n: int


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table: what was published, what the data gives, and how they compare."""

    published: Published
    ours: float | None
    n: int
    status: Status
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """Ours less the published one."""
        return None if self.ours is None else self.ours - self.published.value

    @property
    def failed(self) -> bool:
        """Whether a cell that should match does not."""
        is_absent = self.published.expectation.demand == "absent"
        return self.status == "DIFFERS" or (self.status == "not computable" and not is_absent)

    def __str__(self) -> str:
        """The status in words, with the reason where there is one to give."""
        if self.status == "differs (known)":
            return f"differs (known: {self.reason})"
        return f"{self.status} ({self.reason})" if self.reason else self.status


def compare(published: Published, figure: Figure | None) -> Cell:
    """The cell of a published figure and ours.

    Exact means equal to the printed decimals, or to twelve where more are printed.
    """
    wanted = published.expectation
    if figure is None or figure.value is None:
        reason = wanted.reason if wanted.demand == "absent" else "the data gives no such figure"
        return Cell(published, None, figure.n if figure else 0, "not computable", reason)
    status = _status(published, abs(figure.value - published.value))
    reason = "" if status in ("exact", "DIFFERS") else wanted.reason
    return Cell(published, figure.value, figure.n, status, reason)


def _status(published: Published, distance: float) -> Status:
    wanted = published.expectation
    if distance <= 0.5 * 10.0 ** -min(published.decimals, MOST_DECIMALS) + SLACK:
        return "exact"
    if distance <= wanted.limit + SLACK:
        return "within tolerance" if wanted.demand == "within" else "differs (known)"
    return "DIFFERS"
