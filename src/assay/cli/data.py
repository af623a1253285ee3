"""`assay data`: the corpora, what is in them, and how to get and convert them."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import RenderableType

from assay import Columns, DataChoice
from assay.app.data import (
    compare_versions,
    convert_examples,
    count_examples,
    download_corpus,
    list_corpora,
    repair_records,
    show_corpus,
    validate_examples,
)
from assay.cli import options as o
from assay.cli.errors import Command, say
from assay.cli.help import command_group
from assay.cli.output import busy, make_console, print_json
from assay.cli.problems import Problems
from assay.report.corpus_view import (
    card_facts,
    changes_view,
    defect_view,
    file_row,
    overlap_view,
    protocol_words,
    repair_view,
    stats_view,
)
from assay.report.tables import facts_view, table_view

app = command_group("Corpora: list, show, count, compare, convert, check and download them.")

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="A corpus; 'assay data list' names them.")
]
Target = Annotated[
    str,
    typer.Argument(
        metavar="NAME|FILE",
        help="A corpus, or a file of examples: .json, .jsonl, .csv or .parquet (also .gz).",
    ),
]
Language = Annotated[
    str | None, typer.Option(help="Language of a file's texts, as in 'de'; English if left out.")
]


@app.command("list", cls=Command)
def list_(data: o.Data = None, json: o.AsJson = False) -> None:
    """List every corpus: units, taxonomy, protocol, licence, and whether its files are here."""
    place, corpora = list_corpora(data)
    if json:
        print_json([each.summary() for each in corpora])
        return
    rows = (
        (
            each.card.name,
            each.card.unit_kind,
            each.card.taxonomy,
            protocol_words(each.card),
            each.card.licence,
            "yes" if each.card.may_train else "no",
            each.presence,
        )
        for each in corpora
    )
    headers = ("corpus", "units", "taxonomy", "protocol", "licence", "may train", "files")
    title = f"{len(corpora)} corpora; their files are expected at {place}"
    make_console().print(table_view(title, headers, rows, words=7))


@app.command(cls=Command)
def show(name: Name, data: o.Data = None, json: o.AsJson = False) -> None:
    """Show the card of a corpus: origin, licence, labels, known defects and files."""
    corpus = show_corpus(name, data)
    if json:
        print_json(corpus.to_dict())
        return
    console = make_console()
    console.print(facts_view(card_facts(corpus.card)))
    if corpus.files:
        headers = ("file", "state", "can be fetched", "bytes")
        rows = map(file_row, corpus.files)
        console.print(table_view(f"files at {corpus.folder}", headers, rows, words=3))
    else:
        console.print(f"\nnothing of it is at {corpus.folder}", highlight=False)


@app.command(cls=Command)
@o.reads_labels
def stats(
    dataset: Target,
    data: o.Data = None,
    language: Language = None,
    task: o.Task = "",
    overlap: Annotated[
        bool, typer.Option(help="Compare the sources with those of all corpora that are here.")
    ] = True,
    pool: o.OwnPool = "",
    json: o.AsJson = False,
    *,
    columns: Columns,
) -> None:
    """Count what is in a corpus or a file: labels by LLM, lengths, annotators, transitions.

    Exit code: 0, or 2 for bad input; readable rows are still counted.
    """
    problems = Problems()
    with busy(f"reading {dataset}"):
        choice = DataChoice(dataset, data, columns, language, task=task)
        counted = count_examples(choice, problems, overlap=overlap, pool=pool)
    problems.close()
    overlaps = counted.overlaps
    if json:
        about: dict[str, Any] = {"name": dataset, **counted.stats.to_dict()}
        about["overlaps"] = asdict(overlaps) if overlaps else None
        about["repairs"] = repair_records(counted.repairs)
        print_json({**about, "problems": problems.count})
    else:
        heading = f": {counted.card.title}" if counted.card else ""
        views = (stats_view(counted.stats), overlap_view(overlaps), repair_view(counted.repairs))
        _print(dataset + heading, *views)
    raise typer.Exit(2 if problems.count else 0)


@app.command(cls=Command)
@o.reads_labels
def changes(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The older version: a corpus or file.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The newer version: a corpus or file.")],
    data: o.Data = None,
    pool: o.OwnPool = "",
    json: o.AsJson = False,
    *,
    columns: Columns,
) -> None:
    """Compare two versions of a corpus: which labels changed, from what to what."""
    with busy(f"reading {old} and {new}"):
        choices = DataChoice(old, data, columns), DataChoice(new, data, columns)
        found = compare_versions(*choices, pool)
    if json:
        print_json({"old": old, "new": new, **found.to_dict()})
    else:
        _print(f"{old} -> {new}; {found.gold}", changes_view(found))


@app.command(cls=Command)
@o.reads_labels
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
    language: Language = None,
    task: o.Task = "",
    *,
    columns: Columns,
) -> None:
    """Write a corpus or a file in another form."""
    problems = Problems()
    with busy(f"converting {dataset}"):
        choice = DataChoice(dataset, data, columns, language, task=task)
        found = convert_examples(choice, to, problems)
    problems.close()
    labels = "; ".join(f"{origin} {times:,}" for origin, times in found.labels.items())
    heading = f"written to {to}: examples {found.examples:,}" + (labels and f"; labels: {labels}")
    _print(heading, repair_view(found.repairs))
    raise typer.Exit(2 if problems.count else 0)


@app.command(cls=Command)
@o.reads_labels
def validate(
    dataset: Target,
    data: o.Data = None,
    language: Language = None,
    json: o.AsJson = False,
    *,
    columns: Columns,
) -> None:
    """Read everything and count what is wrong with it; exit code 2 if anything is."""
    with busy(f"reading {dataset}"):
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
        _print(heading, defect_view(validation.defects), repair_view(found.repairs))
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
    card, files = download_corpus(name, to)
    console = make_console()
    console.print(facts_view([("licence", card.licence), ("origin", card.origin)]))
    left = 0
    for file in files:
        reason = f" ({file.reason})" if file.reason else ""
        line = f"{file.result}: {file.path}{reason}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
        left += bool(file.reason)
    if left:
        say(f"{card.name} cannot be downloaded in whole. {card.notes}")
    raise typer.Exit(2 if left else 0)


def _print(heading: str, *views: Iterable[RenderableType]) -> None:
    console = make_console()
    console.print(heading, style="bold", markup=False, highlight=False, soft_wrap=True)
    for view in views:
        for each in view:
            console.print(each)
