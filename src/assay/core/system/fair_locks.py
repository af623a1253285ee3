"""A lock that those who wait get in the order in which they came.

Whoever has it for long offers it to them between two steps.
"""

from collections import deque
from threading import Condition
from types import TracebackType


class FairLock:
    """One at a time has it."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._line: deque[object] = deque()  # who has it, then those who wait

    def __enter__(self) -> None:
        me = object()
        with self._changed:
            self._line.append(me)
            try:
                self._changed.wait_for(lambda: self._line[0] is me)
            except BaseException:  # Ctrl-C: nobody waits in this place any more
                self._line.remove(me)
                self._changed.notify_all()
                raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with self._changed:
            self._line.popleft()
            self._changed.notify_all()

    def offer(self) -> None:
        """Lets the others go first, if any wait; for the one who has it."""
        with self._changed:
            is_wanted = len(self._line) > 1
        if is_wanted:
            self.__exit__(None, None, None)
            self.__enter__()
