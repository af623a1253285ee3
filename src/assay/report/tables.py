"""What all views in the terminal are made of: facts, tables and numbers in words."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

# Control characters of a text could steer the terminal, so they are spelled out.
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def facts_view(facts: Iterable[tuple[str, str]]) -> Table:
    """Headings with what there is to say under each; what is empty is left out."""
    table = Table.grid(padding=(0, 2))
    for name, fact in facts:
        if fact:
            table.add_row(Text(name, style="bold"), Text(fact))
    return table


def table_view(
    title: str, headers: Sequence[str], rows: Iterable[Sequence[str]], *, words: int = 1
) -> RenderableType:
    """A table whose first columns, `words` of them, are words, and the others numbers."""
    table = Table(box=None)
    for number, header in enumerate(headers):
        side: Literal["left", "right"] = "left" if number < words else "right"
        table.add_column(Text(header), justify=side, overflow="fold")
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    return Group("", Text(title, style="bold"), table)


def printable(text: str) -> str:
    """A text on one line, as it may safely stand on a terminal.

    >>> printable("a\\x1b[31m\\n b")
    'a\\\\x1b[31m b'
    """
    flat = " ".join(text.split())
    return _CONTROL.sub(lambda match: f"\\x{ord(match[0]):02x}", flat)


def counts(numbers: Mapping[str, int]) -> str:
    """Names with how many there are, the most frequent first.

    >>> counts({"parse": 2, "refused": 1_200})
    'refused 1,200, parse 2'
    """
    ordered = sorted(numbers.items(), key=lambda each: -each[1])
    return ", ".join(f"{name} {count:,}" for name, count in ordered)


def money(usd: float | None) -> str:
    """US dollars; None is a cost that cannot be known.

    >>> money(0.01234), money(12.345), money(None)
    ('$0.0123', '$12.35', 'unknown: there is no price for the model')
    """
    if usd is None:
        return "unknown: there is no price for the model"
    return f"${usd:.2f}" if usd >= 1 else f"${usd:.4f}"


def duration(seconds: float) -> str:
    """A time in the two largest units that it has.

    >>> duration(7.25), duration(75), duration(3661)
    ('7.2 s', '1 min 15 s', '1 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
