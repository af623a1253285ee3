"""`assay knowledge`: corpora of one's own, searches in them and outside, and snapshots."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from assay import KnowledgeChoice
from assay.app import knowledge as use_case
from assay.app.knowledge import IndexReport, KnowledgePassage, Watcher, index_corpus
from assay.cli.commands import CommandGroup
from assay.cli.errors import INTERRUPTED, say
from assay.cli.options import AsJson, Shown
from assay.cli.output import make_console, print_json
from assay.core.options import Argument, Option, Takes
from assay.report.tables import facts_view
from assay.report.words import printable

MOST_PROBLEMS = 10

File = Annotated[str, Argument("A local corpus, or a file of snapshots.", "FILE.sqlite")]


def index(
    target: Annotated[
        str,
        Argument("What to index: .txt, .md, .html, .json and .jsonl (also .jsonl.gz).", "DIR|FILE"),
    ],
    out: Annotated[str, Option("The corpus to create or update.", "FILE.sqlite")],
    words: Annotated[int, Option("Approximate number of words in a passage.", "N")] = 100,
    keep_missing: Annotated[bool, Option("Keep the passages of files that are gone.")] = False,
    json: AsJson = False,
) -> int:
    """Make a corpus from files, or update one; unchanged files are skipped.

    Exit code: 0, or 2 if something could not be read; everything else is indexed.
    """
    began = time.perf_counter()
    try:
        with _progress() as watch:
            report = index_corpus(target, out, words=words, keep_missing=keep_missing, watch=watch)
    except KeyboardInterrupt:
        say(f"interrupted: what was written stays in {out}; the same command goes on from there")
        return INTERRUPTED
    seconds = time.perf_counter() - began
    for problem in report.problems[:MOST_PROBLEMS]:
        say(str(problem))
    if report.unreadable > MOST_PROBLEMS:
        say(f"... and {report.unreadable - MOST_PROBLEMS:,} more that could not be read")
    if json:
        print_json({"corpus": out, "seconds": round(seconds, 3), **_report_record(report)})
    else:
        _print_report(out, report, seconds)
    return 2 if report.unreadable else 0


def search(
    choice: Annotated[
        KnowledgeChoice,
        Takes(
            knowledge=Argument(
                "Where to search: a FILE.sqlite of 'assay knowledge index', wikipedia, "
                "wikipedia:LANGUAGE, mediawiki:ADDRESS, brave or tavily.",
                "SOURCE",
            )
        ),
    ],
    query: Annotated[str, Argument("A few words or a sentence; no query syntax.", "QUERY")],
    most: Annotated[int, Option("Number of passages.", "N")] = 5,
    json: AsJson = False,
) -> None:
    """Search a corpus, a wiki or the web."""
    found = use_case.search(choice, query, most)
    if json:
        print_json(found.to_dict())
        return
    console = make_console()
    for number, passage in enumerate(found.passages, 1):
        _print_passage(console, number, passage)
    if not found.passages:
        console.print("nothing found", highlight=False)


def show(file: File, json: AsJson = False) -> None:
    """Show what is in a corpus or a file of snapshots."""
    facts = use_case.describe(file)
    rows = (
        (name.replace("_", " "), f"{fact:,}" if isinstance(fact, int) else str(fact))
        for name, fact in facts.items()
    )
    Shown(json).show(lambda: facts, lambda: [facts_view(rows)])


def export(
    file: File,
    out: Annotated[str, Option("File to write.", "FILE.jsonl")],
) -> None:
    """Write snapshots, or all passages of a corpus, as JSON lines."""
    _print_line(f"written to {out}: passages {use_case.export(file, out):,}")


def import_(
    file: Annotated[str, Argument("Exported snapshots.", "FILE.jsonl")],
    into: Annotated[str, Option("The file of snapshots.", "FILE.sqlite")],
) -> None:
    """Add exported snapshots to a file of snapshots; texts must match their digests."""
    passages, searches = use_case.add_snapshots(file, into)
    _print_line(f"{into} holds {passages:,} snapshots and {searches:,} searches")


@contextmanager
def _progress() -> Iterator[Watcher]:
    """Shows on a terminal how far indexing has come."""
    console = make_console(stderr=True, width=None)
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


app = CommandGroup(
    "Outside knowledge: index a local corpus, search it or the web, keep what was found.",
    index,
    search,
    show,
    export,
    import_,
)
