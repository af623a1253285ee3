"""VeriGray's decision tree (section 3 and figure 1), path by path and over all answers."""

from collections.abc import Iterator
from itertools import product

import pytest

from assay.core.decision import (
    QUESTIONS,
    Answers,
    Interpretation,
    Sense,
    contradictions,
    decide,
)
from assay.core.errors import UndecidedError
from assay.core.taxonomies import GRAY7

SUPPORTED = Answers(True, False, entailed=True, explicit=True)
DENIED = Answers(True, False, entailed=False, contradicted=True)
INVENTED = Answers(True, False, False, False, False, False)


def all_answers(*choices: bool | None) -> Iterator[Answers]:
    six = product(choices, repeat=len(QUESTIONS))
    return (Answers(a, b, c, d, e, f) for a, b, c, d, e, f in six)


def is_possible(answers: Answers) -> bool:
    """Whether the answers can all hold, written down once more from the paper's definitions."""
    rest = [answers[question] for question in QUESTIONS if question != "states_fact"]
    return not (
        (answers.states_fact is False and any(rest))
        or (answers.entailed and answers.contradicted)
        or (answers.entailed is False and answers.explicit)
        or (answers.entailed and answers.entailed_with_knowledge is False)
        or (answers.contradicted and answers.entailed_with_knowledge)
    )


@pytest.mark.parametrize(
    ("label", "answers"),
    [
        ("no-fact", Answers(states_fact=False)),
        ("explicitly-supported", Answers(True, False, True, True, False, True)),
        ("implicitly-supported", Answers(True, False, True, False, False, True)),
        ("contradicting", Answers(True, False, False, False, True, False)),
        ("out-dependent", Answers(True, False, False, False, False, True)),
        ("fabricated", Answers(True, False, False, False, False, False)),
        ("ambiguous", Answers(True, several_readings=True)),
    ],
)
def test_each_path_of_the_tree_ends_in_its_label(label: str, answers: Answers) -> None:
    decision = decide(answers)
    assert decision.label.name == label
    assert decision.open == ()
    assert decision.explanation.endswith(f": {label}")


def is_undecided(answers: Answers) -> bool:
    try:
        decide(answers)
    except UndecidedError:
        return True
    return False


def test_only_an_open_fact_or_entailment_leaves_the_label_undecided() -> None:
    for answers in all_answers(True, False, None):
        needs_entailment = answers.states_fact and not answers.several_readings
        is_open = answers.states_fact is None or (needs_entailment and answers.entailed is None)
        assert is_undecided(answers) is bool(is_open), answers


def test_answers_agree_with_the_label_they_lead_to_exactly_if_all_can_hold() -> None:
    decided = [each for each in all_answers(True, False, None) if not is_undecided(each)]
    assert len(decided) == 432  # 243 without a fact; 81 with several readings; 2 * 2 * 27 others
    for answers in decided:
        found = contradictions(answers, decide(answers).label)
        assert (found == []) is is_possible(answers), answers


def test_full_answers_contradict_every_other_label() -> None:
    possible = [answers for answers in all_answers(True, False) if is_possible(answers)]
    assert len(possible) == 11  # hand count: 1 no-fact, 5 with one reading, 5 with several
    for answers in possible:
        chosen = decide(answers).label
        assert all(contradictions(answers, label) for label in GRAY7 if label != chosen)


@pytest.mark.parametrize(
    ("first", "second", "answers"),
    [
        ("entailed", "contradicted", Answers(True, entailed=True, contradicted=True)),
        ("entailed", "explicit", Answers(True, entailed=False, explicit=True)),
        (
            "entailed",
            "entailed_with_knowledge",
            Answers(True, entailed=True, entailed_with_knowledge=False),
        ),
        (
            "contradicted",
            "entailed_with_knowledge",
            Answers(True, entailed=False, contradicted=True, entailed_with_knowledge=True),
        ),
        ("states_fact", "several_readings", Answers(False, several_readings=True)),
        ("states_fact", "entailed", Answers(False, entailed=True)),
        ("states_fact", "explicit", Answers(False, explicit=True)),
        ("states_fact", "contradicted", Answers(False, contradicted=True)),
        ("states_fact", "entailed_with_knowledge", Answers(False, entailed_with_knowledge=True)),
    ],
)
def test_two_answers_that_cannot_both_hold_are_reported(
    first: str, second: str, answers: Answers
) -> None:
    found = contradictions(answers, decide(answers).label)
    assert (first, second) in [each.questions for each in found]
    assert all(" yet " in each.message for each in found if len(each.questions) == 2)


