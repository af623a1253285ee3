"""A board in the terminal, in Markdown, as CSV and as JSON."""

import json
from collections.abc import Iterator
from dataclasses import replace

from rich.console import RenderableType
from rich.text import Text

from assay.board.results import Board, Judge, board_document
from assay.core.verdicts import FAITHFUL_FROM
from assay.evaluation.levels import Level
from assay.report.board.leaderboard import COLUMNS, Ranked, all_ranked, gold_words
from assay.report.board.tables import board_tables
from assay.report.tables import (
    Column,
    csv_text,
    data_heads,
    data_rows,
    facts_view,
    fitting,
    markdown_lines,
    markdown_text,
    table_view,
)
from assay.report.words import escaped_json, printable, spelled_out

REFUSAL = (
    "A response is a refusal if it declines, is empty, or has five words or fewer and answers no "
    "question, labelled or not"
)
_COUNTED = {
    "apart": "counted apart, not in the rate",
    "judged": "as the judge says",
    "unfaithful": "count as hallucinated",
}
HEADS = data_heads(COLUMNS)


def board_view(board: Board, width: int) -> Iterator[RenderableType]:
    """The tables of a board, and what has to be known to read them."""
    yield Text(spelled_out(board.title), style="bold")
    yield facts_view(_about(board))
    for warning in board.warnings:
        yield Text(f"note: {printable(warning)}", style="yellow")
    for table in board_tables(board):
        for part in fitting(replace(table, note="", basis=""), width):
            yield table_view(part)
        yield Text(printable(table.whole_note), style="dim")


def board_markdown(board: Board) -> str:
    """The same tables in Markdown."""
    lines = [f"# {markdown_text(board.title)}", ""]
    lines += [f"- {name}: {markdown_text(fact)}" for name, fact in _about(board) if fact]
    lines += ["", *(f"> {markdown_text(warning)}" for warning in board.warnings)]
    for table in board_tables(board):
        lines += ["", f"## {markdown_text(table.title)}", "", *markdown_lines(table)]
        lines += ["", markdown_text(table.whole_note)]
    lines += ["", f"Assay {board.version}, seed {board.seed}, data {board.digest or 'unknown'}", ""]
    return "\n".join(lines)


def board_csv(board: Board) -> str:
    """A line for each LLM by each judge, at each level, in each task; an empty task is all."""
    columns: list[Column[Ranked]] = [
        Column("title", lambda _: board.title),
        Column("dataset", lambda _: board.dataset),
        *COLUMNS,
        Column("assay", lambda _: board.version),
    ]
    return csv_text(columns, all_ranked(board))


def standing_rows(board: Board) -> Iterator[dict[str, object]]:
    """Every standing of every ranking, by the names in `HEADS`."""
    return data_rows(COLUMNS, all_ranked(board))


def board_json(board: Board) -> str:
    """The whole board as a JSON document."""
    text = json.dumps(board_document(board), ensure_ascii=False, allow_nan=False)
    return escaped_json(text) + "\n"


def _about(board: Board) -> Iterator[tuple[str, str]]:
    """The facts about a board, by heading."""
    yield "data", board.dataset
    yield "LLMs", f"{len(board.models):,}"
    yield "judges", ", ".join(map(_described, board.judges))
    yield "gold", gold_words(board).partition(": ")[2]
    yield "levels", "; ".join(map(_read, board.levels))
    counting = board.counting
    yield "refusals", f"{_COUNTED[counting.refusals]}. {REFUSAL}"
    yield "invalid", _COUNTED[counting.invalid]
    scored = ", ".join(judge.name for judge in board.judges if judge.is_scored)
    yield "scores", f"faithful from {FAITHFUL_FROM:g} upwards ({scored})" if scored else ""
    yield (
        "intervals",
        "95 %, over other draws of sources; errors of judges and labels are not included",
    )
    yield "sources", "only those that every LLM has a verdict on" if board.is_common else ""


def _described(judge: Judge) -> str:
    if judge.kind == "vote":
        return f"{judge.name} (of {judge.reference.replace('+', ', ')})"
    model = f", model {judge.model}" if judge.model else ""
    return f"{judge.name} ({' and '.join(judge.taxonomies) or 'no label'}{model})"


def _read(level: Level) -> str:
    readings = ", ".join(level.readings.values())
    return f"{level.title} ({readings})" if readings else level.title
