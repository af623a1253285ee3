"""Time and memory of segmentation, alignment and whole checks, on text made here.

Times are ratios to a reference measured in the same run: pysbd for segmentation, rank_bm25 for
ranking. Memory of `assay check` is the peak of a process of its own, for growing files.

Run: python benchmarks/throughput.py [--quick]
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pysbd
from rank_bm25 import BM25Okapi

from assay.core.texts import Source
from assay.text.evidence import SourceIndex
from assay.text.sentences import split_sentences
from assay.text.words import terms

NAMES = "Lindmoor Osterholm Vass Tandoori Brenner Calder Ivarsen Maro Quill Teasdale".split()
VERBS = "approved rejected delayed praised opened closed funded repaired sold measured".split()
THINGS = "ferry bridge library harbour budget school tunnel market clinic archive".split()
PAIRS = 10_000
REFERENCE = 100  # responses that the references do, which are slow


def sentence(pick: random.Random) -> str:
    """A sentence with a name, a date and a figure."""
    return (
        f"{pick.choice(NAMES)} {pick.choice(VERBS)} the {pick.choice(THINGS)} near "
        f"{pick.choice(NAMES)} on {pick.randint(1, 28)} May {pick.randint(1950, 2024)} for "
        f"{pick.randint(2, 99)}.{pick.randint(1, 9)} million euros, Dr. {pick.choice(NAMES)} said."
    )


def example(pick: random.Random, sentences: int, checked: int) -> tuple[str, str]:
    """A source, and a response that copies some of it."""
    source = [sentence(pick) for _ in range(sentences)]
    return " ".join(source), " ".join([pick.choice(source) for _ in range(checked)])


def clock(work: Callable[[], object]) -> float:
    """Seconds that some work takes."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def pairs(count: int) -> None:
    """Sentences, five to a response, each aligned with a source of 20 sentences."""
    pick = random.Random(0)
    cases = [example(pick, 20, 5) for _ in range(count // 5)]
    tracemalloc.start()
    segment = clock(lambda: [split_sentences(text) for case in cases for text in case])
    align = clock(lambda: [_align(source, response) for source, response in cases])
    peak = tracemalloc.get_traced_memory()[1] / 1e6
    tracemalloc.stop()
    segment = clock(lambda: [split_sentences(text) for case in cases for text in case])
    align = clock(lambda: [_align(source, response) for source, response in cases])
    slow = pysbd.Segmenter(language="en", clean=False)
    few = cases[:REFERENCE]
    times = len(cases) / len(few)
    reference_segment = clock(lambda: [slow.segment(text) for case in few for text in case]) * times
    reference_rank = clock(lambda: [_rank_bm25(*case) for case in few]) * times
    print(f"{count:,} sentence-source pairs (sources of 20 sentences)")
    print(f"  segmentation  {segment:6.2f} s = {segment / reference_segment:.4f} x pysbd")
    print(
        f"  alignment     {align:6.2f} s = {align / reference_rank:.2f} x rank_bm25 (ranking only)"
    )
    print(f"  peak of Python memory while doing so: {peak:.1f} MB")


def _align(source: str, response: str) -> object:
    index = SourceIndex(Source(source))
    return [index.rank(span.text) for span in split_sentences(response)]


def _rank_bm25(source: str, response: str) -> object:
    passages = [terms(span.text) for span in split_sentences(source)]
    ranking = BM25Okapi(passages)
    return [ranking.get_scores(terms(span.text)) for span in split_sentences(response)]


def checks(scale: int) -> None:
    """Peak memory and time of `assay check` on growing files, and on long texts."""
    assay = str(Path(sys.executable).with_name("assay"))
    command = [assay, "check", "--json", "--detector", "overlap"]
    with tempfile.TemporaryDirectory() as folder:
        print("assay check FILE.jsonl --json (sources of 3 sentences, responses of 2)")
        for count in (1_000 // scale, 10_000 // scale, 100_000 // scale):
            path = Path(folder) / f"{count}.jsonl"
            pick = random.Random(1)
            with path.open("w", encoding="utf-8") as file:
                for _ in range(count):
                    source, response = example(pick, 3, 2)
                    file.write(json.dumps({"source": source, "response": response}) + "\n")
            _measure([*command, str(path)], f"{count:7,} examples")
        long = Path(folder) / "long.txt"
        pick = random.Random(2)
        long.write_text(
            "\n".join(sentence(pick) for _ in range(450_000 // scale)), encoding="utf-8"
        )
        short = Path(folder) / "short.txt"
        short.write_text(" ".join(sentence(pick) for _ in range(5)), encoding="utf-8")
        size = long.stat().st_size / 1e6
        many = Path(folder) / "many.txt"
        sentences = 100_000 // scale
        many.write_text(" ".join(sentence(pick) for _ in range(sentences)), encoding="utf-8")
        _measure(
            [*command, "--source", str(long), "--response", str(short)], f"source of {size:.3g} MB"
        )
        _measure(
            [*command, "--source", str(short), "--response", str(many)], f"{sentences:,} sentences"
        )


# A process that is forked from a large one starts with its peak, so a small one starts the command.
_LAUNCH = (
    "import resource, subprocess, sys;"
    "code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode;"
    "print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
)


def _measure(command: list[str], title: str) -> None:
    began = time.perf_counter()
    launch = [sys.executable, "-S", "-c", _LAUNCH, *command]
    done = subprocess.run(launch, check=True, capture_output=True, text=True)
    seconds = time.perf_counter() - began
    code, kilobytes = map(int, done.stdout.split())
    print(
        f"  {title:20} {seconds:7.1f} s, peak memory {kilobytes / 1024:6.0f} MB, exit code {code}",
        flush=True,
    )


def main() -> None:
    """Measures both, at full size or a hundredth of it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    scale = 100 if parser.parse_args().quick else 1
    pairs(PAIRS // scale)
    checks(scale)


if __name__ == "__main__":
    main()
