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
    """Coverage that differs, judges that know only some LLMs, labels of different menus."""
    first = {ranking.judge: ranking for ranking in reversed(rankings) if not ranking.task}
    mine = {judge.name: first[judge.name] for judge in judges}
    yield from _partial(mine, len(responses.models))
    if is_common:
        for name, ranking in mine.items():
            yield f"{name}: all LLMs are compared on the same {ranking.sources:,} sources"
    else:
        yield from _coverage(mine)
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
    found = []
    for judge, ranking in rankings.items():
        judged = [each.judged for each in ranking.standings]
        if judged and min(judged) < max(judged):
            least = min(ranking.standings, key=lambda each: each.judged)
            found.append(
                f"{judge} {least.judged:,} to {max(judged):,} (fewest: {least.model}, "
                f"{sum(n < max(judged) for n in judged)} of {len(judged)} LLMs have fewer)"
            )
    if found:
        yield (
            f"the LLMs were judged on unequally many responses: {_some(found)}; their rates are of "
            "different sources, and tests of pairs use those that both have"
        )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more
