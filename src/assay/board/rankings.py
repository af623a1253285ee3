"""LLMs in order: rates with intervals, ranks with ranges, and which differ by more than chance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.board.results import Judge, RankCorrelation, Ranking, Standing
from assay.board.tallies import FAITHFUL, HALLUCINATED, DrawnRates, Tally, is_counted
from assay.evaluation.responses import Classes, Responses, number_of
from assay.evaluation.shares import estimate_share
from assay.metrics import CorrectedRate, Estimate, corrected_rate, judge_slope
from assay.metrics.arrays import Bools, Floats, Ints
from assay.metrics.bootstrap import percentile_interval, symmetric_interval
from assay.metrics.small_samples import FEW_GROUPS, is_stuck
from assay.metrics.standings import (
    Floats32,
    average_ranks,
    holm,
    holm_rows,
    pair_signs,
    pairwise_gaps,
    pairwise_p_values,
    pearson,
    rank_sets,
    ranks,
    tau_from_signs,
)


@dataclass(frozen=True, slots=True, eq=False)
class Comparisons:
    """All LLMs of a tally compared with each other, in its order.

    `differs` stands after a correction over all pairs, `differs_from` over the comparisons with the
    LLM of the row. `starred` are the lowest rates, and those that are not distinguishable from one
    of them. These have rank 1 in their `ranges`, and others that were compared with it do not.
    """

    p_values: Floats
    differs: Bools
    differs_from: Bools
    starred: Bools
    ranges: tuple[tuple[int, int] | None, ...]


def compare(tally: Tally) -> Comparisons:
    """Compares the LLMs of a tally on the sources that each pair of them shares."""
    rates = tally.rates
    p_values = pairwise_p_values(tally.hits, tally.counted)
    gaps = pairwise_gaps(tally.hits, tally.counted)
    upper = np.triu_indices(len(rates), 1)
    differs: Bools = np.zeros(p_values.shape, dtype=np.bool_)
    differs[upper] = holm(p_values[upper])
    differs |= differs.T
    differs_from = holm_rows(p_values)
    # On the sources that a pair shares it may be the other way round: then neither is the better.
    apart = differs_from & (np.sign(gaps) == np.sign(rates[:, None] - rates))
    first: Bools = ranks(rates) == 1
    known: Bools = ~np.isnan(p_values)
    compared = np.logical_or.reduce(known[first])
    starred: Bools = first | np.logical_or.reduce((known & ~apart)[first])
    ranges = tuple(_ranges(rank_sets(rates, apart), starred, compared))
    return Comparisons(p_values, differs, differs_from, starred, ranges)


def _ranges(
    found: list[tuple[int, int] | None], starred: Bools, compared: Bools
) -> Iterator[tuple[int, int] | None]:
    """Ranges that agree with the stars: each LLM's own comparisons may say less or more."""
    for ends, is_starred, is_compared in zip(found, starred, compared, strict=True):
        if ends is None:
            yield None
        elif is_starred:
            yield 1, ends[1]
        else:
            yield max(ends[0], 2) if is_compared else ends[0], ends[1]


FEWEST_LLMS = 5  # that a rank correlation needs to have an interval


def make_ranking(tally: Tally, responses: Responses) -> Ranking:
    """The LLMs of a tally, the lowest rate first; those without a rate come last."""
    names = [responses.models[place] for place in tally.models.tolist()]
    rates, places = tally.rates, ranks(tally.rates)
    compared = compare(tally) if len(tally.hits) > 1 else None
    words = _mean_words(tally, responses)
    last = np.where(np.isnan(rates), np.inf, rates)
    order = sorted(range(len(names)), key=lambda at: (last[at], names[at]))
    standings = []
    for at in order:
        counts = tally.counts[at]
        total = int(counts.sum())
        standings.append(
            Standing(
                model=names[at],
                rank=None if np.isnan(places[at]) else int(places[at]),
                ranks=compared.ranges[at] if compared else None,
                rate=_rate(tally, at),
                hallucinated=int(counts[HALLUCINATED]),
                judged=int(counts[HALLUCINATED] + counts[FAITHFUL]),
                responses=total,
                refused=int(counts[number_of("refused")]),
                invalid=int(counts[number_of("invalid")]),
                failed=int(counts[number_of("failed")]),
                missing=tally.prompts - total,
                words=words[at],
                is_starred=bool(compared and compared.starred[at]),
            )
        )
    sources = int((tally.counted > 0).any(1).sum())
    ranking = Ranking(tally.judge, tally.level, tally.task, sources, tuple(standings))
    return _with_pairs(ranking, tally, compared, order) if compared else ranking


