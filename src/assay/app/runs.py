"""Runs of detectors over data sets, in which nothing that was judged or paid for is lost."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from io import TextIOWrapper
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast, get_args

from assay import __version__
from assay.app.results import Report
from assay.core.codec import DocumentWriter
from assay.core.errors import BudgetError, InputError, ServiceError
from assay.core.judgements import Manifest
from assay.core.records import manifest_record
from assay.core.results import Result, write_line
from assay.core.stages import read_stages
from assay.core.system.files import writing
from assay.core.wire import SCHEMA, DocumentRecord, EndingRecord, EndState, StageUseRecord
from assay.datasets.columnar import is_columnar
from assay.datasets.corpus import corpus_names, find_card
from assay.datasets.part_writing import is_parts_target, rows_of_parts, write_parts
from assay.engine.check import Watch
from assay.engine.estimate import RunEstimate, estimate_run
from assay.engine.models import SharedBudget
from assay.engine.opening import open_run
from assay.engine.request import RunRequest
from assay.engine.session import Ending, Tick, Watched
from assay.engine.summary import RunSummary, state_of, summarize
from assay.evaluation.judgement_files import judgement_line, write_judgement_file
from assay.store.journal import Journal
from assay.store.runs import delete_run, open_store
from assay.store.totals import require_sound

if TYPE_CHECKING:
    from pandas import DataFrame


__all__ = ["RunEstimate", "RunRequest", "RunSummary", "Tick", "Watched", "estimate_run"]


@dataclass(frozen=True, slots=True, repr=False)
class RunOutcome:
    """The end of a session of a run, and the totals of the run by then."""

    ending: Ending
    summary: RunSummary
    request: RunRequest
    runs: str | None = None
    usage: str = ""  # of this session, in words

    def __repr__(self) -> str:
        summary = self.summary
        done = f"{summary.totals.examples} of {summary.manifest.chosen} examples"
        return f"<Run {summary.name}: {self.ending.state}, {done}>"

    def results(self) -> Iterator[Result]:
        """The results so far, in the order of the data, read from the journal.

        Data that has changed since raises: the judgements are not about it.
        """
        data = self.request.data
        seen = data.survey()
        if seen.digest != self.summary.manifest.dataset_digest:
            raise InputError(
                f"{data.target} is no longer the data that was judged; restore it to see the "
                "judgements beside their texts",
                code="data-changed",
            )
        with open_store(self.runs).open(self.summary.name) as journal:
            for position, row in enumerate(data.read_again(seen)):
                judgement = journal.judgement_at(position)
                if judgement:
                    yield Result(row.example, judgement)

    def report(self) -> Report:
        """All results in memory, to be looked at like those of a check."""
        return Report(self.summary.manifest, tuple(self.results()))

    def to_pandas(self) -> "DataFrame":
        """A data frame with a row for each unit; pandas must be installed."""
        return self.report().to_pandas()

    def to_html(self, path: str | Path | None = None) -> str:
        """A page to look at, as text; with a path it is written there as well."""
        return self.report().to_html(path)

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()


def run(
    request: RunRequest,
    watch: Watch,
    *,
    runs: str | None = None,
    resume: bool | None = False,
    retry: bool = False,
    budget: SharedBudget | None = None,
) -> RunOutcome:
    """Judges what is left of a run; `resume` None goes on with it where it is there already.

    A budget that does not allow even the first call raises, and so does a service that cannot be
    used; what was judged before that is kept.
    """
    store = open_store(runs)
    with open_run(request, store, resume=resume, retry=retry, budget=budget) as session:
        name, standing = session.name, session.standing
        try:
            with seldom_collecting(), watch(session) as tick:
                ending = session.go(tick)
        except ServiceError as error:
            if not standing.done:
                raise
            done = f"{standing.done:,} of {standing.total:,} examples are"
            kept, code = f"{done} judged and kept", "run-stopped"
            if standing.failures:
                kept, code = f"{done} kept, with {standing.failures:,} failures", "run-failing"
            raise ServiceError(f"{error}; {kept}", code=code) from None
        except InputError as error:
            is_gone = error.code == "store-gone"
            if not is_gone and not (standing.done and error.code in ("disk-full", "data-changed")):
                raise
            kept = f"{standing.done:,} of {standing.total:,} examples are judged and kept"
            code = "run-stopped" if is_gone else error.code
            raise InputError(f"{error} ({kept})", code=code, field=error.field) from None
        if ending.state == "budget" and not (standing.done or session.has_spent):
            raise BudgetError(f"{ending.detail}: not even the first call fits")
        usage = session.usage.describe()
    return RunOutcome(ending, summarize(store, name), request, runs, usage)


def has_gold(name: str) -> bool:
    """True for a corpus with labels of people."""
    return name in corpus_names() and find_card(name).has_gold


def complete(outcome: RunOutcome) -> str:
    """The name of a run that came to its end; one that did not raises and says how far it is."""
    summary = outcome.summary
    kept = (
        f"{summary.totals.examples:,} of {summary.manifest.chosen:,} examples are judged and kept"
    )
    if interruption := outcome.ending.interruption:
        raise interruption
    if outcome.ending.state == "budget":
        raise InputError(f"{outcome.ending.detail} ({kept})", code="budget")
    return summary.name


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Keeps the garbage collector from looking again and again through what is loaded by now."""
    threshold, was_frozen = gc.get_threshold(), gc.get_freeze_count() > 0
    gc.freeze()
    gc.set_threshold(20_000)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        if not was_frozen:
            gc.unfreeze()


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


def export_run(
    name: str,
    out: str | IO[str],
    runs: str | None = None,
    *,
    rows_per_part: int | None = None,
) -> None:
    """Writes the judgements of a run: as a document, in columns, or in parts to a folder.

    A file appears whole. A stream takes the document.
    """
    rows = rows_of_parts(out if isinstance(out, str) else "standard output", rows_per_part)
    store = open_store(runs)
    with store.open(name) as journal:
        require_sound(journal)
        state = state_of(store, journal)
        if not isinstance(out, str):
            _export(journal, state, out)
            return
        if is_parts_target(out):
            head = partial(_head, journal, state)
            lines = map(judgement_line, journal.read())
            write_parts(lines, out, write_judgement_file, rows, document=head)
            return
        if is_columnar(out):
            write_judgement_file(map(judgement_line, journal.read()), out, _head(journal, state))
            return
        with writing(out) as stream:
            file = TextIOWrapper(stream, "utf-8", newline="\n")
            _export(journal, state, file)
            file.detach()  # writes what is left, and does not close what is not its own


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


def _head(journal: Journal, state: str) -> DocumentRecord:
    """The document of a run without its judgements."""
    stages = read_stages(journal.fact("usage", {}).get("stages", ()))
    ending = EndingRecord(cast("EndState", state)) if state in get_args(EndState) else None
    told = [StageUseRecord(**each.to_dict()) for each in stages]
    return DocumentRecord(
        SCHEMA, __version__, manifest_record(journal.manifest), ending=ending, stages=told
    )


def _export(journal: Journal, state: str, stream: IO[str]) -> None:
    document = DocumentWriter(stream, journal.manifest, __version__)
    for judgement in journal.read():
        document.add(write_line(judgement))
    if state in get_args(EndState):
        document.end(cast("EndState", state))
    document.add_stages(read_stages(journal.fact("usage", {}).get("stages", ())))
    document.close()
