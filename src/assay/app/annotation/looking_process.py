"""The embedded network in a process of its own, which takes only the time that others leave.

It would otherwise keep people waiting: it needs a processor for seconds, and 300 MB. This module
imports nothing heavy, so that the process is nice before the network's libraries start threads.
"""

import os
import signal
import sys
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

_NICE = 19


class LookingProcess:
    """Asks the process, which starts when it is needed; `close` ends it and frees its memory."""

    def __init__(self) -> None:
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None

    def __call__(self, record: str) -> str:
        """Where the network looks in the item of a record, as JSON."""
        pipe = self._pipe or self._start()
        try:
            pipe.send(record)
            found, problem = pipe.recv()
        except (EOFError, OSError):
            self.close()
            raise RuntimeError("the process of the network ended") from None
        if problem:
            raise RuntimeError(problem)
        return str(found)

    def close(self) -> None:
        """Ends the process, if there is one."""
        pipe, process, self._pipe, self._process = self._pipe, self._process, None, None
        if pipe:
            pipe.close()
        if process:
            process.terminate()
            process.join()

    def _start(self) -> Connection:
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        return self._pipe


def serve(pipe: Connection) -> None:
    """Answers until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started it ends it
    if sys.platform != "win32":
        os.nice(_NICE)
    from assay.core.codec import encode, read_example
    from assay.detectors.embedded.detector import EmbeddedDetector

    detector = EmbeddedDetector()
    with suppress(EOFError, OSError):
        while True:
            record = pipe.recv()
            try:
                looks = detector.look(read_example(record).example)
                pipe.send((encode(looks).decode(), ""))
            except Exception as error:  # noqa: BLE001 - told to whoever asked, who logs it
                pipe.send(("", f"{type(error).__name__}: {error}"))
