"""Several annotators: agreement by hand arithmetic, and conflicts that somebody has to settle."""

import pytest

from assay.core.errors import InputError
from assay.core.units import RESPONSE, Unit
from assay.evaluation.errors.decisions import Decision, Described, State, Task
from assay.evaluation.errors.reconciling import (
    Settling,
    measure_agreement,
    measure_explanation_agreement,
    settle,
)


def task(number: int, text: str = "It is wrong.", **states: State) -> Task:
    """A proposal with what people decided about it."""
    decisions = tuple(
        Decision(by, state, _errors(text, state)) for by, state in states.items() if state != "open"
    )
    return Task(f"example {number}", "i1", text, decisions=decisions)


def _errors(text: str, state: State) -> tuple[Described, ...]:
    return (Described(Unit("i1", "inconsistency", text)),) if state == "new" else ()


# The first annotator finds six of ten true, the second five: known and new are the same answer.
PAIRS: list[tuple[State, State]] = [
    ("known", "new"),
    ("new", "new"),
    ("new", "known"),
    ("known", "known"),
    ("new", "none"),
    ("new", "none"),
    ("none", "new"),
    ("none", "none"),
    ("none", "none"),
    ("none", "none"),
]


def test_agreement_of_two_is_raw_and_cohen_s_kappa_with_intervals() -> None:
    tasks = [task(n, ann=one, bo=other) for n, (one, other) in enumerate(PAIRS)]
    undecided = [task(20, ann="new", bo="unsure"), task(21, ann="new"), task(22)]
    found = measure_agreement([*tasks, *undecided])
    assert found is not None
    # 7 of 10 agree; by chance 0.6 * 0.5 + 0.4 * 0.5 = 0.5, so kappa is (0.7 - 0.5) / 0.5.
    assert (found.annotators, found.measure) == (("ann", "bo"), "cohen_kappa")
    assert found.raw.value == pytest.approx(0.7)
    assert found.chance_corrected.value == pytest.approx(0.4)
    assert found.raw.n == found.chance_corrected.n == 10
    assert found.raw.low is not None
    assert found.raw.high is not None
    assert found.raw.low < 0.7 < found.raw.high
    assert found.chance_corrected.low is not None
    assert set(found.to_dict()) == {"annotators", "raw", "cohen_kappa"}


def test_agreement_of_more_than_two_is_krippendorff_s_alpha() -> None:
    tasks = [
        task(1, ann="new", bo="new", cy="new"),
        task(2, ann="none", bo="none"),
        task(3, bo="new", cy="none"),
        task(4, ann="new", cy="new"),
    ]
    found = measure_agreement(tasks)
    assert found is not None
    assert (found.measure, found.raw.n) == ("krippendorff_alpha", 4)
    # Three of four proposals are agreed upon.
    assert found.raw.value == pytest.approx(0.75)
    # 9 ratings, 6 true and 3 false. Observed: 2 of 9; expected: 2 * 6 * 3 / (9 * 8) = 0.5.
    assert found.chance_corrected.value == pytest.approx(1 - (2 / 9) / 0.5)


def test_nothing_is_measured_where_nobody_rated_the_same() -> None:
    assert measure_agreement([task(1, ann="new"), task(2, bo="none")]) is None


def explanation(number: int, **states: State) -> Task:
    """An explanation with what people decided about it."""
    decisions = tuple(Decision(by, state) for by, state in states.items())
    return Task(f"example {number}", RESPONSE, "It is wrong.", decisions=decisions)


def test_agreement_on_explanations_is_over_the_four_decisions() -> None:
    pairs: list[tuple[State, State]] = [
        ("kept", "kept"),
        ("kept", "split"),
        ("split", "split"),
        ("replaced", "replaced"),
        ("discarded", "replaced"),
    ]
    tasks = [explanation(n, ann=one, bo=other) for n, (one, other) in enumerate(pairs)]
    others = [explanation(8, ann="kept", bo="unsure"), explanation(9, ann="kept")]
    found = measure_explanation_agreement([*tasks, *others, task(1, ann="new", bo="none")])
    assert found is not None
    # By chance: 2 * 1 kept, 1 * 2 split, 1 * 2 replaced, 1 * 0 discarded, of 25: 0.24.
    assert (found.measure, found.raw.n) == ("cohen_kappa", 5)
    assert found.raw.value == pytest.approx(0.6)
    assert found.chance_corrected.value == pytest.approx((0.6 - 0.24) / (1 - 0.24))
    assert found.raw.low is None  # of five sources
    assert measure_agreement(tasks) is None


def test_agreement_of_three_on_explanations_is_alpha() -> None:
    tasks = [
        explanation(1, ann="kept", bo="kept", cy="kept"),
        explanation(2, ann="split", bo="split"),
        explanation(3, bo="split", cy="discarded"),
    ]
    found = measure_explanation_agreement(tasks)
    assert found is not None
    assert found.measure == "krippendorff_alpha"
    assert found.raw.value == pytest.approx(2 / 3)
    # 7 ratings: 3, 3 and 1. Observed: 2 of 7; expected: (49 - 19) / 42.
    assert found.chance_corrected.value == pytest.approx(1 - (2 / 7) / (30 / 42))


@pytest.mark.parametrize("settling", [Settling(), Settling("ann"), Settling(majority=True)])
def test_what_all_decide_alike_needs_no_rule(settling: Settling) -> None:
    settled, conflicts = settle([task(1, bo="new", ann="new"), task(2)], settling)
    assert [decision.by for _, decision in settled] == ["bo"]
    assert conflicts == ()


def test_conflict_stays_one_until_somebody_says_who_counts() -> None:
    fought = task(1, ann="new", bo="none", cy="none")
    for settling, state in ((Settling("ann"), "new"), (Settling(majority=True), "none")):
        ((_, decision),), conflicts = settle([fought], settling)
        assert (decision.state, conflicts) == (state, ())
    settled, (conflict,) = settle([fought], Settling())
    assert settled == []
    assert conflict.to_dict()["decisions"]["ann"] == {
        "decision": "new",
        "errors": ["It is wrong."],
    }


def test_half_is_no_majority_and_who_did_not_decide_settles_nothing() -> None:
    tie = task(1, ann="new", bo="none")
    assert len(settle([tie], Settling(majority=True))[1]) == 1
    others = [tie, task(2, cy="new")]
    assert [each.task for each in settle(others, Settling("cy"))[1]] == [tie]


def test_other_words_for_a_new_error_are_a_conflict() -> None:
    one, other = task(1, "It is red.", ann="new"), task(1, "It is not blue.", bo="new")
    both = Task("example 1", "i1", "", decisions=(*one.decisions, *other.decisions))
    assert len(settle([both], Settling())[1]) == 1
    ((_, decision),), _ = settle([both], Settling("bo"))
    assert decision.errors[0].unit.text == "It is not blue."


def test_preferred_annotator_must_be_one_of_them() -> None:
    with pytest.raises(InputError, match=r"unknown annotator 'an'. Did you mean 'ann'"):
        settle([task(1, ann="new")], Settling("an"))
    with pytest.raises(InputError, match="either one annotator is preferred, or the majority"):
        Settling("ann", majority=True)
