"""What a board shows, as tables of words: the terminal and Markdown print the same ones."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from assay.board.results import Board, Judge, RankCorrelation, Ranking, Standing
from assay.evaluation.levels import Level
from assay.metrics import Estimate

MARK = "*"
OWN = "°"
NONE = "-"


@dataclass(frozen=True, slots=True)
class Section:
    """A table with a title and what has to be known to read it; `words` columns are words."""

    title: str
    note: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1


def sections(board: Board) -> Iterator[Section]:
    """All tables of a board but those about detectors, in the order in which they are shown."""
    for each in (
        _standings,
        _by_judge,
        _by_task,
        _correlations,
        _bias,
        _distributions,
        _lengths,
        _errors,
    ):
        yield from each(board)


def find_ranking(board: Board, judge: str, level: str, task: str = "") -> Ranking | None:
    """The ranking by a judge at a level in a task, if there is one."""
    wanted = judge, level, task
    return next((r for r in board.rankings if (r.judge, r.level, r.task) == wanted), None)


def percent(each: Estimate, *, interval: bool = True) -> str:
    """A rate in percent, with its interval.

    >>> percent(Estimate(0.125, 8, 0.05, 0.21)), percent(Estimate(None, 0))
    ('12.5 [5.0, 21.0]', '-')
    """
    if each.value is None:
        return NONE
    value = f"{100 * each.value:.1f}"
    if not interval or each.low is None or each.high is None:
        return value
    return f"{value} [{100 * each.low:.1f}, {100 * each.high:.1f}]"


def place(standing: Standing) -> str:
    """The rank, with the range that it may have.

    >>> place(Standing("m", 2, (1, 4), Estimate(0.1, 10), 1, 10, 10))
    '2 (1-4)'
    """
    if standing.rank is None:
        return NONE
    if standing.ranks is None:
        return str(standing.rank)
    low, high = standing.ranks
    return f"{standing.rank} ({low}-{high})"


def _standings(board: Board) -> Iterator[Section]:
    """The first judge in full; the board's other rankings are in the tables that follow."""
    judge = board.judges[0]
    for level in board.levels:
        ranking = find_ranking(board, judge.name, level.name)
        if ranking is None:
            continue
        heads = ("LLM", "rank", "rate %", "hallucinated", "judged")
        shown = [name for name in _APART if any(_APART[name](each) for each in ranking.standings)]
        rows = []
        for number, each in enumerate(ranking.standings):
            counts = (f"{each.hallucinated:,}", f"{each.judged:,}")
            apart = (f"{_APART[name](each):,}" for name in shown)
            coverage = NONE if each.coverage is None else f"{each.coverage:.1%}"
            words = NONE if each.words is None else f"{each.words:.0f}"
            name = each.model + _mark(ranking, number)
            rows.append((name, place(each), percent(each.rate), *counts, *apart, coverage, words))
        note = (
            f"By {judge.name}, {level.title}; {ranking.sources:,} sources. Ranges of ranks and "
            f"intervals hold 95 % of {board.replicates:,} replicates. {MARK} the lowest rate and "
            f"those that do not differ from it (paired, Holm, p < 0.05). {_pairs(ranking)}"
        )
        title = _title("LLMs by hallucination rate", board, level)
        yield Section(title, note, (*heads, *shown, "coverage", "words"), tuple(rows))


_APART: dict[str, Callable[[Standing], int]] = {
    "refused": lambda each: each.refused,
    "invalid": lambda each: each.invalid,
    "failed": lambda each: each.failed,
    "missing": lambda each: each.missing,
}


def _title(what: str, board: Board, level: Level) -> str:
    return what if len(board.levels) == 1 else f"{what}: {level.title}"


def _mark(ranking: Ranking, number: int) -> str:
    """Whether an LLM is the first, or does not differ from it by more than chance."""
    if not ranking.differs or ranking.standings[number].rank is None:
        return ""
    return "" if ranking.differs[0][number] else MARK


