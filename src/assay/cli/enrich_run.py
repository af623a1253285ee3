"""What `assay enrich` does once its options are read."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from rich.console import Console

from assay.checking.loading import JudgeChoice
from assay.cli.data_cards import make_console, print_json
from assay.cli.explain_errors_run import check_out
from assay.cli.localize_run import Corpora, Models, say_usage
from assay.cli.run_progress import RunProgress
from assay.core.errors import InputError
from assay.core.examples import Example
from assay.datasets.conversion import convert
from assay.evaluate.errors.applying import apply_tasks
from assay.evaluate.errors.enrichment import proposals_of, require_localizer
from assay.evaluate.errors.lines import write_lines
from assay.evaluate.errors.tasks import read_tasks, task_record
from assay.evaluate.localization.hearing import Asking
from assay.evaluate.predictions import refuse_repeated
from assay.evaluate.runs.clients import RunClients
from assay.evaluate.runs.data import DataChoice
from assay.evaluate.runs.opening import open_run
from assay.evaluate.runs.request import RunRequest, run_name
from assay.report.corpus_view import facts_view
from assay.report.errors_view import enriched_facts, proposed_facts
from assay.store.folder import RunsFolder


@dataclass(frozen=True, slots=True)
class Pass:
    """Who proposes: a localizer to run, or a run that was made; and whether progress is shown."""

    detector: str
    run: str
    name: str
    quiet: bool


def run_propose(pass_: Pass, corpora: Corpora, models: Models, out: str, *, as_json: bool) -> int:
    """Writes the tasks; gives the exit code."""
    name = corpora.names[0]
    _check_out(out, "the tasks", name)
    if pass_.run and models.model and models.matcher == "offline":
        raise InputError("--run takes what was found before, and asks nobody: leave out --model")
    if not pass_.run:
        require_localizer(pass_.detector)
    asking = Asking(models.options)
    matcher = models.find_matcher(asking)
    examples = _examples(corpora)
    folder = RunsFolder(models.runs)
    run = pass_.run.removeprefix("run:") or _run(pass_, corpora, models, folder)
    if not run:
        return 130
    proposed = proposals_of(run, folder, examples, matcher)
    say_usage(asking)  # of the matcher; the run has told its own
    write_lines(out, map(task_record, proposed.tasks))
    if as_json:
        counts = {"examples": proposed.examples, "known": proposed.known, "run": run, "file": out}
        failures = {"failures": dict(proposed.failures), "unchecked": proposed.unchecked}
        unmatched = {"matcher_failures": dict(proposed.matcher_failures)}
        print_json({"tasks": len(proposed.tasks), **counts, **failures, **unmatched})
    else:
        make_console().print(facts_view([("run", run), *proposed_facts(proposed, out)]))
    return 0 if proposed.is_complete else 3


def run_apply(tasks: str, corpora: Corpora, out: str, drop_unsure: bool, *, as_json: bool) -> None:
    """Writes the data with the accepted tasks in its gold."""
    _check_out(out, "the data", tasks, corpora.names[0])
    examples = _examples(corpora)
    found = apply_tasks(examples, read_tasks(tasks, examples), drop_unsure=drop_unsure)
    convert(found.examples, out, lambda _: ("", ""))
    if as_json:
        print_json(
            {
                "tasks": dict(found.states),
                "accepted": asdict(found.accepted),
                "errors_before": found.errors_before,
                "added": found.added,
                "known": found.known,
                "newly_unfaithful": found.newly_unfaithful,
                "dropped": found.dropped,
                "examples": len(found.examples),
                "file": out,
            }
        )
        return
    make_console().print(facts_view(enriched_facts(found, out)))


def _run(pass_: Pass, corpora: Corpora, models: Models, folder: RunsFolder) -> str:
    """The name of the run, once it is complete; empty if it was interrupted."""
    chosen = (models.model,) if models.model else ()
    request = RunRequest(
        data=DataChoice(corpora.names[0], corpora.folder, split=corpora.split),
        judge=JudgeChoice(pass_.detector, chosen, options=models.options),
        sample=corpora.sample,
        seed=None if corpora.sample is None else corpora.seed,
        name=pass_.name,
    )
    name = run_name(request, RunClients(request.judge).models)
    with (
        open_run(request, folder, resume=folder.has(name)) as session,
        RunProgress(session, Console(stderr=True), quiet=pass_.quiet) as progress,
    ):
        done = session.standing
        ending = session.go(progress.tick)
    kept = f"{done.done:,} of {done.total:,} examples are judged and kept"
    if ending.state == "interrupted":
        sys.stderr.write(f"assay: interrupted: {kept}; the same command goes on\n")
        return ""
    if ending.state == "budget":
        raise InputError(f"{ending.detail}; then the same command goes on ({kept})")
    return name


def _examples(corpora: Corpora) -> Sequence[Example]:
    examples = corpora.read(corpora.names[0])
    refuse_repeated(corpora.names[0], (example.id for example in examples))
    return examples


def _check_out(out: str, what: str, *inputs: str) -> None:
    """Raises if the file cannot be written, or would take the place of what is read."""
    if not out.endswith(".jsonl"):
        raise InputError(f"name a file for {what} with --out FILE, ending in .jsonl")
    check_out(out, *inputs)
