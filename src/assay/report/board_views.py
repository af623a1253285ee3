"""A board in the terminal, in Markdown, as CSV and as JSON."""

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from assay.board.document import board_document
from assay.board.results import Board, Ranking, Standing
from assay.core.formulas import guard
from assay.metrics import CorrectedRate
from assay.report.board_sections import about, gold_words, sections
from assay.report.board_tables import Section, has_people
from assay.report.tables import escaped_json, facts_view, printable, spelled_out, table_view

GAP = 2  # between columns
_MARKUP = re.compile(r"[\\|<`]")
HEADS = (
    "judge",
    "level",
    "task",
    "model",
    "rank",
    "rank_low",
    "rank_high",
    "starred",
    "rate",
    "low",
    "high",
    "corrected",
    "corrected_low",
    "corrected_high",
    "labelled",
    "weight",
    "hallucinated",
    "judged",
    "responses",
    "refused",
    "invalid",
    "failed",
    "missing",
    "coverage",
    "words",
    "sources",
    "gold",
)


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


def standing_rows(board: Board) -> Iterator[Sequence[str | float | int | None]]:
    """Every standing of every ranking, as the cells under `HEADS`."""
    for ranking in board.rankings:
        for standing in ranking.standings:
            by_people = standing.corrected or has_people(board, [ranking.judge])
            yield (*_cells(ranking, standing), gold_words(board) if by_people else "")


def _cells(ranking: Ranking, standing: Standing) -> Sequence[str | float | int | None]:
    low, high = standing.ranks or (None, None)
    return (
        ranking.judge,
        ranking.level,
        ranking.task,
        standing.model,
        standing.rank,
        low,
        high,
        int(standing.is_starred),
        standing.rate.value,
        standing.rate.low,
        standing.rate.high,
        *_corrected(standing.corrected),
        standing.hallucinated,
        standing.judged,
        standing.responses,
        standing.refused,
        standing.invalid,
        standing.failed,
        standing.missing,
        standing.coverage,
        standing.words,
        ranking.sources,
    )


def _corrected(found: CorrectedRate | None) -> Sequence[float | int | None]:
    if found is None:
        return (None,) * 5
    return found.rate.value, found.rate.low, found.rate.high, found.rate.n, found.weight


def board_json(board: Board) -> str:
    """The whole board as a JSON document."""
    text = json.dumps(board_document(board), ensure_ascii=False, allow_nan=False)
    return escaped_json(text) + "\n"
