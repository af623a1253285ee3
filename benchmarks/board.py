"""How long a board of 68 LLMs takes, and its peak memory, beside bare reading of the same corpus.

Run: python benchmarks/board.py [--rounds N]
"""

import argparse
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from shared_data import shared_data

READING = """
from assay.datasets.corpus import load_corpus
print(sum(1 for each in load_corpus("leaderboard")))
"""


def measured(command: list[str], root: Path) -> tuple[float, float, float]:
    """Seconds, those of the CPU, and peak memory in MB of a command, which must not fail."""
    environment = {**os.environ, "ASSAY_DATA": str(root)}
    began = time.perf_counter()
    child = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - began
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{' '.join(command)}: exit code {child.returncode}")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3


def main() -> None:
    """Prints medians: reading alone, and the board by all recorded detectors."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="measurements of each")
    rounds = parser.parse_args().rounds
    root = shared_data()
    assay = str(Path(sys.executable).with_name("assay"))
    commands = {
        "reading": [sys.executable, "-c", READING],
        "board": [assay, "board", "build", "leaderboard", "--json"],
    }
    taken: dict[str, list[tuple[float, float, float]]] = {name: [] for name in commands}
    for _ in range(rounds):  # one after the other, so that both meet the same load
        for name, command in commands.items():
            taken[name].append(measured(command, root))
    for name, figures in taken.items():
        seconds, cpu, memory = (statistics.median(each) for each in zip(*figures, strict=True))
        print(f"  {name:8} {seconds:5.1f} s, {cpu:5.1f} s of CPU, {memory:4.0f} MB at peak")
    for place, what in enumerate(("time", "CPU")):
        pairs = zip(taken["board"], taken["reading"], strict=True)
        ratios = sorted(board[place] / reading[place] for board, reading in pairs)
        middle = statistics.median(ratios)
        print(f"  board / reading, {what}: {middle:.2f} ({ratios[0]:.2f}-{ratios[-1]:.2f})")


if __name__ == "__main__":
    main()
