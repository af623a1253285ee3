"""A board in the terminal, in Markdown, as CSV and as JSON."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from assay.board.document import board_document
from assay.board.results import Board, Ranking, Standing
from assay.core.formulas import guard
from assay.report.board_sections import about, gold_words, sections
from assay.report.board_tables import Section, has_people
from assay.report.tables import escaped_json, facts_view, printable, spelled_out, table_view

GAP = 2  # between columns
_MARKUP = re.compile(r"[\\|<`]")
Value = str | float | int | None
# The head of each column, and its cell for a standing in a ranking.
_COLUMNS: dict[str, Callable[[Ranking, Standing], Value]] = {
    "judge": lambda ranking, each: ranking.judge,
    "level": lambda ranking, each: ranking.level,
    "task": lambda ranking, each: ranking.task,
    "model": lambda ranking, each: each.model,
    "rank": lambda ranking, each: each.rank,
    "rank_low": lambda ranking, each: each.ranks[0] if each.ranks else None,
    "rank_high": lambda ranking, each: each.ranks[1] if each.ranks else None,
    "starred": lambda ranking, each: int(each.is_starred),
    "rate": lambda ranking, each: each.rate.value,
    "low": lambda ranking, each: each.rate.low,
    "high": lambda ranking, each: each.rate.high,
    "corrected": lambda ranking, each: each.corrected.rate.value if each.corrected else None,
    "corrected_low": lambda ranking, each: each.corrected.rate.low if each.corrected else None,
    "corrected_high": lambda ranking, each: each.corrected.rate.high if each.corrected else None,
    "labelled": lambda ranking, each: each.corrected.rate.n if each.corrected else None,
    "weight": lambda ranking, each: each.corrected.weight if each.corrected else None,
    "hallucinated": lambda ranking, each: each.hallucinated,
    "judged": lambda ranking, each: each.judged,
    "responses": lambda ranking, each: each.responses,
    "refused": lambda ranking, each: each.refused,
    "invalid": lambda ranking, each: each.invalid,
    "failed": lambda ranking, each: each.failed,
    "missing": lambda ranking, each: each.missing,
    "coverage": lambda ranking, each: each.coverage,
    "words": lambda ranking, each: each.words,
    "sources": lambda ranking, each: ranking.sources,
}
HEADS = (*_COLUMNS, "gold")


def board_view(board: Board, width: int) -> Iterator[RenderableType]:
    """The tables of a board, and what has to be known to read them."""
    yield Text(spelled_out(board.title), style="bold")
    yield facts_view(about(board))
    for warning in board.warnings:
        yield Text(f"note: {printable(warning)}", style="yellow")
    for each in sections(board):
        for part in _parts(each, width):
            yield table_view(each.title, part.heads, part.rows, words=part.words)
        yield Text(printable(each.note), style="dim")


def _parts(section: Section, width: int) -> Iterator[Section]:
    """A table in as many parts as its columns need, each with the words that begin a row."""
    columns = list(zip(section.heads, *section.rows, strict=True))
    widths = [max(map(len, column)) + GAP for column in columns]
    words, last = section.words, len(section.heads)
    room = width - sum(widths[:words])
    start = words
    while start < last:
        end, used = start + 1, widths[start]
        while end < last and used + widths[end] <= room:
            used += widths[end]
            end += 1
        heads = (*section.heads[:words], *section.heads[start:end])
        rows = tuple((*row[:words], *row[start:end]) for row in section.rows)
        yield replace(section, heads=heads, rows=rows)
        start = end


def board_markdown(board: Board) -> str:
    """The same tables in Markdown."""
    lines = [f"# {_plain(board.title)}", ""]
    lines += [f"- {name}: {_plain(fact)}" for name, fact in about(board) if fact]
    lines += ["", *(f"> {_plain(warning)}" for warning in board.warnings)]
    for each in sections(board):
        lines += ["", f"## {_plain(each.title)}", "", *_markdown(each), "", _plain(each.note)]
    lines += ["", f"Assay {board.version}, seed {board.seed}, data {board.digest or 'unknown'}", ""]
    return "\n".join(lines)


def _markdown(section: Section) -> Iterator[str]:
    right = len(section.heads) - section.words
    for row in (
        section.heads,
        ("---",) * section.words + ("---:",) * right,
        *section.rows,
    ):
        yield f"| {' | '.join(map(_plain, row))} |"


def _plain(text: str) -> str:
    """A text on one line of Markdown, in which it begins no cell, link or tag."""
    return _MARKUP.sub(r"\\\g<0>", printable(text))


def board_csv(board: Board) -> str:
    """A line for each LLM by each judge, at each level, in each task; an empty task is all."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(("title", "dataset", *HEADS, "assay"))
    for row in standing_rows(board):
        cells = ("" if cell is None else cell for cell in row)
        whole = (board.title, board.dataset, *cells, board.version)
        writer.writerow(map(guard, whole))
    return out.getvalue()


def standing_rows(board: Board) -> Iterator[Sequence[Value]]:
    """Every standing of every ranking, as the cells under `HEADS`."""
    for ranking in board.rankings:
        for each in ranking.standings:
            by_people = each.corrected or has_people(board, [ranking.judge])
            cells = (cell(ranking, each) for cell in _COLUMNS.values())
            yield (*cells, gold_words(board) if by_people else "")


def board_json(board: Board) -> str:
    """The whole board as a JSON document."""
    text = json.dumps(board_document(board), ensure_ascii=False, allow_nan=False)
    return escaped_json(text) + "\n"
