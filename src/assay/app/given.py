"""Rows that a Python program gives to a check, and what becomes of those that cannot be read."""

from collections.abc import Iterable, Iterator
from typing import Literal

from assay.app.state import Row
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement, utc_now
from assay.core.problems import Problem
from assay.core.results import Result
from assay.core.texts import Response, Source
from assay.core.units import Unit
from assay.core.verdicts import Failure

OnError = Literal["raise", "keep"]


class GivenRows:
    """The rows that can be judged; what cannot be read is kept at its place, or ends them.

    Where it ends them, the rows before it are still judged, and the error comes after their
    results; if rows cost money, `free` is False, and it is raised before any is asked about.
    """

    def __init__(self, rows: Iterable[Row], on_error: OnError, *, free: bool = True) -> None:
        if on_error not in ("raise", "keep"):
            raise InputError(
                f"on_error must be 'raise' or 'keep', not {on_error!r}", field="on_error"
            )
        self._rows = rows
        self._keeps = on_error == "keep"
        self._free = free
        self._kept: dict[int, Problem] = {}
        self._error: InputError | None = None

    def __iter__(self) -> Iterator[Row]:
        for place, row in enumerate(self._rows):
            if not isinstance(row, Problem):
                yield row
            elif self._keeps:
                self._kept[place] = row
            elif self._free:
                self._error = error_of(row)
                return
            else:
                raise error_of(row)

    def complete(self, results: Iterable[Result], author: Author) -> Iterator[Result]:
        """One result for each row, in the order of the rows; then the error that ended them."""
        place = 0
        for result in results:
            # The rows before the one of a result were read before it was judged.
            while place in self._kept:
                yield unread(self._kept.pop(place), author, place)
                place += 1
            yield result
            place += 1
        for place in sorted(self._kept):
            yield unread(self._kept[place], author, place)
        if self._error:
            raise self._error


def error_of(problem: Problem) -> InputError:
    """The error for a row that cannot be read."""
    return InputError(str(problem), code=problem.code, field=problem.field)


def unread(problem: Problem, author: Author, place: int) -> Result:
    """The result of a row that cannot be read: a failure, and never a label or a score."""
    example = problem.example or Example(str(place + 1), Source(""), Response(""))
    unit = Unit.response(example.response.text)
    failure = Failure(unit.id, "unreadable", str(problem))
    said = Judgement(example.id, author, (unit,), (failure,), at=utc_now())
    return Result(example, said, problem)
