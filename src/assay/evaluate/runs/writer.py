"""Writing that costs little: what comes in one turn of the event loop reaches the disk together."""

from collections.abc import Callable

from assay.core.errors import InputError
from assay.evaluate.runs.usage import RunUsage
from assay.store.journal import Journal

Soon = Callable[[Callable[[], None]], object]


class Writer:
    """Gathers writes and commits them at the next turn of the loop; then they may be counted.

    `soon` calls a function at the next turn. Without it nothing is gathered: call `flush`.
    """

    def __init__(self, journal: Journal, usage: RunUsage, soon: Soon | None = None) -> None:
        self.journal = journal
        self._usage = usage
        self._soon = soon
        self._is_open = False
        self._waiting: list[Callable[[], None]] = []
        self._problem: InputError | None = None

    def begin(self) -> None:
        """Opens a group, unless one is open; to be called before something is written."""
        if self._problem:
            raise self._problem
        if not self._is_open:
            self.journal.begin()
            self._is_open = True
            if self._soon:
                self._soon(self._commit)

    def after(self, count: Callable[[], None]) -> None:
        """Calls a function once the group that is open is on disk."""
        self._waiting.append(count)

    def settle(self) -> None:
        """Writes what is gathered at once, where nobody does so at the next turn."""
        if self._soon is None:
            self.flush()

    def flush(self) -> None:
        """Writes what is gathered; raises if that, or an earlier group, could not be written."""
        self._commit()
        if self._problem:
            raise self._problem

    def _commit(self) -> None:
        if not self._is_open:
            return
        self._is_open = False
        waiting, self._waiting = self._waiting, []
        try:
            self.journal.keep("usage", self._usage.record())
            self.journal.commit()
        except InputError as error:  # told by the next write, since nobody waits here
            self.journal.roll_back()
            self._problem = error
            return
        for count in waiting:
            count()
