"""Tables of a board in which LLMs are ranked, by one judge or by several."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from assay.board.corrections import FEWEST_LABELLED
from assay.board.rankings import FEWEST_LLMS
from assay.board.results import Board, RankCorrelation, Ranking, Standing
from assay.evaluation.levels import Level
from assay.report.board_tables import (
    NONE,
    Section,
    figure,
    find_ranking,
    has_people,
    percent,
    place,
)

MARK = "*"
OWN = "°"


def standings(board: Board, level: Level) -> Section | None:
    """The first judge in full; the board's other rankings are in the tables that follow."""
    judge = board.judges[0]
    ranking = find_ranking(board, judge.name, level.name)
    if ranking is None:
        return None
    shown = [name for name in _APART if any(_APART[name](each) for each in ranking.standings)]
    rows = []
    for each in ranking.standings:
        counts = (f"{each.hallucinated:,}", f"{each.judged:,}")
        apart = (f"{_APART[name](each):,}" for name in shown)
        coverage = NONE if each.coverage is None else f"{each.coverage:.1%}"
        words = NONE if each.words is None else f"{each.words:.0f}"
        marks = (MARK if each.is_starred else "") + (OWN if each.model in judge.own else "")
        rows.append(
            (each.model + marks, place(each), percent(each.rate), *counts, *apart, coverage, words)
        )
    note = (
        f"By {judge.name}; {ranking.sources:,} sources. Intervals of rates hold 95 % of "
        f"{board.replicates:,} replicates; of few sources, they are Wilson's or Jeffreys'. In "
        "brackets, the ranks that an LLM may have (95 %): its paired comparisons with all others "
        "exclude the rest (Holm over these). "
        f"{MARK} not distinguishable from the lowest rate (paired, p ≥ 0.05 after Holm over the "
        f"comparisons with it). {_pairs(ranking)} {_own_note(judge.own)}"
    )
    heads = ("LLM", "rank", "rate %", "hallucinated", "judged", *shown, "coverage", "words")
    title, people = "LLMs by hallucination rate", has_people(board, [judge.name])
    return Section(title, note.strip(), heads, tuple(rows), by_people=people)


_APART: dict[str, Callable[[Standing], int]] = {
    "refused": lambda each: each.refused,
    "invalid": lambda each: each.invalid,
    "failed": lambda each: each.failed,
    "missing": lambda each: each.missing,
}


def _pairs(ranking: Ranking) -> str:
    pairs, compared, different = ranking.pairs
    if not pairs:
        return ""
    untested = (
        f" {pairs - compared:,} of {pairs:,} pairs share fewer than two judged sources and cannot "
        "be compared."
        if compared < pairs
        else ""
    )
    if ranking.shared is None:
        return untested.strip()
    low, high = ranking.shared
    sources = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return (
        f"{different:,} of {compared:,} pairs differ (Holm over all pairs), each on {sources} "
        f"sources.{untested}"
    )


def by_judge(board: Board, level: Level) -> Section | None:
    """The rate of each LLM by each judge, and in the last row how much each judged."""
    if len(board.judges) < 2:
        return None
    found = {j.name: find_ranking(board, j.name, level.name) for j in board.judges}
    rankings = {name: each for name, each in found.items() if each}
    note = (
        "The rate in percent with its interval, of n judged responses, and the rank by each judge; "
        "in the last row, the share of responses with a verdict. CSV, JSON and the site have "
        "every ranking in full."
    )
    section = _crossed("By judge", note, rankings, _rate_and_rank)
    own = [(each.name, model) for each in board.judges for model in each.own]
    rows = [
        tuple(
            f"{cell}{OWN}" if (head, row[0]) in own and cell != NONE else cell
            for head, cell in zip(section.heads, row, strict=True)
        )
        for row in section.rows
    ]
    note = f"{note} {_own_note(own)}".strip()
    covered = ("coverage", *(_coverage(each) for each in rankings.values()))
    people = has_people(board, rankings)
    return Section(section.title, note, section.heads, (*rows, covered), by_people=people)


def _rate_and_rank(standing: Standing) -> str:
    if standing.rank is None:
        return NONE
    return f"{percent(standing.rate)} n={standing.judged:,} ({standing.rank})"


def _coverage(ranking: Ranking) -> str:
    of = sum(each.responses + each.missing for each in ranking.standings)
    return f"{sum(each.judged for each in ranking.standings) / of:.1%}" if of else NONE


def _hallucinated(standing: Standing) -> str:
    return f"{standing.hallucinated:,}/{standing.judged:,}"