def _pairs(ranking: Ranking) -> str:
    size = len(ranking.differs)
    if size < 2:
        return ""
    different = sum(map(sum, ranking.differs)) // 2
    return f"{different:,} of {size * (size - 1) // 2:,} pairs differ."


def _by_judge(board: Board) -> Iterator[Section]:
    if len(board.judges) < 2:
        return
    for level in board.levels:
        found = {j.name: find_ranking(board, j.name, level.name) for j in board.judges}
        rankings = {name: each for name, each in found.items() if each}
        note = "The rate in percent, and the rank by each judge."
        yield _crossed(_title("By judge", board, level), note, rankings, _rate_and_rank)


def _rate_and_rank(standing: Standing) -> str:
    rank = NONE if standing.rank is None else standing.rank
    return f"{percent(standing.rate, interval=False)} ({rank})"


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


def _by_task(board: Board) -> Iterator[Section]:
    judge = board.judges[0].name
    for level in board.levels:
        found = {task: find_ranking(board, judge, level.name, task) for task in board.tasks}
        rankings = {task: each for task, each in found.items() if each}
        whole = find_ranking(board, judge, level.name)
        if rankings and whole:
            note = f"Hallucinated of judged responses, by {judge}."
            title = _title("By task", board, level)
            yield _crossed(title, note, {"all": whole, **rankings}, _hallucinated)


def _correlations(board: Board) -> Iterator[Section]:
    for level in board.levels:
        rows = [
            (
                each.first,
                each.second,
                f"{each.kendall.n}",
                _figure(each.kendall),
                _figure(each.spearman),
            )
            for each in board.correlations
            if each.level == level.name
        ]
        if rows:
            note = "How alike two judges rank the LLMs that both judged; n is their number."
            heads = ("judge", "other judge", "n", "Kendall's tau-b", "Spearman's rho")
            title = _title("Rank correlation between judges", board, level)
            yield Section(title, note, heads, tuple(rows), words=2)


def _both(each: RankCorrelation) -> tuple[Estimate, Estimate]:
    return each.kendall, each.spearman


def _figure(each: Estimate) -> str:
    if each.value is None:
        return NONE
    if each.low is None or each.high is None:
        return f"{each.value:.3f}"
    return f"{each.value:.3f} [{each.low:.3f}, {each.high:.3f}]"


def _bias(board: Board) -> Iterator[Section]:
    for bias in board.bias:
        cells = {(each.model, each.judge): each for each in bias.cells}
        judges = dict.fromkeys(each.judge for each in bias.cells)
        models = dict.fromkeys(each.model for each in bias.cells)
        rows = []
        for model in sorted(models, key=lambda name: cells[name, list(judges)[-1]].rank):
            found = [cells[model, judge] for judge in judges]
            said = (f"{e.hallucinated:,} ({e.rank}){OWN if e.is_own else ''}" for e in found)
            rows.append((model, f"{found[0].n:,}", *said))
        note = (
            f"Hallucinated responses and rank, of the {bias.responses:,} responses that every "
            f"judge has a verdict on; as many votes for as against is hallucinated. "
            f"{OWN} the judge's own LLM."
        )
        title = _title("The same responses by each judge", board, _level(board, bias.level))
        yield Section(title, note, ("LLM", "n", *judges), tuple(rows))


def _level(board: Board, name: str) -> Level:
    return next(level for level in board.levels if level.name == name)


def _distributions(board: Board) -> Iterator[Section]:
    """The labels of each judge that has more than two."""
    for judge in board.judges:
        mine = [each for each in board.distributions if each.judge == judge.name]
        labels = list(dict.fromkeys(label for each in mine for label in each.labels))
        if len(labels) < 3:
            continue
        failures = list(dict.fromkeys(reason for each in mine for reason in each.failures))
        rows = [
            (
                each.model,
                *(_share(each.labels.get(label, 0), sum(each.labels.values())) for label in labels),
                *(f"{each.failures.get(reason, 0):,}" for reason in failures),
            )
            for each in mine
        ]
        note = f"How many responses {judge.name} gave each label, and the share in percent."
        yield Section(f"Labels by {judge.name}", note, ("LLM", *labels, *failures), tuple(rows))


