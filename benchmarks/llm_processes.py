"""The processes of llm_overhead.py: the server, and the clients that are weighed."""

import json
import os
import random
import subprocess
import sys
import urllib.request
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Self

HERE = Path(__file__).resolve().parent
NAMES = "Lindmoor Osterholm Vass Brenner Calder Ivarsen Maro Quill Teasdale".split()
THINGS = "ferry bridge library harbour school tunnel market clinic archive".split()

# A process that is forked from a large one starts with its peak, so a small one starts the command.
_LAUNCH = """
import resource, subprocess, sys, time
began = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode
seconds = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(code, seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a command took: seconds on the clock and of CPU, megabytes at the peak, and calls."""

    seconds: float
    cpu: float
    megabytes: float
    calls: int


class Server(AbstractContextManager["Server"]):
    """The loopback server while it is in use."""

    def __enter__(self) -> Self:
        command = [sys.executable, str(HERE / "llm_server.py")]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.port = int(self.process.stdout.readline()) if self.process.stdout else 0
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()

    def base_url(self, delay: int) -> str:
        """Where calls take so many milliseconds."""
        return f"http://127.0.0.1:{self.port}/{delay}/v1"

    def calls(self) -> int:
        """Calls since this was last asked."""
        return int(json.loads(self._get("calls"))["calls"])

    def bodies(self) -> bytes:
        """The bodies of the last calls, one a line."""
        return self._get("bodies")

    def forget(self) -> None:
        """Forgets the bodies of earlier calls."""
        self._get("forget")

    def weigh(self, command: list[str], folder: Path) -> Cost:
        """What a command takes that makes its calls here; one that fails ends the benchmark."""
        self.calls()
        launch = [sys.executable, "-S", "-c", _LAUNCH, *command]
        done = subprocess.run(
            launch, capture_output=True, text=True, cwd=folder, env=_environment()
        )
        code, seconds, cpu, megabytes = map(float, done.stdout.split())
        if code:
            sys.exit(f"{' '.join(command)}\nended with {code:.0f}:\n{done.stderr[-3000:]}")
        return Cost(seconds, cpu, megabytes, self.calls())

    def _get(self, path: str) -> bytes:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with direct.open(f"http://127.0.0.1:{self.port}/{path}") as answer:
            return bytes(answer.read())


def _environment() -> dict[str, str]:
    """Ours, with the telemetry of the other packages off, and without settings of the user's."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("OPENAI_", "ASSAY_", "CONFIDENT_"))
    }
    return {
        **kept,
        "OPENAI_API_KEY": "none",
        "NO_PROXY": "127.0.0.1",
        "RAGAS_DO_NOT_TRACK": "true",
        "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
        "DEEPEVAL_UPDATE_WARNING_OPT_OUT": "YES",
    }


def write_examples(path: Path, count: int) -> Path:
    """A file of short examples, no two alike; a shorter file is the beginning of a longer one."""
    pick = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            name, thing, other = pick.choice(NAMES), pick.choice(THINGS), pick.choice(NAMES)
            year, sum_ = pick.randint(1950, 2024), pick.randint(2, 99)
            row = {
                "id": f"e{number}",
                "question": f"What happened to the {thing} of {name}?",
                "source": f"The {thing} of {name} was closed in {year} after case {number}. "
                f"{other} paid {sum_} million euros for its repair. It opened again in May.",
                "response": f"{other} paid {sum_} million euros to repair the {thing}. "
                f"It was closed in {year}.",
            }
            file.write(json.dumps(row) + "\n")
    return path
