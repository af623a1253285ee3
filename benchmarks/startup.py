"""How long it takes to import Assay and to see its help, beside bare Python and bare typer.

Run: make bench, or python benchmarks/startup.py
"""

import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 15
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "python -c 'import typer'": [sys.executable, "-c", "import typer"],
    "python -c 'import assay'": [sys.executable, "-c", "import assay"],
    "assay --help": [str(Path(sys.executable).with_name("assay")), "--help"],
    "assay check --help": [str(Path(sys.executable).with_name("assay")), "check", "--help"],
    "from assay import check": [sys.executable, "-c", "from assay import check"],
}


def main() -> None:
    """Times every command in turn, round after round, so that noise meets all of them alike."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(ROUNDS):
        for name, command in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            times[name].append(time.perf_counter() - start)
    reference = statistics.median(times["python -c pass"])
    print(f"startup, median and slowest of {ROUNDS} runs")
    for name, values in times.items():
        middle = statistics.median(values)
        print(
            f"  {name:26} {middle * 1000:6.0f} ms (slowest {max(values) * 1000:4.0f} ms), "
            f"{middle / reference:4.1f} x bare Python"
        )


if __name__ == "__main__":
    main()
