"""What a board shows, as tables of words: the terminal and Markdown print the same ones."""

from collections.abc import Iterator
from dataclasses import replace

from assay.board.results import Board, Judge
from assay.core.verdicts import FAITHFUL_FROM
from assay.evaluation.levels import Level
from assay.report import board_details as details
from assay.report import board_rankings as rankings
from assay.report.board_tables import Section, at_levels


def sections(board: Board) -> Iterator[Section]:
    """All tables of a board, in the order in which they are shown."""
    for each in _made(board):
        words = gold_words(board) if each.by_people else ""
        yield replace(
            each, note=f"{each.note} {words[:1].upper()}{words[1:]}." if words else each.note
        )


def gold_words(board: Board) -> str:
    """How people's labels were pooled, in words; empty where they are no judge."""
    return board.gold.describe() if board.gold else ""


def _made(board: Board) -> Iterator[Section]:
    for make in (
        rankings.standings,
        rankings.by_judge,
        rankings.corrected,
        rankings.by_task,
        rankings.correlations,
        rankings.bias,
    ):
        yield from at_levels(board, make)
    yield from details.distributions(board)
    yield from at_levels(board, details.lengths)
    yield from details.detectors(board)
    yield from details.errors(board)


def about(board: Board) -> Iterator[tuple[str, str]]:
    """What a board is of, as headings with facts."""
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


REFUSAL = (
    "A response is a refusal if it declines, is empty, or has five words or fewer and answers no "
    "question, labelled or not"
)
_COUNTED = {
    "apart": "counted apart, not in the rate",
    "judged": "as the judge says",
    "unfaithful": "count as hallucinated",
}


def _described(judge: Judge) -> str:
    if judge.kind == "vote":
        return f"{judge.name} (of {judge.reference.replace('+', ', ')})"
    return f"{judge.name} ({' and '.join(judge.taxonomies) or 'no label'}{_own(judge)})"


def _own(judge: Judge) -> str:
    """The LLM that a judge asks."""
    return f", model {judge.model}" if judge.model else ""


def _read(level: Level) -> str:
    readings = ", ".join(level.readings.values())
    return f"{level.title} ({readings})" if readings else level.title
