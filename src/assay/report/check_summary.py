"""A check in Markdown, for a comment or the summary of a step: what its rules say, and findings."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.core.complaints import CheckEnd, Complaint, Standing
from assay.core.labels import Taxonomy
from assay.core.problems import Problem
from assay.core.results import Result, Totals
from assay.core.texts import shortened
from assay.report.locations import location_of, row_location
from assay.report.tables import WORDS, Column, Table, markdown_lines, markdown_text
from assay.report.terminal import closing_line

MOST = 50  # of a table; the rest is counted
_LONGEST = 240  # characters of a sentence or a reason


@dataclass(frozen=True, slots=True)
class _Row:
    """A line of a table."""

    where: str
    example: str
    label: str
    text: str
    why: str
    fingerprint: str = ""


@dataclass(slots=True)
class _Rows:
    """The first rows of a table, and how many there are."""

    first: list[_Row] = field(default_factory=list)
    count: int = 0

    def add(self, row: _Row) -> None:
        self.count += 1
        if len(self.first) < MOST:
            self.first.append(row)


_WHERE: Column[_Row] = Column("where", lambda row: row.where, WORDS)
_EXAMPLE: Column[_Row] = Column("example", lambda row: row.example, WORDS)
_LABEL: Column[_Row] = Column("label", lambda row: row.label, WORDS)
_TEXT: Column[_Row] = Column("sentence", lambda row: row.text, WORDS)
_WHY: Column[_Row] = Column("why", lambda row: row.why, WORDS)
_MARK: Column[_Row] = Column("fingerprint", lambda row: row.fingerprint, WORDS)
_FOUND = (_WHERE, _EXAMPLE, _LABEL, _TEXT, _WHY, _MARK)
_UNJUDGED = (_WHERE, _EXAMPLE, _TEXT, _WHY)
_TITLES: dict[Standing, str] = {
    "new": "What breaks a rule",
    "noted": "New for the baseline",
    "known": "Known before",
    "accepted": "Accepted",
}


class CheckSummary:
    """Takes results one by one, and gives the page when the check has ended."""

    def __init__(self, root: Path, title: str, taxonomy: Taxonomy, *, fails: bool = True) -> None:
        """Where no rule `fails`, what would be told of one is told all the same."""
        self._root = root
        self._title = title
        self._taxonomy = taxonomy
        self._fails = fails
        self._totals = Totals()
        self._rows: dict[Standing, _Rows] = {name: _Rows() for name in _TITLES}
        self._unjudged = _Rows()

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        """Takes one result."""
        self._totals.add(result)
        for each in complaints:
            self._rows[each.standing].add(self._row(result, each))
        for finding in result.counted:
            if failure := finding.failure:
                where = str(location_of(result.example, finding, self._root))
                why = f"{failure.reason}: {failure.detail}" if failure.detail else failure.reason
                self._unjudged.add(_Row(where, result.id, "", _short(finding.text), _short(why)))

    def add_problem(self, problem: Problem) -> None:
        """Takes a row that could not be read."""
        where = str(row_location(problem.place, self._root))
        self._unjudged.add(_Row(where, "", "", "", _short(str(problem))))

    def text(self, end: CheckEnd) -> str:
        """The whole of it."""
        return "".join(f"{line}\n" for line in self._lines(end))

    def _lines(self, end: CheckEnd) -> Iterator[str]:
        yield f"## {markdown_text(self._title)}: {self._ending(end)}"
        yield ""
        for said in (end.told, end.cut_off, closing_line(self._totals, self._taxonomy).plain):
            if said:
                yield f"{markdown_text(said)}\n"
        for standing, rows in self._rows.items():
            title = _TITLES[standing] if self._fails or standing != "new" else "Unfaithful"
            yield from _section(title, _FOUND, rows)
        yield from _section("No verdict", _UNJUDGED, self._unjudged)

    def _ending(self, end: CheckEnd) -> str:
        """The end in a word; without a verdict on everything, nothing has passed."""
        if end.failed:
            return "failed"
        if end.cut_off:
            return "cut off"
        if self._unjudged.count or end.unscored or end.share_state == "unknown":
            return "incomplete"
        return "passed" if self._fails or end.share else "done"

    def _row(self, result: Result, complaint: Complaint) -> _Row:
        finding = complaint.finding
        where = str(location_of(result.example, finding, self._root))
        why = str(complaint.acceptance) if complaint.acceptance else finding.note
        text = _short(finding.text)
        return _Row(where, result.id, complaint.said, text, _short(why), complaint.fingerprint)


def _section(title: str, columns: Sequence[Column[_Row]], rows: _Rows) -> Iterator[str]:
    if not rows.count:
        return
    yield f"### {title} ({rows.count:,})"
    yield ""
    more = f"… and {rows.count - MOST:,} more" if rows.count > MOST else ""
    yield from markdown_lines(Table("", "", columns, rows.first, more=more))
    yield ""


def _short(text: str) -> str:
    return shortened(text, _LONGEST)
