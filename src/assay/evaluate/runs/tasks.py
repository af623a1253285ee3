"""What is left to do of a run: examples without an outcome, and failures to ask for again."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from assay.core.errors import InputError
from assay.core.examples import Example, Judgement
from assay.core.labels import Taxonomy
from assay.core.verdicts import Failure, FailureReason, Outcome
from assay.datasets.files import Problem
from assay.detectors.replay import read_judgement
from assay.evaluate.runs.data import DataChoice
from assay.store.journal import Journal

# Findings about the example itself: asking again would be asking for another opinion.
_FINAL: frozenset[FailureReason] = frozenset({"invalid"})


@dataclass(frozen=True, slots=True)
class Task:
    """An example to judge; `earlier` is what was said of it, if it is judged again.

    With `only_failed` the example names the units that failed, and the others stay as they were.
    """

    position: int
    example: Example
    attempt: int = 0
    earlier: Judgement | None = None
    only_failed: bool = False

    def complete(self, judgement: Judgement) -> Judgement:
        """The judgement of the whole example."""
        if self.earlier is None or not self.only_failed:
            return judgement
        new = {outcome.unit: outcome for outcome in judgement.outcomes}
        outcomes = (_latest(each, new.get(each.unit)) for each in self.earlier.outcomes)
        read = min(self.earlier.characters_read, judgement.characters_read)
        return Judgement(self.earlier.example, tuple(outcomes), read)


@dataclass(frozen=True, slots=True)
class Tasks:
    """The tasks of a run in the order of its data, found as they are needed."""

    choice: DataChoice
    chosen: frozenset[int] | None
    journal: Journal | None = None  # without one, everything is still to do
    attempt: int = 0  # from 1: failures are asked for again
    taxonomy: Taxonomy | None = None

    def __iter__(self) -> Iterator[Task]:
        is_new = self.journal is None or not self.journal.count()
        for position, example in enumerate(self.choice.read()):
            if isinstance(example, Problem):  # there was none when the data was surveyed
                raise InputError(f"the data changed while it was read: {example}")
            if self.chosen is None or position in self.chosen:
                task = Task(position, example) if is_new else self._task(position, example)
                if task:
                    yield task

    def _task(self, position: int, example: Example) -> Task | None:
        if self.journal is None or self.journal.attempt_at(position) is None:
            return Task(position, example)
        record = self.journal.failed_before(position, self.attempt) if self.attempt else None
        if record is None or self.taxonomy is None:
            return None
        return again(position, read_judgement(record, example, self.taxonomy), self.attempt)


def again(position: int, earlier: Judgement, attempt: int) -> Task:
    """The task that asks only for what failed.

    What judges the response, or finds the parts of its sentences itself, is asked as a whole.
    """
    example = earlier.example
    failed = tuple(each.unit for each in earlier.outcomes if is_open(each))
    kinds = {each.unit.kind for each in earlier.outcomes}
    if "response" in kinds or len(kinds) > 1:
        return Task(position, example, attempt, earlier)
    return Task(position, replace(example, units=failed), attempt, earlier, only_failed=True)


def is_open(outcome: Outcome) -> bool:
    """Whether an outcome is a failure that may be asked for again."""
    return isinstance(outcome, Failure) and outcome.reason not in _FINAL


def _latest(earlier: Outcome, new: Outcome | None) -> Outcome:
    return new if new is not None and is_open(earlier) else earlier
