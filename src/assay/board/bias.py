"""Judges beside each other: the same responses by each of them, and by the majority."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.board.results import Bias, BiasCell, Judge
from assay.board.tallies import FAITHFUL, HALLUCINATED, is_counted
from assay.evaluation.levels import Level
from assay.evaluation.responses import UNCOUNTED, Classes, Responses, number_of
from assay.metrics.arrays import Bools
from assay.metrics.standings import ranks

VOTE = "majority"
ENOUGH = 0.5  # the share of responses that a judge must have judged to be compared with others


def broad_judges(judges: Sequence[Judge], responses: Responses) -> tuple[Judge, ...]:
    """The judges that said something of half of the responses or more."""
    total = len(responses.model)
    return tuple(
        judge
        for judge in judges
        if (responses.judged[judge.name].codes >= 0).sum() >= ENOUGH * total
    )


def voters(judges: Sequence[Judge]) -> tuple[Judge, ...]:
    """Those whose majority is a judge of its own: detectors, if there are two or more."""
    found = tuple(judge for judge in judges if judge.kind == "detector")
    return found if len(found) > 1 else ()


def vote(classes: Sequence[Classes]) -> Classes:
    """The majority of some judges on each response; as many for as against is hallucinated.

    Where one of them has no verdict there is no vote: it failed, or it is what all say it is.
    """
    stack = np.stack(classes)
    for_it = (stack == HALLUCINATED).sum(0)
    found = np.where(2 * for_it >= len(stack), HALLUCINATED, FAITHFUL).astype(np.int8)
    complete = is_counted(stack).all(0)
    same = (stack == stack[0]).all(0)
    nobody = (stack == UNCOUNTED).all(0)
    found[~complete] = number_of("failed")
    found[~complete & same] = stack[0][~complete & same]
    found[nobody] = UNCOUNTED
    return found


def make_bias(
    responses: Responses,
    judges: Sequence[Judge],
    classes: Mapping[tuple[str, str], Classes],
    level: Level,
) -> Bias:
    """How many responses each judge calls hallucinated, of those on which all have a verdict."""
    stack = [classes[judge.name, level.name] for judge in judges]
    common: Bools = np.logical_and.reduce([is_counted(each) for each in stack])
    size = len(responses.models)
    n = np.bincount(responses.model[common], minlength=size)
    present = np.flatnonzero(n)
    cells = []
    for judge, given in zip(judges, stack, strict=True):
        hits = np.bincount(responses.model[common & (given == HALLUCINATED)], minlength=size)
        places = ranks(hits[present] / n[present])
        for at, rank in zip(present.tolist(), places.tolist(), strict=True):
            model = responses.models[at]
            own = model in judge.own
            cells.append(BiasCell(judge.name, model, int(hits[at]), int(n[at]), int(rank), own))
    return Bias(level.name, int(common.sum()), tuple(cells))
