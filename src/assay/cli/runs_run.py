"""What `assay runs` does once its options are read."""

import sys
from typing import Any, TextIO

from assay.checking.document import DocumentWriter
from assay.cli.data_cards import make_console, print_json
from assay.core.errors import InputError
from assay.core.taxonomies import taxonomy
from assay.core.writing import replacing
from assay.evaluate.runs.summary import state_of, summarize
from assay.report.corpus_view import facts_view, table_view
from assay.report.run_view import run_facts
from assay.report.terminal import closing_line, printable
from assay.store.folder import RunsFolder
from assay.store.journal import Journal

_HEADERS = ("run", "state", "detector", "model", "data", "done", "failures", "cost")


def run_list(runs: str | None, *, as_json: bool) -> None:
    """Prints a line for each run; a file that is none says so in its line."""
    folder = RunsFolder(runs)
    rows = [_row(folder, name) for name in folder.names()]
    if as_json:
        print_json(rows)
        return
    title = f"{len(rows)} {'run' if len(rows) == 1 else 'runs'} at {folder.folder}"
    make_console().print(table_view(title, _HEADERS, map(_cells, rows), words=5))


def run_show(name: str, runs: str | None, *, as_json: bool) -> None:
    """Prints everything about a run."""
    with RunsFolder(runs).open(name) as journal:
        summary = summarize(name, journal)
    if as_json:
        print_json(summary.to_dict())
        return
    console = make_console()
    console.print(facts_view(run_facts(summary)))
    menu = taxonomy(summary.run.taxonomy)
    console.print(closing_line(summary.totals, menu), soft_wrap=True)


def run_export(name: str, runs: str | None, out: str | None) -> None:
    """Writes the JSON document of a run to a file, which appears whole, or to standard output."""
    with RunsFolder(runs).open(name) as journal:
        if out is None or out == "-":
            _export(journal, sys.stdout)
            return
        with replacing(out) as part, part.open("w", encoding="utf-8") as file:
            _export(journal, file)


def run_delete(name: str, runs: str | None, *, sure: bool) -> int:
    """Deletes a run, once the user is sure; gives the exit code."""
    folder = RunsFolder(runs)
    with folder.open(name) as journal:
        count = journal.count()
    if not sure:
        if not sys.stdin.isatty():
            raise InputError(f"'{name}' has {count:,} outcomes; to delete them, say --yes")
        sys.stderr.write(f"delete '{name}' with {count:,} outcomes? [y/N] ")
        sys.stderr.flush()
        if sys.stdin.readline().strip().casefold() not in ("y", "yes"):
            sys.stderr.write("assay: nothing was deleted\n")
            return 1
    folder.delete(name)
    return 0


def _export(journal: Journal, stream: TextIO) -> None:
    run = journal.run
    document = DocumentWriter(stream, run.judge, run.taxonomy, run.unit_kind)
    for line in journal.lines():
        document.add_line(line)
    document.close()


def _row(folder: RunsFolder, name: str) -> dict[str, Any]:
    try:
        with folder.open(name) as journal:
            run, usage = journal.run, journal.fact("usage", {})
            return {
                "run": name,
                "state": state_of(journal),
                "detector": run.detector,
                "model": run.model,
                "data": run.dataset,
                "done": journal.count(),
                "total": run.chosen,
                "failures": journal.failures(),
                "cost": usage.get("cost", 0.0) if run.model else None,
            }
    except InputError as error:
        return {"run": name, "state": printable(str(error))}


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    words = tuple(str(row.get(header, "")) for header in _HEADERS[:5])
    if "total" not in row:
        return (*words, "", "", "")
    cost = "" if not row["model"] else "unknown" if row["cost"] is None else f"${row['cost']:.4f}"
    return (*words, f"{row['done']:,} of {row['total']:,}", f"{row['failures']:,}", cost)
