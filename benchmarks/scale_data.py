"""Data at size: made-up responses with recorded detectors, as lines and as Parquet, in parts.

Run: python benchmarks/scale_data.py make DIR ROWS    # made-up rows as Parquet, in parts
     python benchmarks/scale_data.py size DIR         # `mine` and `board build` over such data
     python benchmarks/scale_data.py forms DIR        # Parquet against lines, in one run

`size` measures time and peak memory of `assay mine` and `assay board build`. Rows have a source of
some 40 words that ten LLMs respond to, and verdicts of two to five detectors.
"""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow
from pyarrow import parquet

from assay.core.examples import Annotated
from assay.datasets.example_columns import COLUMNS
from assay.datasets.example_files import write_example_file
from assay.datasets.parts import PARTS_SCHEMA, PartRecord, PartsRecord, write_manifest
from assay.datasets.selection import DataChoice

LLMS = 10
DETECTORS = ("alpha", "beta", "gamma", "delta", "epsilon")
WORDS = "the of court river report city found said year members children north water plan".split()
PART, GROUP = 250_000, 1_000  # rows of a file, and of a group in it
_LABELS = ("unfaithful", "faithful")
_FIXED = {"schema": "urn:assay:example:1", "question": "", "label": "", "label_from": ""}


def made_up(first: int, rows: int) -> Iterator[dict[str, str | None]]:
    """Rows from a number on, in the columns of our files; a number always has the same row."""
    for source in range(first // LLMS, (first + rows + LLMS - 1) // LLMS):
        drawn = random.Random(source)
        text, hard = f"{' '.join(drawn.choices(WORDS, k=40))} {source}.", drawn.random()
        tail = " ".join(drawn.choices(WORDS, k=10))
        for llm in range(LLMS):
            id = f"r{source * LLMS + llm:09}"
            said = f"{tail}, it says on page {drawn.randrange(1_000_000)}."
            judged = ",".join(
                _judgement(id, each, said, drawn.random() > hard * (1 + llm) / 12)
                for each in DETECTORS[: 2 + source % 4]
            )
            yield {
                **_FIXED,
                "id": id,
                "source": text,
                "response": said,
                "model": f"llm-{llm}",
                "source_id": f"s{source:08}",
                "judgements": f"[{judged}]",
            }


def _judgement(id: str, author: str, said: str, is_faithful: bool) -> str:
    return (
        f'{{"example":"{id}","author":{{"name":"{author}"}},"taxonomy":"binary","units":[{{'
        f'"id":"response","kind":"response","text":"{said}","start":0,"end":{len(said)},'
        f'"verdict":{{"label":"{_LABELS[is_faithful]}"}}}}]}}'
    )


def make(folder: str, rows: str) -> None:
    """Writes made-up rows as Parquet in parts, with the manifest that says they are whole."""
    root = f"{folder.rstrip('/')}/"
    Path(root).mkdir(parents=True)
    schema = pyarrow.schema([(name, pyarrow.string()) for name in COLUMNS])
    parts = []
    for number, first in enumerate(range(0, int(rows), PART)):
        name, count = f"part-{number:05}.parquet", min(PART, int(rows) - first)
        with parquet.ParquetWriter(
            root + name, schema, compression="zstd", use_dictionary=[*_FIXED, "model"]
        ) as writer:
            for start in range(first, first + count, GROUP):
                some = list(made_up(start, min(GROUP, first + count - start)))
                writer.write_batch(pyarrow.RecordBatch.from_pylist(some, schema))
        parts.append(PartRecord(name, count))
    write_manifest(root, PartsRecord(PARTS_SCHEMA, "complete", parts))


_MEASURED = """
import resource, sys, time
began = time.perf_counter()
from assay.cli.application import app
code = 0
try:
    app(sys.argv[1:])
except SystemExit as end:
    code = end.code
used = resource.getrusage(resource.RUSAGE_SELF)
took = time.perf_counter() - began
print(code, took, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
"""


def size(folder: str, *only: str) -> None:
    """Prints time and peak memory of mining and of a board over data in parts."""
    commands = {
        "read": ("data", "convert", folder, "--to", "OUT"),
        "mine": ("mine", folder, "--groups", "1000", "--out", "OUT", "--quiet"),
        "mine_only": ("mine", folder, "--groups", "1000", "--quiet"),
        "board": ("board", "build", folder, "--json", "--quiet"),
    }
    for name in only or ("mine", "board"):
        with TemporaryDirectory() as place:
            out = str(Path(place) / "out.jsonl.gz")
            given = [out if each == "OUT" else each for each in commands[name]]
            done = subprocess.run(
                [sys.executable, "-c", _MEASURED, *given], capture_output=True, text=True
            )
        code, *figures = done.stderr.split()[-4:]
        if done.returncode or code not in ("0", "1", "None"):
            sys.exit(f"{name} ended with {code}: {done.stderr[-2000:]}")
        seconds, cpu, peak = map(float, figures)
        print(f"  {name:6} {seconds:8.1f} s {cpu:8.1f} s of CPU {peak:8.0f} MB peak", flush=True)


def forms(folder: str) -> None:
    """Prints how long lines, packed lines, Parquet and Arrow take to be written and read."""
    rows = [each for each in DataChoice(folder).read() if isinstance(each, Annotated)]
    print(f"  {len(rows):,} examples, the same in each form; ratios to .jsonl")
    usual = (0.0, 0.0, 0.0, 0.0)
    with TemporaryDirectory() as place:
        for ending in (".jsonl", ".jsonl.gz", ".parquet", ".arrow"):
            path = str(Path(place) / f"x{ending}")
            wrote = _timed(partial(write_example_file, rows, path, no_label))
            whole = _timed(partial(_count, DataChoice(path)))
            texts = _timed(partial(_count, DataChoice(path).texts()))
            found = (Path(path).stat().st_size / 2**20, wrote, whole, texts)
            usual = found if ending == ".jsonl" else usual
            shares = [f"{one / other:.2f}" for one, other in zip(found, usual, strict=True)]
            print(
                f"  {ending:10} {found[0]:7.1f} MiB ({shares[0]}), written {wrote:6.2f} s "
                f"({shares[1]}), read {whole:6.2f} s ({shares[2]}), texts alone {texts:6.2f} s "
                f"({shares[3]})"
            )


def no_label(_: Annotated) -> tuple[str, str]:
    """The label of a whole response is no part of this."""
    return "", ""


def _count(choice: DataChoice) -> int:
    return sum(1 for _ in choice.read())


def _timed(work: Callable[[], object]) -> float:
    """The seconds of CPU that some work takes, at the best of three times."""
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return best


COMMANDS: dict[str, Callable[..., None]] = {"make": make, "size": size, "forms": forms}

if __name__ == "__main__":
    COMMANDS[sys.argv[1]](*sys.argv[2:])
