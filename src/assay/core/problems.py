"""A row of the input that could not be read: said, counted, and never the end of the others."""

from dataclasses import dataclass

from assay.core.examples import Example


@dataclass(frozen=True, slots=True)
class Problem:
    """Where a row is and what is wrong with it; `field` is the setting to blame, if one is.

    `example` has as much of the row as could be read: its id, and the texts or empty ones.
    """

    where: str
    message: str
    field: str = ""
    example: Example | None = None
    code: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"
