"""`assay localize`: how well detectors say what is wrong, and which prompt says it better."""

from typing import Annotated

import typer

from assay.app.judging import Asking
from assay.app.localize import (
    LocalizeRequest,
    Matching,
    Part,
    choose_prompt,
    estimate,
    estimate_matcher,
    measure_matcher,
    style_variants,
)
from assay.app.localize import localize as measure
from assay.cli import options as o
from assay.cli.errors import Command, code_of_figures, say
from assay.cli.help import command_group
from assay.cli.output import print_json, show, show_estimates
from assay.cli.problems import tell_unread
from assay.report.localization_view import agreement_view, choice_view, report_view

app = command_group(
    "Inconsistencies in words: measure detectors, choose a prompt, measure a matcher."
)

Datasets = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME|FILE",
        help="A corpus with described errors: ragtruth, faithbench, defacto; may be repeated.",
        show_default=False,
    ),
]
Dataset = Annotated[str, typer.Option(metavar="NAME|FILE", help="A corpus with described errors.")]
MatcherName = Annotated[
    str, typer.Option(help="What matches predicted with gold errors: offline, or llm.")
]
Sample = Annotated[
    int | None, typer.Option(metavar="K", help="Use only K examples, chosen by --seed.")
]
Seed = Annotated[int, typer.Option(metavar="S", help="Seed of the sample.")]
ReadingName = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="Which labels are errors: the name of a reading; without one, all that people marked.",
        show_default=False,
    ),
]


@app.command(cls=Command)
@o.asks
def evaluate(
    detector: Annotated[
        str,
        typer.Argument(
            metavar="DETECTOR",
            help="A detector such as localize-cot, a run as run:NAME, or a file of judgements.",
        ),
    ],
    dataset: Datasets = None,
    matcher: MatcherName = "offline",
    binary: Annotated[
        str,
        typer.Option(metavar="DETECTOR", help="A detector of whole responses to compare with."),
    ] = "",
    sample: Sample = None,
    seed: Seed = 0,
    held_out: Annotated[
        int | None,
        typer.Option(metavar="K", help="Leave out the K examples that 'choose --sample K' used."),
    ] = None,
    split: o.Split = "",
    data: o.Data = None,
    json: o.AsJson = False,
    matcher_model: o.MatcherModel = "",
    matcher_prompt: o.MatcherPrompt = "",
    reading: ReadingName = "",
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
) -> None:
    """Measure how well a detector says what is wrong with responses.

    What a model answers is kept among the runs: after a stop, the same command goes on.
    """
    request = LocalizeRequest(
        tuple(dataset or ()),
        asking,
        data,
        Part(split, sample, seed, held_out),
        Matching(matcher, matcher_model, matcher_prompt),
        reading,
    )
    if dry_run:
        show_estimates(estimate(request, detector, binary), as_json=json)
        _note_matching(matcher)
        return
    localized = measure(request, detector, binary)
    _tell(localized.usage, quiet)
    if json:
        print_json(localized.to_dict())
    elif not quiet:
        show(part for report in localized.reports for part in report_view(report))
    unusable = tell_unread(*(each.unread for each in localized.reports))
    is_complete = all(each.is_complete for each in localized.reports)
    raise typer.Exit(code_of_figures(is_complete, unusable=unusable))


@app.command(cls=Command)
@o.asks
def choose(
    style: Annotated[
        str,
        typer.Argument(
            metavar="STYLE",
            help="localize-zero, -few, -cot, -cot-hint, -pipeline or -recall; with :definitions, "
            "its plain form.",
        ),
    ],
    dataset: Dataset = "",
    matcher: MatcherName = "offline",
    sample: Annotated[
        int, typer.Option(metavar="K", help="How many examples, chosen by --seed.")
    ] = 140,
    seed: Seed = 0,
    split: o.Split = "",
    data: o.Data = None,
    json: o.AsJson = False,
    matcher_model: o.MatcherModel = "",
    matcher_prompt: o.MatcherPrompt = "",
    reading: ReadingName = "",
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
) -> None:
    """Find out which of the two prompts of a style is better for a model.

    Use examples that you will not test on afterwards.
    """
    request = LocalizeRequest(
        (dataset,),
        asking,
        data,
        Part(split, sample, seed),
        Matching(matcher, matcher_model, matcher_prompt),
        reading,
    )
    if dry_run:
        show_estimates(estimate(request, *style_variants(style)), as_json=json)
        _note_matching(matcher)
        return
    chosen = choose_prompt(request, style)
    _tell(chosen.usage, quiet)
    if json:
        print_json(chosen.to_dict())
    elif not quiet:
        about = f"{chosen.examples:,} examples of {dataset}, {chosen.model}"
        show(choice_view(chosen.choice, about))
    unusable = tell_unread(chosen.unread)
    raise typer.Exit(code_of_figures(chosen.choice.is_complete, unusable=unusable))


@app.command("matcher", cls=Command)
@o.asks
def matcher_(
    dataset: Dataset = "faithbench",
    matcher: MatcherName = "offline",
    sample: Sample = None,
    seed: Seed = 0,
    split: o.Split = "",
    data: o.Data = None,
    json: o.AsJson = False,
    matcher_prompt: o.MatcherPrompt = "",
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    asking: Asking,
) -> None:
    """Measure a matcher on the errors that several annotators of a response wrote down."""
    request = LocalizeRequest(
        (dataset,),
        asking,
        data,
        Part(split, sample, seed),
        Matching(matcher, prompt=matcher_prompt),
    )
    if dry_run:
        show_estimates(estimate_matcher(request), as_json=json)
        return
    measured = measure_matcher(request)
    _tell(measured.usage, quiet)
    if json:
        print_json(measured.to_dict())
    elif not quiet:
        show(agreement_view(measured.parts, dataset))
    unusable = tell_unread(measured.unread)
    raise typer.Exit(code_of_figures(measured.is_complete, unusable=unusable))


def _note_matching(matcher: str) -> None:
    if matcher == "llm":
        say("how many questions matching takes depends on what is found: at most one per response")


def _tell(usage: str, quiet: bool) -> None:
    if usage and not quiet:
        say(usage)
