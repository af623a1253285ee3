"""A board as the page reads it: all its numbers, with judges, levels and LLMs by number.

No name is the key of anything, since a name may be any text.
"""

from collections.abc import Iterable, Iterator

from assay.board.corrections import FEWEST_LABELLED
from assay.board.results import (
    Bias,
    Board,
    Distribution,
    ErrorDistribution,
    Judge,
    Lengths,
    Ranking,
    Standing,
)
from assay.core.labels import Label
from assay.core.readings import READINGS
from assay.core.taxonomies import BINARY, taxonomy
from assay.core.verdicts import FAITHFUL_FROM
from assay.evaluation.evaluate import Evaluation
from assay.metrics import Estimate
from assay.report.board_sections import REFUSAL
from assay.report.looks import REASONS
from assay.report.records import Json
from assay.report.site.records import Recorder, badge_records

Numbers = list[float | int | None]


class Overview:
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
            "rankings": [self._ranking(each) for each in board.rankings],
            "distributions": [self._distribution(each) for each in board.distributions],
            "lengths": [self._lengths(each) for each in board.lengths],
            "correlations": [
                {
                    "first": self._judges[each.first],
                    "second": self._judges[each.second],
                    "level": self._levels[each.level],
                    "kendall": estimate(each.kendall),
                    "spearman": estimate(each.spearman),
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
            "reasons": [[name, words] for name, words in REASONS.items()],
            "gold": board.gold.describe() if board.gold else "",
            "warnings": list(board.warnings),
            "counting": [board.counting.invalid, board.counting.refusals],
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
            "standings": [self._standing(each) for each in ranking.standings],
            "differs": list(_differs(ranking)),
            "pairs": dict(zip(("all", "compared", "differ"), ranking.pairs, strict=True)),
            "shared": list(ranking.shared) if ranking.shared else None,
        }

    def _standing(self, each: Standing) -> Json:
        return {
            "model": self._models[each.model],
            "rank": each.rank,
            "ranks": list(each.ranks) if each.ranks else None,
            "starred": each.is_starred,
            "rate": estimate(each.rate),
            "corrected": estimate(each.corrected.rate) if each.corrected else None,
            "weight": round(each.corrected.weight, 3) if each.corrected else None,
            "hallucinated": each.hallucinated,
            "judged": each.judged,
            "refused": each.refused,
            "invalid": each.invalid,
            "failed": each.failed,
            "missing": each.missing,
            "coverage": None if each.coverage is None else round(each.coverage, 5),
            "words": None if each.words is None else round(each.words),
        }

    def _distribution(self, each: Distribution) -> Json:
        menus = self._board.judges[self._judges[each.judge]].taxonomies
        return {
            "judge": self._judges[each.judge],
            "model": self._models[each.model],
            "labels": [[self._label(name, menus), count] for name, count in each.labels.items()],
            "failures": [[reason, count] for reason, count in each.failures.items()],
        }

    def _label(self, name: str, menus: Iterable[str]) -> int:
        """The number of a label's badge; the same as rows have that were given it."""
        label = next(_labels_called(name, menus), None)
        if label is not None:
            return self._recorder.badge_of(label)
        return self._recorder.badges[name, "no-fact", "·", ""]

    def _lengths(self, each: Lengths) -> Json:
        return {
            "judge": self._judges[each.judge],
            "level": self._levels[each.level],
            "rates": [
                {
                    "side": side.side,
                    "ends": list(side.ends),
                    "overall": [estimate(one) for one in side.overall],
                    "models": [
                        [self._models[name], [estimate(one) for one in rates]]
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
                    "evaluations": [_evaluation(each) for each in report.evaluations],
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


def _evaluation(each: Evaluation) -> Json:
    return {
        "name": each.detector,
        "n": each.n,
        "coverage": each.coverage,
        "failures": each.failures.total(),
        "figures": [[name, estimate(one)] for name, one in each.figures.items()],
    }


def estimate(each: Estimate) -> Numbers:
    """Value, n and interval, with as many digits as a page shows, and some more."""
    ends = (each.low, each.high)
    value, low, high = (None if one is None else round(one, 5) for one in (each.value, *ends))
    return [value, each.n, low, high]


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
        "readings": [[menu, each, table.meaning if table else ""] for menu, each, table in known],
    }
