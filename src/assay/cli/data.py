"""`assay data`: the corpora, what is in them, and how to get and convert them."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console, RenderableType
from rich.status import Status
from rich.text import Text

from assay.app.data import convert_examples, count_examples, repair_records, validate_examples
from assay.cli import options as o
from assay.cli.check import Problems
from assay.cli.errors import Command, say
from assay.cli.output import make_console, print_json
from assay.datasets.corpus import Card, Repairs, corpus_names, data_root, find_card
from assay.datasets.download import STATES, FileState, file_states, presence
from assay.datasets.download import download as fetch
from assay.datasets.fields import Columns
from assay.datasets.overlaps import Overlaps
from assay.datasets.selection import DataChoice
from assay.datasets.validation import Defect
from assay.report.corpus_view import stats_view
from assay.report.tables import facts_view, table_view

app = typer.Typer(
    help="Corpora: list, show, count, convert, check and download them.",
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
SourceField = Annotated[str, typer.Option(help="Your name for the source field of a file.")]
ResponseField = Annotated[str, typer.Option(help="Your name for the response field of a file.")]
QuestionField = Annotated[str, typer.Option(help="Your name for the question field of a file.")]
LabelField = Annotated[str, typer.Option(help="The field of a file with the label of a response.")]
LabelMenu = Annotated[str, typer.Option(help="The taxonomy of these labels.")]
Language = Annotated[str, typer.Option(help="Language of a file's texts, as in 'de'.")]


@app.command("list", cls=Command)
def list_(data: o.Data = None, json: o.AsJson = False) -> None:
    """List every corpus: units, taxonomy, licence, and whether its files are here."""
    cards = [find_card(name) for name in corpus_names()]
    if json:
        print_json([_summary(card, data) for card in cards])
        return
    rows = (
        (
            card.name,
            card.unit_kind,
            card.taxonomy,
            card.licence,
            "yes" if card.may_train else "no",
            presence(card, data),
        )
        for card in cards
    )
    headers = ("corpus", "units", "taxonomy", "licence", "may train", "files")
    title = f"{len(cards)} corpora; their files are expected at {data_root(data)}"
    make_console().print(table_view(title, headers, rows, words=6))


@app.command(cls=Command)
def show(name: Name, data: o.Data = None, json: o.AsJson = False) -> None:
    """Show the card of a corpus: origin, licence, labels, known defects and files."""
    card = find_card(name)
    files = file_states(card, data)
    if json:
        print_json({**_summary(card, data), **_details(card), "files": [asdict(f) for f in files]})
        return
    console = make_console()
    console.print(facts_view(_facts(card)))
    folder = data_root(data) / card.folder
    if files:
        headers = ("file", "state", "can be fetched", "bytes")
        console.print(table_view(f"files at {folder}", headers, map(_file_row, files), words=3))
    else:
        console.print(f"\nnothing of it is at {folder}", highlight=False)


@app.command(cls=Command)
def stats(
    dataset: Target,
    data: o.Data = None,
    source_field: SourceField = "",
    response_field: ResponseField = "",
    question_field: QuestionField = "",
    label_field: LabelField = "",
    label_taxonomy: LabelMenu = "binary",
    language: Language = "en",
    overlap: Annotated[
        bool, typer.Option(help="Compare the sources with those of all corpora that are here.")
    ] = True,
    json: o.AsJson = False,
) -> None:
    """Count what is in a corpus or a file: labels by LLM, lengths, annotators, transitions.

    Exit code: 0, or 2 for bad input; readable rows are still counted.
    """
    columns = Columns(source_field, response_field, question_field, label_field, label_taxonomy)
    problems = Problems()
    with _busy(f"reading {dataset}"):
        choice = DataChoice(dataset, data, columns, language)
        counted = count_examples(choice, problems, overlap=overlap)
    problems.close()
    overlaps = counted.overlaps
    if json:
        about: dict[str, Any] = {"name": dataset, **counted.stats.to_dict()}
        about["overlaps"] = asdict(overlaps) if overlaps else None
        about["repairs"] = repair_records(counted.repairs)
        print_json({**about, "problems": problems.count})
    else:
        heading = f": {counted.card.title}" if counted.card else ""
        views = (stats_view(counted.stats), _overlap_view(overlaps), _repair_view(counted.repairs))
        _print(dataset + heading, *views)
    raise typer.Exit(2 if problems.count else 0)


@app.command(cls=Command)
def convert(
    dataset: Target,
    to: Annotated[
        str,
        typer.Option(
            metavar="FILE",
            help="What to write: .jsonl (also .gz) holds everything; .csv and .parquet have one "
            "row per response.",
        ),
    ],
    data: o.Data = None,
    source_field: SourceField = "",
    response_field: ResponseField = "",
    question_field: QuestionField = "",
    label_field: LabelField = "",
    label_taxonomy: LabelMenu = "binary",
    language: Language = "en",
) -> None:
    """Write a corpus or a file in another form."""
    columns = Columns(source_field, response_field, question_field, label_field, label_taxonomy)
    problems = Problems()
    with _busy(f"converting {dataset}"):
        found = convert_examples(DataChoice(dataset, data, columns, language), to, problems)
    problems.close()
    labels = "; ".join(f"{origin} {times:,}" for origin, times in found.labels.items())
    heading = f"written to {to}: examples {found.examples:,}" + (labels and f"; labels: {labels}")
    _print(heading, _repair_view(found.repairs))
    raise typer.Exit(2 if problems.count else 0)


@app.command(cls=Command)
def validate(
    dataset: Target,
    data: o.Data = None,
    source_field: SourceField = "",
    response_field: ResponseField = "",
    question_field: QuestionField = "",
    label_field: LabelField = "",
    label_taxonomy: LabelMenu = "binary",
    language: Language = "en",
    json: o.AsJson = False,
) -> None:
    """Read everything and count what is wrong with it; exit code 2 if anything is."""
    columns = Columns(source_field, response_field, question_field, label_field, label_taxonomy)
    with _busy(f"reading {dataset}"):
        found = validate_examples(DataChoice(dataset, data, columns, language))
    validation = found.validation
    if json:
        repairs = repair_records(found.repairs)
        print_json({"name": dataset, **asdict(validation), "repairs": repairs})
    else:
        heading = (
            f"{dataset}: examples {validation.examples:,}, without a gold label "
            f"{validation.unlabelled:,}, problems {validation.problems:,}"
        )
        _print(heading, _defect_view(validation.defects), _repair_view(found.repairs))
    raise typer.Exit(2 if validation.problems else 0)


@app.command(cls=Command)
def download(
    name: Name,
    to: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Folder of corpora to download to; by default ASSAY_DATA or the cache.",
        ),
    ] = None,
) -> None:
    """Download the files of a corpus from where it was released, and check them."""
    card = find_card(name)
    console = make_console()
    console.print(facts_view([("licence", card.licence), ("origin", card.origin)]))
    left = 0
    for file in fetch(card, to):
        reason = f" ({file.reason})" if file.reason else ""
        line = f"{file.result}: {file.path}{reason}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
        left += bool(file.reason)
    if left:
        say(f"{card.name} cannot be downloaded in whole. {card.notes}")
    raise typer.Exit(2 if left else 0)


def _busy(what: str) -> Status:
    """Says on a terminal what takes its time."""
    return Console(stderr=True).status(what)


def _print(heading: str, *views: Iterable[RenderableType]) -> None:
    console = make_console()
    console.print(heading, style="bold", markup=False, highlight=False, soft_wrap=True)
    for view in views:
        for each in view:
            console.print(each)


def _repair_view(repairs: Repairs) -> Iterator[RenderableType]:
    rows = [(name, repairs.meanings[name], f"{count:,}") for name, count in repairs.counts.items()]
    if rows:
        yield table_view("repairs made while reading", ("repair", "what", "times"), rows, words=2)


def _overlap_view(overlaps: Overlaps | None) -> Iterator[RenderableType]:
    """The corpora with sources in common, and those that nothing can be said of."""
    if overlaps is None:
        return
    rows = [
        (each.corpus, f"{each.h80:,}", f"{each.h200:,}", f"{each.sources:,}")
        for each in overlaps.shared
    ]
    if rows:
        headers = ("corpus", "h80", "h200", "its sources")
        yield table_view("sources shared with other corpora", headers, rows)
    yield Text(
        f"\nshared with {len(rows)} of {len(overlaps.compared)} other corpora that are here, by "
        f"hashes of how a source begins (h80: {overlaps.h80:,} different, h200: "
        f"{overlaps.h200:,}; too short: {overlaps.short:,})"
    )
    for name, reason in overlaps.unread.items():
        yield Text(f"{name} could not be read: {reason}")


def _defect_view(defects: Iterable[Defect]) -> Iterator[RenderableType]:
    rows = [
        (each.name, f"{each.meaning}, for example:\n" + "\n".join(each.places), f"{each.count:,}")
        for each in defects
    ]
    if rows:
        yield table_view("problems", ("problem", "what and where", "times"), rows, words=2)


def _summary(card: Card, root: str | None) -> dict[str, Any]:
    return {
        "name": card.name,
        "title": card.title,
        "unit_kind": card.unit_kind,
        "taxonomy": card.taxonomy,
        "licence": card.licence,
        "may_train": card.may_train,
        "presence": presence(card, root),
        "folder": str(data_root(root) / card.folder),
    }


def _details(card: Card) -> dict[str, Any]:
    fields = ("origin", "revision", "paper", "splits", "labels", "defects", "notes")
    return {field: getattr(card, field) for field in fields}


def _facts(card: Card) -> Iterator[tuple[str, str]]:
    yield "corpus", f"{card.name}: {card.title}"
    yield "origin", card.origin
    yield "revision", card.revision
    yield "licence", card.licence
    yield "may train", "yes" if card.may_train else "no: for evaluation only"
    yield "paper", card.paper
    yield "units", f"{card.unit_kind}s, judged in the taxonomy {card.taxonomy}"
    yield "splits", ", ".join(card.splits) or "none"
    yield "labels", card.labels
    yield "defects", "\n".join(f"- {defect}" for defect in card.defects)
    yield "notes", card.notes


def _file_row(file: FileState) -> tuple[str, str, str, str]:
    size = "-" if file.size is None else f"{file.size:,}"
    return file.path, STATES[file.state], "yes" if file.can_be_fetched else "no", size
