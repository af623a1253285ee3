"""What `assay run` does once its options are read."""

import gc
import shlex
import sys
from dataclasses import asdict, dataclass

from rich.console import Console
from rich.text import Text

from assay.cli.data_cards import make_console, print_json
from assay.cli.run_progress import RunProgress
from assay.core.errors import InputError, ServiceError
from assay.core.taxonomies import taxonomy
from assay.evaluate.run_estimate import estimate_run
from assay.evaluate.run_opening import open_run
from assay.evaluate.run_record import RunRequest
from assay.evaluate.run_summary import RunSummary, summarize
from assay.evaluate.running import Ending
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
        gc.freeze()  # what is loaded by now stays: looking through it again and again costs a tenth
        gc.set_threshold(20_000)
        try:
            with RunProgress(session, Console(stderr=True), quiet=flags.quiet) as progress:
                ending = session.go(progress.tick)
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
    return [
        f"assay runs export {name}{folder} --out {name}.json",
        f"assay evaluate run:{name}{folder} --dataset {data}",
    ]


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
