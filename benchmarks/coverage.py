"""How often intervals hold the true value: python benchmarks/coverage.py [few|corrected]

Prints the table of docs/metrics.md under "Few sources", and the figures under "Corrected rates".
"""

import sys
from itertools import product

import numpy as np
from numpy.typing import NDArray

from assay.metrics import (
    Resampling,
    confusion_tables,
    corrected_rate,
    estimate_from_tables,
    judge_slope,
    rates,
)
from assay.metrics.bootstrap import percentile_interval
from assay.metrics.rates import Rate
from assay.metrics.tables import Tables

Bools = NDArray[np.bool_]
SAMPLES, REPLICATES = 400, 400
RIGHT = (0.5, 0.8, 0.95)
SOURCES = (5, 10, 20, 40)
FIGURES: tuple[tuple[str, Rate, int], ...] = (
    ("accuracy", rates.accuracy, 1),
    ("balanced accuracy", rates.balanced_accuracy, 1),
    ("precision", rates.precision, 1),
    ("accuracy", rates.accuracy, 4),
    ("balanced accuracy", rates.balanced_accuracy, 4),
)
JUDGES = (
    (0.6, 0.2),
    (0.9, 0.05),
    (0.5, 0.5),
)  # how often it flags what is wrong, and what is right


def chances(random: np.random.Generator, p: float, sources: int, size: int) -> NDArray[np.float64]:
    """The chance of each item; several items of a source have a correlation of a third."""
    if size == 1:
        return np.full(sources, p)
    return np.repeat(random.beta(2 * p, 2 * (1 - p), sources), size)


def few() -> None:
    """Detectors that are right with chance p: this rule, and the percentile bootstrap alone."""
    for (name, rate, size), sources in product(FIGURES, SOURCES):
        cells = []
        for p in RIGHT:
            random = np.random.default_rng(sources)
            ours, plain = [], []
            for seed in range(SAMPLES):
                tables = _sample(random, sources, size, p)
                found = estimate_from_tables(
                    rate, tables, resampling=Resampling(REPLICATES, seed=seed)
                )
                if found.value is None:
                    continue
                ours.append(_holds((found.low, found.high), p))
                plain.append(_holds(_bootstrap(random, rate, tables), p))
            cells.append(f"{100 * np.mean(ours):.0f} / {100 * np.mean(plain):.0f}")
        print(f"| {name}, {size} | {sources} | {' | '.join(cells)} |", flush=True)


def _sample(random: np.random.Generator, sources: int, size: int, p: float) -> Tables:
    gold = random.random(sources * size) < 0.5
    right = random.random(sources * size) < chances(random, p, sources, size)
    return confusion_tables(gold, gold == right, groups=np.repeat(np.arange(sources), size))


def _bootstrap(
    random: np.random.Generator, rate: Rate, tables: Tables
) -> tuple[float, float] | None:
    drawn = random.multinomial(tables.groups, tables.copies / tables.groups, REPLICATES)
    return percentile_interval(rate(np.tensordot(drawn.astype(float), tables.values, 1)), 0.95)


def _holds(interval: tuple[float | None, float | None] | None, true: float) -> bool:
    if interval is None or interval[0] is None or interval[1] is None:
        return False
    return interval[0] - 1e-9 <= true <= interval[1] + 1e-9


def corrected() -> None:
    """Rates that a judge with known errors finds, corrected by labels of some sources."""
    random = np.random.default_rng(0)
    for size, labelled in product((1, 4), (10, 20, 50, 200)):
        held, errors, raw = [], [], []
        for judge, rate in product(JUDGES, (0.03, 0.1, 0.3, 0.5)):
            found = [_corrected(random, rate, judge, labelled, size) for _ in range(SAMPLES)]
            inside, off, own = zip(*found, strict=True)
            held.append(np.mean(inside))
            errors.append(abs(np.mean(off)))
            raw.append(abs(np.mean(own)))
        print(
            f"{labelled} labelled sources with {size} items: held {min(held):.1%} to "
            f"{max(held):.1%}, mean error up to {max(errors):.3f}, of the judge's {max(raw):.2f}",
            flush=True,
        )


def _corrected(
    random: np.random.Generator, rate: float, judge: tuple[float, float], labelled: int, size: int
) -> tuple[bool, float, float]:
    count = labelled * size
    gold, said = _judged(random, rate, judge, labelled + 500, size)
    other_gold, other_said = _judged(random, rate, judge, 4 * labelled, size)  # of other LLMs
    slope = judge_slope(
        np.r_[gold[:count], other_gold], np.r_[said[:count], other_said], said[count:]
    )
    groups = np.arange(len(gold)) // size
    found = corrected_rate(
        gold[:count],
        said[:count],
        said[count:],
        slope=slope,
        groups=(groups[:count], groups[count:]),
    ).rate
    assert found.value is not None
    return _holds((found.low, found.high), rate), found.value - rate, float(said.mean()) - rate


def _judged(
    random: np.random.Generator, rate: float, judge: tuple[float, float], sources: int, size: int
) -> tuple[Bools, Bools]:
    gold = random.random(sources * size) < chances(random, rate, sources, size)
    flagged = random.random(gold.size)
    return gold, np.where(gold, flagged < judge[0], flagged < judge[1])


if __name__ == "__main__":
    for part in sys.argv[1:] or ("few", "corrected"):
        {"few": few, "corrected": corrected}[part]()
