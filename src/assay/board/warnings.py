"""What has to be known to read a board, a line for each."""

from collections.abc import Iterator, Mapping, Sequence

from assay.board.results import Judge, Ranking
from assay.evaluation.responses import Responses

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
    """Whether the LLMs of a ranking were judged on unequally many responses."""
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
    """How many pairs share too few sources to be compared."""
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
