"""`assay reproduce`: published tables recomputed from released data."""

from typing import Annotated

from assay.app.data import list_tables
from assay.app.data import reproduce as recompute
from assay.cli.errors import BROKEN_RULE, say
from assay.cli.options import AsJson
from assay.cli.output import make_console, print_json
from assay.core.options import Argument, Option
from assay.report.evaluation.reproduction import cells_view, names_view, summary_view

PAGE_WIDTH = 160  # where there is no terminal to ask for its width


def reproduce(
    tables: Annotated[tuple[str, ...], Argument("Which tables; by default all.", "TABLE")] = (),
    data: Annotated[
        str | None, Option("Folder of the released data; default: ASSAY_DATA.", "DIR")
    ] = None,
    names: Annotated[
        bool, Option("Show which tables there are, and what they need.", name="list")
    ] = False,
    json: AsJson = False,
) -> int:
    """Recompute published tables from released data, cell by cell.

    Exit code: 0 every cell as expected, 1 a cell that should match does not, 2 bad input or usage.
    """
    console = make_console(width=PAGE_WIDTH)
    if names:
        rows = list_tables(tables)
        if json:
            listed = [
                {"name": name, "title": table.title, "cells": n, "needs": list(table.needs)}
                for name, n, table in rows
            ]
            print_json({"tables": listed})
        else:
            console.print(names_view(rows))
        return 0
    done = []
    for reproduction in recompute(tables, data):
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
    return BROKEN_RULE if failed else 0
