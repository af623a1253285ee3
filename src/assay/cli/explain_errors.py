"""`assay explain-errors`: what a detector misses and what it invents, and why."""

from typing import Annotated, Any

import typer
from rich.text import Text

from assay import DataChoice
from assay.app.errors import ExplainRequest, estimate_detector, explain, write_examples
from assay.app.judging import Asking
from assay.app.localize import Matching
from assay.cli import options as o
from assay.cli.errors import code_of_figures, say
from assay.cli.output import print_json, show, show_estimates
from assay.cli.problems import tell_unread
from assay.cli.progress import counting
from assay.core.files import refuse_as_output, require_writable
from assay.report.errors_view import errors_view


def _experiment(*names: str, **more: Any) -> Any:
    return typer.Option(*names, rich_help_panel="Experiments", **more)


@o.asks
def explain_errors(
    detector: Annotated[
        str,
        typer.Argument(
            metavar="DETECTOR", help="A run as run:NAME, a file of judgements, or a detector."
        ),
    ],
    dataset: Annotated[
        str, typer.Option(metavar="NAME|FILE", help="Corpus that it judged, with gold labels.")
    ] = "",
    answers: Annotated[
        str, typer.Option(metavar="FILE", help="What people decided: lines of --out, filled in.")
    ] = "",
    out: Annotated[str, typer.Option(metavar="FILE", help="Write all errors there (.jsonl).")] = "",
    p_true: Annotated[
        bool,
        _experiment(
            "--p-true", help="Ask whether the detector's own model believes what it let pass."
        ),
    ] = False,
    repeat: Annotated[
        int,
        _experiment(metavar="N", help="For --p-true: answers in each order of the options."),
    ] = 10,
    p_true_prompt: Annotated[
        str,
        _experiment(
            metavar="FILE",
            help="For --p-true: another prompt, such as the paper's.",
            show_default=False,
        ),
    ] = "",
    counterfactual: Annotated[
        bool,
        _experiment(
            "--counterfactual",
            help="Replace true additions by false ones, and ask the detector again.",
        ),
    ] = False,
    matcher: Annotated[
        str, typer.Option(help="What matches predicted with gold errors: offline, or llm.")
    ] = "offline",
    matcher_model: o.MatcherModel = "",
    matcher_prompt: o.MatcherPrompt = "",
    sample: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="Explain only N missed and N invented errors, drawn with --seed."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", help="Seed of the sample.")] = 0,
    reading: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Which gold labels are errors: the name of a reading.",
            show_default=False,
        ),
    ] = "",
    split: o.Split = "",
    data: o.Data = None,
    json: o.AsJson = False,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
) -> None:
    """Group the errors of a detector by cause, and test what lies behind them.

    The model explains the errors; without one, they are listed for people. All that it answers is
    kept among the runs: the same command goes on where it was cut off.
    """
    if out:
        refuse_as_output(out, answers, dataset)
        require_writable(out)
    request = ExplainRequest(
        detector,
        DataChoice(dataset, data, split=split),
        asking,
        Matching(matcher, matcher_model, matcher_prompt),
        answers,
        sample,
        seed,
        repeat if p_true else None,
        counterfactual,
        reading,
        p_true_prompt,
    )
    if dry_run:
        estimates = estimate_detector(request)
        if estimates or json:
            show_estimates(estimates, as_json=json)
        say("how many questions explaining takes depends on the errors that are found")
        return
    if request.judges_first and not quiet:
        say(f"{detector} first judges all examples to find its errors; --sample is taken of these")
    report, usage = explain(request, lambda: counting("explaining", shown=not quiet))
    if usage and not quiet:
        say(usage)
    if out:
        write_examples(out, report.annotated)
    if json:
        print_json(report.to_dict())
    elif not quiet:
        written = [Text(f"\n{len(report.explained):,} errors are in {out}")] if out else []
        show((*errors_view(report), *written))
    unusable = tell_unread(report.unread)
    raise typer.Exit(code_of_figures(report.is_complete, unusable=unusable))
