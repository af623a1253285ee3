"""Published boards, from the released data: every count, and the order."""

import json
from pathlib import Path

import pytest

from assay import BoardResult, DataChoice, build_board
from assay.board.results import Board
from assay.datasets.corpora.faithjudge import TASKS
from assay.evaluation.reproduce.cells import read_published
from assay.evaluation.reproduce.faithbench import CLASSES, MODELS
from assay.report.board.views import board_markdown
from tests.board.making import ranking_of

pytestmark = pytest.mark.shared_data

# FaithBench, Table 1: the ranks at the three levels.
TABLE_1 = {
    "GPT-4o": (1, 1, 2),
    "GPT-3.5-Turbo": (2, 1, 1),
    "Llama-3.1-70B": (3, 3, 3),
    "Gemini-1.5-Flash": (6, 5, 4),
    "Llama-3.1-8B": (5, 6, 5),
    "Claude-3.5-Sonnet": (3, 4, 7),
    "Qwen2.5-7B": (10, 9, 9),
    "Phi-3-mini": (7, 7, 6),
    "Command-R": (8, 10, 10),
    "Mistral-7B": (9, 8, 8),
}


@pytest.fixture(scope="module")
def faithjudge(shared_data: Path) -> Board:
    """FaithJudge's leaderboard, as it is counted there."""
    return build_board(
        data=DataChoice("faithjudge-judged", str(shared_data)),
        invalid="unfaithful",
        refusals="judged",
        by_task=True,
        replicates=50,
    ).board


@pytest.fixture(scope="module")
def leaderboard(shared_data: Path) -> BoardResult:
    """The board of 68 LLMs by all recorded detectors."""
    data = DataChoice("leaderboard", str(shared_data))
    return build_board(data=data, refusals="judged", replicates=50)


def test_every_count_of_the_faithjudge_leaderboard(faithjudge: Board, shared_data: Path) -> None:
    published = json.loads((shared_data / "faithjudge/leaderboard_published.json").read_text())
    judge = faithjudge.judges[0].name
    for task in TASKS:
        ours = {
            each.model.rpartition("/")[2]: (each.hallucinated, each.judged)
            for each in ranking_of(faithjudge, judge, task=task).standings
        }
        theirs = {
            row["model"]: (row[task]["hallucinated"], row[task]["total"]) for row in published
        }
        assert len(theirs) == 46
        assert ours == theirs


def test_the_order_of_the_faithjudge_leaderboard(faithjudge: Board, shared_data: Path) -> None:
    published = json.loads((shared_data / "faithjudge/leaderboard_published.json").read_text())
    standings = ranking_of(faithjudge, faithjudge.judges[0].name).standings
    ours = {each.model.rpartition("/")[2]: each for each in standings}
    ranks = [ours[row["model"]].rank or 0 for row in published]
    assert ranks == sorted(ranks)  # what is tied with us stands in some order there
    for row in published:
        rate = ours[row["model"]].rate.value
        assert rate is not None
        assert round(100 * rate, 2) == row["overall_rate"]


def test_four_llms_are_not_distinguishable_from_the_best_of_faithjudge(faithjudge: Board) -> None:
    ranking = ranking_of(faithjudge, faithjudge.judges[0].name)
    assert [each.rank for each in ranking.standings if each.is_starred] == [1, 2, 3, 4]
    assert [each.ranks for each in ranking.standings[:2]] == [(1, 4), (1, 5)]
    high = next(each for each in ranking.standings if "o3-mini-high" in each.model)
    assert (high.rank, high.ranks) == (10, (3, 25))


def test_what_o3_mini_says_of_itself_is_marked_on_the_faithjudge_leaderboard(
    faithjudge: Board,
) -> None:
    efforts = ("high", "low", "medium")
    own = tuple(f"openai/o3-mini-{effort}-2025-01-31" for effort in efforts)
    assert faithjudge.judges[0].own == own
    marked = [line for line in board_markdown(faithjudge).splitlines() if "° | " in line]
    assert sorted(line.split("°")[0].strip("| *") for line in marked) == list(own)


def test_faithbench_ranks_at_three_levels(shared_data: Path) -> None:
    data = DataChoice("faithbench-paper", str(shared_data))
    board = build_board("gold", data=data, refusals="judged", replicates=50).board
    places = {
        level.name: {each.model: each for each in ranking_of(board, "gold", level.name).standings}
        for level in board.levels
    }
    for row, ranks in TABLE_1.items():
        assert tuple(level[MODELS[row]].rank for level in places.values()) == ranks
    printed = {(each.row, each.metric): each.value for each in read_published("faithbench-table1")}
    for (row, metric), percent in printed.items():
        rate = places[CLASSES[metric.count("+")]][MODELS[row]].rate.value
        assert rate is not None
        assert round(100 * rate, 2) == percent


def test_a_refusal_moves_one_rate_and_no_rank_of_faithbench(shared_data: Path) -> None:
    data = DataChoice("faithbench-paper", str(shared_data))
    board = build_board("gold", data=data, replicates=50).board
    refusing = [each for each in ranking_of(board, "gold").standings if each.refused]
    assert [(each.model, each.refused) for each in refusing] == [(MODELS["Llama-3.1-8B"], 1)]
    for place, level in enumerate(board.levels):
        found = {s.model: s.rank for s in ranking_of(board, "gold", level.name).standings}
        assert found == {MODELS[row]: ranks[place] for row, ranks in TABLE_1.items()}


@pytest.mark.soak
def test_68_llms_by_every_recorded_detector(leaderboard: BoardResult) -> None:
    board = leaderboard.board
    assert len(board.models) == 68
    sizes = {each.judge: len(each.standings) for each in board.rankings}
    whole = {name for name, size in sizes.items() if size == 68}
    assert whole == {
        "hhem-1",
        "hhem-2.1",
        "hhem-2.1-english",
        "trueteacher",
        "true-nli",
        "majority",
    }
    assert {size for name, size in sizes.items() if name not in whole} == {8}
    pairs = {(each.first, each.second): each.kendall for each in board.correlations}
    assert len(pairs) == 11 * 10 // 2
    assert pairs["hhem-2.1", "hhem-2.1-english"].n == 68
    assert pairs["hhem-1", "gpt-4o"].n == 8
    assert {each.name: each.own for each in board.judges if each.own} == {
        "gpt-3.5-turbo": ("openai/GPT-3.5-Turbo",),
        "gpt-4-turbo": ("openai/GPT-4-Turbo-2024-04-09",),
        "gpt-4o": ("openai/gpt-4o",),
    }


@pytest.mark.soak
def test_rates_by_hhem_are_those_of_the_released_table(
    leaderboard: BoardResult, shared_data: Path
) -> None:
    path = shared_data / "leaderboard_summaries/model_rates.json"
    released = json.loads(path.read_text())["faithbench_repo_csvs"]
    standings = {each.model: each for each in ranking_of(leaderboard.board, "hhem-2.1").standings}
    assert len(released) == len(standings) == 68
    complete = [row for row in released if not row["n_empty_summary"]]
    assert len(complete) > 30
    for row in complete:  # scores of empty summaries are in the others' rates
        ours = standings[row["model"]]
        assert ours.judged == row["n_scored"]
        assert ours.rate.value is not None
        assert round(100 * ours.rate.value, 2) == row["hhem_2_1_rate_lt_0.5"]
