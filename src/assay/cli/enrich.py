"""`assay enrich`: errors that the gold of a data set does not have yet."""

from typing import Annotated

from assay import DataChoice
from assay.app.errors import (
    ProposeRequest,
    Settling,
    estimate_proposals,
    propose_rewriting,
)
from assay.app.errors import enrich as apply_decisions
from assay.app.errors import propose as propose_errors
from assay.app.judging import GOLD_ARGUMENT
from assay.app.targets import require_targets, write_examples
from assay.cli.commands import CommandGroup
from assay.cli.errors import NO_VERDICT, code_of_figures, say
from assay.cli.options import AsJson, Data, Priced, Shown
from assay.core.errors import InputError
from assay.core.options import Argument, Option
from assay.core.results import count_of


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

    _require_lines(out, "the tasks", request.data.target)
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

    _require_lines(out, "the data", *tasks, dataset)
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


def _require_lines(out: str, what: str, *inputs: str) -> None:
    """Raises unless the output is a file of lines that can be written, and nothing is lost."""
    if not out.endswith(".jsonl"):
        raise InputError(f"name a file for {what} with --out FILE, ending in .jsonl")
    require_targets({"out": out}, *inputs)


app = CommandGroup(
    "Errors of the gold: explanations taken apart, and errors that it lacks. People decide.",
    propose,
    apply,
)
