"""Metrics of one million items, each beside a library or a plain version of the same thing.

Where the other version would take too long it does a part of the work (fewer items or replicates),
ours does the same part, and the ratio compares like with like. Memory is the peak of what numpy and
Python allocate during the call, measured in a run of its own. Values are checked to be the same.

Run: python benchmarks/metrics.py [items]
Needs scikit-learn and krippendorff.
"""

import importlib
import sys
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from assay.metrics import (
    Resampling,
    balanced_accuracy,
    confusion_tables,
    estimate_from_tables,
    krippendorff_alpha,
    ranking_loss,
    rates,
)
from assay.metrics.agreement import Level
from assay.metrics.arrays import Bools, Floats, Ints

Work = Callable[[], object]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
PLAIN_REPLICATES = 20
PLAIN_ITEMS = 10_000


@dataclass(frozen=True, slots=True)
class Data:
    """A detector's labels and scores for items of 100,000 sources, and three raters."""

    ranks: Ints
    scores: Floats
    gold: Bools
    predicted: Bools
    sources: Ints
    ratings: Floats


def make_data(n: int) -> Data:
    random = np.random.default_rng(0)
    ranks = random.integers(0, 7, n)
    scores = ranks + random.normal(0, 3, n)
    ratings = np.clip(ranks + random.integers(-1, 2, (3, n)), 0, 6).astype(np.float64)
    ratings[random.random((3, n)) < 0.1] = np.nan
    sources = random.integers(0, max(n // 10, 1), n)
    return Data(ranks, scores, ranks > 1, scores > 2, sources, ratings)


def seconds(work: Work, rounds: int) -> float:
    """The quickest of some runs: what else the machine does only ever adds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def peak_megabytes(work: Work) -> float:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6


def show_alone(name: str, work: Work) -> None:
    print(f"{name:46} {seconds(work, 5):8.3f} s {peak_megabytes(work):8.0f} MB")


def show_beside(name: str, ours: Work, other_name: str, other: Work) -> None:
    our_time, other_time = seconds(ours, 3), seconds(other, 2)
    ratio = other_time / our_time
    print(f"{name:46} {our_time:8.3f} s   {other_name:34} {other_time:8.3f} s {ratio:8.1f} x")


def loss_of_all_pairs(gold: Ints, score: Floats) -> float:
    higher = gold[:, None] > gold[None, :]
    wrong = (score[:, None] < score[None, :]) + (score[:, None] == score[None, :]) / 2
    return float(wrong[higher].mean())


def loss_by_pairs_of_ranks(gold: Ints, score: Floats) -> float:
    """The same from scikit-learn's AUROC of each pair of ranks."""
    roc_auc_score = importlib.import_module("sklearn.metrics").roc_auc_score
    wrong = pairs = 0.0
    for low in range(7):
        for high in range(low + 1, 7):
            picked = (gold == low) | (gold == high)
            size = float((gold == low).sum()) * float((gold == high).sum())
            wrong += size * (1 - roc_auc_score(gold[picked] == high, score[picked]))
            pairs += size
    return wrong / pairs


def plain_bootstrap(data: Data, replicates: int) -> list[float]:
    score = importlib.import_module("sklearn.metrics").balanced_accuracy_score
    random = np.random.default_rng(0)
    n = data.gold.size
    rows = (random.integers(0, n, n) for _ in range(replicates))
    return [score(data.gold[picked], data.predicted[picked]) for picked in rows]


def plain_clustered_bootstrap(data: Data, replicates: int) -> list[float | None]:
    random = np.random.default_rng(0)
    order = np.argsort(data.sources, kind="stable")
    cuts = np.flatnonzero(np.diff(data.sources[order])) + 1
    members = np.split(order, cuts)
    values = []
    for _ in range(replicates):
        picked = random.integers(0, len(members), len(members))
        rows = np.concatenate([members[group] for group in picked])
        values.append(balanced_accuracy(data.gold[rows], data.predicted[rows]))
    return values


def bootstrap(data: Data, groups: Ints | None, replicates: int) -> None:
    tables = confusion_tables(data.gold, data.predicted, groups=groups)
    resampling = Resampling(replicates=replicates)
    estimate_from_tables(rates.balanced_accuracy, tables, resampling=resampling)


def require_same(name: str, ours: float | None, other: float) -> None:
    if ours is None or abs(ours - other) > 1e-9:
        sys.exit(f"{name}: {ours} is not {other}")


def check(data: Data) -> None:
    """Ends the benchmark unless the versions compared give the same values."""
    part = slice(0, PLAIN_ITEMS)
    ranks, scores = data.ranks[part], data.scores[part]
    ours = ranking_loss(ranks, scores)
    require_same("ranking loss", ours, loss_of_all_pairs(ranks, scores))
    require_same("ranking loss", ours, loss_by_pairs_of_ranks(ranks, scores))
    alpha = importlib.import_module("krippendorff").alpha
    for level in LEVELS:
        theirs = alpha(reliability_data=data.ratings[:, part], level_of_measurement=level)
        require_same("alpha", krippendorff_alpha(data.ratings[:, part], level=level), theirs)


def compare_alpha(data: Data, level: Level) -> None:
    alpha = importlib.import_module("krippendorff").alpha
    show_beside(
        f"alpha {level}, all units",
        lambda: krippendorff_alpha(data.ratings, level=level),
        "krippendorff package",
        lambda: alpha(reliability_data=data.ratings, level_of_measurement=level),
    )


def compare(data: Data) -> None:
    """Each of ours beside another version that does the same work."""
    ranks, scores = data.ranks[:PLAIN_ITEMS], data.scores[:PLAIN_ITEMS]
    show_beside(
        "ranking loss, all items",
        lambda: ranking_loss(data.ranks, data.scores),
        "scikit-learn AUROC, 21 pairs",
        lambda: loss_by_pairs_of_ranks(data.ranks, data.scores),
    )
    show_beside(
        f"ranking loss, {PLAIN_ITEMS:,} items",
        lambda: ranking_loss(ranks, scores),
        "all pairs in numpy",
        lambda: loss_of_all_pairs(ranks, scores),
    )
    for level in LEVELS:
        compare_alpha(data, level)
    show_beside(
        f"bootstrap, {PLAIN_REPLICATES} replicates",
        lambda: bootstrap(data, None, PLAIN_REPLICATES),
        "rows drawn, scikit-learn",
        lambda: plain_bootstrap(data, PLAIN_REPLICATES),
    )
    show_beside(
        f"bootstrap by source, {PLAIN_REPLICATES} replicates",
        lambda: bootstrap(data, data.sources, PLAIN_REPLICATES),
        "rows of drawn sources joined",
        lambda: plain_clustered_bootstrap(data, PLAIN_REPLICATES),
    )


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    data = make_data(n)
    check(data)
    sources = np.unique(data.sources).size
    print(f"{n:,} items of {sources:,} sources, 7 ranks; quickest of several runs, peak memory\n")
    show_alone("ranking loss", lambda: ranking_loss(data.ranks, data.scores))
    for level in LEVELS:
        work = partial(krippendorff_alpha, data.ratings, level=level)
        show_alone(f"alpha {level}, 3 raters", work)
    show_alone("balanced accuracy, 1,000 replicates", lambda: bootstrap(data, None, 1000))
    show_alone("the same by source", lambda: bootstrap(data, data.sources, 1000))
    print("\nbeside another version that does the same work\n")
    compare(data)


if __name__ == "__main__":
    main()
