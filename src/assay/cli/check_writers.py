"""The writers of `assay check`: one protocol, and what makes other things fit it."""

import os
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Protocol, TextIO, TypeVar

from assay.app.check import Check
from assay.core.complaints import CheckEnd, Complaint
from assay.core.errors import InputError
from assay.core.problems import Problem
from assay.core.results import Result

if TYPE_CHECKING:
    from assay.core.codec import DocumentWriter
    from assay.report.annotations import AnnotationWriter
    from assay.report.check_summary import CheckSummary
    from assay.report.pages.page import PageWriter
    from assay.report.terminal import TerminalView

SUMMARY, ON_GITHUB = "GITHUB_STEP_SUMMARY", "GITHUB_ACTIONS"  # variables of the environment


class ResultWriter(Protocol):
    """An output. It is opened on a stack, which makes it whole, or drops it after an error."""

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        """Takes one result, and what the rules complain of in it."""
        ...

    def add_problem(self, problem: Problem) -> None:
        """Takes a row that could not be read."""
        ...

    def end(self, end: CheckEnd) -> None:
        """Takes how the check ended; nothing comes after."""
        ...


class Closable(ResultWriter, Protocol):
    def close(self) -> None:
        """Writes what is there."""


Writer = TypeVar("Writer", bound=Closable)


@contextmanager
def closing(writer: Writer) -> Iterator[Writer]:
    """The writer, which writes when all went well, and nothing after an error."""
    yield writer
    writer.close()


@contextmanager
def without_commands(stream: TextIO) -> Iterator[None]:
    """Has GitHub take no text that is printed meanwhile for a command; it is told in a stream."""
    if not os.environ.get(ON_GITHUB):
        yield
        return
    token = secrets.token_hex(16)
    stream.write(f"::stop-commands::{token}\n")
    stream.flush()
    try:
        yield
    finally:
        sys.stdout.flush()
        stream.write(f"::{token}::\n")
        stream.flush()


@dataclass(slots=True)
class DocumentOutput:
    """The JSON document on standard output."""

    writer: "DocumentWriter"
    checking: Check

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        self.writer.add(result.to_json())

    def add_problem(self, problem: Problem) -> None:
        self.writer.add_problem(problem.where, problem.message)

    def end(self, end: CheckEnd) -> None:
        self.writer.end(end.state, end.message)

    def close(self) -> None:
        if self.checking.stages:
            self.writer.add_stages(self.checking.stages)
        self.writer.close()


@dataclass(slots=True)
class PageOutput:
    """The HTML page."""

    writer: "PageWriter"

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        self.writer.add(result)

    def add_problem(self, problem: Problem) -> None:
        self.writer.add_problem(problem.where, problem.message)

    def end(self, end: CheckEnd) -> None:
        """A page says nothing of its end."""


@dataclass(slots=True)
class ViewOutput:
    """The report on the terminal; rows that cannot be read are on standard error."""

    view: "TerminalView"

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        self.view.add(result)

    def add_problem(self, problem: Problem) -> None:
        """Nothing more than what was said of it."""

    def end(self, end: CheckEnd) -> None:
        """The rules speak for themselves."""


@dataclass(slots=True)
class SummaryOutput:
    """The summary in Markdown, in a file or printed."""

    summary: "CheckSummary"
    path: str
    ending: CheckEnd = field(default_factory=CheckEnd)

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        self.summary.add(result, complaints)

    def add_problem(self, problem: Problem) -> None:
        self.summary.add_problem(problem)

    def end(self, end: CheckEnd) -> None:
        self.ending = end

    def close(self) -> None:
        from assay.cli.output import write_text

        write_text(self.path, self.summary.text(self.ending))


@dataclass(slots=True)
class StepSummary(SummaryOutput):
    """The same at the end of what other steps have written."""

    def close(self) -> None:
        self.append(self.summary.text(self.ending))

    def append(self, text: str) -> None:
        """Adds a text to the file."""
        try:
            with open(self.path, "a", encoding="utf-8", errors="replace") as file:
                file.write(text)
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"cannot write {self.path} ({SUMMARY}): {reason}") from None


@dataclass(slots=True)
class AnnotationOutput:
    """The annotations, on standard output, or beside it where that is a document."""

    writer: "AnnotationWriter"
    stream: IO[str]
    ending: CheckEnd = field(default_factory=CheckEnd)

    def add(self, result: Result, complaints: Sequence[Complaint]) -> None:
        self.writer.add(result, complaints)

    def add_problem(self, problem: Problem) -> None:
        self.writer.add_problem(problem)

    def end(self, end: CheckEnd) -> None:
        self.ending = end

    def close(self) -> None:
        self.stream.writelines(f"{line}\n" for line in self.writer.lines(self.ending))
        self.stream.flush()
