"""`assay evaluate` and `assay compare`: detectors held against gold labels."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import typer

from assay import DataChoice
from assay.app import evaluate as use_case
from assay.app.evaluate import EvaluateRequest
from assay.cli import options as o
from assay.cli.errors import exit_code
from assay.cli.output import (
    make_console,
    print_json,
    show_estimates,
    to_standard_output,
    write_text,
)
from assay.cli.problems import tell_unread
from assay.core.files import require_writable
from assay.report.evaluation_table import (
    comparison_view,
    csv_table,
    markdown_table,
    report_view,
)

ReadingName = Annotated[
    str,
    typer.Option(
        help="Which labels count as faithful: the name of a reading, as in verigray; default: "
        "as the corpus's paper does."
    ),
]
UnitKind = Annotated[
    str,
    typer.Option(
        help="What is judged: sentence or response; default: as the corpus's paper does, "
        "otherwise response."
    ),
]
InvalidRule = Annotated[
    str,
    typer.Option(
        metavar="failure|unfaithful",
        help="What becomes of responses that a judge calls invalid: left out as a failure, or "
        "counted as predicted unfaithful.",
    ),
]
Cut = Annotated[
    str,
    typer.Option(
        metavar="SCORE|LABEL",
        help="A prediction counts as faithful from here upwards: 0.5, or a label.",
    ),
]
FoldRule = Annotated[
    str,
    typer.Option(
        metavar="RULE,...",
        help="How sentences and claims are folded into a response: worst, mean, any; a row each.",
    ),
]


_MEASURING: dict[str, tuple[Any, Any]] = {
    "dataset": (o.Dataset, ""),
    "data": (o.Data, None),
    "split": (o.Split, ""),
    "task": (o.Task, ""),
    "reading": (ReadingName, ""),
    "unit": (UnitKind, ""),
    "pool": (o.Pool, ""),
    "threshold": (Cut, ""),
    "fold": (FoldRule, "worst"),
    "invalid": (InvalidRule, "failure"),
    **o.LABEL_OPTIONS,
    **o.READING_OPTIONS,
    **o.ASKING_OPTIONS,
}


def _request(
    dataset: str, data: str | None, threshold: str, fold: str, **more: Any
) -> EvaluateRequest:
    part = {name: more.pop(name) for name in ("split", "task")}
    columns = o.make_columns(**{name: more.pop(name) for name in o.LABEL_OPTIONS})
    local = o.make_local(**{name: more.pop(name) for name in o.READING_OPTIONS})
    asking = o.make_asking(**{name: more.pop(name) for name in o.ASKING_OPTIONS})
    if not columns.label:  # a file that is measured has labels
        columns = replace(columns, label="label")
    return EvaluateRequest(
        DataChoice(dataset, data, columns, **part),
        replace(asking, local=local),
        threshold=cut_of(threshold),
        fold=tuple(map(str.strip, fold.split(","))),
        **more,
    )


def cut_of(text: str) -> float | str | None:
    """A threshold as it is typed: a number, a label, or none."""
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return text


def measures(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command all options of measuring, which it takes as one request, `measuring`."""
    return o.with_options(command, "measuring", _MEASURING, _request)


@measures
def evaluate(
    detectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DETECTOR",
            help="Files of judgements (.json), runs as run:NAME, recorded detectors of the "
            "corpus, or detectors to run; by default all recorded ones. Runs joined by +, as in "
            "run:a+run:b, are averaged.",
            show_default=False,
        ),
    ] = None,
    by_model: o.ByModel = False,
    json: o.AsJson = False,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write CSV; - prints it instead.")
    ] = None,
    markdown: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write Markdown; - prints it instead.")
    ] = None,
    html: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write a page; - prints it instead.")
    ] = None,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    measuring: EvaluateRequest,
) -> None:
    """Measure detectors on a corpus with gold labels.

    A detector that asks a model is run as by 'assay run'; after a stop, the same command goes on.
    """
    printed = to_standard_output(csv, markdown, html, json=json)
    for path in filter(None, (csv, markdown, html)):
        if path != "-":
            require_writable(path)
    request = replace(measuring, detectors=tuple(detectors or ()), by_model=by_model)
    if dry_run:
        show_estimates(use_case.estimate(request), as_json=json)
        return
    evaluated = use_case.evaluate(request)
    report = evaluated.report
    write_text(csv, csv_table(report))
    write_text(markdown, markdown_table(report))
    if html:
        write_text(html, evaluated.to_html())
    if json:
        print_json(evaluated.to_dict())
    elif not (printed or quiet):
        console = make_console(width=None)
        for part in report_view(evaluated.report, console.width):
            console.print(part, soft_wrap=True)
    raise typer.Exit(exit_code(unusable=tell_unread(report.unread)))


@measures
def compare(
    first: Annotated[
        str,
        typer.Argument(metavar="FIRST", help="A file, run:NAME, recorded detector or detector."),
    ],
    second: Annotated[str, typer.Argument(metavar="SECOND", help="Another one.")],
    json: o.AsJson = False,
    number: Annotated[int, typer.Option("--show", help="Number of differing items to show.")] = 10,
    dry_run: o.DryRun = False,
    quiet: o.Quiet = False,
    *,
    measuring: EvaluateRequest,
) -> None:
    """Show where two detectors differ on a corpus, and whether it is more than chance."""
    request = replace(measuring, detectors=(first, second))
    if dry_run:
        show_estimates(use_case.estimate(request), as_json=json)
        return
    compared = use_case.compare(request)
    if json:
        print_json(compared.to_dict())
    elif not quiet:
        console = make_console(width=None)
        for part in comparison_view(compared.pair, compared.about, compared.items, number):
            console.print(part, soft_wrap=True)
    raise typer.Exit(exit_code(unusable=tell_unread(compared.unread)))
