"""Speed and memory of `embedded-large` on this machine's cores, beside `embedded`.

The document is that of `embedded.py`: a source of about 500 tokens and five sentences. Both are
whole detectors, from text to verdicts with evidence, measured in turn; with transformers installed,
LettuceDetect-base's architecture is measured beside them, network only and with random weights.
Ratios are taken within a round. The base must have been fetched: assay models pull large.

Run: python benchmarks/embedded_large.py [--rounds 3]
"""

import argparse
import importlib.util
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import islice
from statistics import median

from embedded import _peak, document, documents, judge, references, seconds, share, tokens_of

from assay.core.errors import InputError
from assay.detectors.embedded.detector import EmbeddedDetector, EntailmentDetector
from assay.detectors.embedded.large.detector import load_model

BATCH = 4  # documents that are read together
WINDOW_WORDS = 2_200  # of a source that nearly fills the window of the large model
LETTUCE = "LettuceDetect-base"


def alone(words: int) -> dict[str, float]:
    """Load time, seconds and peak memory of a process that reads some documents and no more."""
    began = time.perf_counter()
    detector = EntailmentDetector(load_model().ready)
    load = time.perf_counter() - began
    pick = random.Random(words)
    some = [document(pick, words, str(number)) for number in range(2)]
    taken = seconds(lambda: list(detector.judge_batch(some)), len(some))
    return {"load": load, "seconds": taken, "documents": len(some), "peak": _peak()}


def measure_alone(words: int) -> dict[str, float]:
    """`alone` in a small process: one that a large one forks starts with the large one's peak."""
    own = [sys.executable, __file__, "--alone", str(words)]
    launch = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
    command = [sys.executable, "-S", "-c", launch, *own]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def compare(rounds: int) -> None:
    """Seconds for a document, and ratios within a round; the load says how far to trust them."""
    some = list(islice(documents(), BATCH))
    large, small = EntailmentDetector(load_model().ready), EmbeddedDetector()
    work: dict[str, tuple[Callable[[], object], int]] = {
        f"embedded-large, {BATCH} documents": (lambda: list(large.judge_batch(some)), BATCH),
        "embedded-large, one document": (lambda: list(large.judge_batch(some[:1])), 1),
        f"embedded, {BATCH} documents": (lambda: list(judge(small, some)), BATCH),
    }
    if importlib.util.find_spec("transformers") is not None:
        work[LETTUCE] = references(tokens_of(some[0]))[LETTUCE]
    others = list(work)[2:]
    clock: dict[str, list[float]] = {name: [] for name in work}
    busy: dict[str, list[float]] = {name: [] for name in work}
    for name in others:
        work[name][0]()
    for _ in range(rounds):
        for name, (run, count) in work.items():
            before = time.process_time()
            clock[name].append(seconds(run, count))
            busy[name].append((time.process_time() - before) / count)
    print(
        f"load of the machine {os.getloadavg()[0]:.1f}; seconds, and those of CPU, for a document"
    )
    for name in work:
        ratios = [
            f"{median(a / b for a, b in zip(clock[name], clock[other], strict=True)):.1f} x {other}"
            for other in others
            if name not in others
        ]
        times = f"{median(clock[name]):7.2f} s {median(busy[name]):7.2f} s"
        print(f"  {name:32} {times}  " + ", ".join(ratios), flush=True)


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone is not None:
        print(json.dumps(alone(options.alone)))
        return
    try:
        load_model()
    except InputError as error:
        print(f"embedded-large: skipped; {error}")
        return
    for words in (290, WINDOW_WORDS):
        one = measure_alone(words)
        print(
            f"{one['documents']:.0f} documents of {words:,} words: loaded in {one['load']:.2f} s,"
            f" {one['seconds']:.1f} s each, peak memory {one['peak']:.0f} MB",
            flush=True,
        )
    share(EntailmentDetector(load_model().ready), rounds=1)
    compare(options.rounds)


if __name__ == "__main__":
    main()
