"""What a run over the files of a corpus has done, and what it could not read."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.knowledge.corpora.documents import Unreadable

MOST_NAMED = 100  # problems that are kept with their places; all are counted


@dataclass(slots=True)
class IndexReport:
    """What a run has done so far; `bytes` is how far it has come of `total_bytes`."""

    files: int = 0
    total_bytes: int = 0
    bytes: int = 0
    unchanged: int = 0
    indexed: int = 0
    removed: int = 0
    documents: int = 0
    passages: int = 0
    unreadable: int = 0
    problems: list[Unreadable] = field(default_factory=list)

    def add(self, problem: Unreadable) -> None:
        """Counts what could not be read, and keeps it with its place if there are not too many."""
        self.unreadable += 1
        if len(self.problems) < MOST_NAMED:
            self.problems.append(problem)


Watcher = Callable[[IndexReport], None]
