"""One check: from the rows of a request to a document, or to lines as results come."""

import asyncio
import io
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from assay import Problem, Result, __version__
from assay.app.checker import Checker
from assay.app.rows import error_of
from assay.core.codec import MOST_PROBLEMS, DocumentWriter, encode
from assay.core.errors import AssayError, BudgetError, InputError
from assay.core.records import manifest_record
from assay.core.wire import (
    SCHEMA,
    CountsRecord,
    EndingRecord,
    EndRecord,
    EndState,
    ProblemRecord,
)
from assay.service.bodies import CheckBody, blaming


class TooSlowError(AssayError):
    """A check that took longer than one may."""

    code = "too-slow"


@dataclass(slots=True)
class CheckUnderWay:
    """The results of a check, as they come, until `end` on the clock of the loop."""

    checker: Checker
    asked: CheckBody
    end: float
    results: list[Result] = field(default_factory=list)
    state: EndState = "complete"
    message: str = ""

    def __post_init__(self) -> None:
        problems = self.asked.problems
        if problems and len(problems) == len(self.asked.rows):
            first = blaming(problems[0])
            if len(problems) > 1:
                raise error_of(first)
            raise InputError(first.message, code=first.code, field=first.field)

    async def judge(self) -> AsyncIterator[Result]:
        """The results in order; what cuts it off raises only if there are none before."""
        stream = self.checker.check(self.asked.examples)
        try:
            while (result := await self._next(stream)) is not None:
                self.results.append(result)
                yield result
        except AssayError as error:
            if not self.results:
                raise
            self.state = "budget" if isinstance(error, BudgetError) else "stopped"
            self.message = error.message
        finally:
            await stream.aclose()  # type: ignore[attr-defined]

    async def _next(self, stream: AsyncIterator[Result]) -> Result | None:
        try:
            async with asyncio.timeout_at(self.end):
                return await anext(stream, None)
        except TimeoutError:
            message = "the check took too long; send less at once, or send it as a job"
            raise TooSlowError(message) from None

    def document(self) -> bytes:
        """The document, once all is judged."""
        stream = io.StringIO()
        writer = DocumentWriter(stream, self.checker.manifest, __version__)
        for result in self.results:
            writer.add(result.to_json())
        for problem in self.asked.problems:
            writer.add_problem(problem.where, problem.message)
        writer.end(self.state, self.message)
        writer.close()
        return stream.getvalue().encode()

    def last_line(self) -> bytes:
        """The line after those of the results."""
        problems = self.asked.problems
        return end_line(
            EndRecord(
                SCHEMA,
                __version__,
                manifest_record(self.checker.manifest),
                list(map(problem_record, problems[:MOST_PROBLEMS])),
                EndingRecord(self.state, self.message),
                CountsRecord(len(self.asked.rows), len(self.results), len(problems)),
            )
        )


def end_line(end: EndRecord) -> bytes:
    """The last line."""
    return encode(end) + b"\n"


def problem_record(problem: Problem) -> ProblemRecord:
    """A row that could not be read."""
    return ProblemRecord(problem.where, problem.message)
