"""A table as users bring it: Markdown, HTML, CSV, TSV, JSON, blocks of keys, sentences."""

import csv
import io
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True, slots=True)
class Table:
    """Cells as text; every row has as many as the header."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def markdown(table: Table, rng: random.Random) -> str:
    """With pipes; a title as a heading or a bold line."""
    lines = [_piped(table.header), _piped(["---"] * len(table.header))]
    lines += [_piped(row) for row in table.rows]
    heading = rng.choice(("## {}\n", "**{}**\n", "{}\n"))
    return "\n".join([*_titled(table, heading, rng), *lines])


def _piped(cells: tuple[str, ...] | list[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def html(table: Table, rng: random.Random) -> str:
    """A table element, in lines or all in one."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.header)
    rows = [f"<tr>{head}</tr>"]
    for row in table.rows:
        rows.append(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>")
    caption = _titled(table, "<caption>{}</caption>", rng)
    glue = rng.choice(("\n", "\n", ""))
    return glue.join(["<table>", *caption, *rows, "</table>"])


def comma_separated(table: Table, rng: random.Random) -> str:
    """CSV with commas or semicolons."""
    return _separated(table, rng, rng.choice((",", ",", ";")))


def tab_separated(table: Table, rng: random.Random) -> str:
    """TSV."""
    return _separated(table, rng, "\t")


def _separated(table: Table, rng: random.Random, sign: str) -> str:
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=sign, lineterminator="\n")
    writer.writerows([table.header, *table.rows])
    return "\n".join([*_titled(table, "{}", rng), lines.getvalue().rstrip("\n")])


def json_rows(table: Table, rng: random.Random) -> str:
    """An object for each row: in a list, one a line, or below the title."""
    objects = [dict(zip(_keys(table), row, strict=True)) for row in table.rows]
    way = rng.randrange(3)
    if way == 0:
        return "\n".join(json.dumps(each, ensure_ascii=False) for each in objects)
    whole = {"title": table.title, "rows": objects} if way == 1 and table.title else objects
    return json.dumps(whole, ensure_ascii=False, indent=rng.choice((None, 1, 2)))


def _keys(table: Table) -> list[str]:
    """The names of the columns, each once."""
    return [
        name if name not in table.header[:place] else f"{name} {place + 1}"
        for place, name in enumerate(table.header)
    ]


def blocks(table: Table, rng: random.Random) -> str:
    """A block of `name: value` lines for each row."""
    sign = rng.choice((": ", ": ", " = "))
    parts = [
        "\n".join(f"{name}{sign}{cell}" for name, cell in zip(table.header, row, strict=True))
        for row in table.rows
    ]
    return "\n\n".join([*_titled(table, "{}", rng), *parts])


def sentences(table: Table, rng: random.Random) -> str:
    """A sentence for each row."""
    way = rng.randrange(3)
    return " ".join([*_titled(table, "{}.", rng), *(_sentence(table, r, way) for r in table.rows)])


def _sentence(table: Table, row: tuple[str, ...], way: int) -> str:
    cells = list(zip(table.header, row, strict=True))
    (first, name), rest = cells[0], [(head, cell) for head, cell in cells[1:] if cell.strip()]
    if way == 0:
        return f"{name}: {', '.join(f'{head} {cell}' for head, cell in rest)}."
    said = [f"{head.lower()} is {cell}" for head, cell in rest]
    listed = " and ".join([", ".join(said[:-1]), said[-1]] if len(said) > 1 else said)
    begin = f"For {first.lower()} {name}" if way == 1 else f"Where {first.lower()} is {name}"
    begin = begin if first.strip() else f"For {name}"
    return f"{begin}, {listed}." if listed else f"{begin}, nothing else is given."


def _titled(table: Table, form: str, rng: random.Random) -> list[str]:
    """The title, most of the time, if there is one."""
    return [form.format(table.title)] if table.title and rng.random() < 0.8 else []


FORMS: dict[str, Callable[[Table, random.Random], str]] = {
    "markdown": markdown,
    "html": html,
    "csv": comma_separated,
    "tsv": tab_separated,
    "json": json_rows,
    "blocks": blocks,
    "sentences": sentences,
}
SMALLEST = "csv"  # the form that takes least room
