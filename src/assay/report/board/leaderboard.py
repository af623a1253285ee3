"""The leaderboard: one list of columns makes it in the terminal, Markdown, CSV and on the site."""

from collections.abc import Iterator
from dataclasses import dataclass

from assay.board.results import Board, Ranking, Standing
from assay.evaluation.levels import Level
from assay.metrics import Estimate
from assay.report.tables import COUNT, SHARE, TEXT, Column, Format, Table

NONE = "-"
MARK = "*"
OWN = "°"


@dataclass(frozen=True, slots=True)
class RankRange:
    """A rank, and the lowest and highest that the comparisons with other LLMs leave."""

    rank: int
    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        return f"{self.rank}" if self.low is None else f"{self.rank} ({self.low}-{self.high})"


@dataclass(frozen=True, slots=True)
class MarkedName:
    """The name of an LLM, and what is marked beside it."""

    name: str
    is_starred: bool
    is_own: bool

    def __str__(self) -> str:
        return f"{self.name}{MARK if self.is_starred else ''}{OWN if self.is_own else ''}"


@dataclass(frozen=True, slots=True)
class Ranked:
    """An LLM in a ranking; `gold` says how people's labels were pooled, if the rate needs them."""

    ranking: Ranking
    standing: Standing
    is_own: bool
    gold: str

    @property
    def name(self) -> MarkedName:
        """The LLM with its marks."""
        return MarkedName(self.standing.model, self.standing.is_starred, self.is_own)

    @property
    def place(self) -> RankRange | None:
        """Its rank, if it has a rate."""
        rank, ends = self.standing.rank, self.standing.ranks or (None, None)
        return None if rank is None else RankRange(rank, *ends)


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


NAME = Format("name", is_words=True)
PLACE = Format("place")
RATE = Format("rate", percent)
LINK = Format("link", COUNT.text)  # to the responses that are counted
MEAN = Format("mean", "{:.0f}".format)

COLUMNS: tuple[Column[Ranked], ...] = (
    Column("judge", lambda each: each.ranking.judge, media=("data",)),
    Column("level", lambda each: each.ranking.level, media=("data",)),
    Column("task", lambda each: each.ranking.task, media=("data",)),
    Column(
        "LLM",
        lambda each: each.name,
        NAME,
        "Who wrote the responses. ★: not distinguishable from the lowest rate.",
        name="model",
        parts={"model": "name"},
    ),
    Column(
        "rank",
        lambda each: each.place,
        PLACE,
        "The place by rate; equal rates share one. In brackets, the places that it may have: its "
        "comparisons with all other LLMs exclude the rest (95 %).",
        parts={"rank": "rank", "rank_low": "low", "rank_high": "high"},
    ),
    Column("starred", lambda each: int(each.standing.is_starred), media=("data",)),
    Column(
        "rate %",
        lambda each: each.standing.rate,
        RATE,
        "Hallucinated of all judged, with a 95 % interval that resamples whole sources.",
        name="rate",
        title="Hallucination rate",
        parts={"rate": "value", "low": "low", "high": "high"},
    ),
    Column(
        "corrected",
        lambda each: each.standing.corrected,
        Format("corrected"),
        "The rate with the judge’s errors taken out, as far as people’s labels of the same LLM "
        "show them: prediction-powered inference, with a 95 % interval.",
        parts={
            "corrected": "rate.value",
            "corrected_low": "rate.low",
            "corrected_high": "rate.high",
            "labelled": "rate.n",
            "weight": "weight",
        },
        media=("data", "site"),
        is_optional=True,
    ),
    Column(
        "hallucinated",
        lambda each: each.standing.hallucinated,
        LINK,
        "Responses that count as hallucinated at this level.",
        title="Halluci\u00adnated",
    ),
    Column("judged", lambda each: each.standing.judged, COUNT, "Responses with a verdict."),
    Column("responses", lambda each: each.standing.responses, COUNT, media=("data",)),
    Column(
        "refused",
        lambda each: each.standing.refused,
        LINK,
        "The LLM did not answer, or its reply is empty.",
        is_optional=True,
    ),
    Column(
        "invalid",
        lambda each: each.standing.invalid,
        LINK,
        "A judge says that it is no answer to the task.",
        is_optional=True,
    ),
    Column(
        "failed",
        lambda each: each.standing.failed,
        LINK,
        "The judge has no verdict.",
        is_optional=True,
    ),
    Column(
        "missing",
        lambda each: each.standing.missing,
        COUNT,
        "Prompts that other LLMs answered and this one has no response to.",
        is_optional=True,
    ),
    Column(
        "coverage",
        lambda each: each.standing.coverage,
        SHARE,
        "Judged of all responses and missing ones.",
    ),
    Column("words", lambda each: each.standing.words, MEAN, "The mean length of the responses."),
    Column("sources", lambda each: each.ranking.sources, COUNT, media=("data",)),
    Column("gold", lambda each: each.gold, TEXT, media=("data",)),
)


def ranked_llms(board: Board, ranking: Ranking) -> list[Ranked]:
    """The LLMs of a ranking, best first."""
    judge = next(each for each in board.judges if each.name == ranking.judge)
    gold = gold_words(board)
    return [
        Ranked(
            ranking,
            each,
            each.model in judge.own,
            gold if judge.kind == "person" or each.corrected else "",
        )
        for each in ranking.standings
    ]


def all_ranked(board: Board) -> Iterator[Ranked]:
    """Every LLM in every ranking."""
    for ranking in board.rankings:
        yield from ranked_llms(board, ranking)


def leaderboard(board: Board, level: Level) -> Table[Ranked] | None:
    """The first judge in full; the board's other rankings are in the tables that follow."""
    judge = board.judges[0]
    ranking = find_ranking(board, judge.name, level.name)
    if ranking is None:
        return None
    note = (
        f"By {judge.name}; {ranking.sources:,} sources. Intervals of rates hold 95 % of "
        f"{board.replicates:,} replicates; of few sources, they are Wilson's or Jeffreys'. In "
        "brackets, the ranks that an LLM may have (95 %): its paired comparisons with all others "
        "exclude the rest (Holm over these). "
        f"{MARK} not distinguishable from the lowest rate (paired, p ≥ 0.05 after Holm over the "
        f"comparisons with it). {_pairs(ranking)} {own_note(bool(judge.own))}"
    )
    columns = [column for column in COLUMNS if "text" in column.media]
    rows = ranked_llms(board, ranking)
    basis = people_note(board, [judge.name])
    return Table("LLMs by hallucination rate", note.strip(), columns, rows, basis).without_empty()


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


def find_ranking(board: Board, judge: str, level: str, task: str = "") -> Ranking | None:
    """The ranking by a judge at a level in a task, if there is one."""
    wanted = judge, level, task
    return next((r for r in board.rankings if (r.judge, r.level, r.task) == wanted), None)


def own_note(has_own: bool) -> str:
    """The legend of the mark of a judge's own LLM, where there is one."""
    return f"{OWN} the judge's own LLM, or another version of it." if has_own else ""


def gold_words(board: Board) -> str:
    """The pooling of people's labels, in words; empty where they are no judge."""
    return board.gold.describe() if board.gold else ""


def people_note(board: Board, judges: list[str]) -> str:
    """The pooling of people's labels as a sentence, if people are among some judges."""
    people = {judge.name for judge in board.judges if judge.kind == "person"}
    return gold_sentence(board) if not people.isdisjoint(judges) else ""


def gold_sentence(board: Board) -> str:
    """The pooling of people's labels as a sentence."""
    words = gold_words(board)
    return f"{words[:1].upper()}{words[1:]}." if words else ""
