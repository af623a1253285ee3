"""The options of an import, and its result."""

from dataclasses import dataclass, field, replace

from assay.annotation.studio import Purpose
from assay.core.problems import Problem
from assay.datasets.fields import Columns

MOST_TOLD = 100


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """The way a file is read; messages call it `name`.

    Items that people have judged already, in the way that the project asks for, are done, unless
    they are to be judged `again`.
    """

    name: str = ""
    purpose: Purpose = "real"
    again: bool = False
    columns: Columns = field(default_factory=Columns)
    language: str | None = None


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was not imported, and why; `field` is the setting to blame, if one is."""

    where: str
    message: str
    field: str = ""


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: rows that were added, `known` before, or `refused`.

    Only the first of those refused are told in `problems`.
    """

    project: str
    added: int = 0
    known: int = 0
    judgements: int = 0
    refused: int = 0
    problems: tuple[Refused, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows read."""
        return self.added + self.known + self.refused

    def without(self, problem: Problem) -> "Imported":
        """The result with one more row that was refused."""
        told = self.problems
        if len(told) < MOST_TOLD:
            told = (*told, Refused(problem.where, problem.message, problem.field))
        return replace(self, refused=self.refused + 1, problems=told)
