"""`assay data`: the corpora, what is in them, and how to get and convert them."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

from assay import Columns, DataChoice
from assay.app.data import (
    OWN_POOL,
    compare_versions,
    convert_examples,
    count_examples,
    download_corpus,
    list_corpora,
    repair_records,
    show_corpus,
    validate_examples,
)
from assay.cli.commands import CommandGroup
from assay.cli.errors import say
from assay.cli.options import AsJson, Data, RowsPerPart, Shown
from assay.cli.output import busy, make_console, print_json
from assay.cli.problems import Problems
from assay.core.options import Argument, Option, Takes
from assay.report.evaluation.corpus import (
    CARDS,
    FILES,
    card_facts,
    changes_view,
    defect_view,
    overlap_view,
    repair_view,
    stats_view,
)
from assay.report.tables import Table, facts_view, table_view

if TYPE_CHECKING:
    from rich.console import RenderableType

_LANGUAGE = Option("Language of a file's texts, as in 'de'; English if left out.", "CODE")
_TARGET = Argument(
    "A corpus, or examples: .json, .jsonl, .csv (also .gz), .parquet or .arrow; or a folder of "
    "parts.",
    "NAME|FILE",
)
Name = Annotated[str, Argument("A corpus; 'assay data list' names them.", "NAME")]
Target = Annotated[DataChoice, Takes("split sample seed", dataset=_TARGET, language=_LANGUAGE)]
Pool = Annotated[str, OWN_POOL]


def list_(data: Data = None, json: AsJson = False) -> None:
    """List every corpus: units, taxonomy, protocol, licence, and whether its files are here."""
    place, corpora = list_corpora(data)
    rows = [(each.card, each.presence) for each in corpora]
    title = f"{len(corpora)} corpora; their files are expected at {place}"
    Shown(json).show(
        lambda: [each.summary() for each in corpora],
        lambda: [table_view(Table(title, "", CARDS, rows))],
    )


def show(name: Name, data: Data = None, json: AsJson = False) -> None:
    """Show the card of a corpus: origin, licence, labels, known defects and files."""
    corpus = show_corpus(name, data)
    if json:
        print_json(corpus.to_dict())
        return
    console = make_console()
    console.print(facts_view(card_facts(corpus.card)))
    if corpus.files:
        console.print(table_view(Table(f"files at {corpus.folder}", "", FILES, corpus.files)))
    else:
        console.print(f"\nnothing of it is at {corpus.folder}", highlight=False)


def stats(
    data: Target,
    overlap: Annotated[
        bool, Option("Do not compare the sources with those of all corpora that are here.")
    ] = True,
    pool: Pool = "",
    json: AsJson = False,
) -> int:
    """Count what is in a corpus or a file: labels by LLM, lengths, annotators, transitions.

    Exit code: 0, or 2 for bad input; readable rows are still counted.
    """
    problems = Problems()
    dataset = data.target
    with busy(f"reading {dataset}"):
        counted = count_examples(data, problems, overlap=overlap, pool=pool)
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
    return 2 if problems.count else 0


def changes(
    old: Annotated[str, Argument("The older version: a corpus or file.", "OLD")],
    new: Annotated[str, Argument("The newer version: a corpus or file.", "NEW")],
    columns: Columns,
    data: Data = None,
    pool: Pool = "",
    json: AsJson = False,
) -> None:
    """Compare two versions of a corpus: which labels changed, from what to what."""
    with busy(f"reading {old} and {new}"):
        choices = DataChoice(old, data, columns), DataChoice(new, data, columns)
        found = compare_versions(*choices, pool)
    if json:
        print_json({"old": old, "new": new, **found.to_dict()})
    else:
        _print(f"{old} -> {new}; {found.gold}", changes_view(found))


def convert(
    data: Target,
    to: Annotated[
        str,
        Option(
            "What to write: .jsonl (also .gz), .parquet and .arrow hold everything, .csv the texts "
            "and the label; DIR/ or DIR/*.jsonl.gz is a folder of parts.",
            "FILE|DIR/",
        ),
    ],
    rows_per_part: RowsPerPart = None,
) -> int:
    """Write a corpus or a file in another form."""
    problems = Problems()
    with busy(f"converting {data.target}"):
        found = convert_examples(data, to, problems, rows_per_part=rows_per_part)
    problems.close()
    labels = "; ".join(f"{origin} {times:,}" for origin, times in found.labels.items())
    heading = f"written to {to}: examples {found.examples:,}" + (labels and f"; labels: {labels}")
    _print(heading, repair_view(found.repairs))
    return 2 if problems.count else 0


def validate(
    data: Annotated[
        DataChoice, Takes("split sample seed task", dataset=_TARGET, language=_LANGUAGE)
    ],
    json: AsJson = False,
) -> int:
    """Read everything and count what is wrong with it; exit code 2 if anything is."""
    dataset = data.target
    with busy(f"reading {dataset}"):
        found = validate_examples(data)
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
    return 2 if validation.problems else 0


def download(
    name: Name,
    to: Annotated[
        str | None,
        Option("Folder of corpora to download to; by default ASSAY_DATA or the cache.", "DIR"),
    ] = None,
) -> int:
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
    return 2 if left else 0


def _print(heading: str, *views: "Iterable[RenderableType]") -> None:
    console = make_console()
    console.print(heading, style="bold", markup=False, highlight=False, soft_wrap=True)
    for view in views:
        for each in view:
            console.print(each)


app = CommandGroup(
    "Corpora: list, show, count, compare, convert, check and download them.",
    list_,
    show,
    stats,
    changes,
    convert,
    validate,
    download,
)
