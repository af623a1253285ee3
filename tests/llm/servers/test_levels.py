"""The concurrency that pays, by rounds whose pace is known."""

import pytest

from assay.llm.client import CallError, Usage
from assay.llm.servers.levels import PaceLevel, best_choice, grows
from assay.llm.servers.timing import FigureSpread, TimedCall, TimedRound, known_tokens, percentile

CALL = TimedCall(0.5, Usage(90, 10), known=45)
LOST = CallError("transport", "the server answered 500")


def level(concurrency: int, *paces: float, failures: int = 0) -> PaceLevel:
    """Rounds of ten calls each, at so many calls a second."""
    rounds = (
        TimedRound(concurrency, 10 / pace, (CALL,) * 10, (LOST,) * failures) for pace in paces
    )
    return PaceLevel(concurrency, tuple(rounds))


def test_the_least_within_5_percent_of_the_best_is_chosen() -> None:
    levels = [level(1, 1, 1, 1), level(2, 1.8, 1.9, 2), level(4, 1.9, 1.95, 1.98)]
    choice = best_choice(levels)
    assert choice is not None
    assert choice.concurrency == 2  # 1.9 of 1.95
    assert choice.by_round == (4, 2, 2)  # 1.8 is less than 95 % of 1.9


def test_a_failed_call_leaves_nothing_to_choose() -> None:
    levels = [level(1, 1, 1, 1), level(2, 2, 2, 2), level(4, 4, 4, 4, failures=1)]
    assert best_choice(levels) is None
    assert levels[2].failures == {"transport: the server answered 500": 3}


def test_one_level_leaves_nothing_to_choose() -> None:
    assert best_choice([level(4, 1, 1, 1)]) is None


def test_a_level_that_was_ended_in_the_middle_does_not_count() -> None:
    assert best_choice([level(1, 1, 1, 1), level(2, 9, 9)]) is None


@pytest.mark.parametrize(("pace", "expected"), [(1.04, False), (1.06, True)])
def test_growth_is_more_than_5_percent(pace: float, expected: bool) -> None:
    assert grows([level(1, 1), level(2, pace)]) is expected


def test_growth_is_over_all_levels_before() -> None:
    assert not grows([level(1, 3), level(2, 1), level(4, 2)])


def test_rates_are_of_rounds_and_times_of_calls() -> None:
    found = level(2, 1, 2, 4)
    assert found.calls_per_second == FigureSpread(2, 1, 4, 3)
    assert found.prompt_rate == FigureSpread(180, 90, 360, 3)
    assert found.reply_rate == FigureSpread(20, 10, 40, 3)
    assert found.latency == FigureSpread(0.5, 0.5, 0.5, 30)
    assert found.known == FigureSpread(0.5, 0.5, 0.5, 30)


def test_percentile_is_a_value_that_was_measured() -> None:
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([3, 1, 2], 0.95) == 3
    assert percentile([7], 0.95) == 7


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"usage": {"prompt_tokens_details": {"cached_tokens": 7}}, "timings": {"cache_n": 3}}, 7),
        ({"usage": {"prompt_tokens": 9}, "timings": {"cache_n": 3}}, 3),
        ({"usage": {"prompt_tokens_details": None}}, None),
        ({"usage": {"prompt_tokens_details": {"cached_tokens": True}}}, None),
        ({}, None),
    ],
)
def test_tokens_that_a_server_had_are_read_where_it_says_so(
    data: dict[str, object], expected: int | None
) -> None:
    assert known_tokens(data) == expected
