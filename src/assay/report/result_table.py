"""Results as a table of CSV: a line for each sentence, and for each row that cannot be read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from assay.core.complaints import CheckEnd, Complaint, fingerprint
from assay.core.judgements import Finding
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.texts import Span
from assay.report.locations import Location, location_of, row_location
from assay.report.tables import Column, csv_line, csv_lines, data_heads


@dataclass(frozen=True, slots=True)
class _Told:
    """A sentence with its complaint, or the problem of a row."""

    at: Location
    result: Result | None = None
    finding: Finding | None = None
    complaint: Complaint | None = None
    problem: Problem | None = None

    @property
    def failure(self) -> str | None:
        """The reason why there is no verdict."""
        if self.problem:
            return "unreadable"
        failure = self.finding.failure if self.finding else None
        return failure.reason if failure else None

    @property
    def note(self) -> str:
        """The reason for a verdict, or more about why there is none."""
        if self.problem or not self.finding:
            return str(self.problem)
        return self.finding.failure.detail if self.finding.failure else self.finding.note


def _of(path: str) -> Column[_Told]:
    """A column of the finding, empty for a row that cannot be read."""

    def value(told: _Told) -> object:
        found = getattr(told.finding, path) if told.finding else None
        return str(found) if path == "label" and found is not None else found

    return Column(path, value)


COLUMNS: tuple[Column[_Told], ...] = (
    Column("file", lambda told: told.at.path),
    Column("line", lambda told: told.at.line),
    Column("example", lambda told: told.result.id if told.result else None),
    Column("model", lambda told: told.result.example.response.model if told.result else None),
    Column("unit", lambda told: told.finding.id if told.finding else None),
    _of("kind"),
    Column("parent", lambda told: told.finding.unit.parent if told.finding else None),
    _of("text"),
    _of("label"),
    _of("coarse"),
    _of("score"),
    _of("confidence"),
    Column("note", lambda told: told.note),
    Column("evidence", lambda told: _joined(told.finding.evidence) if told.finding else None),
    Column("marks", lambda told: _joined(told.finding.marks) if told.finding else None),
    Column("failure", lambda told: told.failure),
    Column("broken_rule", lambda told: told.complaint.rule if told.complaint else None),
    Column("standing", lambda told: told.complaint.standing if told.complaint else None),
    Column("accepted", lambda told: _accepted(told.complaint)),
    Column("fingerprint", lambda told: _mark(told)),
)


class ResultTable:
    """Writes the lines as results come."""

    def __init__(self, file: IO[str], root: Path) -> None:
        self._file = file
        self._root = root
        file.write(csv_line(data_heads(COLUMNS)))

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        """Writes a line for each unit of a result."""
        by_unit = {each.finding.id: each for each in reversed(complaints)}  # the first is told
        rows = (
            _Told(location_of(result.example, each, self._root), result, each, by_unit.get(each.id))
            for each in result.units
        )
        self._file.writelines(csv_lines(COLUMNS, rows))

    def add_problem(self, problem: Problem) -> None:
        """Writes the line of a row that cannot be read."""
        told = _Told(row_location(problem.place, self._root), problem=problem)
        self._file.writelines(csv_lines(COLUMNS, [told]))

    def end(self, end: CheckEnd) -> None:
        """A table says nothing of its end."""


def _joined(spans: Sequence[Span]) -> str:
    return "\n".join(each.text for each in spans)


def _accepted(complaint: Complaint | None) -> str | None:
    return str(complaint.acceptance) if complaint and complaint.acceptance else None


def _mark(told: _Told) -> str | None:
    """The fingerprint of a sentence, whatever is said of it; parts of one have none."""
    result, finding = told.result, told.finding
    if result is None or finding is None or result.judgement.is_part(finding.unit):
        return None
    return fingerprint(result.example, finding.text)
