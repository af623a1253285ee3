"""The responses of a board, of which each has an id of its own."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from assay.core.errors import InputError
from assay.core.examples import Annotated
from assay.core.problems import Problem
from assay.datasets.corpus import Corpus
from assay.datasets.selection import DataChoice
from assay.evaluation.responses import Duplicates


@dataclass(frozen=True, slots=True)
class BoardData(DataChoice):
    """A choice in which a row whose id was met before raises, or is passed over."""

    repeated: Duplicates = "refuse"

    def open(self) -> Corpus | Iterable[Annotated | Problem]:
        """All of the data; the ids of a corpus are known to be its own."""
        opened = DataChoice.open(self)
        return opened if isinstance(opened, Corpus) else self._told_apart(opened)

    def passed_over(self, kept: int) -> int:
        """The number of rows passed over if so many were kept; the data is read for it."""
        if self.repeated == "refuse" or isinstance(opened := DataChoice.open(self), Corpus):
            return 0
        return sum(isinstance(each, Annotated) for each in self.among(opened)) - kept

    def _told_apart(self, rows: Iterable[Annotated | Problem]) -> Iterator[Annotated | Problem]:
        met: dict[str, int] = {}
        for number, each in enumerate(rows, start=1):
            if isinstance(each, Problem) or (first := met.setdefault(each.id, number)) == number:
                yield each
            elif self.repeated == "refuse":
                raise InputError(
                    f"the id '{each.id}' appears twice in {self.target}, in rows {first:,} and "
                    f"{number:,}; what judges say is kept by id",
                    field="duplicates",
                    code="duplicate-responses",
                )


def board_data(choice: DataChoice, repeated: Duplicates) -> BoardData:
    """The same choice, with what becomes of a row whose id was met before."""
    given = {each.name: getattr(choice, each.name) for each in fields(DataChoice)}
    return BoardData(**given, repeated=repeated)
