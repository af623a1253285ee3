"""Tallies of a judge at a level: counts by LLM and source, and their replicates."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.evaluation.levels import CLASSES
from assay.evaluation.responses import UNCOUNTED, Classes, Responses, number_of
from assay.metrics.arrays import Bools, Floats, Ints
from assay.metrics.bootstrap import Resampling, weight_blocks

Table = NDArray[np.float32]  # of counts

HALLUCINATED, FAITHFUL = number_of("hallucinated"), number_of("faithful")


@dataclass(frozen=True, eq=False)
class Tally:
    """The counts of one judge, at one level, in one task.

    `models` are the places of the LLMs that the judge says anything of; the columns of all tables
    are theirs. `hits` and `counted` have a row for each source: responses that are hallucinated,
    and those that are in the rate at all.
    """

    judge: str
    level: str
    task: str
    models: Ints
    counts: Ints  # LLMs x classes
    hits: Table  # sources x LLMs
    counted: Table
    prompts: int
    resampling: Resampling

    @property
    def rates(self) -> Floats:
        """The share of hallucinated responses of each LLM; NaN where none is in the rate."""
        with np.errstate(invalid="ignore"):
            hits, counted = (each.sum(0, dtype=np.float64) for each in (self.hits, self.counted))
            found: Floats = hits / counted
        return found

    @cached_property
    def replicates(self) -> Floats:
        """The rates when sources are drawn with replacement: replicates x LLMs.

        The same sources are drawn for all LLMs, and for all judges and levels.
        """
        return np.concatenate(list(self._drawn()))

    def _drawn(self) -> Iterator[Floats]:
        for weights in weight_blocks(len(self.hits), self.resampling):
            # Counts are exact in single precision; rates are not.
            found, of = ((weights @ each).astype(np.float64) for each in (self.hits, self.counted))
            with np.errstate(invalid="ignore"):
                yield found / of


@dataclass(frozen=True, eq=False)
class DrawnRates:
    """The rates of a tally and its replicates, without the tables that they come from."""

    judge: str
    level: str
    models: Ints
    rates: Floats
    replicates: Floats
    sources: int
    resampling: Resampling


def drawn_rates(tally: Tally) -> DrawnRates:
    """The rates of a tally; its tables, which grow with the sources, can be forgotten then."""
    return DrawnRates(
        tally.judge,
        tally.level,
        tally.models,
        tally.rates,
        tally.replicates,
        len(tally.hits),
        tally.resampling,
    )


def is_counted(classes: Classes) -> Bools:
    """Which responses are in the rate."""
    found: Bools = (classes == HALLUCINATED) | (classes == FAITHFUL)
    return found


def common_only(responses: Responses, classes: Classes, judge: str) -> Classes:
    """The classes, where only prompts count to which every LLM has a response that counts."""
    ranked = np.unique(responses.model[classes != UNCOUNTED])
    counted = is_counted(classes)
    times = np.bincount(responses.prompt[counted], minlength=len(responses.prompts.source))
    common = times == len(ranked)
    if ranked.size and not common.any():
        each = np.bincount(responses.model[counted], minlength=len(responses.models))[ranked]
        fewest = responses.models[ranked[each.argmin()]]
        raise InputError(
            f"there is no source on which every LLM has a verdict of {judge}; "
            f"{fewest} has the fewest, {each.min():,}",
            field="common",
            code="no-common-sources",
        )
    found: Classes = np.where(common[responses.prompt], classes, UNCOUNTED).astype(np.int8)
    return found


def tally(
    responses: Responses, classes: Classes, named: tuple[str, str, str], resampling: Resampling
) -> Tally:
    """The counts of a judge, a level and a task, which are `named`; an empty task is all."""
    judge, level, task = named
    inside = classes != UNCOUNTED
    if task:
        inside &= responses.task == responses.tasks.index(task)
    # All sources, whether or not the judge has seen them: so the draws are the same for all judges.
    scope = _sources(responses, task) if task else np.arange(len(responses.sources))
    models = np.unique(responses.model[inside])
    counts = np.zeros((len(responses.models), len(CLASSES)), dtype=np.int64)
    np.add.at(counts, (responses.model[inside], classes[inside]), 1)
    hits, counted = (
        _by_source(responses, inside & chosen, scope)[:, models]
        for chosen in (classes == HALLUCINATED, is_counted(classes))
    )
    prompts = np.unique(responses.prompt[inside]).size
    return Tally(judge, level, task, models, counts[models], hits, counted, prompts, resampling)


def _sources(responses: Responses, task: str) -> Ints:
    mine = responses.prompts.task == responses.tasks.index(task)
    return np.unique(responses.prompts.source[mine])


def _by_source(responses: Responses, chosen: Bools, scope: Ints) -> Table:
    """Counts of some responses by source (rows) and LLM (columns)."""
    columns = len(responses.models)
    rows = np.searchsorted(scope, responses.source[chosen])
    cells = np.bincount(rows * columns + responses.model[chosen], minlength=scope.size * columns)
    return cells.reshape(scope.size, columns).astype(np.float32)
