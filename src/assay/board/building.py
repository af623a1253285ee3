"""A board, from responses that were gathered and the judges that said something of them."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from assay import __version__
from assay.board.judges import VOTE, broad_judges, make_bias, vote, voters, with_own
from assay.board.rankings import Orders, make_ranking, with_corrections
from assay.board.results import Board, Distribution, Judge, Lengths, RankCorrelation, Ranking
from assay.board.tallies import (
    HALLUCINATED,
    DrawnRates,
    common_only,
    drawn_rates,
    is_counted,
    tally,
)
from assay.core.errors import InputError
from assay.core.labels import Label
from assay.core.taxonomies import taxonomy
from assay.evaluation.corpora.length_rates import SIDES, rates_by_length
from assay.evaluation.levels import Counting, Level, choose_levels, find_levels
from assay.evaluation.responses import UNCOUNTED, Classes, JudgeCodes, Responses, number_of
from assay.metrics.arrays import Bools
from assay.metrics.bootstrap import Resampling

FEW = 3  # names that are given of many


def warnings_about(
    responses: Responses,
    judges: Sequence[Judge],
    compared: Sequence[Judge],
    rankings: Sequence[Ranking],
    is_common: bool,
) -> Iterator[str]:
    """Coverage that differs, judges that know only some LLMs, pairs that cannot be compared."""
    first = {ranking.judge: ranking for ranking in reversed(rankings) if not ranking.task}
    mine = {judge.name: first[judge.name] for judge in judges}
    yield from _partial(mine, len(responses.models))
    yield from _common(mine) if is_common else _coverage(mine)
    yield from _untested(mine)
    left_out = [judge.name for judge in judges if judge not in compared]
    if left_out and len(judges) > 1:
        yield (
            "judges that judged fewer than half of the responses are not compared on the same "
            f"responses, and have no vote: {', '.join(left_out)}"
        )
    menus = dict.fromkeys(" and ".join(judge.taxonomies) for judge in judges)
    if len(menus) > 1:
        names = {
            menu: [j.name for j in judges if " and ".join(j.taxonomies) == menu] for menu in menus
        }
        said = "; ".join(f"{menu or 'none'}: {_some(given)}" for menu, given in names.items())
        yield (
            f"the judges use labels of different taxonomies ({said}); "
            "one with fewer levels says the same at each"
        )


def _partial(rankings: Mapping[str, Ranking], total: int) -> Iterator[str]:
    """Which judges know only some of the LLMs."""
    by_number: dict[int, list[str]] = {}
    for name, ranking in rankings.items():
        by_number.setdefault(len(ranking.standings), []).append(name)
    for known, names in by_number.items():
        if known < total:
            yield f"responses of only {known} of {total} LLMs were judged by {', '.join(names)}"


def _coverage(rankings: Mapping[str, Ranking]) -> Iterator[str]:
    """A warning if the LLMs of a ranking were judged on unequally many responses."""
    found: dict[tuple[int, int], list[str]] = {}
    fewest: dict[str, None] = {}
    for judge, ranking in rankings.items():
        judged = [each.judged for each in ranking.standings]
        if judged and min(judged) < max(judged):
            least = min(judged)
            fewest.update({each.model: None for each in ranking.standings if each.judged == least})
            found.setdefault((least, max(judged)), []).append(judge)
    if not found:
        return
    said = [f"{low:,} to {high:,} by {_some(names)}" for (low, high), names in found.items()]
    yield (
        f"the LLMs were judged on unequally many responses: {_some(said, '; ')} (fewest: "
        f"{_some(list(fewest))}). Their rates are of different sources; the common subset has "
        "only those on which every LLM was judged"
    )


def _common(rankings: Mapping[str, Ranking]) -> Iterator[str]:
    """On how many sources all LLMs are compared."""
    found: dict[int, list[str]] = {}
    for judge, ranking in rankings.items():
        found.setdefault(ranking.sources, []).append(judge)
    for sources, names in found.items():
        yield f"all LLMs are compared on the same {sources:,} sources by {_some(names)}"


def _untested(rankings: Mapping[str, Ranking]) -> Iterator[str]:
    """A warning about pairs that share too few sources to be compared."""
    found: dict[tuple[int, int], list[str]] = {}
    for judge, ranking in rankings.items():
        pairs, compared, _ = ranking.pairs
        if compared < pairs:
            found.setdefault((pairs - compared, pairs), []).append(judge)
    for (untested, pairs), names in found.items():
        yield (
            f"{untested:,} of {pairs:,} pairs of LLMs share fewer than two sources that were "
            f"judged by {_some(names)}, and cannot be compared"
        )


def _some(names: Sequence[str], sign: str = ", ") -> str:
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return sign.join(names[:FEW]) + more


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """Settings of a board: the rules of counting, the levels, and how often sources are drawn."""

    title: str = ""
    counting: Counting = field(default_factory=Counting)
    levels: tuple[str, ...] = ()  # their names; none means all that the labels allow
    by_task: bool = False
    is_common: bool = False
    resampling: Resampling = field(default_factory=Resampling)


@dataclass(frozen=True, slots=True, eq=False)
class Built:
    """A board, and what each response is in its counts: by the names of judge and level."""

    board: Board
    classes: dict[tuple[str, str], Classes]


def build(
    responses: Responses,
    judges: Sequence[Judge],
    settings: BoardSettings,
    *,
    dataset: str = "",
    digest: str = "",
) -> Built:
    """The board of some judges; what two or more detectors say is put to the vote as well."""
    if not judges:
        raise InputError(
            "nobody has said anything of these responses yet; name a judge, such as overlap, which "
            "needs no model, or judge-simple, which asks one",
            field="judges",
            code="no-judges",
        )
    judges = [
        replace(with_own(judge, responses.models), is_scored=responses.judged[judge.name].is_scored)
        for judge in judges
    ]
    menus = [menu for judge in judges for menu in judge.taxonomies]
    levels = choose_levels(find_levels(menus), settings.levels)
    broad = broad_judges(judges, responses)
    voting = voters(broad)
    every = (*judges, _vote_of(voting)) if voting else tuple(judges)
    classes = _classes(responses, judges, voting, levels, settings)
    rankings: list[Ranking] = []
    drawn: dict[tuple[str, str], DrawnRates] = {}
    for key, given in classes.items():  # one at a time: their tables have a row for each source
        found = tally(responses, given, (*key, ""), settings.resampling)
        rankings.append(make_ranking(found, responses))
        drawn[key] = drawn_rates(found)
        del found
    rankings += _by_task(responses, classes, settings)
    rankings = with_corrections(rankings, responses, judges, classes)
    compared = (*broad, every[-1]) if voting else broad
    board = Board(
        title=settings.title or f"Hallucinations in {Path(dataset).name}",
        dataset=Path(dataset).name,  # a path of somebody's machine is not published
        digest=digest,
        models=responses.models,
        tasks=tuple(task for task in responses.tasks if task),
        judges=every,
        levels=levels,
        rankings=tuple(rankings),
        distributions=tuple(_distributions(responses, judges, levels[0], classes)),
        lengths=tuple(_lengths(responses, judges, levels, classes)),
        correlations=tuple(_correlations(responses, judges, levels, drawn)),
        bias=tuple(
            make_bias(responses, compared, classes, level) for level in levels if len(broad) > 1
        ),
        warnings=tuple(warnings_about(responses, judges, broad, rankings, settings.is_common)),
        counting=settings.counting,
        is_common=settings.is_common,
        replicates=settings.resampling.replicates,
        seed=settings.resampling.seed,
        version=__version__,
    )
    return Built(board, classes)


def _vote_of(judges: Sequence[Judge]) -> Judge:
    return Judge(VOTE, "+".join(judge.name for judge in judges), "vote", ("binary",))


def _classes(
    responses: Responses,
    judges: Sequence[Judge],
    voting: Sequence[Judge],
    levels: Sequence[Level],
    settings: BoardSettings,
) -> dict[tuple[str, str], Classes]:
    """The class of each response, for each judge at each level."""
    found = {
        (judge.name, level.name): responses.classes(judge.name, level, settings.counting)
        for judge in judges
        for level in levels
    }
    if voting:
        for level in levels:
            found[VOTE, level.name] = vote([found[judge.name, level.name] for judge in voting])
    if settings.is_common:
        found = {key: common_only(responses, given, key[0]) for key, given in found.items()}
    return found


def _by_task(
    responses: Responses, classes: dict[tuple[str, str], Classes], settings: BoardSettings
) -> Iterator[Ranking]:
    tasks = [task for task in responses.tasks if task]
    if not settings.by_task:
        return
    for key, given in classes.items():
        for task in tasks:
            found = tally(responses, given, (*key, task), settings.resampling)
            if found.models.size:
                yield make_ranking(found, responses)


def _distributions(
    responses: Responses,
    judges: Sequence[Judge],
    level: Level,
    classes: dict[tuple[str, str], Classes],
) -> Iterator[Distribution]:
    """The labels of the responses that are ranked; which these are is the same at every level."""
    for judge in judges:
        given = responses.judged[judge.name]
        menu = sorted(given.labels, key=_place)
        size = len(given.menu)
        ranked = classes[judge.name, level.name]
        said = (ranked != UNCOUNTED) & (ranked != number_of("refused"))
        cells = responses.model[said] * size + given.codes[said]
        table = np.bincount(cells, minlength=len(responses.models) * size).reshape(-1, size)
        for model, row in zip(responses.models, table.tolist(), strict=True):
            if not any(row):
                continue
            counts = dict(zip(given.menu, row, strict=True))
            labels: Counter[str] = Counter()
            for label in menu:
                labels[label.name] += counts[label]
            failures = {
                reason: count
                for reason, count in counts.items()
                if not isinstance(reason, Label) and count
            }
            yield Distribution(judge.name, model, dict(labels), failures)


def _place(label: Label) -> tuple[str, int]:
    return label.taxonomy, taxonomy(label.taxonomy).names.index(label.name)


def _lengths(
    responses: Responses,
    judges: Sequence[Judge],
    levels: Sequence[Level],
    classes: dict[tuple[str, str], Classes],
) -> Iterator[Lengths]:
    words = (responses.prompts.words[responses.prompt], responses.words)
    for judge in judges:
        kinds = _kinds(responses.judged[judge.name])
        for level in levels:
            given = classes[judge.name, level.name]
            inside = is_counted(given)
            rates = rates_by_length(
                {side: each[inside] for side, each in zip(SIDES, words, strict=True)},
                given[inside] == HALLUCINATED,
                responses.model[inside],
                responses.models,
                {name: has[inside] for name, has in kinds.items()},
            )
            yield Lengths(judge.name, level.name, rates)


def _kinds(judged: JudgeCodes) -> dict[str, Bools]:
    """Which responses have each label that is not plainly faithful; kinds count as their parent."""
    found: dict[str, Bools] = {}
    for label in sorted(judged.labels, key=_place):
        if label.coarse in ("unfaithful", "not-sure"):
            name = label.parent or label.name
            has = judged.codes == judged.menu.index(label)
            found[name] = found[name] | has if name in found else has
    return found


def _correlations(
    responses: Responses,
    judges: Sequence[Judge],
    levels: Sequence[Level],
    drawn: dict[tuple[str, str], DrawnRates],
) -> Iterator[RankCorrelation]:
    for level in levels:
        orders = Orders(responses)
        for place, judge in enumerate(judges):
            for other in judges[place + 1 :]:
                first, second = (drawn[each.name, level.name] for each in (judge, other))
                yield orders.correlate(first, second)
