"""`assay run`: a detector over a whole data set, journaled so that nothing is lost."""

import shlex
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from assay.app.judging import RUNS
from assay.app.run import RunOutcome, RunRequest, RunSummary, estimate_run, has_gold
from assay.app.run import run as run_detector
from assay.cli.commands import watching
from assay.cli.errors import ENDINGS, advise, exit_code, say
from assay.cli.options import Priced
from assay.cli.problems import tell_unread
from assay.core.errors import InputError
from assay.core.options import Option

if TYPE_CHECKING:
    from rich.console import RenderableType


def run(
    request: RunRequest,
    shown: Priced,
    resume: Annotated[bool, Option("Go on with a run that was not finished.")] = False,
    retry_failures: Annotated[bool, Option("Go on, and ask again for what failed.")] = False,
    runs: Annotated[str | None, RUNS] = None,
) -> int:
    """Judge a data set, keeping each judgement on disk as soon as it is made.

    Exit code: 0 all judged, 2 bad usage, rows that cannot be read (the others are judged), a
    service that cannot be used or a budget used up, 3 verdicts missing, 130 interrupted, 143 asked
    to end by SIGTERM. What was judged is kept.
    """
    if shown.dry_run:
        if resume or retry_failures:
            raise InputError("--dry-run is for a run from its beginning: leave out --resume")
        return shown.estimated({request.detector.name: estimate_run(request)})
    outcome = run_detector(
        request, watching(quiet=shown.quiet), runs=runs, resume=resume, retry=retry_failures
    )
    summary = outcome.summary
    shown.show(summary.to_dict, lambda: _view(summary, runs, request.data.folder))
    tell_unread(summary.unread)
    advise(summary.totals)
    return _close(outcome)


def _view(summary: RunSummary, runs: str | None, corpora: str | None) -> "Iterator[RenderableType]":
    from rich.text import Text

    from assay.core.taxonomies import taxonomy
    from assay.report.run_view import rows_not_read, state_in_words, usage_facts
    from assay.report.terminal import closing_line
    from assay.report.words import counts

    yield closing_line(summary.totals, taxonomy(summary.manifest.taxonomy))
    unread = summary.unread.count
    facts = [
        ("not read", rows_not_read(unread) if unread else ""),
        ("failures", counts(summary.totals.failures)),
        *usage_facts(summary.usage),
        ("note", "\n".join(summary.adaptations)),
        ("run", f"{summary.name} {state_in_words(summary.state)}"),
        ("next", "\n".join(_next_commands(summary, runs, corpora))),
    ]
    for name, fact in facts:
        if fact:
            told = f"\n{'':9}".join(fact.split("\n"))
            yield Text(f"{name:9}", style="bold").append(told, "not bold")


def _next_commands(summary: RunSummary, runs: str | None, corpora: str | None) -> list[str]:
    # An address may hold a password, and is not shown.
    place = "URL" if runs and "://" in runs else shlex.quote(runs or "")
    folder = f" --runs {place}" if runs else ""
    name, data = summary.name, summary.manifest.dataset
    commands = [f"assay runs export {name}{folder} --out {name}.json"]
    if has_gold(data):
        where = f" --data {shlex.quote(corpora)}" if corpora else ""
        commands.append(f"assay evaluate run:{name}{folder} --dataset {shlex.quote(data)}{where}")
    if summary.state != "complete":
        commands.append("the same command with --resume goes on")
    if summary.totals.failures:
        commands.append("the same command with --retry-failures asks again for what failed")
    return commands


def _close(outcome: RunOutcome) -> int:
    summary, ending = outcome.summary, outcome.ending
    done = f"{summary.totals.examples:,} of {summary.manifest.chosen:,} examples are judged"
    if ending.interruption:
        say(f"{ending.state}: {done} and kept; go on with --resume")
    elif ending.state == "budget":
        say(f"{ending.detail}; raise the budget and go on with --resume ({done} and kept)")
    return ENDINGS[ending.state] or exit_code(
        unusable=bool(summary.unread.count), no_verdict=bool(summary.totals.failures)
    )
