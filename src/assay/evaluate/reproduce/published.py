"""The published figures that are shipped: facts from papers and repositories, and nothing of ours.

Each line of `published/*.csv` is one printed figure and what it is to meet:

    exact                          equal to the printed decimals
    within 0.01: reason            at most so far from it
    differs by up to 0.3: reason   known to differ, and why; by more it is a failure
    absent: reason                 the data for it is not released
"""

import csv
import re
from functools import cache
from pathlib import Path

from assay.core.errors import InputError
from assay.evaluate.reproduce.cells import Demand, Expectation, Published

FOLDER = Path(__file__).with_suffix("")
COLUMNS = ("table", "row", "metric", "published", "published_in", "expectation")

_FORMS: dict[str, Demand] = {
    r"exact": "exact",
    r"within (?P<limit>[\d.]+): (?P<reason>.+)": "within",
    r"differs by up to (?P<limit>[\d.]+): (?P<reason>.+)": "differs",
    r"absent: (?P<reason>.+)": "absent",
}


def read_published(table: str) -> list[Published]:
    """The published figures of a table, in their order."""
    return [figure for figure in _all_figures() if figure.table == table]


def read_expectation(text: str) -> Expectation:
    """What an expectation in words asks for.

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
