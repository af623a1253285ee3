"""The embedded network in a process of its own, which takes only the time that others leave.

It would otherwise keep people waiting: it needs a processor for seconds, and 300 MB. This module
imports nothing heavy, so that the process is nice before the network's libraries start threads.

The process is a Python of its own that reads a JSON text a line and answers with one. It imports
nothing of whoever started it, who may be a script without a guard for its main part, and it ends
when its input does, so that it outlives nobody.
"""

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import IO

_NICE = 19
_CODE = f"import sys; sys.path[:] = sys.argv[1:]; from {__name__} import main; main()"


class EndedError(RuntimeError):
    """The process ended while it was asked: somebody ended it, or the system did."""


class NetworkProcess:
    """Asks the process, which starts when it is needed; `close` ends it and frees its memory.

    One thread asks and closes; any may `stop`.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._is_stopped = False

    def __call__(self, record: str) -> str:
        """The places that the network looks at in the item of a record, as JSON."""
        with self._lock:
            if self._is_stopped:
                raise EndedError("the process of the network was ended")
            process = self._process = self._process or _start()
        answer = _ask(process, record)
        if answer is None:
            self.close()
            raise EndedError("the process of the network ended")
        found, problem = answer
        if problem:
            raise RuntimeError(problem)
        return found

    def stop(self) -> None:
        """Ends the process for good; whoever waits for its answer learns that it ended."""
        with self._lock:
            self._is_stopped = True
            if self._process:
                self._process.kill()

    def close(self) -> None:
        """Ends the process, if there is one, and waits until it is gone."""
        with self._lock:
            process, self._process = self._process, None
        if process:
            process.kill()
            with suppress(OSError):  # what it was told last, and did not read
                process.communicate()


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _CODE, *sys.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is for whoever started it, who ends it
    )


def _ask(process: subprocess.Popen[bytes], record: str) -> tuple[str, str] | None:
    """The answer and the reason if there is none; None if the process is gone."""
    assert process.stdin
    assert process.stdout
    try:
        process.stdin.write(json.dumps(record).encode() + b"\n")
        process.stdin.flush()
        line = process.stdout.readline()
    except OSError:
        return None
    if not line.endswith(b"\n"):
        return None
    found, problem = json.loads(line)
    return str(found), str(problem)


def main() -> None:
    """Answers on the standard output, which nothing else may write to, until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        os.nice(_NICE)
    with suppress(OSError), open(os.dup(1), "wb") as answers:
        os.dup2(2, 1)
        serve(sys.stdin.buffer, answers)


def serve(questions: IO[bytes], answers: IO[bytes]) -> None:
    """Answers each line with a line: what was found, and what went wrong."""
    look: Callable[[str], str] | None = None
    for line in questions:
        try:
            look = look or _network()
            answer = (look(json.loads(line)), "")
        except Exception as error:  # noqa: BLE001 - told to whoever asked, who logs it
            answer = ("", f"{type(error).__name__}: {error}")
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


def _network() -> Callable[[str], str]:
    from assay.core.codec import encode, read_example
    from assay.detectors.embedded.detector import EmbeddedDetector

    detector = EmbeddedDetector()
    return lambda record: encode(detector.look(read_example(record).example)).decode()
