"""`assay evaluate` and `assay compare`: detectors held against gold labels."""

from typing import Annotated

import typer

from assay.cli import llm_options as llm

Dataset = Annotated[
    str, typer.Option(metavar="NAME|FILE", help="The corpus; 'assay data list' names them.")
]
Data = Annotated[
    str | None, typer.Option(metavar="DIR", help="Where the corpora are (or ASSAY_DATA).")
]
ReadingName = Annotated[
    str, typer.Option(help="How gold labels are read as faithful or not; see the documentation.")
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
        metavar="SCORE|LABEL", help="From where a prediction counts as faithful: 0.5, or a label."
    ),
]
FoldRule = Annotated[
    str,
    typer.Option(
        metavar="RULE,...",
        help="How sentences and claims become a response: worst, mean, any; a row for each.",
    ),
]
LabelField = Annotated[
    str, typer.Option(help="For a file of your own: the field with the label of a response.")
]
LabelMenu = Annotated[str, typer.Option(help="The taxonomy of these labels.")]
SourceField = Annotated[str, typer.Option(help="For a file of your own: the source field.")]
ResponseField = Annotated[str, typer.Option(help="For a file of your own: the response field.")]
Split = Annotated[str, typer.Option(help="Only this split of the corpus.")]
Runs = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Where the runs of run:NAME are kept (or ASSAY_RUNS)."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def evaluate(
    judges: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[JUDGE]...",
            help="Files of 'assay check --json', runs as run:NAME, recorded detectors of the "
            "corpus, or detectors to run; without any, all recorded ones.",
            show_default=False,
        ),
    ] = None,
    dataset: Dataset = "",
    data: Data = None,
    reading: ReadingName = "",
    unit: UnitKind = "response",
    pool: PoolRule = "corpus",
    threshold: Cut = "",
    fold: FoldRule = "worst",
    split: Split = "",
    label_field: LabelField = "label",
    label_taxonomy: LabelMenu = "binary",
    source_field: SourceField = "",
    response_field: ResponseField = "",
    model: llm.OneModel = "",
    runs: Runs = None,
    json: AsJson = False,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Also write CSV.")] = None,
    markdown: Annotated[
        str | None, typer.Option(metavar="FILE", help="Also write Markdown.")
    ] = None,
    html: Annotated[str | None, typer.Option(metavar="FILE", help="Also write a page.")] = None,
) -> None:
    """Measure detectors on a corpus with gold labels."""
    from assay.cli.evaluate_run import Outputs, Request, run_evaluate
    from assay.datasets.fields import Columns

    request = Request(
        dataset=dataset,
        data=data,
        reading=reading,
        unit=unit,
        pool=pool,
        threshold=threshold,
        fold=fold,
        split=split,
        model=model,
        runs=runs,
        columns=Columns(
            source=source_field,
            response=response_field,
            label=label_field,
            taxonomy=label_taxonomy,
        ),
    )
    run_evaluate(request, judges or [], Outputs(json, csv, markdown, html))


def compare(
    first: Annotated[str, typer.Argument(help="A file, run:NAME, recorded detector or detector.")],
    second: Annotated[str, typer.Argument(help="Another one.")],
    dataset: Dataset = "",
    data: Data = None,
    reading: ReadingName = "",
    unit: UnitKind = "response",
    pool: PoolRule = "corpus",
    threshold: Cut = "",
    fold: FoldRule = "worst",
    split: Split = "",
    label_field: LabelField = "label",
    label_taxonomy: LabelMenu = "binary",
    source_field: SourceField = "",
    response_field: ResponseField = "",
    model: llm.OneModel = "",
    runs: Runs = None,
    json: AsJson = False,
    show: Annotated[int, typer.Option(help="How many differing items to show.")] = 10,
) -> None:
    """Show where two detectors differ on a corpus, and whether that is more than luck."""
    from assay.cli.evaluate_run import Request, run_compare
    from assay.datasets.fields import Columns

    request = Request(
        dataset=dataset,
        data=data,
        reading=reading,
        unit=unit,
        pool=pool,
        threshold=threshold,
        fold=fold,
        split=split,
        model=model,
        runs=runs,
        columns=Columns(
            source=source_field,
            response=response_field,
            label=label_field,
            taxonomy=label_taxonomy,
        ),
    )
    run_compare(request, first, second, as_json=json, show=show)
