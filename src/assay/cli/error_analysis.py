"""`assay explain-errors` and `enrich`: errors of a detector, and errors that the gold lacks."""

from typing import Annotated

from assay import DataChoice
from assay.app.errors import (
    ExplainRequest,
    ProposeRequest,
    Settling,
    estimate_detector,
    estimate_proposals,
    explain,
    propose_rewriting,
)
from assay.app.errors import enrich as apply_decisions
from assay.app.errors import propose as propose_errors
from assay.app.judging import GOLD_ARGUMENT
from assay.app.targets import write_examples
from assay.cli.commands import CommandGroup
from assay.cli.errors import NO_VERDICT, code_of_figures, say
from assay.cli.options import AsJson, Data, Priced, Shown, require_lines
from assay.cli.problems import tell_unread
from assay.core.options import Argument, Option
from assay.core.results import count_of
from assay.core.system.files import refuse_as_output, require_writable


def explain_errors(
    request: ExplainRequest,
    shown: Priced,
    out: Annotated[str, Option("Write all errors there (.jsonl).", "FILE")] = "",
) -> int:
    """Group the errors of a detector by cause, and test what lies behind them.

    The model explains the errors; without one, they are listed for people. All that it answers is
    kept among the runs: the same command goes on where it was cut off.
    """
    from rich.text import Text

    from assay.cli.progress import counting
    from assay.report.evaluation.errors import errors_view

    if out:
        refuse_as_output(out, request.answers, request.data.target)
        require_writable(out)
    if shown.dry_run:
        estimates = estimate_detector(request)
        if estimates or shown.json:
            shown.estimated(estimates)
        say("how many questions explaining takes depends on the errors that are found")
        return 0
    if request.judges_first:
        shown.say(
            f"{request.detector} first judges all examples to find its errors; --sample is taken "
            "of these"
        )
    report, usage = explain(request, lambda: counting("explaining", shown=not shown.quiet))
    shown.say(usage)
    if out:
        write_examples(out, report.annotated)
    written = [Text(f"\n{len(report.explained):,} errors are in {out}")] if out else []
    shown.show(report.to_dict, lambda: (*errors_view(report), *written))
    return code_of_figures(report.is_complete, unusable=tell_unread(report.unread))


def propose(
    request: ProposeRequest,
    shown: Priced,
    out: Annotated[str, Option("Write the tasks there (.jsonl).", "FILE")] = "",
) -> int:
    """Make tasks for people: everything that a model takes for wrong, or explanations.

    Proposals that the gold seems to have are marked as known, for people to confirm. The answers
    are kept in a run: the same command goes on where it was stopped.
    """
    from assay.report.evaluation.errors import proposed_facts
    from assay.report.tables import facts_view

    require_lines(out, "the tasks", request.data.target)
    if shown.dry_run:
        return shown.estimated({} if request.explanations else estimate_proposals(request))
    run: dict[str, str] = {}
    if request.explanations:
        proposed = propose_rewriting(request.data)
    else:
        proposed, found_in, usage = propose_errors(request)
        run = {"run": found_in}
        shown.say(usage)
    write_examples(out, proposed.tasks)
    shown.show(
        lambda: {**proposed.to_dict(), **run, "file": out},
        lambda: [facts_view([*run.items(), *proposed_facts(proposed, out)])],
    )
    return 0 if request.explanations else code_of_figures(proposed.is_complete)


def apply(
    tasks: Annotated[
        tuple[str, ...], Argument("The tasks, filled in by people (.jsonl).", "TASKS")
    ],
    dataset: Annotated[str, GOLD_ARGUMENT],
    settling: Settling,
    out: Annotated[str, Option("Write the enriched data there (.jsonl).", "FILE")] = "",
    drop_unsure: Annotated[
        bool, Option("Leave out examples with a decision that is unsure.")
    ] = False,
    data: Data = None,
    json: AsJson = False,
) -> int:
    """Take what people decided into the gold, with who proposed and who decided it.

    Several files are the work of several annotators, whose agreement is measured. Decisions that
    contradict each other are listed, and nothing is written until it is clear which one counts.
    """
    from assay.report.evaluation.errors import enriched_view

    require_lines(out, "the data", *tasks, dataset)
    found = apply_decisions(tasks, DataChoice(dataset, data), settling, drop_unsure=drop_unsure)
    if not found.conflicts:
        write_examples(out, found.annotated)
    file = "" if found.conflicts else out
    Shown(json).show(lambda: {**found.to_dict(), "file": file}, lambda: enriched_view(found, file))
    if not found.conflicts:
        return 0
    say(
        f"{count_of(len(found.conflicts), 'conflict')} of annotators: nothing was written; settle "
        "them in the files, or with --prefer NAME or --majority"
    )
    return NO_VERDICT


app = CommandGroup(
    "Errors of the gold: explanations taken apart, and errors that it lacks. People decide.",
    propose,
    apply,
)