def _share(count: int, total: int) -> str:
    return f"{count:,} ({100 * count / total:.1f})" if total else NONE


def _lengths(board: Board) -> Iterator[Section]:
    """The rates of all LLMs together, by length; those of each LLM are in JSON and on the site."""
    for level in board.levels:
        rows: list[tuple[str, ...]] = []
        most = 0
        for each in board.lengths:
            if each.level != level.name:
                continue
            for side in each.rates:
                shares = (
                    f"-{end:,}: {percent(rate, interval=False)}"
                    for end, rate in zip(side.ends, side.overall, strict=True)
                )
                rows.append((each.judge, side.side, *shares))
                most = max(most, len(side.ends))
        if rows:
            heads = ("judge", "length of", *(f"part {number + 1}" for number in range(most)))
            filled = tuple((*row, *("",) * (len(heads) - len(row))) for row in rows)
            note = "Up to so many words: percent hallucinated. The parts are quintiles."
            yield Section(_title("By length", board, level), note, heads, filled, words=2)


def _errors(board: Board) -> Iterator[Section]:
    for unit in ("response", "sentence"):
        mine = [each for each in board.errors if each.unit == unit]
        labels = list(dict.fromkeys(label for each in mine for label in each.errors))
        rows = [
            (each.detector, *(_of_gold(each.errors, each.gold, label) for label in labels))
            for each in mine
        ]
        if rows:
            note = "Wrong of all judged, by gold label; in brackets the share of all its errors."
            title = f"Errors of detectors by gold label, {unit} level"
            yield Section(title, note, ("detector", *labels), tuple(rows))


def _of_gold(errors: dict[str, int], gold: dict[str, int], label: str) -> str:
    total = sum(errors.values())
    share = f" ({100 * errors.get(label, 0) / total:.0f} %)" if total else ""
    return f"{errors.get(label, 0):,}/{gold.get(label, 0):,}{share}"


def about(board: Board) -> Iterator[tuple[str, str]]:
    """What a board is of, as headings with facts."""
    yield "data", board.dataset
    yield "LLMs", f"{len(board.models):,}"
    yield "judges", ", ".join(map(_described, board.judges))
    yield "levels", "; ".join(map(_read, board.levels))
    counting = board.counting
    yield "refusals", _COUNTED[counting.refusals]
    yield "invalid", _COUNTED[counting.invalid]
    yield "sources", "only those that every LLM has a verdict on" if board.is_common else ""


_COUNTED = {
    "apart": "counted apart, not in the rate",
    "judged": "as the judge says",
    "unfaithful": "count as hallucinated",
}


def _described(judge: Judge) -> str:
    if judge.kind == "vote":
        return f"{judge.name} (of {judge.reference.replace('+', ', ')})"
    model = f", model {judge.model}" if judge.model else ""
    return f"{judge.name} ({' and '.join(judge.taxonomies) or 'no label'}{model})"


def _read(level: Level) -> str:
    readings = ", ".join(level.readings.values())
    return f"{level.title} ({readings})" if readings else level.title


def standing_cells(ranking: Ranking, standing: Standing) -> Sequence[str | float | int | None]:
    """A standing as the cells of a row of numbers."""
    low, high = standing.ranks or (None, None)
    return (
        ranking.judge,
        ranking.level,
        ranking.task,
        standing.model,
        standing.rank,
        low,
        high,
        standing.rate.value,
        standing.rate.low,
        standing.rate.high,
        standing.hallucinated,
        standing.judged,
        standing.responses,
        standing.refused,
        standing.invalid,
        standing.failed,
        standing.missing,
        standing.coverage,
        standing.words,
        ranking.sources,
    )
