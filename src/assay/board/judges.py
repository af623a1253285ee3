"""The judges of a board: their own LLMs, their errors, and the same responses by each of them.

Which LLM a judge asks is stated: by its run, by the card of a corpus, or by the user. That the name
of a judge is like that of an LLM says nothing: MiniCheck's flan-t5-large is not Google's.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from assay.board.results import Bias, BiasCell, ErrorDistribution, Judge
from assay.board.tallies import FAITHFUL, HALLUCINATED, is_counted
from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.evaluation.comparison import EvaluationReport
from assay.evaluation.levels import Level
from assay.evaluation.responses import UNCOUNTED, Classes, Responses, number_of
from assay.metrics.arrays import Bools
from assay.metrics.standings import ranks

_DATE = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8})$")
_EFFORT = re.compile(r"-(?:minimal|low|medium|high)$")


def with_own(judge: Judge, models: Sequence[str]) -> Judge:
    """The judge with those of the ranked LLMs that are its own, and how they are known."""
    own = own_llms(judge.model, models)
    is_exact = any(_is_same(judge.model, model) for model in own)
    return replace(judge, own=own, own_by=("model" if is_exact else "version") if own else "")


def own_llms(asked: str, models: Sequence[str]) -> tuple[str, ...]:
    """Those of some LLMs that are the one a judge asks, or the same but for a date or an effort."""
    return tuple(model for model in models if _is_same(_unversioned(asked), _unversioned(model)))


def _is_same(mine: str, model: str) -> bool:
    """True if two names are of the same LLM; the maker's name before a slash may be missing."""
    one, other = (name.casefold().strip() for name in (mine, model))
    if not one:
        return False
    if "/" in one and "/" in other:
        return one == other
    return one.rpartition("/")[2] == other.rpartition("/")[2]


def _unversioned(name: str) -> str:
    """The name without its date, and without how much it thinks.

    >>> _unversioned("openai/o3-mini-high-2025-01-31")
    'openai/o3-mini'
    """
    return _EFFORT.sub("", _DATE.sub("", name.strip()))


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
    """Counts of hallucinated responses by each judge, among those on which all have a verdict."""
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


def error_distributions(
    report: EvaluationReport, unit: Literal["response", "sentence"]
) -> Iterator[ErrorDistribution]:
    """For each detector, how many of its errors have each gold label, in the order of the menu.

    Kinds of a label count as that label. Items that the reading leaves out have no errors.
    """
    for evaluation in report.evaluations:
        errors: Counter[Label] = Counter()
        gold: Counter[Label] = Counter()
        for each in evaluation.judged:
            if each.faithful is None or each.item.faithful is None:
                continue
            label = each.item.gold
            whole = taxonomy(label.taxonomy)[label.parent] if label.parent else label
            gold[whole] += 1
            errors[whole] += each.is_error
        order = sorted(gold, key=lambda label: (label.taxonomy, label.rank, label.name))
        yield ErrorDistribution(
            evaluation.detector,
            unit,
            {label.name: errors[label] for label in order},
            {label.name: gold[label] for label in order},
        )
