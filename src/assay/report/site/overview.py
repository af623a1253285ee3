"""A board as the page reads it: all its numbers, with judges, levels and LLMs by number.

No name is the key of anything, since a name may be any text.
"""

from collections.abc import Iterable, Iterator, Sequence

from assay.board.rankings import FEWEST_LABELLED
from assay.board.results import (
    Bias,
    Board,
    Distribution,
    ErrorDistribution,
    Judge,
    Lengths,
    Ranking,
)
from assay.core.decision import QUESTIONS
from assay.core.labels import Label
from assay.core.readings import READINGS
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.verdicts import FAITHFUL_FROM
from assay.evaluation.evaluate import Evaluation
from assay.report.board.leaderboard import COLUMNS, PLACE, Ranked, ranked_llms
from assay.report.board.views import REFUSAL
from assay.report.pages.badges import Badge
from assay.report.pages.records import Json, badge_records
from assay.report.site.records import Recorder
from assay.report.tables import (
    COUNT,
    FIGURE,
    SHARE,
    Column,
    Format,
    site_columns,
    site_row,
    site_value,
)


class BoardRecord:
    """Turns a board into plain JSON."""

    def __init__(self, board: Board, recorder: Recorder) -> None:
        self._board = board
        self._recorder = recorder
        self._models = {name: number for number, name in enumerate(board.models)}
        self._judges = {each.name: number for number, each in enumerate(board.judges)}
        self._menus = tuple(dict.fromkeys(menu for e in board.judges for menu in e.taxonomies))
        self._levels = {each.name: number for number, each in enumerate(board.levels)}

    def document(self, rows: list[int], digest: str) -> Json:
        """All of it; `rows` says how many rows each LLM has, and `digest` names the site."""
        board = self._board
        parts: Json = {
            # A page begins with the rank.
            "columns": sorted(
                site_columns(COLUMNS), key=lambda column: column["format"] != PLACE.name
            ),
            "rankings": [self._ranking(each) for each in board.rankings],
            "distributions": [self._distribution(each) for each in board.distributions],
            "lengths": [self._lengths(each) for each in board.lengths],
            "correlations": [
                {
                    "first": self._judges[each.first],
                    "second": self._judges[each.second],
                    "level": self._levels[each.level],
                    "kendall": site_value(each.kendall),
                    "spearman": site_value(each.spearman),
                }
                for each in board.correlations
            ],
            "bias": [self._bias(each) for each in board.bias],
            "detectors": list(self._detectors()),
        }
        return {
            "title": board.title,
            "dataset": board.dataset,
            "digest": board.digest,
            "version": board.version,
            "site": digest,
            "models": list(board.models),
            "rows": rows,
            "tasks": list(board.tasks),
            "judges": [_judge(each) for each in board.judges],
            "faithful_from": FAITHFUL_FROM,
            "fewest_labelled": FEWEST_LABELLED,
            "levels": [_level(each.name, each.title, each.readings) for each in board.levels],
            **parts,
            "badges": badge_records(self._recorder.badges),
            "questions": list(QUESTIONS.values()),
            "gold": board.gold.describe() if board.gold else "",
            "warnings": list(board.warnings),
            "counting": {"invalid": board.counting.invalid, "refusals": board.counting.refusals},
            "refusal": REFUSAL,
            "common": board.is_common,
            "replicates": board.replicates,
            "seed": board.seed,
        }

    def _ranking(self, ranking: Ranking) -> Json:
        return {
            "judge": self._judges[ranking.judge],
            "level": self._levels[ranking.level],
            "task": ranking.task,
            "sources": ranking.sources,
            "standings": [self._standing(each) for each in ranked_llms(self._board, ranking)],
            "differs": list(_differs(ranking)),
            "pairs": dict(zip(("all", "compared", "differ"), ranking.pairs, strict=True)),
            "shared": list(ranking.shared) if ranking.shared else None,
        }

    def _standing(self, each: Ranked) -> Json:
        """The cells of an LLM by the names of the columns; it is itself known by its number."""
        number = self._models[each.standing.model]
        return {**site_row(COLUMNS, each), "model": number, "starred": each.standing.is_starred}

    def _distribution(self, each: Distribution) -> Json:
        menus = self._board.judges[self._judges[each.judge]].taxonomies
        return {
            "judge": self._judges[each.judge],
            "model": self._models[each.model],
            "labels": [
                {"badge": self._label(name, menus), "count": count}
                for name, count in each.labels.items()
            ],
            "failed": sum(each.failures.values()),
        }

    def _label(self, name: str, menus: Iterable[str]) -> int:
        """The number of a label's badge; the same as rows have that were given it."""
        label = next(_labels_called(name, menus), None)
        if label is not None:
            return self._recorder.badge_of(label)
        return self._recorder.badges[Badge("no-fact", "·", "dim", name, "")]

    def _lengths(self, each: Lengths) -> Json:
        return {
            "judge": self._judges[each.judge],
            "level": self._levels[each.level],
            "rates": [
                {
                    "side": side.side,
                    "ends": list(side.ends),
                    "overall": [site_value(one) for one in side.overall],
                    "models": [
                        {"model": self._models[name], "rates": [site_value(one) for one in rates]}
                        for name, rates in side.by_model.items()
                        if name in self._models
                    ],
                }
                for side in each.rates
            ],
        }

    def _bias(self, bias: Bias) -> Json:
        return {
            "level": self._levels[bias.level],
            "responses": bias.responses,
            "judges": list(dict.fromkeys(each.judge for each in bias.cells)),
            "cells": [
                {
                    "judge": each.judge,
                    "model": self._models[each.model],
                    "hallucinated": each.hallucinated,
                    "n": each.n,
                    "rank": each.rank,
                    "own": each.is_own,
                }
                for each in bias.cells
            ],
        }

    def _detectors(self) -> Iterator[Json]:
        """The judges themselves, measured against gold, on whole responses and on sentences."""
        board = self._board
        for unit, report in (("response", board.detectors), ("sentence", board.sentence_detectors)):
            if report is not None:
                yield {
                    "unit": unit,
                    "reading": report.reading,
                    "level": board.measured_at,
                    "best": list(report.best),
                    **_measured(report.evaluations),
                    "errors": [self._errors(each) for each in board.errors if each.unit == unit],
                }

    def _errors(self, each: ErrorDistribution) -> Json:
        """For each gold label: its badge, how many of its items were judged, and how many wrong."""
        return {
            "name": each.detector,
            "labels": [
                {
                    "badge": self._label(name, self._menus),
                    "judged": count,
                    "wrong": each.errors.get(name, 0),
                }
                for name, count in each.gold.items()
            ],
        }


