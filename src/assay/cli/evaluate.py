"""`assay evaluate` and `assay compare`: detectors held against gold labels."""

from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import typer
from rich.console import Console

from assay import DataChoice
from assay.app import evaluate as use_case
from assay.app.evaluate import EvaluateRequest
from assay.cli import options as o
from assay.cli.output import print_json, show_estimates
from assay.core.files import replacing, require_writable
from assay.report.evaluation_table import (
    comparison_view,
    csv_table,
    markdown_table,
    report_view,
)

ReadingName = Annotated[
    str, typer.Option(help="Which labels count as faithful: the name of a reading, as in verigray.")
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


_MEASURING: dict[str, tuple[Any, Any]] = {
    "dataset": (o.Dataset, ""),
    "data": (o.Data, None),
    "split": (o.Split, ""),
    "reading": (ReadingName, ""),
    "unit": (UnitKind, "response"),
    "pool": (PoolRule, "corpus"),
    "threshold": (Cut, ""),
    "fold": (FoldRule, "worst"),
    **o.LABEL_OPTIONS,
    **o.ASKING_OPTIONS,
}


def _request(
    dataset: str, data: str | None, split: str, threshold: str, fold: str, **more: Any
) -> EvaluateRequest:
    columns = o.make_columns(**{name: more.pop(name) for name in o.LABEL_OPTIONS})
    asking = o.make_asking(**{name: more.pop(name) for name in o.ASKING_OPTIONS})
    if not columns.label:  # a file that is measured has labels
        columns = replace(columns, label="label")
    return EvaluateRequest(
        DataChoice(dataset, data, columns, split=split),
        asking,
        threshold=_threshold(threshold),
        fold=tuple(map(str.strip, fold.split(","))),
        **more,
    )


def _threshold(text: str) -> float | str | None:
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
            "corpus, or detectors to run; by default all recorded ones.",
            show_default=False,
        ),
    ] = None,
    json: o.AsJson = False,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Also write CSV.")] = None,
    markdown: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write Markdown.")
    ] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Also write a page.")] = None,
    dry_run: o.DryRun = False,
    *,
    measuring: EvaluateRequest,
) -> None:
    """Measure detectors on a corpus with gold labels.

    A detector that asks a model is run as by 'assay run'; after a stop, the same command goes on.
    """
    for path in filter(None, (csv, markdown, html)):
        require_writable(path)
    request = replace(measuring, detectors=tuple(detectors or ()))
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
    else:
        console = Console()
        for part in comparison_view(compared.pair, compared.about, compared.items, number):
            console.print(part, soft_wrap=True)


def _write(path: str | None, text: str) -> None:
    if path:
        with replacing(path) as part:
            part.write_text(text, encoding="utf-8")
