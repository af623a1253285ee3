"""Places as servers know them: paths from the root of a repository, and lines."""

import os
from dataclasses import dataclass
from pathlib import Path

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.places import STDIN, RowPlace


@dataclass(frozen=True, slots=True)
class Location:
    """A line of a file, or several; `path` is empty where there is no file, as for a pipe."""

    path: str
    line: int = 1
    last: int = 1

    def __str__(self) -> str:
        return f"{self.path or STDIN}:{self.line}"


def location_of(example: Example, finding: Finding, root: Path) -> Location:
    """The place of a finding: that of its row, or its own lines where the file is the response."""
    place, text = example.place or RowPlace(STDIN), example.response.text
    start, end = finding.unit.start, finding.unit.end
    first = place.line_at(text, start)
    last = first if start is None or end is None else place.line_at(text, max(start, end - 1))
    return Location(path_from(place.file, root), first, last)


def row_location(place: RowPlace | None, root: Path) -> Location:
    """The place of a row that could not be read."""
    if place is None:
        return Location("")
    return Location(path_from(place.file, root), place.line, place.line)


def path_from(file: str, root: Path) -> str:
    """The path from the root, with slashes; as it was given where it leads out of there."""
    if file == STDIN:
        return ""
    whole = Path(os.path.realpath(file))
    home = Path(os.path.realpath(root))
    return whole.relative_to(home).as_posix() if whole.is_relative_to(home) else file
