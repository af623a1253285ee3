"""Several annotators: agreement by hand arithmetic, and conflicts that somebody has to settle."""

from dataclasses import replace

import pytest

from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.taxonomies import BINARY, GRAY7
from assay.core.texts import Response, Source
from assay.core.units import RESPONSE, Unit
from assay.core.verdicts import Verdict
from assay.decisions.agreement import AnnotatorAgreement
from assay.decisions.proposals import DescribedError, PersonDecision, Proposal, Settling, settle
from assay.error_analysis.enrichment import Enriched, apply_tasks

UNFAITHFUL = BINARY["unfaithful"]


def task(number: int, text: str = "It is wrong.", id: str = "i1", **states: str) -> Proposal:
    """A proposal with what people decided about it."""
    example = Example(f"example {number}", Source("A source."), Response("A response."))
    verdict = Verdict(id, UNFAITHFUL)
    error = DescribedError(Unit(id, "inconsistency", text), verdict)
    decisions = tuple(
        PersonDecision(by, state, verdict, (error,) if state == "new" else ())
        for by, state in states.items()
    )
    unit = replace(error.unit, kind="response") if id == RESPONSE else error.unit
    return Proposal(Annotated(example), unit, UNFAITHFUL, decisions)


def explanation(number: int, **states: str) -> Proposal:
    """An explanation with what people decided about it."""
    return task(number, id=RESPONSE, **states)


def applied(*tasks: Proposal) -> Enriched:
    """What comes of tasks, of which only agreement and conflicts are looked at here."""
    return apply_tasks([], tasks)


def measure_agreement(tasks: list[Proposal]) -> AnnotatorAgreement | None:
    return applied(*tasks).agreement


def measure_explanation_agreement(tasks: list[Proposal]) -> AnnotatorAgreement | None:
    return applied(*tasks).explanation_agreement


# The first annotator finds six of ten true, the second five: known and new are the same answer.
PAIRS: list[tuple[str, str]] = [
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


def test_agreement_on_explanations_is_over_the_four_decisions() -> None:
    pairs: list[tuple[str, str]] = [
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
    first, second = settle([task(1, bo="new", ann="new"), task(2)], settling)
    assert first.decision is not None
    assert (first.decision.by, first.state) == ("bo", "new")
    assert (second.decision, second.state) == (None, "open")


def test_conflict_stays_one_until_somebody_says_who_counts() -> None:
    fought = task(1, ann="new", bo="none", cy="none")
    for settling, state in ((Settling("ann"), "new"), (Settling(majority=True), "none")):
        assert [each.state for each in settle([fought], settling)] == [state]
    (conflict,) = settle([fought], Settling())
    assert (conflict.decision, conflict.state) == (None, "conflict")
    (told,) = applied(fought).to_dict()["conflicts"]
    assert told["decisions"]["ann"] == {"decision": "new", "errors": ["It is wrong."]}
    assert (told["example"], told["task"], told["text"]) == ("example 1", "i1", "It is wrong.")


def test_half_is_no_majority_and_who_did_not_decide_settles_nothing() -> None:
    tie = task(1, ann="new", bo="none")
    assert [each.state for each in settle([tie], Settling(majority=True))] == ["conflict"]
    others = [tie, task(2, cy="new")]
    assert [each.state for each in settle(others, Settling("cy"))] == ["conflict", "new"]


def test_other_words_for_a_new_error_are_a_conflict() -> None:
    one, other = task(1, "It is red.", ann="new"), task(1, "It is not blue.", bo="new")
    both, twice = one.joined(other.decisions)
    assert twice == []
    assert [each.state for each in settle([both])] == ["conflict"]
    ((preferred),) = settle([both], Settling("bo"))
    assert preferred.decision is not None
    assert preferred.decision.errors[0].unit.text == "It is not blue."


def test_another_revised_label_is_a_conflict_and_a_label_that_stands_is_none() -> None:
    flag = task(1)
    said = {
        name: PersonDecision(name, "incorrect", Verdict("i1", GRAY7[label]))
        for name, label in (("ann", "fabricated"), ("bo", "contradicting"), ("cy", "fabricated"))
    }
    alike, _ = flag.joined([said["ann"], said["cy"]])
    fought, _ = flag.joined([said["ann"], said["bo"]])
    assert [each.state for each in settle([alike, fought])] == ["incorrect", "conflict"]
    _, twice = alike.joined([replace(said["bo"], by="ann")])
    assert twice == ["ann"]
    stands = [replace(each, state="ambiguous") for each in said.values()]
    assert [each.state for each in settle([flag.joined(stands)[0]])] == ["ambiguous"]


def test_person_who_decides_in_two_ways_is_named_and_the_first_way_stays() -> None:
    both, twice = task(1, ann="new", bo="none").joined(task(1, ann="none", bo="none").decisions)
    assert twice == ["ann"]
    assert [each.state for each in both.decisions] == ["new", "none"]


def test_preferred_annotator_must_be_one_of_them() -> None:
    with pytest.raises(InputError, match=r"unknown annotator 'an'. Did you mean 'ann'"):
        settle([task(1, ann="new")], Settling("an"))
    with pytest.raises(InputError, match="either one annotator is preferred, or the majority"):
        Settling("ann", majority=True)
