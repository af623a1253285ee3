"""Boards of a few responses, with counts that can be checked by hand."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import InputError, UnknownNameError
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7
from assay.evaluation.levels import Counting
from assay.metrics import Resampling
from tests.board.making import (
    F,
    U,
    annotated,
    board_of,
    ranking_of,
    response,
    standing_of,
    table_of,
)


def test_rates_are_hallucinated_of_judged_and_equal_ones_share_a_rank() -> None:
    board = board_of(table_of({"a": "+...", "b": "++..", "c": "...+", "e": "++++"}))
    found = [(s.model, s.rank, s.hallucinated, s.judged) for s in ranking_of(board).standings]
    assert found == [("a", 1, 1, 4), ("c", 1, 1, 4), ("b", 3, 2, 4), ("e", 4, 4, 4)]
    assert [s.rate.value for s in ranking_of(board).standings] == [0.25, 0.25, 0.5, 1.0]


def test_the_path_of_the_data_is_not_published() -> None:
    board = board_of(table_of({"a": "+...", "b": "++.."}))
    assert (board.dataset, board.title) == ("small", "Hallucinations in small")


def test_what_is_no_answer_is_counted_apart_and_each_response_once() -> None:
    board = board_of(table_of({"a": "+.ixr.", "b": "+....."}))
    one = standing_of(board, "a")
    assert (one.hallucinated, one.judged, one.invalid, one.failed, one.refused) == (1, 3, 1, 1, 1)
    assert one.judged + one.invalid + one.failed + one.refused == one.responses == 6
    assert one.rate.value == pytest.approx(1 / 3)
    assert one.coverage == 0.5


@pytest.mark.parametrize(
    ("counting", "hallucinated", "judged"),
    [
        (Counting(), 1, 3),
        (Counting(invalid="unfaithful"), 2, 4),
        (Counting(refusals="judged"), 1, 4),
        (Counting(refusals="unfaithful"), 2, 4),
        (Counting("unfaithful", "judged"), 2, 5),
    ],
)
def test_options_say_what_counts(counting: Counting, hallucinated: int, judged: int) -> None:
    one = standing_of(board_of(table_of({"a": "+.ixr."}), counting=counting), "a")
    assert (one.hallucinated, one.judged) == (hallucinated, judged)
    assert one.judged + one.invalid + one.failed + one.refused == one.responses


def test_missing_responses_are_shown_and_warned_about() -> None:
    board = board_of(table_of({"a": "+...", "b": "+.  "}))
    assert standing_of(board, "b").missing == 2
    assert standing_of(board, "b").coverage == 0.5
    assert [each for each in board.warnings if "unequally many" in each] == [
        "the LLMs were judged on unequally many responses: 2 to 4 by d (fewest: b). Their rates "
        "are of different sources; the common subset has only those on which every LLM was judged"
    ]
    tied = board_of(table_of({"a": "+...", "b": "+.  ", "c": "+.  "})).warnings
    assert any("(fewest: b, c)" in each for each in tied)


def test_judges_that_judged_alike_are_told_of_together() -> None:
    rows = [
        annotated(response(model, f"s{n}"), {"p": F, "q": F, "r": F, "s": F})
        for model, count in (("a", 3), ("b", 2))
        for n in range(count)
    ]
    (told,) = (each for each in board_of(rows).warnings if "unequally many" in each)
    assert "2 to 3 by p, q, r and 1 more (fewest: b)." in told
    common = board_of(rows, is_common=True).warnings
    assert common == ("all LLMs are compared on the same 2 sources by p, q, r and 1 more",)


@pytest.mark.parametrize("is_common", [False, True])
@pytest.mark.parametrize(
    "counting",
    [Counting(), Counting("unfaithful", "unfaithful"), Counting(refusals="judged")],
)
def test_labels_are_of_the_responses_that_the_ranking_counts(
    counting: Counting, is_common: bool
) -> None:
    rows = table_of({"a": "+.ixr.+", "b": "+.+.+r+"})
    board = board_of(rows, counting=counting, is_common=is_common)
    found = {each.model: each for each in board.distributions}
    for one in ranking_of(board).standings:
        labels, failures = found[one.model].labels, found[one.model].failures
        assert sum(labels.values()) <= one.judged
        assert sum(failures.values()) + sum(labels.values()) == one.responses - one.refused
    if counting == Counting():
        n = 3 if is_common else 4
        assert sum(found["a"].labels.values()) == n


def test_pairs_without_common_sources_are_told_and_not_marked() -> None:
    board = board_of(table_of({"a": "+...    ", "b": "    +...", "c": "+.....++"}))
    ranking = ranking_of(board)
    assert ranking.pairs == (3, 2, 0)
    assert ranking.shared == (4, 4)
    assert any(each.startswith("1 of 3 pairs of LLMs share fewer") for each in board.warnings)
    assert not any("pairs" in each for each in board_of(table_of({"a": "+.", "b": ".."})).warnings)


def test_few_llms_have_no_interval_of_rank_correlations() -> None:
    for count, has in ((4, False), (5, True)):
        rows = [
            annotated(
                response(f"m{at}", f"s{n}"), {"p": U if n < at else F, "q": U if n > 7 - at else F}
            )
            for at in range(count)
            for n in range(8)
        ]
        (found,) = board_of(rows).correlations
        assert found.kendall.value == pytest.approx(1)
        assert found.kendall.n == count
        assert (found.kendall.low is not None) is has
        assert (found.spearman.low is not None) is has


def test_a_correlation_that_no_draw_changes_has_no_interval() -> None:
    rows = [
        annotated(response(f"m{at}", f"s{n}"), {"p": U if n < at else F, "q": U if n < at else F})
        for at in range(5)
        for n in range(8)
    ]
    (found,) = board_of(rows).correlations
    assert found.kendall.value == pytest.approx(1)
    assert found.kendall.low is None


def test_common_subset_has_only_sources_that_all_were_judged_on() -> None:
    rows = table_of({"a": "+.++", "b": "+. x"})
    board = board_of(rows, is_common=True)
    assert [(s.model, s.hallucinated, s.judged) for s in ranking_of(board).standings] == [
        ("a", 1, 2),
        ("b", 1, 2),
    ]
    assert ranking_of(board).sources == 2
    assert board.is_common
    assert not any("unequally" in each for each in board.warnings)


def test_no_common_source_is_an_error_that_names_the_smallest() -> None:
    with pytest.raises(InputError, match="no source on which every LLM has a verdict of d; b"):
        board_of(table_of({"a": "+.+ ", "b": "   +"}), is_common=True)


def test_an_llm_without_a_verdict_has_no_rank_and_comes_last() -> None:
    board = board_of(table_of({"a": "xx", "b": "+."}))
    assert [(s.model, s.rank, s.rate.value) for s in ranking_of(board).standings] == [
        ("b", 1, 0.5),
        ("a", None, None),
    ]


def test_an_llm_that_a_judge_says_nothing_of_is_not_in_its_ranking() -> None:
    rows = [
        annotated(response(model, f"s{n}"), {"d": F, "e": U if model == "a" else None})
        for model in "ab"
        for n in range(3)
    ]
    board = board_of(rows)
    assert [s.model for s in ranking_of(board, "e").standings] == ["a"]
    assert "responses of only 1 of 2 LLMs were judged by e" in board.warnings


def test_levels_of_faithbench_labels() -> None:
    names = ["unwanted.intrinsic", "questionable", "benign", "consistent"]
    rows = [
        annotated(response("a", f"s{n}"), {"gold": FAITHBENCH[name], "d": F})
        for n, name in enumerate(names)
    ]
    board = board_of(rows)
    assert [level.name for level in board.levels] == ["unwanted", "questionable", "benign"]
    counts = [standing_of(board, "a", "gold", level.name).hallucinated for level in board.levels]
    assert counts == [1, 2, 3]
    # A binary judge says the same at each level.
    assert [standing_of(board, "a", "d", level.name).hallucinated for level in board.levels] == [
        0
    ] * 3
    assert any("different taxonomies" in each for each in board.warnings)


def test_levels_of_gray_labels_and_what_states_no_fact_has_no_fault() -> None:
    rows = [annotated(response("a", f"s{n}"), {"d": label}) for n, label in enumerate(GRAY7.labels)]
    board = board_of(rows)
    assert [level.name for level in board.levels] == ["unfaithful", "ambiguous", "out-dependent"]
    counts = [standing_of(board, "a", "d", level.name).hallucinated for level in board.levels]
    assert counts == [2, 3, 4]  # no-fact is in none of them


def test_chosen_levels_only() -> None:
    rows = [annotated(response("a", "s"), {"gold": FAITHBENCH["benign"]})]
    assert [each.name for each in board_of(rows, levels=("benign",)).levels] == ["benign"]
    with pytest.raises(UnknownNameError, match="Choices: benign, questionable, unwanted"):
        board_of(rows, levels=("nonsense",))


def test_tasks_are_ranked_apart_and_a_source_may_be_in_several() -> None:
    rows = [
        annotated(response("a", f"s{n}", task=task), {"d": U if task == "qa" else F})
        for n in range(2)
        for task in ("qa", "summary")
    ]
    board = board_of(rows, by_task=True)
    assert standing_of(board, "a", "d", "", "qa").rate.value == 1
    assert standing_of(board, "a", "d", "", "summary").rate.value == 0
    assert standing_of(board, "a").hallucinated == 2
    assert len(board_of(rows).rankings) == 1


def test_sources_are_drawn_whole() -> None:
    # One source with 20 wrong responses and one with 20 right ones: Beta(1.5, 1.5), not 20 of 40.
    rows = [
        annotated(response("a", f"s{n}", question=f"q{q}"), {"d": U if n else F})
        for n in range(2)
        for q in range(20)
    ]
    rate = standing_of(board_of(rows), "a").rate
    assert (rate.value, rate.n) == (0.5, 40)
    assert (rate.low, rate.high) == pytest.approx((0.061, 0.939), abs=0.02)


def test_a_rate_of_none_or_all_is_not_certain() -> None:
    board = board_of(table_of({"a": "." * 10, "b": "+" * 10}))
    none, every = (standing_of(board, model).rate for model in "ab")
    # Wilson's interval for 0 of 10 sources ends at z² / (10 + z²).
    assert (none.value, none.low) == (0, 0)
    high = 1.959964**2 / (10 + 1.959964**2)
    assert none.high == pytest.approx(high)
    assert every.low == pytest.approx(1 - high)


def test_a_rate_that_is_the_same_on_every_source_is_not_certain() -> None:
    rows = [
        annotated(response("a", f"s{n}", question=f"q{q}"), {"d": U if q else F})
        for n in range(10)
        for q in range(2)
    ]
    rate = standing_of(board_of(rows), "a").rate
    # All that moves is half a source without and half a source with hallucinations, beside ten.
    assert (rate.value, rate.n) == (0.5, 20)
    assert (rate.low, rate.high) == pytest.approx((0.4, 0.6), abs=0.02)


def test_one_source_gives_no_interval_and_no_test() -> None:
    board = board_of(table_of({"a": "+", "b": "."}))
    assert standing_of(board, "a").rate.low is None
    assert standing_of(board, "a").ranks is None
    assert ranking_of(board).p_values == ()


def test_pairs_are_compared_and_corrected() -> None:
    board = board_of(table_of({"a": "." * 40, "b": "+" * 40, "c": "+" * 39 + "."}))
    ranking = ranking_of(board)
    assert [s.model for s in ranking.standings] == ["a", "c", "b"]
    assert ranking.differs == ((False, True, True), (True, False, False), (True, False, False))
    assert ranking.p_values[0][0] is None
    assert ranking.p_values[1][2] == 1.0  # one source differs: no sign test could say more


def test_scores_are_read_from_one_half() -> None:
    rows = [annotated(response("a", f"s{n}"), {"d": score}) for n, score in enumerate((0.5, 0.49))]
    board = board_of(rows)
    assert standing_of(board, "a").hallucinated == 1
    (found,) = board.distributions
    assert found.labels == {"unfaithful": 1, "faithful": 1}
    assert board.judges[0].is_scored
    assert not board_of(table_of({"a": "+."})).judges[0].is_scored


def test_labels_and_failures_of_each_llm_are_counted() -> None:
    board = board_of(table_of({"a": "+.ix", "b": "...."}))
    first, second = board.distributions
    assert (first.model, first.labels) == ("a", {"unfaithful": 1, "faithful": 1})
    assert first.failures == {"invalid": 1, "parse": 1}
    assert second.labels == {"unfaithful": 0, "faithful": 4}


def test_rates_by_length_are_of_what_is_in_the_rate() -> None:
    rows = [
        annotated(response("a", f"s{n}", "word " * n), {"d": U if n > 8 else F})
        for n in range(6, 11)
    ]
    (lengths,) = board_of(rows).lengths
    by_side = {each.side: each for each in lengths.rates}
    assert list(by_side) == ["response"]  # all sources have as many words
    assert [each.value for each in by_side["response"].overall] == [0, 0, 0, 1, 1]


def test_rank_correlation_of_two_judges_by_hand() -> None:
    # d: a < b < c; e: a < c < b: of three pairs two agree, tau = (2 - 1) / 3.
    one = {"a": "....", "b": "+...", "c": "++.."}
    other = {"a": "....", "b": "++..", "c": "+..."}
    rows = [
        annotated(
            response(model, f"s{n}"),
            {"d": U if one[model][n] == "+" else F, "e": U if other[model][n] == "+" else F},
        )
        for model in one
        for n in range(4)
    ]
    (found,) = board_of(rows).correlations
    assert (found.first, found.second, found.kendall.n) == ("d", "e", 3)
    assert found.kendall.value == pytest.approx(1 / 3)
    assert found.spearman.value == pytest.approx(0.5)  # 1 - 6 (0 + 1 + 1) / (3 x 8)


def test_nobody_said_anything() -> None:
    with pytest.raises(InputError, match="nobody has said anything"):
        board_of([annotated(response("a", "s"), {})])


words = st.text("+.ixr ", min_size=6, max_size=6)


@given(st.tuples(words, words, words), st.randoms(use_true_random=False))
@settings(max_examples=25, deadline=None)
def test_nothing_depends_on_the_order_of_rows(
    letters: tuple[str, str, str], order: random.Random
) -> None:
    rows = table_of(dict(zip("abc", letters, strict=True)))
    if not any(each.judgements[0].verdicts for each in rows):
        return
    shuffled = rows[:]
    order.shuffle(shuffled)
    drawn = Resampling(20)
    first, second = (ranking_of(board_of(each, resampling=drawn)) for each in (rows, shuffled))
    assert first == second


def test_labels_of_one_judge_may_be_of_several_taxonomies() -> None:
    rows = [
        annotated(response("a", "s0"), {"gold": FAITHBENCH["benign"]}),
        annotated(response("a", "s1"), {"gold": BINARY["unfaithful"]}),
    ]
    board = board_of(rows)
    assert board.judges[0].taxonomies == ("faithbench", "binary")
    counts = [standing_of(board, "a", "gold", each.name).hallucinated for each in board.levels]
    assert counts == [1, 1, 2]
