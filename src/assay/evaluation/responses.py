"""Who answered what, and what each judge says of it: responses as small arrays.

Whatever counts responses of LLMs counts them here: boards, and the published leaderboards that are
recomputed. `assay.evaluation.gathering` fills the arrays.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
from numpy.typing import NDArray

from assay.core.labels import Label
from assay.core.units import RESPONSE
from assay.core.verdicts import Failure, FailureReason, Outcome, Verdict
from assay.evaluation.levels import CLASSES, Class, Counting, Level, class_of
from assay.metrics.arrays import Ints

Classes = NDArray[np.int8]  # places in CLASSES
Said = Label | str  # a label, or why there is none

NOTHING = -1  # the code where a judge says nothing of a response
UNCOUNTED = CLASSES.index("uncounted")


def number_of(name: Class) -> int:
    """The place of a class among `CLASSES`."""
    return CLASSES.index(name)


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """What one judge says of each response, as places in `menu`; -1 is nothing.

    `is_scored` says that some of it is a score without a label, which was read as a label.
    """

    menu: tuple[Said, ...]
    codes: Ints
    is_scored: bool = False

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels that were given."""
        return tuple(each for each in self.menu if isinstance(each, Label))

    def classes(self, refused: NDArray[np.bool_], level: Level, counting: Counting) -> Classes:
        """What each response is in the count of this judge."""
        outcomes = [_outcome(each) for each in self.menu]
        tables = [
            [CLASSES.index(class_of(each, level, counting, is_refusal=flag)) for each in outcomes]
            for flag in (False, True)
        ]
        # A code of -1 takes the last entry, which stands for nothing said.
        table = np.array([[*each, UNCOUNTED] for each in tables], dtype=np.int8)
        found: Classes = table[refused.astype(np.int64), self.codes]
        return found


def _outcome(said: Said) -> Outcome:
    if isinstance(said, Label):
        return Verdict(RESPONSE, said)
    return Failure(RESPONSE, next(each for each in get_args(FailureReason) if each == said))


@dataclass(frozen=True, slots=True, eq=False)
class Prompts:
    """What was asked: the source and the task of each prompt, by number, and its words."""

    source: Ints
    task: Ints
    words: Ints


@dataclass(frozen=True, eq=False)
class Responses:
    """Responses, by number: who wrote each to which prompt, and what each judge says of it."""

    models: tuple[str, ...]
    sources: tuple[str, ...]
    tasks: tuple[str, ...]
    model: Ints
    prompt: Ints
    words: Ints
    refused: NDArray[np.bool_]
    prompts: Prompts
    judged: dict[str, Judged]
    kept: NDArray[np.bool_]  # of all responses that were read, those that are here

    @cached_property
    def source(self) -> Ints:
        """The source of each response."""
        found: Ints = self.prompts.source[self.prompt]
        return found

    @cached_property
    def task(self) -> Ints:
        """The task of each response."""
        found: Ints = self.prompts.task[self.prompt]
        return found

    def classes(self, judge: str, level: Level, counting: Counting) -> Classes:
        """What each response is in the count of a judge at a level."""
        return self.judged[judge].classes(self.refused, level, counting)

    def counts(self, classes: Classes, task: str | None = None) -> Ints:
        """How many responses of each LLM (rows) are in each class (columns), of a task or all."""
        inside = slice(None) if task is None else self.task == self.tasks.index(task)
        cells = self.model[inside] * len(CLASSES) + classes[inside]
        found: Ints = np.bincount(cells, minlength=len(self.models) * len(CLASSES))
        return found.reshape(len(self.models), len(CLASSES))