def _measured(evaluations: Sequence[Evaluation]) -> Json:
    """The judges measured against people, with the figures that one of them has."""
    names = (name for each in evaluations for name in each.figures)
    known = [
        name
        for name in dict.fromkeys(names)
        if any(each.figures[name].value is not None for each in evaluations if name in each.figures)
    ]
    columns: list[Column[Evaluation]] = [
        Column("judge", lambda each: each.detector, Format("judge")),
        Column("n", lambda each: each.n, COUNT, title="n"),
        Column("coverage", lambda each: each.coverage, SHARE, title="coverage"),
        *(_figure_column(name) for name in known),
    ]
    return {
        "columns": site_columns(columns),
        "evaluations": [site_row(columns, each) for each in evaluations],
    }


def _figure_column(name: str) -> Column[Evaluation]:
    return Column(name, lambda each: each.figures.get(name), FIGURE, title=name)


def _differs(ranking: Ranking) -> Iterator[str]:
    """Of each LLM, which others differ from it (1), do not (0), or cannot be compared (?)."""
    for number, row in enumerate(ranking.differs_from):
        tested = ranking.p_values[number] if ranking.p_values else (1.0,) * len(row)
        yield "".join(
            "?" if p is None and other != number else "01"[each]
            for other, (each, p) in enumerate(zip(row, tested, strict=True))
        )


def _labels_called(name: str, menus: Iterable[str]) -> Iterator[Label]:
    for menu in (*(taxonomy(each) for each in menus), BINARY):
        yield from (label for label in menu if label.name == name)


def _judge(judge: Judge) -> Json:
    return {
        "name": judge.name,
        "reference": judge.reference,
        "kind": judge.kind,
        "taxonomies": list(judge.taxonomies),
        "model": judge.model,
        "own": list(judge.own),
        "own_by": judge.own_by,
        "scored": judge.is_scored,
    }


def _level(name: str, title: str, readings: dict[str, str]) -> Json:
    known = ((menu, each, READINGS.get(each)) for menu, each in readings.items())
    return {
        "name": name,
        "title": title,
        "readings": [
            {"menu": menu, "name": each, "meaning": table.meaning if table else ""}
            for menu, each, table in known
        ],
    }
