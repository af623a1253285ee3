"""A board as plain JSON values."""

from dataclasses import asdict
from typing import Any

from assay.board.results import Board, Ranking

SCHEMA_VERSION = 1


def board_document(board: Board) -> dict[str, Any]:
    """Everything that a board says, but for the responses behind it."""
    reports = board.detectors, board.sentence_detectors
    whole, sentences = (each.to_dict() if each else None for each in reports)
    return {
        "schema_version": SCHEMA_VERSION,
        "assay": board.version,
        "title": board.title,
        "dataset": board.dataset,
        "digest": board.digest,
        "replicates": board.replicates,
        "seed": board.seed,
        "counting": asdict(board.counting),
        "is_common": board.is_common,
        "gold": board.gold.to_dict() if board.gold else None,
        "warnings": list(board.warnings),
        "models": list(board.models),
        "tasks": list(board.tasks),
        "judges": [asdict(each) for each in board.judges],
        "levels": [asdict(each) for each in board.levels],
        "rankings": [_ranking(each) for each in board.rankings],
        "distributions": [asdict(each) for each in board.distributions],
        "lengths": [asdict(each) for each in board.lengths],
        "correlations": [asdict(each) for each in board.correlations],
        "bias": [asdict(each) for each in board.bias],
        "detectors": whole,
        "sentence_detectors": sentences,
        "measured_at": board.measured_at,
        "errors": [asdict(each) for each in board.errors],
    }


def _ranking(ranking: Ranking) -> dict[str, Any]:
    return {
        "judge": ranking.judge,
        "level": ranking.level,
        "task": ranking.task,
        "sources": ranking.sources,
        "standings": [{**asdict(each), "coverage": each.coverage} for each in ranking.standings],
        "p_values": [list(row) for row in ranking.p_values],
        "differs": [list(row) for row in ranking.differs],
        "differs_from": [list(row) for row in ranking.differs_from],
        "shared": ranking.shared,
    }
