"""The tables of a board below its leaderboard: judges, tasks, labels, lengths and detectors."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from assay.board.rankings import FEWEST_LABELLED, FEWEST_LLMS
from assay.board.results import (
    BiasCell,
    Board,
    Distribution,
    RankCorrelation,
    Ranking,
    Standing,
)
from assay.evaluation.levels import Level
from assay.report.board.detectors import VALUE, detector_tables, error_tables, label_share
from assay.report.board.leaderboard import (
    COLUMNS,
    NONE,
    OWN,
    RATE,
    Ranked,
    all_ranked,
    find_ranking,
    gold_sentence,
    leaderboard,
    own_note,
    people_note,
    percent,
)
from assay.report.tables import COUNT, WORDS, Column, Format, Table, named_columns, series


def board_tables(board: Board) -> Iterator[Table[Any]]:
    """All tables of a board, in the order in which they are shown."""
    for make in (leaderboard, _by_judge, _corrected, _by_task, _correlations, _bias):
        yield from _at_levels(board, make)
    yield from _distributions(board)
    yield from _at_levels(board, _lengths)
    yield from detector_tables(board)
    yield from error_tables(board)


def _at_levels(
    board: Board, make: Callable[[Board, Level], Table[Any] | None]
) -> Iterator[Table[Any]]:
    """A table for each level; levels at which it is the same share one."""
    found: list[tuple[Table[Any], list[Level]]] = []
    for level in board.levels:
        table = make(board, level)
        if table is None:
            continue
        same = next((levels for other, levels in found if _is_same(table, other)), None)
        if same is None:
            found.append((table, [level]))
        else:
            same.append(level)
    for table, levels in found:
        if len(board.levels) == 1:
            yield table
        elif len(levels) == len(board.levels):
            yield replace(table, note=f"{table.note} The same at every level.")
        else:
            titles = "; ".join(level.title for level in levels)
            yield replace(table, title=f"{table.title}: {titles}")


def _is_same(one: Table[Any], other: Table[Any]) -> bool:
    heads = (one.title, one.note, one.heads) == (other.title, other.note, other.heads)
    return heads and one.texts() == other.texts()


def _by_judge(board: Board, level: Level) -> Table[str] | None:
    """The rate of each LLM by each judge, and in the last row how much each judged."""
    if len(board.judges) < 2:
        return None
    found = {j.name: find_ranking(board, j.name, level.name) for j in board.judges}
    rankings = {name: each for name, each in found.items() if each}
    owned = {judge.name: judge.own for judge in board.judges}
    covered = "coverage"

    def cell(ranking: Ranking, standing: Standing | None, model: str) -> str:
        if model == covered and standing is None:
            return _coverage(ranking)
        if standing is None or standing.rank is None:
            return NONE
        said = f"{percent(standing.rate)} n={standing.judged:,} ({standing.rank})"
        return f"{said}{OWN}" if model in owned[ranking.judge] else said

    note = (
        "The rate in percent with its interval, of n judged responses, and the rank by each judge; "
        "in the last row, the share of responses with a verdict. CSV, JSON and the site have "
        f"every ranking in full. {own_note(any(owned.values()))}"
    )
    table = _crossed("By judge", note.strip(), rankings, cell)
    basis = people_note(board, list(rankings))
    return replace(table, rows=[*table.rows, covered], basis=basis)


def _coverage(ranking: Ranking) -> str:
    of = sum(each.responses + each.missing for each in ranking.standings)
    return f"{sum(each.judged for each in ranking.standings) / of:.1%}" if of else NONE


def _crossed(
    title: str,
    note: str,
    rankings: dict[str, Ranking],
    cell: Callable[[Ranking, Standing | None, str], str],
) -> Table[str]:
    """LLMs in the order of the first ranking, with a column for each of several."""
    models = dict.fromkeys(s.model for each in rankings.values() for s in each.standings)

    def column(name: str, ranking: Ranking) -> Column[str]:
        standings = {each.model: each for each in ranking.standings}
        return Column(name, lambda model: cell(ranking, standings.get(model), model))

    columns = [column(name, ranking) for name, ranking in rankings.items()]
    return Table(title, note, [Column("LLM", str, WORDS), *columns], list(models))


_CORRECTED: tuple[Column[Ranked], ...] = (
    Column("judge", lambda each: each.ranking.judge, WORDS),
    Column("LLM", lambda each: each.standing.model, WORDS),
    *(column for column in COLUMNS if column.head in ("rate %", "judged")),
    Column(
        "corrected %", lambda each: each.standing.corrected and each.standing.corrected.rate, RATE
    ),
    Column(
        "labelled", lambda each: each.standing.corrected and each.standing.corrected.rate.n, COUNT
    ),
    Column(
        "weight",
        lambda each: each.standing.corrected and each.standing.corrected.weight,
        Format("weight", "{:.2f}".format),
    ),
)


def _corrected(board: Board, level: Level) -> Table[Ranked] | None:
    """The rates of judges beside those that people's labels make of them."""
    rows = [
        each
        for each in all_ranked(board)
        if each.ranking.level == level.name and not each.ranking.task and each.standing.corrected
    ]
    note = (
        "The rate of a judge, and the rate with its errors taken out as far as people's labels of "
        "the same LLM show them (prediction-powered inference), each with its 95 % interval. This "
        "holds if the labelled responses are a random part of those judged; the weight is how much "
        "the judge counts beside the labels. Ranks are of the rates by the judge. LLMs with "
        f"labelled responses to fewer than {FEWEST_LABELLED} sources have none."
    )
    title = "Rates corrected by people's labels"
    return Table(title, note, _CORRECTED, rows, gold_sentence(board)) if rows else None


