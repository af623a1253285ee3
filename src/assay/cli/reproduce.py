"""`assay reproduce`: published tables recomputed from released data."""

from typing import Annotated

import typer

from assay.app.reproduce import list_tables
from assay.app.reproduce import reproduce as recompute
from assay.cli import options as o
from assay.cli.errors import BROKEN_RULE, say
from assay.cli.output import make_console, print_json
from assay.report.reproduction_view import cells_view, names_view, summary_view

PAGE_WIDTH = 160  # where there is no terminal to ask for its width


def reproduce(
    tables: Annotated[
        list[str] | None,
        typer.Argument(metavar="TABLE", help="Which tables; by default all.", show_default=False),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Folder of the released data (or ASSAY_DATA)."),
    ] = None,
    names: Annotated[
        bool, typer.Option("--list", help="Show which tables there are, and what they need.")
    ] = False,
    json: o.AsJson = False,
) -> None:
    """Recompute published tables from released data, cell by cell.

    Exit code: 0 every cell as expected, 1 a cell that should match does not, 2 bad input or usage.
    """
    console = make_console(width=PAGE_WIDTH)
    if names:
        rows = list_tables(tables or ())
        if json:
            listed = [
                {"name": name, "title": table.title, "cells": n, "needs": list(table.needs)}
                for name, n, table in rows
            ]
            print_json({"tables": listed})
        else:
            console.print(names_view(rows))
        return
    done = []
    for reproduction in recompute(tables or (), data):
        done.append(reproduction)
        if not json:
            for part in cells_view(reproduction):
                console.print(part)
    if json:
        print_json({"tables": [each.to_dict() for each in done]})
    else:
        for part in summary_view(done):
            console.print(part)
    if failed := [each.name for each in done if each.failed]:
        say(f"cells that should match do not: {', '.join(failed)}")
    raise typer.Exit(BROKEN_RULE if failed else 0)
