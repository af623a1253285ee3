"""Detectors that were run beside those recorded with the data: how far they say the same.

It is the first thing to look at after fetching a published model: with the weights, settings and
texts of those who made the corpus, nearly all verdicts are the same.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from assay.evaluation.evaluate import Evaluation
from assay.evaluation.items import Judged
from assay.evaluation.shares import share_of
from assay.metrics import Estimate, spearman_rho


@dataclass(frozen=True, slots=True)
class Concordance:
    """A detector and a recorded one on the items that both have a verdict on.

    The figures of scores are None where fewer than two items have two scores, or all are equal.
    """

    detector: str
    recorded: str
    same: Estimate  # the share of items with the same verdict
    scored: int  # items with a score from both
    correlation: float | None  # of the ranks of scores
    difference: float | None  # of scores, in the mean
    largest: float | None  # difference of scores

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        return asdict(self)


def concordances(evaluations: Sequence[Evaluation]) -> Iterator[Concordance]:
    """Each detector that was run beside each recorded one."""
    recorded = [each for each in evaluations if is_recorded(each)]
    for live in evaluations:
        if not is_recorded(live):
            yield from (_concordance(live, other) for other in recorded)


def is_recorded(evaluation: Evaluation) -> bool:
    """True if its verdicts came with the data, which names no version of who gave them."""
    manifest = evaluation.manifest
    return bool(manifest and manifest.author.kind == "detector" and not manifest.author.version)


def _concordance(live: Evaluation, recorded: Evaluation) -> Concordance:
    theirs = {_key(each): each for each in recorded.by_run[0]}
    pairs = [
        (each, theirs[_key(each)])
        for each in live.by_run[0]
        if each.faithful is not None
        and _key(each) in theirs
        and theirs[_key(each)].faithful is not None
    ]
    same = share_of((mine.item.group, mine.faithful == other.faithful) for mine, other in pairs)
    scores = np.array(
        [
            (mine.outcome.score, other.outcome.score)
            for mine, other in pairs
            if mine.outcome.score is not None and other.outcome.score is not None
        ],
        dtype=np.float64,
    ).reshape(-1, 2)
    apart = np.abs(scores[:, 0] - scores[:, 1])
    return Concordance(
        live.detector,
        recorded.detector,
        same,
        len(scores),
        _correlation(scores),
        float(apart.mean()) if len(apart) else None,
        float(apart.max()) if len(apart) else None,
    )


def _key(judged: Judged) -> tuple[str, str]:
    return judged.item.example, judged.item.unit.id


def _correlation(scores: "np.ndarray[Any, np.dtype[np.float64]]") -> float | None:
    if len(scores) < 2 or not np.ptp(scores, axis=0).all():
        return None
    return float(spearman_rho(scores[:, 0], scores[:, 1]))
