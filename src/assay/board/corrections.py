"""Rates of a judge that are corrected by people's labels, where these cover a part only."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.board.results import Judge, Ranking
from assay.board.tallies import HALLUCINATED, is_counted
from assay.evaluation.responses import Classes, Responses
from assay.metrics import CorrectedRate, corrected_rate, judge_slope
from assay.metrics.arrays import Bools

FEWEST_LABELLED = 20  # sources on which both the judge and people have a verdict on an LLM


def with_corrections(
    rankings: Sequence[Ranking],
    responses: Responses,
    judges: Sequence[Judge],
    classes: Mapping[tuple[str, str], Classes],
) -> list[Ranking]:
    """The rankings by detectors with the corrected rates of those LLMs that have enough labels.

    The labels are those of the first judge that is people. How much a judge counts is found from
    the labelled responses of all LLMs, its errors from those of each LLM alone.
    """
    people = [judge.name for judge in judges if judge.kind == "person"]
    if not people:
        return list(rankings)
    return [
        each
        if each.judge in people
        else _corrected(
            each, responses, classes[people[0], each.level], classes[each.judge, each.level]
        )
        for each in rankings
    ]


def _corrected(ranking: Ranking, responses: Responses, gold: Classes, said: Classes) -> Ranking:
    inside = is_counted(said)
    if ranking.task:
        inside &= responses.task == responses.tasks.index(ranking.task)
    labelled = inside & is_counted(gold)
    if not labelled.any():
        return ranking
    labels, verdicts = gold == HALLUCINATED, said == HALLUCINATED
    rest = inside & ~labelled
    slope = judge_slope(labels[labelled], verdicts[labelled], verdicts[rest])

    def of(model: str) -> CorrectedRate | None:
        mine: Bools = responses.model == responses.models.index(model)
        own, others = labelled & mine, rest & mine
        if np.unique(responses.source[own]).size < FEWEST_LABELLED or not others.any():
            return None
        groups = responses.source[own], responses.source[others]
        return corrected_rate(
            labels[own], verdicts[own], verdicts[others], slope=slope, groups=groups
        )

    standings = tuple(replace(each, corrected=of(each.model)) for each in ranking.standings)
    return replace(ranking, standings=standings)
