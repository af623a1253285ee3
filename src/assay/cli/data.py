"""`assay data`: the corpora, what is in them, and how to get and convert them."""

from typing import Annotated

import typer

data_app = typer.Typer(
    help="The corpora: list, show, count, convert, check and fetch them.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

Name = Annotated[str, typer.Argument(help="A corpus; 'assay data list' names them.")]
Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE",
        help="A corpus, or a file of examples: .json, .jsonl, .csv or .parquet (also .gz).",
    ),
]
Data = Annotated[
    str | None,
    typer.Option(metavar="DIR", help="Where the corpora are; without it ASSAY_DATA or the cache."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
SourceField = Annotated[str, typer.Option(help="Your name for the source field of a file.")]
ResponseField = Annotated[str, typer.Option(help="Your name for the response field of a file.")]
QuestionField = Annotated[str, typer.Option(help="Your name for the question field of a file.")]
LabelField = Annotated[str, typer.Option(help="The field of a file with the label of a response.")]
LabelMenu = Annotated[str, typer.Option(help="The taxonomy of these labels.")]
Language = Annotated[str, typer.Option(help="Language of a file's texts, as in 'de'.")]


@data_app.command("list")
def list_(data: Data = None, json: AsJson = False) -> None:
    """List every corpus: units, taxonomy, licence, and whether its files are here."""
    from assay.cli.data_cards import run_list

    run_list(data, as_json=json)


@data_app.command()
def show(name: Name, data: Data = None, json: AsJson = False) -> None:
    """Show the card of a corpus: origin, licence, labels, known defects and files."""
    from assay.cli.data_cards import run_show

    run_show(name, data, as_json=json)


@data_app.command()
def stats(
    target: Target,
    data: Data = None,
    source_field: SourceField = "",
    response_field: ResponseField = "",
    question_field: QuestionField = "",
    label_field: LabelField = "",
    label_taxonomy: LabelMenu = "binary",
    language: Language = "en",
    overlap: Annotated[
        bool, typer.Option(help="Compare the sources with those of all corpora that are here.")
    ] = True,
    json: AsJson = False,
) -> None:
    """Count what is in a corpus or a file: labels by LLM, lengths, annotators, transitions.

    Exit code: 0, or 2 for bad input; readable rows are still counted.
    """
    from assay.cli.data_run import Request, run_stats
    from assay.datasets.fields import Columns

    columns = Columns(source_field, response_field, question_field, label_field, label_taxonomy)
    request = Request(target, data, columns, language)
    raise typer.Exit(run_stats(request, overlap=overlap, as_json=json))


@data_app.command()
def convert(
    target: Target,
    to: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="What to write: .jsonl (also .gz) holds everything; .csv and .parquet have one "
            "row per response.",
        ),
    ],
    data: Data = None,
    source_field: SourceField = "",
    response_field: ResponseField = "",
    question_field: QuestionField = "",
    label_field: LabelField = "",
    label_taxonomy: LabelMenu = "binary",
    language: Language = "en",
) -> None:
    """Write a corpus or a file in another form."""
    from assay.cli.data_run import Request, run_convert
    from assay.datasets.fields import Columns

    columns = Columns(source_field, response_field, question_field, label_field, label_taxonomy)
    raise typer.Exit(run_convert(Request(target, data, columns, language), to))


@data_app.command()
def validate(
    target: Target,
    data: Data = None,
    source_field: SourceField = "",
    response_field: ResponseField = "",
    question_field: QuestionField = "",
    label_field: LabelField = "",
    label_taxonomy: LabelMenu = "binary",
    language: Language = "en",
    json: AsJson = False,
) -> None:
    """Read everything and count what is wrong with it; exit code 2 if anything is."""
    from assay.cli.data_run import Request, run_validate
    from assay.datasets.fields import Columns

    columns = Columns(source_field, response_field, question_field, label_field, label_taxonomy)
    request = Request(target, data, columns, language)
    raise typer.Exit(run_validate(request, as_json=json))


@data_app.command()
def download(
    name: Name,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="The folder of corpora to fetch into; without it ASSAY_DATA or the cache.",
        ),
    ] = None,
) -> None:
    """Fetch the files of a corpus from where it was released, and check them."""
    from assay.cli.data_cards import run_download

    raise typer.Exit(run_download(name, to))
