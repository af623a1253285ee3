"""Labels against answers and evidence: what VeriGray's annotation tool accepts (section 4.2)."""

from dataclasses import replace

import pytest

from assay.core.consistency import Cited, contradictions
from assay.core.decision import Answers, Sense, decide, implied_answers
from assay.core.errors import InputError, UndecidedError
from assay.core.taxonomies import GRAY7, NLI
from tests.core.tree_answers import (
    DENIED,
    FULL,
    INVENTED,
    SUPPORTED,
    all_answers,
    is_possible,
    is_undecided,
)

NEEDY = ("out-dependent", "ambiguous")  # these rest on a yes


def test_answers_agree_with_the_label_they_lead_to_exactly_if_all_can_hold() -> None:
    decided = [each for each in all_answers(True, False, None) if not is_undecided(each)]
    assert len(decided) == 432  # 243 without a fact; 81 with several readings; 2 * 2 * 27 others
    for answers in decided:
        found = contradictions(answers, decide(answers).label)
        lists_none = bool(answers.states_fact and answers.several_readings)  # and says several
        assert (found == []) is (is_possible(answers) and not lists_none), answers


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


def test_two_readings_that_state_nothing_make_a_sentence_without_a_fact() -> None:
    nothing = (Sense("a wish", Answers(False)), Sense("a heading", Answers(False)))
    answers = Answers(True, True, senses=nothing)
    assert decide(answers).label == "no-fact"
    assert contradictions(answers, GRAY7["no-fact"]) == []
    assert contradictions(answers, GRAY7["no-fact"], strict=True) == []
    assert contradictions(answers, GRAY7["fabricated"])


@pytest.mark.parametrize("name", [name for name in GRAY7.names if name not in NEEDY])
def test_open_questions_contradict_no_label_that_needs_no_yes(name: str) -> None:
    assert contradictions(Answers(), GRAY7[name]) == []


def test_out_dependent_needs_an_answer_about_outside_knowledge() -> None:
    answers = Answers(True, False, entailed=False, contradicted=False)
    (found,) = contradictions(answers, GRAY7["out-dependent"])
    assert found.questions == ("entailed_with_knowledge",)
    assert found.message == (
        "out-dependent means that the source and outside knowledge together entail it, "
        "but that question is open"
    )
    assert found.missing == "answer"
    assert contradictions(answers, GRAY7["fabricated"]) == []


@pytest.mark.parametrize(
    ("answers", "listed"),
    [
        (Answers(), "none is"),
        (Answers(True, True), "none is"),
        (Answers(True, True, senses=(Sense("one", SUPPORTED),)), "one is"),
    ],
)
def test_ambiguous_needs_two_readings(answers: Answers, listed: str) -> None:
    (found,) = contradictions(answers, GRAY7["ambiguous"])
    assert found.questions == ("several_readings",)
    assert found.message == (
        f"ambiguous needs at least two readings with different labels, but {listed} listed"
    )


@pytest.mark.parametrize("name", [name for name in GRAY7.names if name != "ambiguous"])
def test_answers_that_a_label_implies_lead_back_to_it(name: str) -> None:
    answers = implied_answers(GRAY7[name])
    assert decide(answers).label == GRAY7[name]
    assert contradictions(answers, GRAY7[name]) == []


def test_strict_check_wants_every_question_on_the_way_answered() -> None:
    found = contradictions(Answers(True, entailed=False), GRAY7["fabricated"], strict=True)
    assert [each.questions for each in found] == [
        ("contradicted",),
        ("entailed_with_knowledge",),
        ("several_readings",),
    ]
    assert contradictions(INVENTED, GRAY7["fabricated"], strict=True) == []
    assert contradictions(Answers(False), GRAY7["no-fact"], strict=True) == []


def test_strict_check_looks_into_readings() -> None:
    torn = Answers(True, True, senses=(Sense("one", DENIED), Sense("two", INVENTED)))
    assert contradictions(torn, GRAY7["ambiguous"], strict=True) == []
    vague = replace(INVENTED, entailed_with_knowledge=None)
    half = replace(torn, senses=(Sense("one", DENIED), Sense("two", vague)))
    assert contradictions(half, GRAY7["ambiguous"]) == []
    (found,) = contradictions(half, GRAY7["ambiguous"], strict=True)
    assert found.questions == ("entailed_with_knowledge",)
    assert found.message.startswith("in the reading 'two', fabricated means")
    unclear = replace(torn, senses=(Sense("one", DENIED), Sense("two", Answers())))
    (found,) = contradictions(unclear, GRAY7["ambiguous"], strict=True)
    assert found.message.startswith("'two' has no label without an answer to")


@pytest.mark.parametrize(
    ("label", "cited", "strict", "missing"),
    [
        ("out-dependent", Cited(), False, ["external"]),
        ("out-dependent", Cited(source=True, reason=True), False, ["external"]),
        ("out-dependent", Cited(external=True), True, []),
        ("fabricated", Cited(external=True), False, ["source"]),
        ("fabricated", Cited(reason=True), False, []),
        ("contradicting", Cited(source=True), False, []),
        ("contradicting", Cited(source=True), True, ["reason"]),
        ("fabricated", Cited(reason=True), True, ["source"]),
        ("fabricated", Cited(), True, ["source", "reason"]),
        ("contradicting", Cited(source=True, reason=True), True, []),
        ("explicitly-supported", Cited(), True, []),
        ("no-fact", Cited(), True, []),
    ],
)
def test_evidence_that_a_label_needs_is_checked_where_it_is_told(
    label: str, cited: Cited, strict: bool, missing: list[str]
) -> None:
    answers = FULL[label]
    found = contradictions(answers, GRAY7[label], cited=cited, strict=strict)
    assert [each.missing for each in found] == missing
    assert contradictions(answers, GRAY7[label], strict=strict) == []


def test_contradiction_says_what_the_label_needs_and_what_was_answered() -> None:
    (found,) = contradictions(Answers(entailed=False), GRAY7["explicitly-supported"])
    assert found.questions == ("entailed",)
    assert found.message == (
        "explicitly-supported means that the source entails it, but the answer is that the source "
        "does not entail it"
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


def test_label_of_another_menu_is_refused() -> None:
    with pytest.raises(InputError, match="about gray7 labels, not nli"):
        contradictions(Answers(), NLI["neutral"])
