"""How long Assay takes to start: imports, help pages and a short check, beside bare Python.

Bytecode is compiled before anything is measured, as it is for an installed package.

Run: python benchmarks/startup.py [--rounds 15]
"""

import argparse
import os
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


def seconds(arguments: list[str], bytecode: str) -> float:
    """How long a fresh Python takes."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, *arguments]
    began = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=ROOT, env=environment)
    return time.perf_counter() - began


def main() -> None:
    """Times every command in turn, round after round, so that noise meets all of them alike."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
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
