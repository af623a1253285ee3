"""What a run costs beyond its calls, beside a bare client and beside other packages.

All clients call one loopback server. Each is a process of its own, and rates are differences of two
sizes, so that neither interpreter start-up nor reading the settings counts. Clients take turns.

  calls   calls a second of `assay run` as a share of a bare aiohttp client's, and CPU a call
  localize  the same for localizers: one call an example, and the three steps of the pipeline
  peers   200 examples through `judge-claims` and the faithfulness of ragas and DeepEval
  memory  peak memory over 100,000 examples divided by that over 1,000
  cache   verdicts a second when every reply is in the cache

Other packages run in environments of their own, in benchmarks/.peers/ragas and .peers/deepeval, or
with the Pythons that RAGAS_PYTHON and DEEPEVAL_PYTHON name; where there is none, it is skipped.
To make one: `python -m venv FOLDER`, and then with FOLDER/bin/pip
  install ragas==0.4.3 instructor==1.17.0 openai==2.54.0 langchain-community==0.3.31
  install deepeval==4.3.1 openai==3.49.0

Run: python benchmarks/llm_overhead.py [--quick] [calls] [localize] [peers] [memory] [cache]
"""

import argparse
import math
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from llm_clients import SIMPLE, Bench, Judge
from llm_processes import Cost, Server

WANTED_SHARE = {16: 0.9, 64: 0.9, 256: 0.5}


@dataclass(frozen=True, slots=True)
class Pace:
    """What one more takes, from two runs of different size: how many a second, CPU milliseconds.

    Noise can swallow the difference of two small runs; a figure is then not a number.
    """

    rate: float
    cpu: float


def pace(less: Cost, more: Cost, units: int) -> Pace:
    """The pace of the units that the larger run has more."""
    seconds, cpu = more.seconds - less.seconds, more.cpu - less.cpu
    return Pace(
        units / seconds if seconds > 0 else math.nan,
        cpu / units * 1000 if cpu > 0 else math.nan,
    )


def spread(values: Sequence[float], form: str) -> str:
    """The median with the range."""
    cells = [f"{value:{form}}" for value in (statistics.median(values), min(values), max(values))]
    return f"{cells[0]} ({cells[1]}-{cells[2]})"


def table(*rows: Sequence[str]) -> None:
    """Rows below each other, the first the heads of the columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        print("  " + "  ".join(cells).rstrip(), flush=True)


def calls(bench: Bench) -> None:
    """The calls of a judge."""
    _beside_bare(bench, SIMPLE)


def localize(bench: Bench) -> None:
    """The calls of localizers."""
    _beside_bare(bench, Judge("localize-cot", 1))
    _beside_bare(bench, Judge("localize-pipeline:group=10", 3))


def _beside_bare(bench: Bench, judge: Judge) -> None:
    """Calls a second beside a bare client, at 16, 64 and 256 in flight."""
    print(f"assay run, {judge.name}, 50 ms server: median (range) of {bench.rounds} rounds")
    bench.keep_bodies(judge)
    heads = "in flight|of bare|wanted|CPU ms a call|wanted|bare|calls/s|bare".split("|")
    rows = []
    for flight, wanted in WANTED_SHARE.items():
        ours, bare = zip(*(_turn(bench, judge, flight) for _ in range(bench.rounds)), strict=True)
        shares = [one.rate / other.rate for one, other in zip(ours, bare, strict=True)]
        share = [f"{flight}", spread(shares, ".2f"), f">= {wanted}"]
        cpu = [spread([one.cpu for one in paces], ".2f") for paces in (ours, bare)]
        rate = [spread([one.rate for one in paces], ",.0f") for paces in (ours, bare)]
        rows.append([*share, cpu[0], "< 1", cpu[1], *rate])
    table(heads, *rows)


def _turn(bench: Bench, judge: Judge, flight: int) -> tuple[Pace, Pace]:
    """Ours and the bare client's, one after the other at each size."""
    small, large = (flight * 9, flight * 30) if bench.quick else (flight * 21, flight * 120)
    less = bench.judged(judge, small, 50, flight), bench.bare(small, 50, flight)
    more = bench.judged(judge, large, 50, flight), bench.bare(large, 50, flight)
    return pace(less[0], more[0], large - small), pace(less[1], more[1], large - small)


def peers(bench: Bench) -> None:
    """The same examples through other packages' faithfulness; x says how often ours it is."""
    few, count = (5, 20) if bench.quick else (20, 200)
    print(f"{count} examples, 50 ms server; the last two columns leave start-up out")
    heads = "in flight|who|time|CPU|memory|seconds|CPU s|peak MB|calls|CPU ms a call|calls/s"
    for flight in (16, 64):
        found = {
            name: (weigh(few), weigh(count)) for name, weigh in bench.faithfulness(flight).items()
        }
        ours = next(iter(found.values()))[1]
        rows = [[f"{flight}", name, *_beside(ours, *costs)] for name, costs in found.items()]
        table(heads.split("|"), *rows)


def _beside(ours: Cost, less: Cost, more: Cost) -> list[str]:
    further = pace(less, more, more.calls - less.calls)
    times = more.seconds / ours.seconds, more.cpu / ours.cpu, more.megabytes / ours.megabytes
    whole = [f"{more.seconds:.1f}", f"{more.cpu:.1f}", f"{more.megabytes:.0f}", f"{more.calls:,}"]
    return [*(f"{x:.1f} x" for x in times), *whole, f"{further.cpu:.2f}", f"{further.rate:,.0f}"]


def memory(bench: Bench) -> None:
    """How peak memory grows with the number of examples."""
    few, many = (200, 2_000) if bench.quick else (1_000, 100_000)
    small, large = (bench.judged(SIMPLE, count, 0, 64) for count in (few, many))
    ratio = large.megabytes / small.megabytes
    print(f"peak memory over {many:,} examples: {ratio:.2f} x that over {few:,}, wanted <= 1.3")
    rows = [
        (f"{n:,}", f"{c.megabytes:.0f}", f"{c.seconds:.1f}")
        for n, c in ((few, small), (many, large))
    ]
    table(("examples", "peak MB", "seconds"), *rows)


def cache(bench: Bench) -> None:
    """How fast replies are read that are known already."""
    few, many = (500, 2_000) if bench.quick else (5_000, 25_000)
    bench.cached(many)
    paces = []
    for _ in range(bench.rounds):
        less, more = bench.cached(few), bench.cached(many)
        if more.calls:
            sys.exit(f"{more.calls:,} of {many:,} questions were asked again in spite of the cache")
        paces.append(pace(less, more, many - few))
    print(f"cache hits: {spread([one.rate for one in paces], ',.0f')} verdicts/s, wanted >= 5,000")
    print(f"  CPU {spread([one.cpu for one in paces], '.3f')} ms a verdict", flush=True)


SECTIONS = {"calls": calls, "localize": localize, "peers": peers, "memory": memory, "cache": cache}


def main() -> None:
    """Measures the sections that are named, or all."""
    parser = argparse.ArgumentParser(description="What a run costs beyond its calls.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="small sizes, to see that it works")
    given = parser.parse_args()
    if unknown := set(given.sections) - set(SECTIONS):
        parser.error(f"no section '{unknown.pop()}'; the sections are {', '.join(SECTIONS)}")
    with tempfile.TemporaryDirectory() as folder, Server() as server:
        bench = Bench(server, Path(folder), given.quick)
        for name in given.sections or SECTIONS:
            SECTIONS[name](bench)


if __name__ == "__main__":
    main()
