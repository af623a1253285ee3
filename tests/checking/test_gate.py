"""When a check fails."""

import pytest

from assay.checking import Checked
from assay.checking.gate import make_gate
from assay.core import Example, Judgement, Response, Source, Unit, UnknownNameError, Verdict
from assay.core.taxonomies import FAITHBENCH, GRAY7


def checked(*verdicts: tuple[str, float | None]) -> Checked:
    example = Example("1", Source("a"), Response("b"))
    units = (Verdict(Unit("sentence", "b"), GRAY7[name], score) for name, score in verdicts)
    return Checked(Judgement(example, tuple(units), characters_read=1))


@pytest.mark.parametrize(("score", "failed"), [(0.49, True), (0.5, False), (0.9, False)])
def test_response_that_scores_under_the_bound_fails(score: float, failed: bool) -> None:
    gate = make_gate(0.5, [], GRAY7)
    gate.add(checked(("implicitly-supported", score), ("explicitly-supported", 1.0)))
    assert gate.failed is failed


def test_response_is_held_to_its_worst_sentence_and_counted_once() -> None:
    gate = make_gate(0.5, [], GRAY7)
    gate.add(checked(("fabricated", 0.1), ("fabricated", 0.2)))
    assert gate.low_scores == 1
    assert str(gate) == "1 responses that score under 0.5"


def test_sentences_with_an_unwanted_label_are_counted() -> None:
    gate = make_gate(None, ["fabricated"], GRAY7)
    gate.add(checked(("fabricated", None), ("fabricated", None), ("no-fact", None)))
    assert (gate.failed, gate.bad_labels) == (True, {"fabricated": 2})


def test_what_breaks_a_rule_is_called_what_it_is() -> None:
    gate = make_gate(None, ["fabricated"], GRAY7)
    example = Example("1", Source("a"), Response("b"))
    verdict = Verdict(Unit("claim", "b"), GRAY7["fabricated"])
    gate.add(Checked(Judgement(example, (verdict, verdict), characters_read=1)))
    assert str(gate) == "2 claims that are fabricated"


def test_coarse_name_stands_for_all_its_labels() -> None:
    gate = make_gate(None, ["unfaithful", "out-dependent"], GRAY7)
    assert {label.name for label in gate.fail_on} == {
        "contradicting",
        "fabricated",
        "out-dependent",
    }
    assert len(make_gate(None, ["not-sure"], FAITHBENCH).fail_on) == 2


def test_response_without_a_score_is_told_apart_from_a_good_one() -> None:
    gate = make_gate(0.5, [], GRAY7)
    gate.add(checked(("fabricated", None)))
    gate.add(checked(("no-fact", None)))
    assert (gate.failed, gate.unscored) == (False, 1)
    assert "without a score" in str(gate)


def test_unknown_label_raises_with_labels_and_coarse_names() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'unfaithful'.*not-sure"):
        make_gate(None, ["unfaithfull"], GRAY7)


def test_parts_of_sentences_break_no_rule_of_their_own() -> None:
    gate = make_gate(0.5, ["no-fact"], GRAY7)
    [sentence] = checked(("explicitly-supported", 0.9)).units
    part = Verdict(Unit("claim", "b"), GRAY7["no-fact"], 0.1)
    example = Example("1", Source("a"), Response("b"))
    gate.add(Checked(Judgement(example, (sentence, part), characters_read=1)))
    assert not gate.failed
