"""What `assay knowledge` does once its options are read."""

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from assay.cli.data_cards import make_console, print_json
from assay.core.errors import InputError
from assay.knowledge.corpora.corpus import LocalCorpus
from assay.knowledge.corpora.indexing import index_corpus
from assay.knowledge.corpora.tables import CORPUS
from assay.knowledge.corpora.writing import IndexReport, Watcher
from assay.knowledge.database import mark_of
from assay.knowledge.opening import SourceOptions, open_source
from assay.knowledge.snapshots import (
    SNAPSHOTS,
    Snapshots,
    export_passages,
    export_snapshots,
    import_snapshots,
)
from assay.knowledge.sources import KnowledgePassage
from assay.report.corpus_view import facts_view
from assay.report.terminal import printable

MOST_PROBLEMS = 10


def run_index(target: str, out: str, words: int, *, keep_missing: bool, as_json: bool) -> int:
    """Indexes, says what was done, and gives 2 if something could not be read."""
    began = time.perf_counter()
    try:
        with _progress() as watch:
            report = index_corpus(target, out, words=words, keep_missing=keep_missing, watch=watch)
    except KeyboardInterrupt:
        _say(f"interrupted: what was written stays in {out}; the same command goes on from there")
        return 130
    seconds = time.perf_counter() - began
    for problem in report.problems[:MOST_PROBLEMS]:
        _say(str(problem))
    if report.unreadable > MOST_PROBLEMS:
        _say(f"... and {report.unreadable - MOST_PROBLEMS:,} more that could not be read")
    if as_json:
        print_json({"corpus": out, "seconds": round(seconds, 3), **_report_record(report)})
    else:
        _print_report(out, report, seconds)
    return 2 if report.unreadable else 0


def run_search(name: str, query: str, most: int, options: SourceOptions, *, as_json: bool) -> None:
    """Searches, and prints what was found."""
    if not query.strip():
        raise InputError("there is nothing to search for: the query is empty")
    if most < 1:
        raise InputError(f"a search brings at least 1 passage, not {most}")
    source_name, found = asyncio.run(_search(name, query, most, options))
    if as_json:
        records = [each.to_dict() for each in found]
        print_json({"source": source_name, "query": query, "passages": records})
        return
    console = make_console()
    for number, passage in enumerate(found, 1):
        _print_passage(console, number, passage)
    if not found:
        console.print("nothing found", highlight=False)


async def _search(
    name: str, query: str, most: int, options: SourceOptions
) -> tuple[str, tuple[KnowledgePassage, ...]]:
    async with open_source(name, options) as source:
        return source.name, await source.search(query, most)


def run_show(file: str, *, as_json: bool) -> None:
    """Prints what is in a corpus or a file of snapshots."""
    facts = _corpus_facts(file) if _is_corpus(file) else _snapshot_facts(file)
    if as_json:
        print_json({"file": file, **facts})
        return
    rows = (
        (name.replace("_", " "), f"{fact:,}" if isinstance(fact, int) else str(fact))
        for name, fact in {"file": file, **facts}.items()
    )
    make_console().print(facts_view(rows))


def run_export(file: str, out: str) -> None:
    """Writes everything as JSON lines, and says how much it was."""
    if Path(out).resolve() == Path(file).resolve():
        raise InputError(f"{out} is the input and would be lost; write to another file")
    if _is_corpus(file):
        corpus = LocalCorpus(file)
        try:
            count = export_passages(corpus.passages(), out)
        finally:
            corpus.close()
    else:
        with _snapshots(file) as snapshots:
            count = export_snapshots(snapshots, out)
    _print_line(f"written to {out}: passages {count:,}")


def run_import(file: str, into: str) -> None:
    """Adds snapshots to a file, and says what is in it now."""
    with _snapshots(into, to_write=True) as snapshots:
        import_snapshots(file, snapshots)
        passages, searches = snapshots.count()
    _print_line(f"{into} holds {passages:,} snapshots and {searches:,} searches")


def _is_corpus(file: str) -> bool:
    """Whether a file is a corpus and not one of snapshots; any other file raises."""
    if not Path(file).is_file():
        raise InputError(f"there is no file at {file}")
    mark = mark_of(file)
    if mark not in (CORPUS.mark, SNAPSHOTS.mark):
        raise InputError(f"{file} is neither a local corpus nor a file of snapshots")
    return mark == CORPUS.mark


def _corpus_facts(file: str) -> dict[str, Any]:
    corpus = LocalCorpus(file)
    try:
        counts = asdict(corpus.counts())
    finally:
        corpus.close()
    size = Path(file).stat().st_size
    each = round(size / counts["passages"]) if counts["passages"] else 0
    return {"kind": CORPUS.name, **counts, "bytes": size, "bytes_per_passage": each}


def _snapshot_facts(file: str) -> dict[str, Any]:
    with _snapshots(file) as snapshots:
        passages, searches = snapshots.count()
    size = Path(file).stat().st_size
    return {"kind": SNAPSHOTS.name, "snapshots": passages, "searches": searches, "bytes": size}


@contextmanager
def _snapshots(file: str, *, to_write: bool = False) -> Iterator[Snapshots]:
    snapshots = Snapshots(file, to_write=to_write)
    try:
        yield snapshots
    finally:
        snapshots.close()


@contextmanager
def _progress() -> Iterator[Watcher]:
    """Shows on a terminal how far indexing has come."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("indexing"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[passages]:,} passages"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
    task = bar.add_task("", total=None, passages=0)

    def watch(report: IndexReport) -> None:
        total = max(report.total_bytes, 1)
        bar.update(task, total=total, completed=report.bytes, passages=report.passages)

    with bar:
        yield watch


def _report_record(report: IndexReport) -> dict[str, Any]:
    record = asdict(report)
    del record["bytes"]
    return {**record, "problems": [str(each) for each in report.problems]}


def _print_report(out: str, report: IndexReport, seconds: float) -> None:
    done = f"indexed {report.indexed:,}, unchanged {report.unchanged:,}, removed {report.removed:,}"
    _print_line(f"{out}: files {report.files:,} ({done})")
    rate = f", {report.passages / seconds:,.0f} passages/s" if report.passages else ""
    new = f"documents {report.documents:,}, passages {report.passages:,}"
    _print_line(f"new: {new} in {seconds:.1f} s{rate}")


def _print_passage(console: Console, number: int, passage: KnowledgePassage) -> None:
    score = "" if passage.score is None else f"  {passage.score:.2f}"
    title = passage.title or passage.address
    console.print(Text(f"{number}. {printable(title)}{score}", style="bold"), soft_wrap=True)
    about = (passage.address, passage.time, f"sha256 {passage.digest[:12]}")
    console.print(Text("  ".join(filter(None, map(printable, about))), style="dim"), soft_wrap=True)
    console.print(Text(printable(passage.text)))
    console.print()


def _print_line(line: str) -> None:
    make_console().print(Text(line), soft_wrap=True)


def _say(message: str) -> None:
    sys.stderr.write(f"assay: {printable(message)}\n")
