"""What `assay run` does once its options are read."""

import gc
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.text import Text

from assay.cli.data_cards import make_console, print_json
from assay.cli.run_progress import RunProgress
from assay.core.errors import InputError, ServiceError
from assay.core.taxonomies import taxonomy
from assay.datasets.corpus import CORPORA
from assay.evaluate.runs.estimate import estimate_run
from assay.evaluate.runs.opening import open_run
from assay.evaluate.runs.request import RunRequest
from assay.evaluate.runs.session import Ending
from assay.evaluate.runs.summary import RunSummary, summarize
from assay.report.corpus_view import facts_view
from assay.report.run_view import counts, estimate_facts, usage_facts
from assay.report.terminal import closing_line, printable
from assay.store.folder import RunsFolder


@dataclass(frozen=True, slots=True)
class Flags:
    """What to do with a run, and how to speak of it."""

    dry_run: bool = False
    resume: bool = False
    retry: bool = False
    quiet: bool = False
    as_json: bool = False


def run_run(request: RunRequest, runs: str | None, flags: Flags) -> int:
    """Runs, or says what that would cost; gives the exit code."""
    if flags.dry_run:
        if flags.resume or flags.retry:
            raise InputError("--dry-run is for a run from its beginning: leave out --resume")
        return _dry_run(request, flags)
    folder = RunsFolder(runs)
    with open_run(request, folder, resume=flags.resume, retry=flags.retry) as session:
        name, standing = session.name, session.standing
        progress = RunProgress(session, Console(stderr=True), quiet=flags.quiet)
        try:
            with seldom_collecting(), progress:
                ending = session.go(progress.tick)
            if ending.state == "budget" and not (standing.done or session.usage.record()["calls"]):
                raise InputError(f"{ending.detail}: not even the first call fits")
        except ServiceError as error:
            kept = f"{standing.done:,} of {standing.total:,} examples are judged and kept"
            how = f"; {kept}, go on with --resume" if standing.done else ""
            raise ServiceError(f"{error}{how}") from None
    with folder.open(name) as journal:
        summary = summarize(name, journal)
    if flags.as_json:
        print_json(summary.to_dict())
    else:
        _show(make_console(), summary, runs)
    return _close(summary, ending)


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """What is loaded by now is not looked through again and again, which costs a tenth."""
    threshold, was_frozen = gc.get_threshold(), gc.get_freeze_count() > 0
    gc.freeze()
    gc.set_threshold(20_000)
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        if not was_frozen:
            gc.unfreeze()


def _dry_run(request: RunRequest, flags: Flags) -> int:
    estimate = estimate_run(request)
    if flags.as_json:
        print_json(asdict(estimate))
    else:
        make_console().print(facts_view(estimate_facts(estimate)))
    return 0


def _show(console: Console, summary: RunSummary, runs: str | None) -> None:
    run = summary.run
    console.print(closing_line(summary.totals, taxonomy(run.taxonomy)), soft_wrap=True)
    facts = [
        ("failures", counts(summary.totals.failures)),
        *usage_facts(summary.usage),
        ("note", "\n".join(summary.adaptations)),
        ("run", f"{summary.name} {summary.state_in_words}"),
        ("next", "\n".join(_next_commands(summary, runs))),
    ]
    for name, fact in facts:
        if fact:
            line = Text(f"{name:9}", style="bold").append(
                f"\n{'':9}".join(fact.split("\n")), "not bold"
            )
            console.print(line, soft_wrap=True)


def _next_commands(summary: RunSummary, runs: str | None) -> list[str]:
    folder = f" --runs {shlex.quote(runs)}" if runs else ""
    name, data = summary.name, shlex.quote(summary.run.dataset)
    commands = [f"assay runs export {name}{folder} --out {name}.json"]
    if summary.run.dataset in CORPORA:
        commands.append(f"assay evaluate run:{name}{folder} --dataset {data}")
    if summary.totals.failures:
        commands.append("the same command with --retry-failures asks again for what failed")
    return commands


def _close(summary: RunSummary, ending: Ending) -> int:
    done = f"{summary.totals.examples:,} of {summary.run.chosen:,} examples are judged"
    if ending.state == "interrupted":
        _say(f"interrupted: {done} and kept; go on with --resume")
        return 130
    if ending.state == "budget":
        _say(f"{ending.detail}, with --resume ({done} and kept)")
        return 2
    return 3 if summary.totals.failures else 0


def _say(message: str) -> None:
    sys.stderr.write(f"assay: {printable(message)}\n")
