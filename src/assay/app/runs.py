"""The runs that there are: listed, shown, exported, deleted."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, cast, get_args

from assay import __version__
from assay.core.codec import DocumentWriter
from assay.core.errors import InputError
from assay.core.judgements import Manifest
from assay.core.results import write_line
from assay.core.stages import read_stages
from assay.core.system.files import replacing
from assay.core.wire import EndState
from assay.engine.summary import RunSummary, state_of, summarize
from assay.store.journal import Journal
from assay.store.runs import delete_run, open_store
from assay.store.totals import require_sound


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run in a list; one that cannot be read has a problem and nothing else."""

    name: str
    state: str = ""
    manifest: Manifest | None = None
    done: int = 0
    failures: int = 0
    cost: float | None = None
    problem: str = ""


def list_runs(runs: str | None = None) -> tuple[str, list[RunLine]]:
    """The place of the runs, and a line for each."""
    store = open_store(runs)
    return store.place, list(_lines(runs))


def show_run(name: str, runs: str | None = None) -> RunSummary:
    """All that can be said of a run in short."""
    store = open_store(runs)
    with store.open(name) as journal:
        require_sound(journal)
    return summarize(store, name)


def export_run(name: str, out: str | IO[str], runs: str | None = None) -> None:
    """Writes the judgements of a run as a document: to a file, which appears whole, or a stream."""
    store = open_store(runs)
    with store.open(name) as journal:
        require_sound(journal)
        state = state_of(store, journal)
        if not isinstance(out, str):
            _export(journal, state, out)
            return
        with replacing(out) as part, part.open("w", encoding="utf-8") as file:
            _export(journal, state, file)


@dataclass(frozen=True, slots=True)
class RunContents:
    """The contents of a run; `cost` is in US dollars, None if it is not known.

    Calls that were cut off count, since they may have been charged.
    """

    judgements: int
    calls: int
    cost: float | None


def run_contents(name: str, runs: str | None = None) -> RunContents:
    """The number of judged examples of a run, and the money spent on it."""
    with open_store(runs).open(name) as journal:
        usage = journal.fact("usage", {})
        spent = usage.get("spent", (0, 0, 0))
        calls = max(usage.get("calls", 0), spent[2])
        return RunContents(journal.count(), calls, usage.get("cost", 0.0))


def remove_run(name: str, runs: str | None = None) -> None:
    """Deletes a run, unless a process has it."""
    delete_run(open_store(runs), name)


def _lines(runs: str | None) -> Iterator[RunLine]:
    store = open_store(runs)
    for name in store.names():
        try:
            with store.open(name) as journal:
                manifest, usage = journal.manifest, journal.fact("usage", {})
                yield RunLine(
                    name,
                    state_of(store, journal),
                    manifest,
                    journal.count(),
                    journal.failures(),
                    usage.get("cost", 0.0) if manifest.model else None,
                )
        except InputError as error:
            yield RunLine(name, problem=str(error))


def _export(journal: Journal, state: str, stream: IO[str]) -> None:
    document = DocumentWriter(stream, journal.manifest, __version__)
    for judgement in journal.read():
        document.add(write_line(judgement))
    if state in get_args(EndState):
        document.end(cast("EndState", state))
    document.add_stages(read_stages(journal.fact("usage", {}).get("stages", ())))
    document.close()
