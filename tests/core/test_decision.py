"""VeriGray's decision tree (section 3 and figure 1), path by path and over all answers."""

import pytest

from assay.core.decision import Answers, Interpretation, Sense, decide, implied_answers
from assay.core.taxonomies import GRAY7
from tests.core.tree_answers import DENIED, FULL, SUPPORTED, all_answers, is_undecided


@pytest.mark.parametrize(
    ("label", "answers"), [*FULL.items(), ("ambiguous", Answers(True, several_readings=True))]
)
def test_each_path_of_the_tree_ends_in_its_label(label: str, answers: Answers) -> None:
    decision = decide(answers)
    assert decision.label.name == label
    assert decision.open == ()
    assert decision.explanation.endswith(f": {label}")


def test_only_an_open_fact_or_entailment_leaves_the_label_undecided() -> None:
    for answers in all_answers(True, False, None):
        needs_entailment = answers.states_fact and not answers.several_readings
        is_open = answers.states_fact is None or (needs_entailment and answers.entailed is None)
        assert is_undecided(answers) is bool(is_open), answers


def test_what_nobody_looked_up_is_not_implied_by_fabricated() -> None:
    assert implied_answers(GRAY7["fabricated"]).entailed_with_knowledge is None
    assert implied_answers(GRAY7["out-dependent"]).entailed_with_knowledge is True


def test_readings_with_different_labels_are_ambiguous_and_all_are_kept() -> None:
    readings = (Sense("the bank of a river", SUPPORTED), Sense("a money house", DENIED))
    decision = decide(Answers(True, True, senses=readings))
    assert decision.label == GRAY7["ambiguous"]
    assert decision.interpretations == (
        Interpretation(GRAY7["explicitly-supported"], "the bank of a river"),
        Interpretation(GRAY7["contradicting"], "a money house"),
    )


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
