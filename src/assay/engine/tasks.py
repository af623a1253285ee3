"""The tasks left of a run: examples without a judgement, and failures to ask for again."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.core.examples import Example
from assay.core.judgements import Judgement
from assay.core.verdicts import Failure, FailureReason, Outcome
from assay.datasets.selection import DataChoice
from assay.datasets.survey import Survey
from assay.store.journal import Journal

# Findings about the example itself: asking again would be asking for another opinion.
_FINAL: frozenset[FailureReason] = frozenset({"invalid"})


@dataclass(frozen=True, slots=True)
class RunTask:
    """An example to judge; `earlier` is what was said of it, if it is judged again.

    With `only_failed` the example names the units that failed, and the others stay as they were.
    """

    position: int
    example: Example
    attempt: int = 0
    earlier: Judgement | None = None
    only_failed: bool = False

    def complete(self, judgement: Judgement) -> Judgement:
        """The judgement of the whole example; a second one supersedes the first."""
        if self.earlier is None:
            return judgement
        revised = judgement if not self.only_failed else _merged(self.earlier, judgement)
        return replace(revised, round=self.earlier.round + 1, supersedes=self.earlier.key)


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks of a run in the order of its data, found as they are needed."""

    data: DataChoice
    seen: Survey  # what the data was when the run was opened
    journal: Journal | None = None  # without one, everything is still to do
    attempt: int = 0  # from 1: failures are asked for again

    def new(self) -> Iterator[RunTask]:
        """The examples that nobody has judged yet."""
        done = self.journal.positions() if self.journal else bytearray()
        for position, example in self._examples():
            if position >= len(done) or not done[position]:
                yield RunTask(position, example)

    def again(self) -> Iterator[RunTask]:
        """The examples with failures that this attempt has still to ask for."""
        if (
            not self.attempt
            or self.journal is None
            or not self.journal.count_to_retry(self.attempt)
        ):
            return
        for position, example in self._examples():
            earlier = self.journal.to_retry(position, self.attempt)
            if earlier:
                yield ask_again(position, example, earlier, self.attempt)

    def _examples(self) -> Iterator[tuple[int, Example]]:
        chosen = self.data.chosen(self.seen)
        for position, each in enumerate(self.data.read_again(self.seen)):
            if chosen is None or position in chosen:
                yield position, each.example


def ask_again(position: int, example: Example, earlier: Judgement, attempt: int) -> RunTask:
    """The task that asks only for what failed.

    What judges the response, or finds the parts of its sentences itself, is asked as a whole.
    """
    kinds = {finding.kind for finding in earlier.findings}
    if "response" in kinds or len(kinds) > 1:
        return RunTask(position, example, attempt, earlier)
    failed = tuple(each.unit for each in earlier.findings if is_open(each.outcome))
    return RunTask(position, replace(example, units=failed), attempt, earlier, only_failed=True)


def is_open(outcome: Outcome) -> bool:
    """True if an outcome is a failure that may be asked for again."""
    return isinstance(outcome, Failure) and outcome.reason not in _FINAL


def _merged(earlier: Judgement, new: Judgement) -> Judgement:
    """The earlier judgement with what is now known of the units that had failed."""
    found = {outcome.unit: outcome for outcome in new.outcomes}
    outcomes = (found.get(each.unit, each) if is_open(each) else each for each in earlier.outcomes)
    return replace(
        new,
        units=earlier.units,
        outcomes=tuple(outcomes),
        characters_read=min(earlier.characters_read, new.characters_read),
    )
