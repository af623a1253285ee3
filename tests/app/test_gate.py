"""When a check fails."""

from dataclasses import replace
from itertools import product

import pytest

from assay.app.gate import Gate, make_gate, share_of
from assay.core.errors import InputError, UnknownNameError
from assay.core.examples import Example
from assay.core.judgements import Author, Judgement
from assay.core.labels import Label
from assay.core.results import Result
from assay.core.taxonomies import BINARY, FAITHBENCH, GRAY7
from assay.core.texts import Response, Source
from assay.core.units import Unit, UnitKind, unit_id
from assay.core.verdicts import Attributes, Failure, Outcome, Verdict

EXAMPLE = Example("1", Source("a"), Response("b"))


def judged(units: tuple[Unit, ...], *outcomes: Outcome) -> Result:
    return Result(EXAMPLE, Judgement("1", Author("d"), units, outcomes))


def labelled(*said: tuple[Label | None, float | None], kind: UnitKind = "sentence") -> Result:
    ids = [unit_id(kind, number) for number in range(1, len(said) + 1)]
    verdicts = (Verdict(id, *each) for id, each in zip(ids, said, strict=True))
    return judged(tuple(Unit(id, kind, "b") for id in ids), *verdicts)


def result(*verdicts: tuple[str, float | None], kind: UnitKind = "sentence") -> Result:
    return labelled(*((GRAY7[name], score) for name, score in verdicts), kind=kind)


@pytest.mark.parametrize(("score", "failed"), [(0.49, True), (0.5, False), (0.9, False)])
def test_response_that_scores_under_the_bound_fails(score: float, failed: bool) -> None:
    gate = make_gate(0.5, [], GRAY7)
    gate.add(result(("implicitly-supported", score), ("explicitly-supported", 1.0)))
    assert gate.failed is failed


def test_response_is_held_to_its_worst_sentence_and_counted_once() -> None:
    gate = make_gate(0.5, [], GRAY7)
    gate.add(result(("fabricated", 0.1), ("fabricated", 0.2)))
    assert gate.low_scores == 1
    assert str(gate) == "1 response below 0.5"


def test_sentences_with_an_unwanted_label_are_counted() -> None:
    gate = make_gate(None, ["fabricated"], GRAY7)
    gate.add(result(("fabricated", None), ("fabricated", None), ("no-fact", None)))
    assert (gate.failed, gate.bad_labels) == (True, {"fabricated": 2})


def test_label_of_the_same_name_in_another_taxonomy_breaks_no_rule() -> None:
    other = Label("another", "unfaithful", "", rank=0, coarse="unfaithful")
    gate = make_gate(None, ["unfaithful"], BINARY)
    gate.add(labelled((other, None)))
    assert not gate.failed
    gate.add(labelled((BINARY["unfaithful"], None)))
    assert gate.failed


def test_what_breaks_a_rule_is_called_what_it_is() -> None:
    gate = make_gate(None, ["unfaithful"], GRAY7)
    gate.add(result(("fabricated", None), ("contradicting", None), kind="inconsistency"))
    assert str(gate) == "2 inconsistencies labelled contradicting or fabricated"


def test_coarse_name_stands_for_all_its_labels() -> None:
    gate = make_gate(None, ["unfaithful", "out-dependent"], GRAY7)
    assert gate.fail_on == {"contradicting", "fabricated", "out-dependent"}
    assert len(make_gate(None, ["not-sure"], FAITHBENCH).fail_on) == 2


@pytest.mark.parametrize("name", [name for name in GRAY7.names if name != "no-fact"])
def test_response_without_a_score_is_told_apart_from_a_good_one(name: str) -> None:
    gate = make_gate(0.5, [], GRAY7)
    gate.add(result((name, None)))
    assert (gate.failed, gate.unscored) == (False, 1)
    assert str(gate) == "1 response without a score to compare"


def test_response_without_a_fact_or_a_verdict_needs_no_score() -> None:
    gate = make_gate(0.5, [], GRAY7)
    gate.add(result(("no-fact", None)))
    gate.add(judged((Unit("s1", "sentence", "b"),), Failure("s1", "parse")))
    assert (gate.failed, gate.unscored, str(gate)) == (False, 0, "")


def test_without_a_bound_no_score_is_missed() -> None:
    gate = make_gate(None, ["fabricated"], GRAY7)
    gate.add(result(("ambiguous", None)))
    assert gate.unscored == 0


def test_unknown_label_raises_with_labels_and_coarse_names() -> None:
    with pytest.raises(UnknownNameError, match=r"Did you mean 'unfaithful'.*not-sure") as error:
        make_gate(None, ["unfaithfull"], GRAY7)
    assert error.value.field == "fail_on"


def share(*readings: str, most: str = "10%") -> Gate:
    """A gate about the share, after responses of a faithful, an unfaithful or a failed sentence."""
    gate = make_gate(None, [], GRAY7)
    gate.max_unfaithful = share_of(most)
    said: dict[str, Outcome] = {
        "+": Verdict("s1", GRAY7["explicitly-supported"]),
        "-": Verdict("s1", GRAY7["fabricated"]),
        "?": Failure("s1", "parse"),
    }
    for each in readings:
        ids = [unit_id("sentence", number) for number in range(1, len(each) + 1)]
        outcomes = [replace(said[one], unit=id) for one, id in zip(each, ids, strict=True)]
        gate.add(judged(tuple(Unit(id, "sentence", "b") for id in ids), *outcomes))
    return gate


