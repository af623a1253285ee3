"""How long Assay takes to start: imports, help pages and a short check, beside bare Python.

Bytecode is compiled before anything is measured, as it is for an installed package. With
`--beside`, only the short check is timed, in turn with that of another checkout.

Run: python benchmarks/startup.py [--rounds 15] [--beside CHECKOUT]
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BARE = "python -c pass"
PYTHON = {
    BARE: "pass",
    "python -c 'import click'": "import click",
    "python -c 'import assay'": "import assay",
    "from assay import check": "from assay import check",
}
TEXTS = ["--source", "examples/article.txt", "--response", "examples/summary.txt"]
ASSAY = {
    "assay --help": ["--help"],
    "assay check --help": ["check", "--help"],
    "assay check, overlap": ["check", *TEXTS, "--detector", "overlap"],
    "assay check": ["check", *TEXTS],
}
COMMANDS = {name: ["-c", code] for name, code in PYTHON.items()} | {
    name: ["-m", "assay", *arguments] for name, arguments in ASSAY.items()
}


def seconds(arguments: list[str], bytecode: str, checkout: Path = ROOT) -> float:
    """How long a fresh Python takes."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    if checkout != ROOT:
        environment["PYTHONPATH"] = str(checkout / "src")
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, *arguments]
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment)
    return time.perf_counter() - began


def busy() -> float:
    """The CPU time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def compare(other: Path, rounds: int) -> None:
    """The short check of this checkout and of another one, in turn."""
    checkouts = {"here": ROOT, "there": other.resolve()}
    clock: dict[str, list[float]] = {name: [] for name in checkouts}
    cpu: dict[str, list[float]] = {name: [] for name in checkouts}
    with tempfile.TemporaryDirectory() as bytecode:
        for turn in range(rounds + 1):
            for name, checkout in checkouts.items():
                before = busy()
                taken = seconds(COMMANDS["assay check"], bytecode, checkout)
                if turn:  # the first compiles
                    clock[name].append(taken)
                    cpu[name].append(busy() - before)
    print(f"assay check, median of {rounds} runs at a load of {os.getloadavg()[0]:.1f}")
    for title, times in (("by the clock", clock), ("CPU time", cpu)):
        ratios = [a / b for a, b in zip(times["here"], times["there"], strict=True)]
        print(
            f"  {title:12} {statistics.median(times['here']):5.2f} s here,"
            f" {statistics.median(times['there']):5.2f} s there,"
            f" ratio {statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
        )


def main() -> None:
    """Times every command in turn, round after round, so that noise meets all of them alike."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--beside", type=Path, help="another checkout")
    options = parser.parse_args()
    rounds = options.rounds
    if options.beside is not None:
        compare(options.beside, rounds)
        return
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as bytecode:
        for arguments in COMMANDS.values():
            seconds(arguments, bytecode)
        for _ in range(rounds):
            for name, arguments in COMMANDS.items():
                times[name].append(seconds(arguments, bytecode))
    print(f"start-up, median and slowest of {rounds} runs")
    for name, values in times.items():
        middle = statistics.median(values)
        ratios = [value / bare for value, bare in zip(values, times[BARE], strict=True)]
        print(
            f"  {name:26} {middle * 1000:6.0f} ms (slowest {max(values) * 1000:5.0f} ms), "
            f"{statistics.median(ratios):5.1f} x bare Python"
        )


if __name__ == "__main__":
    main()
