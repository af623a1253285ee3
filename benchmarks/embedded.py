"""Speed, memory and load time of the embedded detector, beside two other detectors' networks.

The document: a source of about 500 tokens and five sentences, about 650 tokens in all. Ours is the
whole detector, from text to verdicts with evidence. The references are networks alone, with random
weights, which changes nothing about their speed:
    LettuceDetect-base: ModernBERT-base with a head on every token, one pass over the document;
    HHEM-2.1-Open: the encoder of T5-base, one pass over source and sentence for each sentence.
All are measured in turn, round after round, and ratios are taken within a round.

Run: python benchmarks/embedded.py [--rounds 5] [--documents 40] [--longest 20000]
"""

import argparse
import importlib.util
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from pathlib import Path
from statistics import median

import numpy as np

from assay import Example, Judgement, Response, Source
from assay.core.system import bridge
from assay.detectors.embedded.detector import (
    SHIPPED,
    EmbeddedDetector,
    EntailmentDetector,
    load_model,
)
from assay.detectors.embedded.reading import SourceReader

ROOT = Path(__file__).parents[1]
OUT = ROOT / "out"
WORDS = (100, 300, 1_000, 3_000, 10_000, 20_000)
BATCH = 8
NAMES = "Lindmoor Osterholm Vass Brenner Calder Maro Quill Teasdale".split()
VERBS = "approved rejected delayed praised opened closed funded repaired".split()
THINGS = "ferry bridge library harbour budget school tunnel market".split()