def test_responses_that_are_not_judged_in_full_make_the_share_no_larger() -> None:
    half_judged = ["+?"] * 45 + ["-?"] * 5
    gate = share(*["+"] * 45, *["-"] * 5, *half_judged)
    assert (gate.failed, gate.judged) == (False, 50)
    assert gate.share == (
        "5 of 50 responses unfaithful: 10.0%, 95 % interval 4.3% to 21.4%, at most 10% allowed, "
        "50 not judged in full left out (5 of them unfaithful all the same)"
    )


def test_with_nothing_judged_in_full_nobody_knows_the_share() -> None:
    gate = share("-?", "?")
    assert (gate.has_no_share, gate.end("complete").share_state) == (True, "unknown")


@pytest.mark.parametrize(("unfaithful", "failed"), [(7, False), (8, True)])
def test_share_is_compared_as_it_is_written(unfaithful: int, *, failed: bool) -> None:
    gate = share(*["-"] * unfaithful, *["+"] * (1000 - unfaithful), most="0.7%")
    assert gate.failed is failed
    assert "at most 0.7% allowed" in gate.share
    assert "at most 0.25% allowed" in share("+", most="0.0025").share


@pytest.mark.parametrize("text", ["500%", "-1", "nan", "inf", "5%%", "", "many"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"is no share; write it as in 5% or 0.05"):
        share_of(text)


def test_parts_of_sentences_break_no_rule_of_their_own() -> None:
    gate = make_gate(0.5, ["no-fact"], GRAY7)
    units = (Unit("s1", "sentence", "b"), Unit("s1.c1", "claim", "b", parent="s1"))
    sentence = Verdict("s1", GRAY7["explicitly-supported"], 0.9)
    gate.add(judged(units, sentence, Verdict("s1.c1", GRAY7["no-fact"], 0.1)))
    assert not gate.failed


def unsure(name: str) -> Result:
    verdict = Verdict("s1", GRAY7[name], 0.46, attributes=Attributes(unsure=True))
    return judged((Unit("s1", "sentence", "b"),), verdict)


@pytest.mark.parametrize("rule", ["unfaithful", "contradicting"])
def test_label_that_is_not_sure_breaks_no_rule_about_it_but_is_told(rule: str) -> None:
    gate = make_gate(None, [rule], GRAY7)
    gate.add(unsure("contradicting"))
    assert (gate.failed, gate.spared) == (False, 1)
    assert str(gate) == "1 sentence not counted, because the detector is not sure"


@pytest.mark.parametrize("label", ["contradicting", "implicitly-supported"])
def test_rule_about_what_is_not_sure_counts_it(label: str) -> None:
    gate = make_gate(None, ["unfaithful", "not-sure"], GRAY7)
    gate.add(unsure(label))
    assert (gate.bad_labels, gate.spared) == ({"not sure": 1}, 0)
    assert str(gate) == "1 sentence labelled not sure"


def test_faithful_label_that_is_not_sure_is_no_matter_of_a_rule_about_unfaithful_ones() -> None:
    gate = make_gate(None, ["unfaithful"], GRAY7)
    gate.add(unsure("implicitly-supported"))
    assert (gate.failed, gate.spared, str(gate)) == (False, 0, "")


def test_coarse_readings_of_results_agree_with_the_rules_that_name_them() -> None:
    verdicts: list[Outcome] = [Failure("s1", "parse"), Verdict("s1", score=0.4)]
    for label in GRAY7:
        verdicts += [Verdict("s1", label), Verdict("s1", label, attributes=Attributes(unsure=True))]
    units = (Unit("s1", "sentence", "b"), Unit("s2", "sentence", "b"))
    for first, second in product(verdicts, repeat=2):
        found = judged(units, first, replace(second, unit="s2"))
        unfaithful = make_gate(None, ["unfaithful"], GRAY7)
        either = make_gate(None, ["unfaithful", "not-sure"], GRAY7)
        for gate in (unfaithful, either):
            gate.add(found)
        assert unfaithful.failed is (found.coarse == "unfaithful")
        assert either.failed is (found.coarse in {"unfaithful", "not-sure"})


@pytest.mark.parametrize("rules", [["unfaithful"], ["unfaithful", "not-sure"], ["fabricated"]])
def test_gate_names_what_breaks_it_exactly_where_it_fails_and_counts_nothing(
    rules: list[str],
) -> None:
    for found in (*map(unsure, GRAY7.names), *(result((name, None)) for name in GRAY7.names)):
        gate, other = make_gate(None, rules, GRAY7), make_gate(None, rules, GRAY7)
        gate.add(found)
        assert gate.failed is (other.breaking(found) == found.counted)
        assert other == make_gate(None, rules, GRAY7)


def test_rule_about_scores_looks_at_scores_alone() -> None:
    gate = make_gate(0.5, [], GRAY7)
    gate.add(unsure("contradicting"))
    assert gate.low_scores == 1
