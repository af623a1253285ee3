"""`assay enrich`: errors that the gold of a data set does not have yet."""

from typing import Annotated

import typer

from assay import DataChoice
from assay.app.errors import (
    RECALL,
    ProposeRequest,
    Settling,
    estimate_proposals,
    propose_rewriting,
    refuse_decided,
    write_examples,
)
from assay.app.errors import enrich as apply_decisions
from assay.app.errors import propose as propose_errors
from assay.app.judging import Asking
from assay.app.localize import Matching
from assay.cli import options as o
from assay.cli.errors import NO_VERDICT, Command, code_of_figures, say
from assay.cli.help import command_group
from assay.cli.output import make_console, print_json, show, show_estimates
from assay.core.errors import InputError
from assay.core.files import refuse_as_output, require_writable
from assay.core.totals import count_of
from assay.report.errors_view import enriched_view, proposed_facts
from assay.report.tables import facts_view

app = command_group(
    "Errors of the gold: explanations taken apart, and errors that it lacks. People decide."
)
Target = Annotated[
    str, typer.Argument(metavar="DATA", help="A corpus, or a file of examples with gold.")
]


@app.command(cls=Command)
@o.asks
def propose(
    dataset: Target,
    out: Annotated[str, typer.Option(metavar="FILE", help="Write the tasks there (.jsonl).")] = "",
    explanations: Annotated[
        bool,
        typer.Option(
            "--explanations",
            help="List the explanations of the gold, to be taken apart; no model is asked.",
        ),
    ] = False,
    detector: Annotated[
        str, typer.Option(help="How the model is asked; another localizer proposes less.")
    ] = RECALL,
    run: Annotated[
        str,
        typer.Option(metavar="NAME", help="Take what this run found; nothing is asked."),
    ] = "",
    name: Annotated[
        str, typer.Option(help="Name of the run; by default made from data, detector and model.")
    ] = "",
    matcher: Annotated[
        str, typer.Option(help="What finds errors that the gold has already: offline, or llm.")
    ] = "offline",
    matcher_model: o.MatcherModel = "",
    matcher_prompt: o.MatcherPrompt = "",
    sample: Annotated[
        int | None, typer.Option(metavar="K", help="Use only K examples, chosen by --seed.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the sample.")] = 0,
    split: o.Split = "",
    data: o.Data = None,
    json: o.AsJson = False,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
) -> None:
    """Make tasks for people: everything that a model takes for wrong, or explanations.

    Proposals that the gold seems to have are marked as known, for people to confirm. The answers
    are kept in a run: the same command goes on where it was stopped.
    """
    _require_lines(out, "the tasks", dataset)
    choice = DataChoice(
        dataset, data, split=split, sample=sample, seed=None if sample is None else seed
    )
    if explanations:
        _refuse_model(asking, run)
        if dry_run:
            show_estimates({}, as_json=json)
            return
        proposed = propose_rewriting(choice)
        write_examples(out, proposed.tasks)
        if json:
            print_json({**proposed.to_dict(), "file": out})
        elif not quiet:
            make_console().print(facts_view(proposed_facts(proposed, out)))
        return
    request = ProposeRequest(
        choice,
        asking,
        Matching(matcher, matcher_model, matcher_prompt),
        detector,
        run,
        name,
    )
    if dry_run:
        show_estimates(estimate_proposals(request), as_json=json)
        return
    proposed, found_in, usage = propose_errors(request)
    if usage and not quiet:
        say(usage)
    write_examples(out, proposed.tasks)
    if json:
        print_json({**proposed.to_dict(), "run": found_in, "file": out})
    elif not quiet:
        make_console().print(facts_view([("run", found_in), *proposed_facts(proposed, out)]))
    raise typer.Exit(code_of_figures(proposed.is_complete))


@app.command(cls=Command)
def apply(
    tasks: Annotated[
        list[str],
        typer.Argument(metavar="TASKS", help="The tasks, filled in by people (.jsonl)."),
    ],
    dataset: Target,
    out: Annotated[
        str, typer.Option(metavar="FILE", help="Write the enriched data there (.jsonl).")
    ] = "",
    prefer: Annotated[
        str,
        typer.Option(
            metavar="NAME", help="Where annotators differ, the decision of this one counts."
        ),
    ] = "",
    majority: Annotated[
        bool,
        typer.Option(
            "--majority", help="Where annotators differ, the decision of more than half counts."
        ),
    ] = False,
    drop_unsure: Annotated[
        bool,
        typer.Option("--drop-unsure", help="Leave out examples with a decision that is unsure."),
    ] = False,
    data: o.Data = None,
    json: o.AsJson = False,
) -> None:
    """Take what people decided into the gold, with who proposed and who decided it.

    Several files are the work of several annotators, whose agreement is measured. Decisions that
    contradict each other are listed, and nothing is written until it is clear which one counts.
    """
    _require_lines(out, "the data", *tasks, dataset)
    found = apply_decisions(
        tasks, DataChoice(dataset, data), Settling(prefer, majority), drop_unsure=drop_unsure
    )
    if not found.conflicts:
        write_examples(out, found.annotated)
    file = "" if found.conflicts else out
    if json:
        print_json({**found.to_dict(), "file": file})
    else:
        show(enriched_view(found, file))
    if found.conflicts:
        say(
            f"{count_of(len(found.conflicts), 'conflict')} of annotators: nothing was written; "
            "settle them in the files, or with --prefer NAME or --majority"
        )
        raise typer.Exit(NO_VERDICT)


def _refuse_model(asking: Asking, run: str) -> None:
    """Raises if a model or a run is named where nobody is asked."""
    if asking.models or run:
        raise InputError(
            "explanations are taken apart by people; --explanations goes without a model and a run",
            field="run" if run else "model",
        )


def _require_lines(out: str, what: str, *inputs: str) -> None:
    """Raises unless the output is a file of lines that can be written, and nothing is lost."""
    if not out.endswith(".jsonl"):
        raise InputError(f"name a file for {what} with --out FILE, ending in .jsonl")
    refuse_as_output(out, *inputs)
    refuse_decided(out)
    require_writable(out)