def document(pick: random.Random, words: int = 290, id: str = "1") -> Example:
    """A source of so many words (290 are about 520 tokens) and five sentences."""
    source = " ".join(sentence(pick) for _ in range(words // 11 + 1))
    return Example(id, Source(source), Response(" ".join(sentence(pick) for _ in range(5))))


def documents() -> Iterator[Example]:
    """Documents without end."""
    pick = random.Random(1)
    return (document(pick, id=str(number)) for number in count())


def judge(detector: EmbeddedDetector, examples: Iterable[Example]) -> Iterator[Judgement]:
    """The judgements of some examples, as a synchronous program gets them."""
    return bridge.iterate(detector.judge(examples))


def tokens_of(example: Example) -> int:
    """How many tokens our network reads."""
    reader = SourceReader(example.source, load_model(SHIPPED).tokenizer)
    sentences = example.response.text.split(" again. ")
    return sum(len(reading.row.tokens) for reading in reader.read("", sentences))


def sentence(pick: random.Random) -> str:
    """A sentence of eleven words with names and a date."""
    return (
        f"{pick.choice(NAMES)} {pick.choice(VERBS)} the {pick.choice(THINGS)} near "
        f"{pick.choice(NAMES)} on {pick.randint(1, 28)} May {pick.randint(1950, 2024)} again."
    )


def seconds(work: Callable[[], object], documents: int = 1) -> float:
    """Seconds for each of the documents that some work takes on."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) / documents


def references(tokens: int) -> dict[str, tuple[Callable[[], object], int]]:
    """The other networks: what to run, and how many documents that does."""
    import torch
    from transformers import (
        ModernBertConfig,
        ModernBertForTokenClassification,
        T5Config,
        T5ForTokenClassification,
    )

    torch.set_num_threads(2)
    torch.set_grad_enabled(False)

    def ids(rows: int, length: int) -> torch.Tensor:
        return torch.randint(5, 30_000, (rows, length))

    kinds = {}
    for kind in ("sdpa", "eager"):
        config = ModernBertConfig()
        config._attn_implementation = kind
        kinds[kind] = ModernBertForTokenClassification(config).train(False)
    one, four, pair = ids(1, tokens), ids(BATCH, tokens), ids(1, 532)
    times = {
        kind: min(seconds(lambda model=model: model(one)) for _ in range(3))  # type: ignore[misc]
        for kind, model in kinds.items()
    }
    faster = min(times, key=lambda kind: times[kind])
    lettuce = kinds[faster]
    print(f"ModernBERT: {', '.join(f'{k} {v:.2f} s' for k, v in times.items())}; {faster} is taken")
    shape = T5Config(
        d_model=768, d_ff=2048, num_layers=12, num_heads=12, feed_forward_proj="gated-gelu"
    )
    hhem = T5ForTokenClassification(shape).train(False)
    return {
        "LettuceDetect-base": (lambda: lettuce(one), 1),
        f"LettuceDetect-base, {BATCH} at once": (lambda: lettuce(four), BATCH),
        "HHEM-2.1-Open, by sentence": (lambda: [hhem(pair) for _ in range(5)], 1),
        "HHEM-2.1-Open, 5 at once": (lambda: hhem(pair.expand(5, -1)), 1),
    }


def compare(rounds: int) -> None:
    """Documents per second of our detector and the references."""
    if importlib.util.find_spec("transformers") is None:
        print("other networks: skipped, transformers is not installed (see the bench extra)")
        return
    some = list(islice(documents(), BATCH))
    tokens = tokens_of(some[0])
    work = references(tokens)
    names = list(work)
    detector = EmbeddedDetector()
    work[f"ours, {BATCH} documents"] = (lambda: list(judge(detector, some)), BATCH)
    work["ours, one document"] = (lambda: list(judge(detector, some[:1])), 1)
    for run, _ in work.values():
        run()
    times = {name: np.empty(rounds) for name in work}
    for turn in range(rounds):
        for name, (run, done) in work.items():
            times[name][turn] = seconds(run, done)
    print(f"{tokens} tokens; documents/s; ratio of our speed, median (lowest-highest)")
    print(f"  {'':32} {'docs/s':>7} {'best':>6}  " + "  ".join(f"{name:>32}" for name in names))
    for name, values in times.items():
        ratios = [times[other] / values for other in names] if name not in names else []
        cells = [f"{median(r):.2f} ({r.min():.2f}-{r.max():.2f})" for r in ratios]
        speed = f"{1 / median(values):7.2f} {1 / values.min():6.2f}"
        print(f"  {name:32} {speed}  " + "  ".join(f"{c:>32}" for c in cells))


def share(detector: EntailmentDetector, responses: int = 6, rounds: int = 3) -> None:
    """CPU time of some responses to one source that are read together, and one by one."""
    pick = random.Random(3)
    source = document(pick).source
    some = [
        Example(str(number), source, Response(" ".join(sentence(pick) for _ in range(5))))
        for number in range(responses)
    ]
    ratios = []
    list(detector.judge_batch(some[:1]))
    for _ in range(rounds):
        began = time.process_time()
        list(detector.judge_batch(some))
        middle = time.process_time()
        for example in some:
            list(detector.judge_batch([example]))
        ratios.append((middle - began) / (time.process_time() - middle))
    print(
        f"{responses} responses to one source, together beside one by one:"
        f" {median(ratios):.2f} x the CPU time ({min(ratios):.2f}-{max(ratios):.2f})",
        flush=True,
    )


def alone(words: int) -> dict[str, float]:
    """Load time, time and peak memory of this process, which does nothing else."""
    began = time.perf_counter()
    detector = EmbeddedDetector()
    load = time.perf_counter() - began
    if not words:
        list(judge(detector, islice(documents(), 2 * BATCH)))
        return {"load": load, "peak": _peak()}
    example = document(random.Random(words), words)
    taken = min(seconds(lambda: list(judge(detector, [example]))) for _ in range(3))
    return {"read": tokens_of(example), "seconds": taken, "peak": _peak()}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _measure_alone(words: int) -> dict[str, float]:
    """`alone` in a small process: one that a large one forks starts with the large one's peak."""
    own = [sys.executable, __file__, "--alone", str(words)]
    launch = "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)"
    command = [sys.executable, "-S", "-c", launch, *own]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def start() -> None:
    """`assay check` on a short example in a fresh process, beside a bare Python."""
    check = [sys.executable, "-m", "assay", "check"]
    texts = ["--source", "examples/article.txt", "--response", "examples/summary.txt"]
    bare = [sys.executable, "-c", "pass"]

    def run(command: list[str]) -> float:
        return seconds(lambda: subprocess.run(command, cwd=ROOT, check=True, capture_output=True))

    ours = [run([*check, *texts]) for _ in range(5)]
    idle = [run(bare) for _ in range(5)]
    print(
        f"assay check, cold: {median(ours):.2f} s (lowest {min(ours):.2f}),"
        f" {median(ours) / median(idle):.0f} x bare python ({median(idle):.3f} s)"
    )


def grow(longest: int) -> None:
    """Time and memory as the source grows, as a table and a plot."""
    print("growing sources, five sentences")
    print("    words   tokens read   seconds   documents/s   peak MB")
    found = []
    for words in (each for each in WORDS if each <= longest):
        one = _measure_alone(words)
        found.append((words, one["seconds"]))
        print(
            f"  {words:7,} {one['read']:13,} {one['seconds']:9.2f} "
            f"{1 / one['seconds']:13.2f} {one['peak']:9.0f}",
            flush=True,
        )
    OUT.mkdir(exist_ok=True)
    path = OUT / "embedded-growth.svg"
    path.write_text(plot(found, "Seconds for a document"), encoding="utf-8")
    print(f"  drawn in {path.relative_to(ROOT)}")


def plot(points: list[tuple[int, float]], title: str) -> str:
    """A line through points as SVG; words on a logarithmic axis."""
    top = max(y for _, y in points) * 1.15
    low, high = np.log(points[0][0]), np.log(points[-1][0])
    places = [(60 + 500 * (np.log(x) - low) / (high - low), 260 - 210 * y / top) for x, y in points]
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="#2a6f97"/>'
        f'<text x="{x:.1f}" y="{y - 10:.1f}" text-anchor="middle">{value:.2f}</text>'
        f'<text x="{x:.1f}" y="280" text-anchor="middle">{words:,}</text>'
        for (x, y), (words, value) in zip(places, points, strict=True)
    )
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 620 320" font-family="sans-serif" '
        f'font-size="12"><text x="60" y="24" font-size="15">{title}</text>'
        '<path d="M60 40V260H580" fill="none" stroke="#888"/>'
        f'<polyline points="{line}" fill="none" stroke="#2a6f97" stroke-width="2"/>{marks}'
        '<text x="310" y="306" text-anchor="middle">words of the source</text></svg>\n'
    )


def use_cores(number: int) -> None:
    """How many cores many documents keep busy."""
    detector = EmbeddedDetector()
    busy = time.process_time()
    wall = seconds(lambda: sum(1 for _ in judge(detector, islice(documents(), number))))
    busy = time.process_time() - busy
    print(
        f"{number:,} documents in {wall:.1f} s = {number / wall:.2f}/s,"
        f" {busy / wall:.2f} cores busy"
    )


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--longest", type=int, default=WORDS[-1], help="words of a source")
    parser.add_argument("--alone", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone is not None:
        print(json.dumps(alone(options.alone)))
        return
    one = _measure_alone(0)
    print(f"loaded in {one['load']:.2f} s, peak memory {one['peak']:.0f} MB", flush=True)
    start()
    use_cores(options.documents)
    share(EmbeddedDetector())
    grow(options.longest)
    compare(options.rounds)


if __name__ == "__main__":
    main()
