"""A guard around whatever writes answers: an unfaithful one is written again, or not given.

The guard knows no framework. It calls a function that answers, checks what comes back, and calls it
again with feedback. What it cannot judge does not pass.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

from assay.app.answers import UNFAITHFUL, AnswerCheck, CheckedAnswer, answer_row, with_text
from assay.app.api import DetectorArguments
from assay.app.results import Report
from assay.app.rows import error_of
from assay.core.errors import GuardError, InputError
from assay.core.problems import Problem
from assay.datasets.shapes import plain_answer
from assay.engine.kept_checks import Row

# Called with the question, the documents, and feedback on the answer before, empty at first. It
# gives a text, a message, a stream of them, or what holds an answer with the documents it rests on.
Answer = Callable[[str, object, str], object]
OnFailure = Literal["abstain", "accept", "raise"]

ABSTENTION = "I cannot give an answer that the documents support."
_WAYS = ("abstain", "raise", "remove")
_FAILURES = ("abstain", "accept", "raise")
_FEEDBACK = (
    "The last answer was rejected: the documents do not support all of it. Answer again, from the "
    "documents alone; correct or leave out what is listed here.\n"
)


@dataclass(frozen=True, slots=True)
class Guarded:
    """The outcome of a question: an answer, or an abstention and the reason for it.

    `report` is on the answer that is given, or else on the last one that was checked. An answer
    that was accepted without a verdict has the reason `no-verdict`, too.
    """

    answer: str
    report: Report | None
    tries: tuple[CheckedAnswer, ...]
    abstained: bool = False
    reason: Literal["", "unfaithful", "no-verdict"] = ""
    removed: tuple[str, ...] = ()

    @property
    def attempts(self) -> int:
        """The number of answers that were written."""
        return len(self.tries)


class Guard:
    """Asks for answers until one passes, at most `attempts` times.

    An answer fails where `assay check --fail-on` would: by default where a sentence is unfaithful
    for sure. If the last one fails too, the guard does as `otherwise` says: `abstain`; `remove` the
    sentences that fail and give the rest, if that passes by itself; `raise` a `GuardError`; or say
    any other text instead. `on_failure` is for an answer without a verdict: `abstain`, `accept` it,
    or `raise`. The detector and its settings are those of `check`.
    """

    def __init__(
        self,
        *,
        attempts: int = 2,
        otherwise: str = "abstain",
        on_failure: OnFailure = "abstain",
        fail_on: str | Sequence[str] = UNFAITHFUL,
        language: str | None = None,
        **how: Unpack[DetectorArguments],
    ) -> None:
        if not isinstance(attempts, int) or attempts < 1:
            raise InputError(f"attempts must be 1 or more, not {attempts}", field="attempts")
        if on_failure not in _FAILURES:
            raise InputError(
                f"on_failure must be {', '.join(_FAILURES)}, not {on_failure!r}",
                field="on_failure",
            )
        if otherwise not in _WAYS and " " not in otherwise.strip() and otherwise.isascii():
            raise InputError(
                f"otherwise must be {', '.join(_WAYS)}, or a sentence to say instead, "
                f"not {otherwise!r}",
                field="otherwise",
            )
        self._attempts = attempts
        self._otherwise = otherwise
        self._on_failure = on_failure
        self._check = AnswerCheck.by(fail_on, how, language)

    def run(self, answer: Answer, question: str = "", documents: object = None) -> Guarded:
        """Asks, checks, and asks again.

        Without documents, the answer brings along those that it rests on: as a dict with both, or
        as the response of a LlamaIndex query engine.
        """
        tries: tuple[CheckedAnswer, ...] = ()
        while (feedback := self._next(tries)) is not None:
            said = answer(question, documents, feedback)
            if inspect.isawaitable(said) or isinstance(said, AsyncIterator):
                _refuse_awaitable(said)
            tries += (self._check.check(self._read(_joined(said), question, documents)),)
        rest = self._rest(tries[-1])
        return self._end(tries, self._check.check(rest) if rest else None)

    async def arun(self, answer: Answer, question: str = "", documents: object = None) -> Guarded:
        """The same for a program with an event loop; an ordinary function runs in a thread."""
        tries: tuple[CheckedAnswer, ...] = ()
        while (feedback := self._next(tries)) is not None:
            said = await _awaited(answer, question, documents, feedback)
            tries += (await self._check.acheck(self._read(said, question, documents)),)
        rest = self._rest(tries[-1])
        return self._end(tries, await self._check.acheck(rest) if rest else None)

    def _read(self, said: object, question: str, documents: object) -> Row:
        row = self._check.read(answer_row(said, question, documents))
        if isinstance(row, Problem) and row.code == "not-text":
            raise error_of(row)  # a mistake of the caller, and not of what was answered
        return row

    def _next(self, tries: tuple[CheckedAnswer, ...]) -> str | None:
        """The feedback for the next answer; None if none is to be asked for."""
        if not tries:
            return ""
        if tries[-1].passed is not False or len(tries) == self._attempts:
            return None
        return _FEEDBACK + tries[-1].feedback

    def _rest(self, last: CheckedAnswer) -> Row | None:
        """The example to check once more: the answer without what fails, if that is wanted."""
        if self._otherwise != "remove" or last.passed is not False:
            return None
        text = last.without_broken()
        return with_text(last.example, text) if text else None

    def _end(self, tries: tuple[CheckedAnswer, ...], rest: CheckedAnswer | None) -> Guarded:
        last = tries[-1]
        if rest and rest.passed and rest.report and rest.report.coarse != "no-fact":
            removed = tuple(each.text for each in last.broken)
            return Guarded(rest.text, rest.report, tries, removed=removed)
        if last.passed:
            return Guarded(last.text, last.report, tries)
        if last.passed is None and self._on_failure == "accept":
            return Guarded(last.text, last.report, tries, reason="no-verdict")
        how = self._on_failure if last.passed is None else self._otherwise
        if how == "raise":
            raise _error(tries)
        text = ABSTENTION if self._otherwise in _WAYS else self._otherwise
        reason: Literal["unfaithful", "no-verdict"] = (
            "no-verdict" if last.passed is None else "unfaithful"
        )
        return Guarded(text, last.report, tries, abstained=True, reason=reason)


async def _awaited(answer: Answer, question: str, documents: object, feedback: str) -> object:
    is_async = inspect.iscoroutinefunction(answer) or inspect.iscoroutinefunction(
        getattr(answer, "__call__", None)  # noqa: B004, of an object that can be called
    )
    if is_async:
        said = answer(question, documents, feedback)
    else:
        said = await asyncio.to_thread(lambda: _joined(answer(question, documents, feedback)))
    said = await said if inspect.isawaitable(said) else said
    if isinstance(said, AsyncIterator):
        return "".join([_piece(each) async for each in said])
    return said


def _joined(said: object) -> object:
    """A stream as one text, since nothing of an answer is given before all of it is checked."""
    return "".join(map(_piece, said)) if isinstance(said, Iterator) else said


def _piece(part: object) -> str:
    """The text of a part of a stream: a text, or a message of a framework."""
    said = getattr(part, "content", part)
    text = said if isinstance(said, str) else plain_answer(part)  # which takes a space for nothing
    if not isinstance(text, str):
        raise InputError(f"a stream must give texts or messages, not {type(part).__name__}")
    return text


def _refuse_awaitable(said: object) -> None:
    if inspect.iscoroutine(said):
        said.close()
    raise InputError("the function that answers is asynchronous; use 'await guard.arun(...)'")


def _error(tries: tuple[CheckedAnswer, ...]) -> GuardError:
    last = tries[-1]
    if last.passed is None:
        error = GuardError(f"no verdict on the answer: {last.unjudged}", code="no-verdict")
    else:
        times = "1 time" if len(tries) == 1 else f"{len(tries)} times"
        error = GuardError(f"no faithful answer, asked {times}:\n{last.feedback}")
    error.results = tuple(each.result for each in tries if each.result)
    return error
