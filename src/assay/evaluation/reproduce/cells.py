"""A published figure beside ours, and how the two compare.

The published figures are shipped: facts from papers and repositories, and nothing of ours. Each
line of `published/*.csv` is one printed figure and what it has to meet:

    exact                          equal to the printed decimals
    within 0.01: reason            no further off than that
    differs by up to 0.3: reason   known to differ, and why; a larger difference is a failure
    absent: reason                 the data for it is not released
"""

import csv
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from assay.core.errors import InputError

Demand = Literal["exact", "within", "differs", "absent"]
Status = Literal["exact", "within tolerance", "differs (known)", "DIFFERS", "not computable"]
STATUSES: tuple[Status, ...] = (
    "exact",
    "within tolerance",
    "differs (known)",
    "DIFFERS",
    "not computable",
)

FOLDER = Path(__file__).parent / "published"
COLUMNS = ("table", "row", "metric", "published", "published_in", "expectation")

_FORMS: dict[str, Demand] = {
    r"exact": "exact",
    r"within (?P<limit>[\d.]+): (?P<reason>.+)": "within",
    r"differs by up to (?P<limit>[\d.]+): (?P<reason>.+)": "differs",
    r"absent: (?P<reason>.+)": "absent",
}

# Figures are printed with up to 16 decimals; the last ones depend on the order of additions.
MOST_DECIMALS = 12
# For limits and halves, which are not all exact in binary.
SLACK = 1e-13


@dataclass(frozen=True, slots=True)
class Expectation:
    """The standard that a cell has to meet: equality, a tolerance, a known difference, or none.

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
        """The number of decimals that are printed."""
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
        """True if a cell that should match does not."""
        is_absent = self.published.expectation.demand == "absent"
        return self.status == "DIFFERS" or (self.status == "not computable" and not is_absent)

    def to_dict(self) -> dict[str, Any]:
        """The cell as plain JSON values."""
        return {
            "row": self.published.row,
            "metric": self.published.metric,
            "published": self.published.value,
            "ours": self.ours,
            "difference": self.difference,
            "n": self.n,
            "status": self.status,
            "reason": self.reason,
            "published_in": self.published.published_in,
            "failed": self.failed,
        }

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


def read_published(table: str) -> list[Published]:
    """The published figures of a table, in their order."""
    return [figure for figure in _all_figures() if figure.table == table]


def read_expectation(text: str) -> Expectation:
    """The expectation that some words ask for.

    >>> read_expectation("within 0.01: another version")
    Expectation(demand='within', limit=0.01, reason='another version')
    """
    for form, demand in _FORMS.items():
        if found := re.fullmatch(form, text):
            parts = found.groupdict()
            return Expectation(demand, float(parts.get("limit", 0)), parts.get("reason", ""))
    choices = "exact, within N: reason, differs by up to N: reason, absent: reason"
    raise InputError(f"unknown expectation '{text}'. Choices: {choices}.")


@cache
def _all_figures() -> tuple[Published, ...]:
    return tuple(figure for path in sorted(FOLDER.glob("*.csv")) for figure in read_figures(path))


def read_figures(path: Path) -> list[Published]:
    """The published figures in one file."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise InputError(f"{path} must have the columns {', '.join(COLUMNS)}")
        return [
            Published(
                row["table"],
                row["row"],
                row["metric"],
                row["published"],
                row["published_in"],
                read_expectation(row["expectation"]),
            )
            for row in reader
        ]
