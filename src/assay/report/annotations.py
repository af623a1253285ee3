"""Annotations of GitHub: lines of a log that it shows beside the lines of a file."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from assay.core.complaints import CheckEnd, Complaint
from assay.core.problems import Problem
from assay.core.results import Result, count_of
from assay.core.texts import shortened
from assay.report.locations import Location, location_of, row_location
from assay.report.words import printable

MOST = 10  # of a kind that GitHub shows of one step
_LONGEST = 1_000  # characters of a text
_QUOTES = 2

Level = Literal["error", "warning"]


class AnnotationWriter:
    """Takes results, and gives the lines of the first complaints when the check has ended.

    What breaks a rule is an error. Where no rule could be broken, complaints are warnings, and so
    is what has no verdict.
    """

    def __init__(self, root: Path, *, fails: bool) -> None:
        self._root = root
        self._level: Level = "error" if fails else "warning"
        self._first: dict[Level, list[str]] = {"error": [], "warning": []}
        self._count: dict[Level, int] = {"error": 0, "warning": 0}

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        """Takes one result; what is known or accepted needs no annotation."""
        for each in complaints:
            if each.standing == "new":
                at = location_of(result.example, each.finding, self._root)
                title = f"{each.said} ({result.id})"
                self._add(self._level, at, title, _message(each))
        for finding in result.counted:
            if failure := finding.failure:
                at = location_of(result.example, finding, self._root)
                title = f"no verdict: {failure.reason} ({result.id})"
                self._add("warning", at, title, failure.detail or finding.text)

    def add_problem(self, problem: Problem) -> None:
        """Takes a row that could not be read."""
        at = row_location(problem.place, self._root)
        self._add("error", at, "row that cannot be read", str(problem))

    def lines(self, end: CheckEnd) -> Iterator[str]:
        """The annotations, first what is about the whole check, and how many more there are."""
        about = [("check cut off", end.cut_off), ("no score", end.unscored)]
        about += [("share of unfaithful responses", end.share)] if _is_broken(end) else []
        whole = [_line("error", None, title, told) for title, told in about if told]
        yield from whole
        errors = self._first["error"][: MOST - len(whole)]
        yield from (*errors, *self._first["warning"])
        shown = len(errors) + len(self._first["warning"])
        if more := sum(self._count.values()) - shown:
            yield f"assay: {count_of(more, 'more problem')}; GitHub shows {MOST} of a kind"

    def _add(self, level: Level, at: Location, title: str, message: str) -> None:
        self._count[level] += 1
        if len(self._first[level]) < MOST:
            self._first[level].append(_line(level, at, title, message))


def _is_broken(end: CheckEnd) -> bool:
    return bool(end.share) and end.share_state != "kept"


def _message(complaint: Complaint) -> str:
    finding = complaint.finding
    quotes = (f"source: {_short(each.text)}" for each in finding.evidence[:_QUOTES])
    parts = (_short(finding.text), _short(finding.note), *quotes)
    return "\n".join((*filter(None, parts), f"fingerprint: {complaint.fingerprint}"))


def _short(text: str) -> str:
    return shortened(text, _LONGEST)


def _line(level: Level, at: Location | None, title: str, message: str) -> str:
    """The command of a workflow by which a line is annotated."""
    named = {"title": shortened(title, 200)}
    if at and at.path:
        named = {"file": at.path, "line": str(at.line), "endLine": str(at.last), **named}
    properties = ",".join(f"{name}={_property(value)}" for name, value in named.items())
    return f"::{level} {properties}::{_data(message)}"


def _data(text: str) -> str:
    """A message as it may stand in a command; nothing in it ends the line or begins another."""
    safe = "\n".join(map(printable, text.splitlines()))
    return safe.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