def _by_task(board: Board, level: Level) -> Table[str] | None:
    """The counts of each LLM in each task, by the first judge."""
    judge = board.judges[0].name
    found = {task: find_ranking(board, judge, level.name, task) for task in board.tasks}
    rankings = {task: each for task, each in found.items() if each}
    whole = find_ranking(board, judge, level.name)
    if not (rankings and whole):
        return None

    def cell(ranking: Ranking, standing: Standing | None, model: str) -> str:
        return f"{standing.hallucinated:,}/{standing.judged:,}" if standing else NONE

    note = f"Hallucinated of judged responses, by {judge}."
    table = _crossed("By task", note, {"all": whole, **rankings}, cell)
    return replace(table, basis=people_note(board, [judge]))


_CORRELATIONS: tuple[Column[RankCorrelation], ...] = (
    Column("judge", lambda each: each.first, WORDS),
    Column("other judge", lambda each: each.second, WORDS),
    Column("n", lambda each: f"{each.kendall.n}"),
    Column("Kendall's tau-b", lambda each: each.kendall, VALUE),
    Column("Spearman's rho", lambda each: each.spearman, VALUE),
)


def _correlations(board: Board, level: Level) -> Table[RankCorrelation] | None:
    """Rank correlations of judges."""
    mine = [each for each in board.correlations if each.level == level.name]
    if not mine:
        return None
    note = (
        "How alike two judges rank the LLMs that both judged; n is their number. Intervals (95 %) "
        "are symmetric and rough: noise makes rankings less alike than the true rates would."
    )
    if any(each.kendall.n < FEWEST_LLMS for each in mine):
        note += f" Fewer than {FEWEST_LLMS} LLMs are too few to conclude from: without interval."
    basis = people_note(board, [name for each in mine for name in (each.first, each.second)])
    return Table("Rank correlation between judges", note, _CORRELATIONS, mine, basis)


def _bias(board: Board, level: Level) -> Table[dict[str, BiasCell]] | None:
    """The same responses by each judge."""
    found = next((each for each in board.bias if each.level == level.name), None)
    if found is None or not found.cells:
        return None
    by_model: dict[str, dict[str, BiasCell]] = {}
    for each in found.cells:
        by_model.setdefault(each.model, {})[each.judge] = each
    judges = list(dict.fromkeys(each.judge for each in found.cells))
    rows = sorted(by_model.values(), key=lambda cells: cells[judges[-1]].rank)

    columns: list[Column[dict[str, BiasCell]]] = [
        Column("LLM", lambda cells: cells[judges[0]].model, WORDS),
        Column("n", lambda cells: cells[judges[0]].n, COUNT),
        *named_columns(judges, lambda cells, judge: _hallucinated(cells[judge])),
    ]
    note = (
        f"Hallucinated responses and rank, of the {found.responses:,} responses that every judge "
        "has a verdict on; as many votes for as against is hallucinated. "
        f"{own_note(any(each.is_own for each in found.cells))}"
    )
    title = "The same responses by each judge"
    return Table(title, note.strip(), columns, rows, people_note(board, judges))


def _hallucinated(cell: BiasCell) -> str:
    return f"{cell.hallucinated:,} ({cell.rank}){OWN if cell.is_own else ''}"


def _distributions(board: Board) -> Iterator[Table[Distribution]]:
    """The labels of each judge that has more than two."""
    for judge in board.judges:
        mine = [each for each in board.distributions if each.judge == judge.name]
        labels = list(dict.fromkeys(label for each in mine for label in each.labels))
        if len(labels) < 3:
            continue
        failures = dict.fromkeys(reason for each in mine for reason in each.failures)
        note = (
            f"How many of the ranked responses {judge.name} gave each label, and the share of "
            "those with a label in percent."
        )
        columns: list[Column[Distribution]] = [
            Column("LLM", lambda each: each.model, WORDS),
            Column("n", lambda each: sum(each.labels.values()), COUNT),
            *named_columns(labels, lambda each, label: label_share(label, each.labels)),
            *named_columns(failures, lambda each, reason: each.failures.get(reason, 0), COUNT),
        ]
        basis = people_note(board, [judge.name])
        yield Table(f"Labels by {judge.name}", note, columns, mine, basis)


@dataclass(frozen=True, slots=True)
class _LengthRow:
    judge: str
    side: str
    parts: tuple[str, ...]


def _lengths(board: Board, level: Level) -> Table[_LengthRow] | None:
    """The rates of all LLMs together, by length; those of each LLM are in JSON and on the site."""
    rows = [
        _LengthRow(
            each.judge,
            side.side,
            tuple(
                f"up to {end:,}: {percent(rate, interval=False)} (n={rate.n:,})"
                for end, rate in zip(side.ends, side.overall, strict=True)
            ),
        )
        for each in board.lengths
        if each.level == level.name
        for side in each.rates
    ]
    if not rows:
        return None
    parts = max(len(row.parts) for row in rows)
    columns: list[Column[_LengthRow]] = [
        Column("judge", lambda row: row.judge, WORDS),
        Column("length of", lambda row: row.side, WORDS),
        *series([f"part {each}" for each in range(1, parts + 1)], lambda row: row.parts),
    ]
    note = (
        "Up to so many words: percent hallucinated of n responses. The lengths are cut into at "
        "most five parts, as equal as they allow. Intervals, and each LLM, are in JSON and on "
        "the site."
    )
    return Table("By length", note, columns, rows, people_note(board, [row.judge for row in rows]))