def _rate(tally: Tally, at: int) -> Estimate:
    counts = tally.counts[at]
    n = int(counts[HALLUCINATED] + counts[FAITHFUL])
    if not n:
        return Estimate(None, 0)
    value = float(counts[HALLUCINATED] / n)
    seen = tally.counted[:, at] > 0
    if seen.sum() < 2:
        return Estimate(value, n)
    interval = percentile_interval(tally.replicates[:, at], tally.resampling.confidence)
    if interval is None or seen.sum() < FEW_GROUPS or is_stuck(interval, value):
        own = (each[seen, at].astype(np.float64) for each in (tally.hits, tally.counted))
        return estimate_share(*own)
    return Estimate(value, n, *interval)


def _mean_words(tally: Tally, responses: Responses) -> list[float | None]:
    inside = np.ones(len(responses.model), dtype=np.bool_)
    if tally.task:
        inside = responses.task == responses.tasks.index(tally.task)
    model = responses.model[inside]
    size = len(responses.models)
    n = np.bincount(model, minlength=size)
    total = np.bincount(model, weights=responses.words[inside], minlength=size)
    return [float(total[at] / n[at]) if n[at] else None for at in tally.models.tolist()]


def _with_pairs(ranking: Ranking, tally: Tally, compared: Comparisons, order: list[int]) -> Ranking:
    """The ranking with the p-values of all pairs in its order, and which of them stand."""
    places = np.ix_(order, order)
    p_values = tuple(
        tuple(None if np.isnan(p) else p for p in row) for row in compared.p_values[places].tolist()
    )
    differs, differs_from = (
        tuple(map(tuple, each[places].tolist()))
        for each in (compared.differs, compared.differs_from)
    )
    shared = _shared(tally, order, p_values)
    return replace(
        ranking, p_values=p_values, differs=differs, differs_from=differs_from, shared=shared
    )


def _shared(
    tally: Tally, order: list[int], p_values: tuple[tuple[float | None, ...], ...]
) -> tuple[int, int] | None:
    """The fewest and the most sources that pairs have in common which are compared."""
    has = (tally.counted[:, order] > 0).astype(np.float32)
    both = (has.T @ has).tolist()
    found = [
        int(both[one][other])
        for one, row in enumerate(p_values)
        for other, p in enumerate(row)
        if p is not None
    ]
    return (min(found), max(found)) if found else None


class Orders:
    """Rankings of the same LLMs by several judges at a level, to be compared with each other."""

    def __init__(self, responses: Responses) -> None:
        self._size = len(responses.models)
        self._upper = np.triu_indices(self._size, 1)
        self._signs: dict[int, tuple[Floats32, Floats32]] = {}

    def correlate(self, first: DrawnRates, second: DrawnRates) -> RankCorrelation:
        """The rank correlation of two tallies, over the LLMs that both have a rate for."""
        shared = self._known(first) & self._known(second)
        models = np.flatnonzero(shared)
        n = int(models.size)
        one, other = (self._rates(each)[models] for each in (first, second))
        pairs = shared[self._upper[0]] & shared[self._upper[1]]
        signs = [self._signs_of(each) for each in (first, second)]
        taus = [tau_from_signs(a[..., pairs], b[..., pairs]) for a, b in zip(*signs, strict=True)]
        drawn = [average_ranks(self._drawn(each)[:, models]) for each in (first, second)]
        rho = pearson(average_ranks(one), average_ranks(other))
        return RankCorrelation(
            first.judge,
            second.judge,
            first.level,
            _estimate(float(taus[0]), taus[1], n, first),
            _estimate(float(rho), pearson(*drawn), n, first),
        )

    def _known(self, rates: DrawnRates) -> Bools:
        found: Bools = ~np.isnan(self._rates(rates))
        return found

    def _rates(self, rates: DrawnRates) -> Floats:
        found: Floats = _spread(rates.rates[None], rates.models, self._size)[0]
        return found

    def _drawn(self, rates: DrawnRates) -> Floats:
        return _spread(rates.replicates, rates.models, self._size)

    def _signs_of(self, rates: DrawnRates) -> tuple[Floats32, Floats32]:
        if id(rates) not in self._signs:
            found = pair_signs(self._rates(rates)), pair_signs(self._drawn(rates))
            self._signs[id(rates)] = found
        return self._signs[id(rates)]


def _spread(values: Floats, models: Ints, size: int) -> Floats:
    """Columns of some LLMs among those of all; NaN for the others."""
    found = np.full((len(values), size), np.nan)
    found[:, models] = values
    return found


def _estimate(value: float, drawn: Floats, n: int, rates: DrawnRates) -> Estimate:
    if np.isnan(value):
        return Estimate(None, n)
    is_enough = rates.sources > 1 and n >= FEWEST_LLMS
    interval = symmetric_interval(drawn, value, rates.resampling.confidence) if is_enough else None
    return Estimate(value, n, *(interval or (None, None)))


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
