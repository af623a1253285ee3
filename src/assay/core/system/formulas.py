"""Cells of CSV that a spreadsheet would take for formulas, made harmless and restored.

A text that begins with one of the characters that start a formula gets an apostrophe in front, as
OWASP advises for CSV; so does one that already looks guarded, so that nothing is lost on the way
back. Numbers are not touched.
"""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_STARTS = "=+\\-@\t\r\n＝＋－＠"  # also as they are typed in East Asia
_FORMULA = re.compile(f"'*[{_STARTS}]")
_GUARDED = re.compile(f"'+[{_STARTS}]")


def guard(cell: T | str) -> T | str:
    """A cell as it may stand in a CSV file.

    >>> guard("=1+1"), guard("'=x"), guard("it's"), guard(-1.5)
    ("'=1+1", "''=x", "it's", -1.5)
    """
    return f"'{cell}" if isinstance(cell, str) and _FORMULA.match(cell) else cell


def unguard(cell: str) -> str:
    """The text that `guard` made a cell from.

    >>> unguard("'=1+1"), unguard("''=x"), unguard("'tis")
    ('=1+1', "'=x", "'tis")
    """
    return cell[1:] if _GUARDED.match(cell) else cell


def write_table(
    rows: Iterable[Mapping[str, object]], columns: Sequence[str], path: Path, errors: str = "strict"
) -> int:
    """Writes a CSV file whose texts are guarded; gives how many rows it has."""
    count = 0
    with path.open("w", encoding="utf-8", errors=errors, newline="") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        for row in rows:
            writer.writerow({name: guard(cell) for name, cell in row.items()})
            count += 1
    return count