@pytest.mark.parametrize("label", list(GRAY7), ids=str)
def test_open_questions_contradict_no_label(label: object) -> None:
    chosen = GRAY7[str(label)]
    assert contradictions(Answers(), chosen) == []


def test_contradiction_says_what_the_label_needs_and_what_was_answered() -> None:
    (found,) = contradictions(Answers(entailed=False), GRAY7["explicitly-supported"])
    assert found.questions == ("entailed",)
    assert found.message == (
        "explicitly-supported needs that the source entails it, but the source does not entail it"
    )


def test_readings_with_different_labels_are_ambiguous_and_all_are_kept() -> None:
    readings = (Sense("the bank of a river", SUPPORTED), Sense("a money house", DENIED))
    decision = decide(Answers(True, True, senses=readings))
    assert decision.label == GRAY7["ambiguous"]
    assert decision.interpretations == (
        Interpretation(GRAY7["explicitly-supported"], "the bank of a river"),
        Interpretation(GRAY7["contradicting"], "a money house"),
    )


def test_readings_with_the_same_label_have_that_label() -> None:
    readings = (Sense("one", DENIED), Sense("two", DENIED))
    answers = Answers(True, senses=readings)
    assert decide(answers).label == GRAY7["contradicting"]
    assert len(decide(answers).interpretations) == 2
    assert contradictions(answers, GRAY7["contradicting"]) == []
    assert contradictions(answers, GRAY7["ambiguous"])


def test_reading_may_have_readings_of_its_own() -> None:
    inner = Answers(True, True, senses=(Sense("a", SUPPORTED), Sense("b", DENIED)))
    answers = Answers(True, True, senses=(Sense("outer", inner), Sense("other", INVENTED)))
    assert decide(answers).label == GRAY7["ambiguous"]
    assert contradictions(answers, GRAY7["ambiguous"]) == []


def test_undecided_reading_raises_in_decide_and_contradicts_nothing() -> None:
    answers = Answers(True, True, senses=(Sense("unclear", Answers()),))
    with pytest.raises(UndecidedError, match="Does the sentence state a fact"):
        decide(answers)
    assert contradictions(answers, GRAY7["fabricated"]) == []


def test_contradiction_inside_a_reading_is_reported_with_its_meaning() -> None:
    torn = Answers(True, entailed=True, contradicted=True)
    answers = Answers(True, True, senses=(Sense("as a joke", torn),))
    (found,) = contradictions(answers, GRAY7["implicitly-supported"])
    assert found.questions == ("entailed", "contradicted")
    assert found.message.startswith("in the reading 'as a joke', ")


def test_listed_readings_against_one_reading_are_reported() -> None:
    answers = Answers(True, False, senses=(Sense("one", SUPPORTED),))
    found = contradictions(answers, GRAY7["explicitly-supported"])
    assert [each.questions for each in found] == [("several_readings",)]


def test_ambiguous_needs_several_readings() -> None:
    found = contradictions(Answers(True, several_readings=False), GRAY7["ambiguous"])
    assert [each.questions for each in found] == [("several_readings",)]


def test_open_questions_on_the_way_are_listed_and_explained() -> None:
    decision = decide(Answers(True, entailed=False))
    assert decision.label == GRAY7["fabricated"]
    assert decision.open == ("contradicted", "entailed_with_knowledge", "several_readings")
    assert decision.explanation == (
        "it states a fact; the source does not entail it: fabricated "
        "(not asked: contradicted, entailed with knowledge, several readings)"
    )


def test_open_questions_of_all_readings_are_listed_once() -> None:
    open_reading = Answers(True, False, entailed=True)
    readings = (Sense("a", open_reading), Sense("b", open_reading), Sense("c", DENIED))
    assert decide(Answers(True, True, senses=readings)).open == ("explicit",)
