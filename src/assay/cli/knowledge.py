"""`assay knowledge`: corpora of one's own, searches in them and outside, and snapshots."""

from typing import Annotated

import typer

from assay.cli import knowledge_options as options

knowledge_app = typer.Typer(
    help="Outside knowledge: index a corpus, search it or the web, keep what was found.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
File = Annotated[
    str, typer.Argument(metavar="FILE.sqlite", help="A local corpus, or a file of snapshots.")
]


@knowledge_app.command()
def index(
    target: Annotated[
        str,
        typer.Argument(
            metavar="DIR|FILE",
            help="What to index: .txt, .md, .html, .json and .jsonl (also .jsonl.gz).",
        ),
    ],
    out: Annotated[str, typer.Option(metavar="FILE.sqlite", help="The corpus to make or update.")],
    words: Annotated[int, typer.Option(help="About how many words a passage has.")] = 100,
    keep_missing: Annotated[
        bool, typer.Option("--keep-missing", help="Keep the passages of files that are gone.")
    ] = False,
    json: AsJson = False,
) -> None:
    """Make a corpus from files, or bring one up to date; files that are the same are skipped.

    Exit code: 0, or 2 if something could not be read; everything else is indexed.
    """
    from assay.cli.knowledge_run import run_index

    raise typer.Exit(run_index(target, out, words, keep_missing=keep_missing, as_json=json))


@knowledge_app.command()
def search(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="Where to search: a FILE.sqlite of 'assay knowledge index', wikipedia, "
            "wikipedia:LANGUAGE, mediawiki:ADDRESS, brave or tavily.",
        ),
    ],
    query: Annotated[str, typer.Argument(help="A few words or a sentence; signs have no meaning.")],
    most: Annotated[int, typer.Option(help="How many passages.")] = 5,
    pages: options.Pages = False,
    keep: options.Keep = None,
    offline: options.Offline = False,
    allow_private: options.AllowPrivate = False,
    json: AsJson = False,
) -> None:
    """Search a corpus, a wiki or the web."""
    from assay.cli.knowledge_run import run_search
    from assay.knowledge.opening import SourceOptions

    how = SourceOptions(pages, keep, offline, allow_private)
    run_search(source, query, most, how, as_json=json)


@knowledge_app.command()
def show(file: File, json: AsJson = False) -> None:
    """Show what is in a corpus or a file of snapshots."""
    from assay.cli.knowledge_run import run_show

    run_show(file, as_json=json)


@knowledge_app.command()
def export(
    file: File,
    out: Annotated[str, typer.Option(metavar="FILE.jsonl", help="What to write.")],
) -> None:
    """Write snapshots, or all passages of a corpus, as JSON lines."""
    from assay.cli.knowledge_run import run_export

    run_export(file, out)


@knowledge_app.command("import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE.jsonl", help="Exported snapshots.")],
    into: Annotated[str, typer.Option(metavar="FILE.sqlite", help="The file of snapshots.")],
) -> None:
    """Add exported snapshots to a file of snapshots; texts must fit their digests."""
    from assay.cli.knowledge_run import run_import

    run_import(file, into)
