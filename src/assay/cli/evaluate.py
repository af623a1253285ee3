"""`assay evaluate` and `assay compare`: detectors held against gold labels."""

from dataclasses import replace
from typing import Annotated

import typer
from rich.console import Console

from assay import Columns, DataChoice, Options
from assay.app import evaluate as use_case
from assay.app.evaluate import EvaluateRequest
from assay.app.judging import Asking
from assay.cli import options as o
from assay.cli.output import print_json, show_estimates
from assay.cli.progress import watch
from assay.core.files import replacing, require_writable
from assay.report.evaluation_table import (
    comparison_view,
    csv_table,
    markdown_table,
    report_view,
)

ReadingName = Annotated[
    str, typer.Option(help="How labels are read as faithful or not; see the documentation.")
]
UnitKind = Annotated[str, typer.Option(help="What is judged: sentence or response.")]
PoolRule = Annotated[
    str,
    typer.Option(
        help="Whose labels count: corpus (its own), or worst, majority, best of annotators."
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


@o.asks_model
@o.reads_labels
def evaluate(
    detectors: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[DETECTOR]...",
            help="Files of judgements (.json), runs as run:NAME, recorded detectors of the "
            "corpus, or detectors to run; by default all recorded ones.",
            show_default=False,
        ),
    ] = None,
    dataset: o.Dataset = "",
    data: o.Data = None,
    reading: ReadingName = "",
    unit: UnitKind = "response",
    pool: PoolRule = "corpus",
    threshold: Cut = "",
    fold: FoldRule = "worst",
    split: o.Split = "",
    model: o.OneModel = "",
    runs: o.Runs = None,
    quiet: o.Quiet = False,
    json: o.AsJson = False,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Also write CSV.")] = None,
    markdown: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write Markdown.")
    ] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Also write a page.")] = None,
    dry_run: o.DryRun = False,
    *,
    options: Options,
    columns: Columns,
) -> None:
    """Measure detectors on a corpus with gold labels.

    A detector that asks a model is run like 'assay run' does, and goes on where it was cut off.
    """
    for path in filter(None, (csv, markdown, html)):
        require_writable(path)
    request = EvaluateRequest(
        DataChoice(dataset, data, _with_label(columns), split=split),
        Asking(watch(quiet=quiet), (model,) if model else (), options, runs),
        tuple(detectors or ()),
        reading,
        unit,
        pool,
        _threshold(threshold),
        tuple(map(str.strip, fold.split(","))),
    )
    if dry_run:
        show_estimates(use_case.estimate(request), as_json=json)
        return
    evaluated = use_case.evaluate(request)
    report = evaluated.report
    _write(csv, csv_table(report))
    _write(markdown, markdown_table(report))
    if html:
        from assay.report.evaluation_page import write_evaluation_page

        write_evaluation_page(html, report)
    if json:
        print_json(evaluated.to_dict())
    else:
        console = Console()
        for part in report_view(evaluated.report, console.width):
            console.print(part, soft_wrap=True)


@o.asks_model
@o.reads_labels
def compare(
    first: Annotated[str, typer.Argument(help="A file, run:NAME, recorded detector or detector.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    dataset: o.Dataset = "",
    data: o.Data = None,
    reading: ReadingName = "",
    unit: UnitKind = "response",
    pool: PoolRule = "corpus",
    threshold: Cut = "",
    fold: FoldRule = "worst",
    split: o.Split = "",
    model: o.OneModel = "",
    runs: o.Runs = None,
    quiet: o.Quiet = False,
    json: o.AsJson = False,
    number: Annotated[
        int, typer.Option("--show", help="How many items to show on which they differ.")
    ] = 10,
    dry_run: o.DryRun = False,
    *,
    options: Options,
    columns: Columns,
) -> None:
    """Show where two detectors differ on a corpus, and whether it is more than chance."""
    request = EvaluateRequest(
        DataChoice(dataset, data, _with_label(columns), split=split),
        Asking(watch(quiet=quiet), (model,) if model else (), options, runs),
        (first, second),
        reading,
        unit,
        pool,
        _threshold(threshold),
        tuple(map(str.strip, fold.split(","))),
    )
    if dry_run:
        show_estimates(use_case.estimate(request), as_json=json)
        return
    compared = use_case.compare(request)
    if json:
        print_json(compared.to_dict())
    else:
        console = Console()
        for part in comparison_view(compared.pair, compared.about, compared.items, number):
            console.print(part, soft_wrap=True)


def _with_label(columns: Columns) -> Columns:
    """A file that is measured has labels, by default in the field of that name."""
    return columns if columns.label else replace(columns, label="label")


def _threshold(text: str) -> float | str | None:
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _write(path: str | None, text: str) -> None:
    if path:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
