"""The clients that llm_overhead.py weighs, each started as a user would start it."""

import itertools
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import NamedTuple

from llm_processes import HERE, Cost, Server, write_examples

ASSAY = str(Path(sys.executable).with_name("assay"))
PEERS = ("ragas", "deepeval")


class Judge(NamedTuple):
    """A detector, and how many calls it makes for an example of ours."""

    name: str
    calls: int


SIMPLE = Judge("judge-simple", 1)


@dataclass(frozen=True, slots=True)
class Bench:
    """A server, a folder for what clients write, and how thoroughly is measured."""

    server: Server
    folder: Path
    quick: bool
    numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def rounds(self) -> int:
        """How often each figure is measured."""
        return 1 if self.quick else 3

    def assay(self, detector: str, count: int, delay: int, *options: str) -> Cost:
        """A run of its own name over that many examples."""
        command = [ASSAY, "run", str(self._examples(count)), "--detector", detector]
        command += ["--model", "loopback", "--base-url", self.server.base_url(delay)]
        command += ["--runs", str(self.folder / "runs"), "--name", f"run{next(self.numbers)}"]
        return self.server.weigh([*command, "--quiet", *options], self.folder)

    def judged(self, judge: Judge, calls: int, delay: int, flight: int) -> Cost:
        """A run that takes so many calls; another number means that replies could not be read."""
        count = calls // judge.calls
        cost = self.assay(judge.name, count, delay, "--concurrency", f"{flight}")
        if cost.calls != count * judge.calls:
            sys.exit(f"{count:,} examples took {cost.calls:,} calls of {judge.name}, not {calls:,}")
        return cost

    def cached(self, count: int) -> Cost:
        """A run with the cache that all such runs share."""
        return self.assay(SIMPLE.name, count, 0, "--cache", str(self.folder / "cache.sqlite"))

    def keep_bodies(self, judge: Judge) -> None:
        """Keeps what a run sends, for the bare client to send again."""
        self.server.forget()
        self.judged(judge, 500 * judge.calls, 0, 16)
        (self.folder / "bodies").write_bytes(self.server.bodies())

    def bare(self, count: int, delay: int, flight: int) -> Cost:
        """The same bodies from a client that only calls."""
        command = [sys.executable, str(HERE / "llm_bare.py"), str(self.folder / "bodies")]
        command += [self.server.base_url(delay), f"{count}", f"{flight}"]
        return self.server.weigh(command, self.folder)

    def faithfulness(self, flight: int) -> dict[str, Callable[[int], Cost]]:
        """By name, what weighs a package's faithfulness over some examples; says who is absent."""
        found: dict[str, Callable[[int], Cost]] = {
            "assay judge-claims": partial(self._claims, flight)
        }
        for name in PEERS:
            home = HERE / ".peers" / name / "bin" / "python"
            python = os.environ.get(f"{name.upper()}_PYTHON", str(home))
            if Path(python).exists():
                found[name] = partial(self._peer, python, name, flight)
            else:
                print(
                    f"  {name} is skipped: no {python} (the head of this file says how to make it)"
                )
        return found

    def _claims(self, flight: int, count: int) -> Cost:
        return self.assay("judge-claims", count, 50, "--concurrency", f"{flight}")

    def _peer(self, python: str, name: str, flight: int, count: int) -> Cost:
        script = str(HERE / "llm_peers" / f"{name}_faithfulness.py")
        command = [python, script, str(self._examples(count)), self.server.base_url(50)]
        return self.server.weigh([*command, f"{flight}"], self.folder)

    def _examples(self, count: int) -> Path:
        path = self.folder / f"{count}.jsonl"
        return path if path.exists() else write_examples(path, count)