def _crossed(
    title: str, note: str, rankings: dict[str, Ranking], cell: Callable[[Standing], str]
) -> Section:
    """LLMs in the order of the first ranking, with a column for each of several."""
    models = dict.fromkeys(s.model for each in rankings.values() for s in each.standings)
    by_name = [{s.model: s for s in each.standings} for each in rankings.values()]
    rows = [
        (model, *(cell(some[model]) if model in some else NONE for some in by_name))
        for model in models
    ]
    return Section(title, note, ("LLM", *rankings), tuple(rows))


def corrected(board: Board, level: Level) -> Section | None:
    """The rates of judges beside those that people's labels make of them."""
    rows = [
        (
            ranking.judge,
            each.model,
            percent(each.rate),
            f"{each.judged:,}",
            percent(each.corrected.rate),
            f"{each.corrected.rate.n:,}",
            f"{each.corrected.weight:.2f}",
        )
        for ranking in board.rankings
        if ranking.level == level.name and not ranking.task
        for each in ranking.standings
        if each.corrected
    ]
    note = (
        "The rate of a judge, and the rate with its errors taken out as far as people's labels of "
        "the same LLM show them (prediction-powered inference), each with its 95 % interval. This "
        "holds if the labelled responses are a random part of those judged; the weight is how much "
        "the judge counts beside the labels. Ranks are of the rates by the judge. LLMs with "
        f"labelled responses to fewer than {FEWEST_LABELLED} sources have none."
    )
    heads = ("judge", "LLM", "rate %", "judged", "corrected %", "labelled", "weight")
    title = "Rates corrected by people's labels"
    return Section(title, note, heads, tuple(rows), words=2, by_people=True) if rows else None


def by_task(board: Board, level: Level) -> Section | None:
    """The counts of each LLM in each task, by the first judge."""
    judge = board.judges[0].name
    found = {task: find_ranking(board, judge, level.name, task) for task in board.tasks}
    rankings = {task: each for task, each in found.items() if each}
    whole = find_ranking(board, judge, level.name)
    if not (rankings and whole):
        return None
    note = f"Hallucinated of judged responses, by {judge}."
    section = _crossed("By task", note, {"all": whole, **rankings}, _hallucinated)
    return replace(section, by_people=has_people(board, [judge]))


def correlations(board: Board, level: Level) -> Section | None:
    """How alike judges rank."""
    mine = [each for each in board.correlations if each.level == level.name]
    if not mine:
        return None
    note = (
        "How alike two judges rank the LLMs that both judged; n is their number. Intervals (95 %) "
        "are symmetric and rough: noise makes rankings less alike than the true rates would."
    )
    if any(each.kendall.n < FEWEST_LLMS for each in mine):
        note += f" Fewer than {FEWEST_LLMS} LLMs are too few to conclude from: without interval."
    heads = ("judge", "other judge", "n", "Kendall's tau-b", "Spearman's rho")
    title = "Rank correlation between judges"
    people = has_people(board, (name for each in mine for name in (each.first, each.second)))
    return Section(title, note, heads, tuple(map(_alike, mine)), words=2, by_people=people)


def _alike(each: RankCorrelation) -> tuple[str, ...]:
    named = each.first, each.second, f"{each.kendall.n}"
    return (*named, figure(each.kendall), figure(each.spearman))


def bias(board: Board, level: Level) -> Section | None:
    """The same responses by each judge."""
    found = next((each for each in board.bias if each.level == level.name), None)
    if found is None or not found.cells:
        return None
    cells = {(each.model, each.judge): each for each in found.cells}
    judges = dict.fromkeys(each.judge for each in found.cells)
    models = dict.fromkeys(each.model for each in found.cells)
    rows = []
    for model in sorted(models, key=lambda name: cells[name, list(judges)[-1]].rank):
        mine = [cells[model, judge] for judge in judges]
        said = (f"{e.hallucinated:,} ({e.rank}){OWN if e.is_own else ''}" for e in mine)
        rows.append((model, f"{mine[0].n:,}", *said))
    note = (
        f"Hallucinated responses and rank, of the {found.responses:,} responses that every judge "
        "has a verdict on; as many votes for as against is hallucinated."
    )
    note = f"{note} {_own_note([each for each in found.cells if each.is_own])}".strip()
    heads = ("LLM", "n", *judges)
    title, people = "The same responses by each judge", has_people(board, judges)
    return Section(title, note, heads, tuple(rows), by_people=people)


def _own_note(own: Sequence[object]) -> str:
    return f"{OWN} the judge's own LLM, or another version of it." if own else ""
