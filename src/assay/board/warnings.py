"""What has to be known to read a board, a line for each."""

from collections.abc import Iterator, Sequence

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
    total = len(responses.models)
    first = {ranking.judge: ranking for ranking in reversed(rankings) if not ranking.task}
    for judge in judges:
        ranking = first[judge.name]
        known = len(ranking.standings)
        if known < total:
            yield f"{judge.name} judged responses of only {known} of {total} LLMs"
        if is_common:
            yield f"{judge.name}: all LLMs are compared on the same {ranking.sources:,} sources"
        else:
            yield from _coverage(judge.name, ranking)
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


def _coverage(judge: str, ranking: Ranking) -> Iterator[str]:
    """Whether the LLMs of a ranking were judged on unequally many responses."""
    judged = [each.judged for each in ranking.standings]
    if not judged or min(judged) == max(judged):
        return
    most = max(judged)
    fewest = sorted(ranking.standings, key=lambda each: each.judged)
    names = _some([f"{each.model} {each.judged:,}" for each in fewest if each.judged < most])
    yield (
        f"{judge}: the LLMs were judged on unequally many responses, {min(judged):,} to {most:,} "
        f"(fewest: {names}); their rates are of different sources, and tests of pairs use those "
        "that both have"
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW:,} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more
