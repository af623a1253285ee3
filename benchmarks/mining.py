"""Mining the leaderboard's 66,658 rows: time and memory, beside a bare reading of the same corpus.

Run: python benchmarks/mining.py
The target is 20 s on two cores, with all recorded detectors and everything chosen written.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from shared_data import shared_data

_END = "print(done, time.perf_counter() - began, time.process_time() - spent, peak())"
_BEGIN = """
import resource, sys, time
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
began, spent = time.perf_counter(), time.process_time()
"""
_READ = f"""{_BEGIN}
from assay.datasets.corpus import load_corpus
done = sum(1 for _ in load_corpus("leaderboard", sys.argv[1]))
{_END}
"""
_MINE = f"""{_BEGIN}
from assay.cli.application import app
try:
    app(sys.argv[1:])
    done = 0
except SystemExit as end:
    done = end.code or 0
{_END}
"""


def measure(code: str, *arguments: str) -> tuple[int, float, float, float]:
    """What the code counts, its seconds, those of CPU, and its peak memory in MB."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    number, *figures = done.stdout.split()[-4:]
    seconds, cpu, memory = map(float, figures)
    return int(number), seconds, cpu, memory


def main() -> None:
    """Prints the reading alone, the mining without and with a file, and the ratios."""
    root = str(shared_data())
    count, seconds, reading, memory = measure(_READ, root)
    print(f"  {count:,} examples of the corpus: wall time, CPU time, peak memory")
    print(f"  reading them alone          {seconds:6.2f} s {reading:6.2f} s {memory:6.0f} MB")
    with TemporaryDirectory() as folder:
        out = Path(folder) / "hard.jsonl"
        for name, more in (
            ("mining, first 115 groups", ("--groups", "115")),
            ("mining, all groups written", ("--out", str(out))),
        ):
            arguments = ("mine", "leaderboard", "--data", root, "--quiet", *more)
            code, seconds, cpu, memory = measure(_MINE, *arguments)
            ratio = f"{cpu / reading:.1f} x reading"
            print(f"  {name:27} {seconds:6.2f} s {cpu:6.2f} s {memory:6.0f} MB, {ratio}")
            if code:
                sys.exit(f"mining ended with {code}")
        print(f"  written: {out.stat().st_size / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
