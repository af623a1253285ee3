"""Quality and CPU time of a cascade beside its two ends, on RAGTruth.

Both ends judge the same sample, each once, as journaled runs that a second call goes on with. The
cascade by each rule follows from their judgements by the code that runs it: per response exactly,
per sentence nearly, since the second would then read fewer sentences together. `--real` also runs
the cascade itself. The CPU time of a run is that of its process, kept beside the runs; that of a
cascade which was not run goes by the share that went on, which is somewhat too little.

With `--sources N`, all responses to N sources of each task are judged, those to one source together
as in a corpus of one's own, and each part reads a source once for several of them.

Our networks were trained on the RAGTruth data of `ragtruth`: to measure them, ASSAY_DATA names a
folder whose `ragtruth` holds other sources of it.

Run: python benchmarks/cascade.py [--sample 60 | --sources 5] [--seed 0] [--runs DIR] [--real]
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from shared_data import read_lines, shared_data

from assay.core.examples import Annotated, Example
from assay.core.judgements import Author, Judgement, Judgements
from assay.core.system.bridge import iterate
from assay.datasets.selection import DataChoice
from assay.detectors.combinators.cascade import Per, cascade
from assay.detectors.combinators.fold import fold
from assay.detectors.protocol import Capabilities, Detector
from assay.detectors.registry import DetectorSpec
from assay.engine.summary import summarize
from assay.evaluation.evaluate import Evaluation, Settings, evaluate_each
from assay.store.runs import open_run_judgements, open_store

TASKS = ("summary", "qa", "data2txt")


@dataclass(frozen=True)
class Replay:
    """A detector that says again what a run of it said."""

    run: Judgements
    capabilities: Capabilities
    prompt_digests: Mapping[str, str] = field(default_factory=dict)

    @property
    def author(self) -> Author:
        return self.run.manifest.author

    async def judge(self, examples: Iterable[Example]) -> AsyncIterator[Judgement]:
        """What was said of the units that an example names, or of all."""
        for example in examples:
            (said,) = self.said[example.id]
            wanted = {unit.id for unit in example.units} or {unit.id for unit in said.units}
            yield replace(
                said,
                units=tuple(unit for unit in said.units if unit.id in wanted),
                outcomes=tuple(each for each in said.outcomes if each.unit in wanted),
            )

    @property
    def said(self) -> dict[str, tuple[Judgement, ...]]:
        if self.run.reference not in _READ:
            _READ[self.run.reference] = self.run.by_example()
        return _READ[self.run.reference]


_READ: dict[str, dict[str, tuple[Judgement, ...]]] = {}


def judged(detector: str, options: argparse.Namespace) -> tuple[Judgements, float]:
    """A run of a detector over the sample, and the seconds of CPU that it took in all."""
    how = f"{options.sources}-sources" if options.sources else f"{options.sample}"
    name = f"{detector.replace(':', '-').replace(',', '-')}-{how}-{options.seed}"
    spent_file = Path(options.runs) / f"{name}.cpu.json"
    spent = json.loads(spent_file.read_text()) if spent_file.exists() else 0.0
    store = open_store(options.runs)
    if store.has(name) and summarize(store, name).state == "complete":
        return open_run_judgements(name, options.runs), spent
    command = [sys.executable, "-m", "assay", "run", "ragtruth", "--detector", detector]
    if not options.sources:
        command += ["--sample", str(options.sample), "--seed", str(options.seed)]
    command += ["--name", name, "--runs", options.runs, *(["--resume"] if store.has(name) else [])]
    before = _cpu()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    spent += _cpu() - before
    spent_file.write_text(json.dumps(spent))
    return open_run_judgements(name, options.runs), spent


def take_sources(target: Path, count: int, seed: int) -> None:
    """Writes the part of RAGTruth that is about so many sources of each task, one after another."""
    sources = read_lines("ragtruth", "source_info.jsonl")
    responses: dict[str, list[object]] = {}
    for row in read_lines("ragtruth", "response.jsonl"):
        responses.setdefault(str(row["source_id"]), []).append(row)
    chosen = []
    for task in sorted({str(row["task_type"]) for row in sources}):
        there = [row for row in sources if row["task_type"] == task]
        there = [row for row in there if str(row["source_id"]) in responses]
        chosen += random.Random(seed).sample(there, min(count, len(there)))
    target.mkdir(parents=True, exist_ok=True)
    kept = [row for source in chosen for row in responses[str(source["source_id"])]]
    for name, rows in (("source_info.jsonl", chosen), ("response.jsonl", kept)):
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (target / name).write_text(text, encoding="utf-8")


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def rules(first: Detector, second: Detector) -> Iterator[tuple[str, Detector]]:
    """The cascades to compare, by their names."""
    for per in ("response", "sentence"):
        for below in (None, 0.6, 0.8, 0.9):
            said = "where it says it is not sure" if below is None else f"below {below}"
            yield f"{said}, per {per}", cascade(first, second, below, _per(per))
    yield (
        "where the response is not sure (unit=response)",
        cascade(fold(first), fold(second), None, "response"),
    )


def _per(given: str) -> Per:
    return "response" if given == "response" else "sentence"


def line(name: str, evaluation: Evaluation, share: float | None, cpu: float) -> str:
    """A row of the table."""
    figures = evaluation.figures
    tasks = " / ".join(str(evaluation.tasks[task].figures["balanced accuracy"]) for task in TASKS)
    went = "" if share is None else f"{share:.0%}"
    shown = [str(figures[each]) for each in ("balanced accuracy", "recall", "specificity")]
    return f"| {' | '.join((name, *shown, tasks, went, f'{cpu:.2f} s'))} |"


def compare(options: argparse.Namespace) -> Iterator[str]:
    """The table, row by row."""
    Path(options.runs).mkdir(parents=True, exist_ok=True)
    runs = [judged(name, options) for name in (options.first, options.second)]
    (first, first_cpu), (second, second_cpu) = runs
    replays = [
        Replay(run, DetectorSpec(name).capabilities)
        for run, name in zip((first, second), (options.first, options.second), strict=True)
    ]
    annotated = [
        row
        for row in DataChoice("ragtruth").read()
        if isinstance(row, Annotated) and row.id in replays[0].said
    ]
    n = len(annotated)
    sources = len({each.example.source.id for each in annotated})
    yield f"{n} responses about {sources} sources; the load is {os.getloadavg()[0]:.1f}\n"
    yield "| | BAcc | recall | specificity | summary / qa / data2txt | went on | CPU a response |"
    yield "|---|---|---|---|---|---|---|"

    def measured(said: Judgements) -> Evaluation:
        (found,) = evaluate_each("ragtruth", annotated, [said], Settings())
        return found

    yield line(options.first, measured(first), None, first_cpu / n)
    yield line(options.second, measured(second), None, second_cpu / n)
    for name, combined in rules(*replays):
        found = tuple(iterate(combined.judge([each.example for each in annotated])))
        said = Judgements(name, replace(first.manifest, author=combined.author), lambda f=found: f)  # type: ignore[misc]
        one, two = combined.uses  # type: ignore[attr-defined]
        share = two.examples / one.examples
        yield line(name, measured(said), share, first_cpu / n + share * second_cpu / n)
    if options.real:
        real, cpu = judged(f"cascade:{options.first},{options.second}", options)
        one, two = real.stages
        share = two.examples / one.examples
        yield line("the cascade itself", measured(real), share, cpu / n)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--sample", type=int, default=60)
    parser.add_argument("--sources", type=int, default=0, help="of each task, instead of a sample")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", default="cascade-runs", help="folder of the runs")
    parser.add_argument("--first", default="embedded")
    parser.add_argument("--second", default="embedded-large")
    parser.add_argument("--real", action="store_true", help="also run the cascade itself")
    options = parser.parse_args()
    shared_data("ragtruth")
    if options.sources:
        part = Path(options.runs) / f"data-{options.sources}-{options.seed}"
        take_sources(part / "ragtruth", options.sources, options.seed)
        os.environ["ASSAY_DATA"] = str(part)
    for row in compare(options):
        print(row, flush=True)


if __name__ == "__main__":
    main()
