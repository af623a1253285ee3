"""All sentences in one call: `judge-gray7:batch` and `judge-finesure`."""

import json
from dataclasses import replace
from math import log
from typing import Any

import pytest

from assay.core.decision import Answers
from assay.core.examples import Example
from assay.core.texts import Response, Span
from assay.core.units import Unit
from assay.detectors.judges.settling import ANSWERS
from assay.llm.client import CallError, Line, Reply, Request, Token, Usage
from tests.detectors.judges.scripts import MILL, RESPONSE, Heard, asked, echo, entries, hear

BATCH = "judge-gray7:batch"
FACT, ENTAILED = [*ANSWERS][:2]
GOOD = entries("explicitly-supported", "fabricated", "no-fact")


def said(*records: dict[str, Any]) -> Heard:
    return hear(BATCH, lambda _: json.dumps({"sentences": records}))


def entry(number: object, label: object = "no-fact") -> dict[str, Any]:
    return {"number": number, "reason": "So.", "evidence": [], "label": label}


def test_one_call_labels_all_sentences() -> None:
    heard = hear(BATCH, [GOOD])
    assert heard.labels == ["explicitly-supported", "fabricated", "no-fact"]
    assert heard.findings[1].text == "It was arson."
    assert heard.verdict(1).note == "Entry 2."


def test_schema_of_the_same_question_is_the_same_object() -> None:
    first, second = (hear(BATCH, [GOOD]).requests[0].schema for _ in range(2))
    assert first is second
    assert hear("judge-finesure", echo).requests[0].schema != first


def test_finesure_names_the_kind_of_error() -> None:
    heard = hear("judge-finesure", [entries("no-error", "Out of context", "no-error")])
    assert heard.labels == ["no-error", "out-of-context", "no-error"]


def test_order_of_the_entries_does_not_matter() -> None:
    heard = said(entry(3, "no-fact"), entry("1", "ambiguous"), entry(2, "fabricated"))
    assert heard.labels == ["ambiguous", "fabricated", "no-fact"]


def test_sentence_without_an_entry_fails_alone() -> None:
    heard = said(entry(1), entry(3))
    assert heard.labels == ["no-fact", "failed: missing", "no-fact"]
    assert heard.failure(1).detail == "the reply has no entry for sentence 2"
    assert '"number": 3' in heard.failure(1).raw


def test_sentence_with_two_different_entries_fails_alone() -> None:
    heard = said(entry(1), entry(2, "fabricated"), entry(2, "ambiguous"), entry(3))
    assert heard.labels == ["no-fact", "failed: parse", "no-fact"]
    detail = "the reply has different entries for sentence 2: fabricated, ambiguous"
    assert heard.failure(1).detail == detail


def test_sentence_with_two_equal_entries_is_judged() -> None:
    assert said(entry(1), entry(2), entry(2), entry(3)).labels == ["no-fact"] * 3


def test_label_off_the_menu_fails_alone() -> None:
    heard = said(entry(1), entry(2, "wrong"), entry(3))
    assert heard.labels == ["no-fact", "failed: off_menu", "no-fact"]
    assert "sentence 2: 'label' is 'wrong', not one of" in heard.failure(1).detail


@pytest.mark.parametrize("number", [0, 4, -1, 2.5, "two", None, True])
def test_entry_about_no_sentence_of_the_list_is_left_out(number: object) -> None:
    heard = said(entry(1), entry(number, "fabricated"), entry(3))
    assert heard.labels == ["no-fact", "failed: missing", "no-fact"]


@pytest.mark.parametrize("records", [[], [entry(7)], [entry(1, "wrong"), entry(2, None)]])
def test_reply_without_any_use_is_asked_for_again(records: list[dict[str, Any]]) -> None:
    heard = hear(BATCH, [json.dumps({"sentences": records}), GOOD])
    assert heard.labels == ["explicitly-supported", "fabricated", "no-fact"]
    assert '"number": whole number, "reason"' in heard.requests[1].messages[-1].content


def torn(number: int) -> dict[str, Any]:
    return entry(number, "fabricated") | {FACT: "yes", ENTAILED: "yes"}


def test_entries_whose_answers_contradict_the_label_are_asked_for_again() -> None:
    heard = hear(BATCH, [json.dumps({"sentences": [entry(1), torn(2), entry(3)]}), GOOD])
    assert heard.labels == ["explicitly-supported", "fabricated", "no-fact"]
    told = heard.requests[1].messages[-1].content
    assert told.startswith("Your reply needs a correction: sentence 2: fabricated means that ")
    assert '"number": whole number, "reason"' in told


def replies(*some: list[dict[str, Any]]) -> Heard:
    return hear(BATCH, [json.dumps({"sentences": records}) for records in some])


def test_only_entries_with_something_wrong_are_asked_for_again() -> None:
    heard = replies([entry(1, "wrong"), entry(2, "ambiguous")], [entry(1), entry(3, "fabricated")])
    assert heard.labels == ["no-fact", "ambiguous", "fabricated"]
    told = heard.requests[1].messages[-1].content
    assert "sentence 1: 'label' is 'wrong', not one of" in told
    assert "; the reply has no entry for sentence 3. Give these sentences again, and no" in told
    assert "and no others: 1, 3. Reply with JSON" in told


def test_entries_that_were_good_are_kept_whatever_the_second_reply_says_of_them() -> None:
    first = [torn(1), entry(2), entry(3, "ambiguous")]
    for second in ([entry(1)], [entry(1), torn(2)], [entry(1), entry(2, "wrong"), entry(4)]):
        assert replies(first, second).labels == ["no-fact", "no-fact", "ambiguous"]


def test_second_entry_of_equal_use_counts() -> None:
    heard = replies([torn(1), entry(2), entry(3)], [entry(1), entry(2, "ambiguous")])
    assert heard.labels == ["no-fact", "ambiguous", "no-fact"]


def test_second_reply_of_no_use_leaves_what_was_good_in_the_first() -> None:
    heard = replies([torn(1), entry(2, "wrong"), entry(3)], [entry(2, "bad")])
    assert heard.labels == ["fabricated", "failed: off_menu", "no-fact"]
    assert len(heard.requests) == 2


def test_confidence_of_an_entry_of_the_first_reply_is_kept() -> None:
    pieces = ['{"sentences": [{"number": 1, "label": "', "no-fact", '"}]}']
    tokens = tuple(Token(*each) for each in zip(pieces, map(log, (1, 0.8, 1)), strict=True))
    first = Reply("".join(pieces), Usage(1, 1), tokens=tokens)
    heard = hear(BATCH, [first, json.dumps({"sentences": [entry(2), entry(3)]})])
    assert heard.labels == ["no-fact"] * 3
    assert heard.verdict(0).confidence == pytest.approx(0.8)


def test_entry_that_goes_on_contradicting_itself_keeps_its_label_without_answers() -> None:
    heard = said(entry(1) | {FACT: "no"}, torn(2), entry(3))
    assert heard.labels == ["no-fact", "fabricated", "no-fact"]
    assert len(heard.requests) == 2
    assert heard.verdict(0).answers == Answers(states_fact=False)
    assert "answers to the tree's questions are left out" in heard.verdict(1).note
    assert heard.verdict(1).answers == Answers(True, entailed=False, contradicted=False)


def test_named_units_are_judged_in_view_of_the_whole_response() -> None:
    unit = Unit.at("sentence", Span.cut(RESPONSE, 30, 43, "response"), "s2")
    heard = hear(BATCH, [entries("fabricated")], replace(MILL, units=(unit,)))
    assert [each.unit for each in heard.findings] == [unit]
    shown = asked(heard.requests[0])
    assert RESPONSE in shown
    assert "\n1. It was arson.\n<<<END SENTENCES" in shown


def long_example(sentences: int) -> Example:
    return Example(
        "1", MILL.source, Response(" ".join(f"Fact {n} is so." for n in range(1, sentences + 1)))
    )


@pytest.mark.parametrize(("sentences", "calls"), [(25, [25]), (26, [25, 1]), (60, [25, 25, 10])])
def test_long_responses_are_asked_in_groups_of_25(sentences: int, calls: list[int]) -> None:
    heard = hear(BATCH, echo, long_example(sentences))
    assert [len(json.loads(r.example)["sentences"]) for r in heard.requests] == calls
    assert heard.findings[-1].text == f"Fact {sentences} is so."
    assert [r.reply_tokens for r in heard.requests] == [180 * count for count in calls]


def test_group_that_fails_leaves_the_others_alone() -> None:
    def stumble(request: Request) -> Line:
        return CallError("transport", "reset") if "\n26. " in asked(request) else request.example

    heard = hear(BATCH, stumble, long_example(30))
    assert heard.labels == ["explicitly-supported"] * 25 + ["failed: transport"] * 5


def cut_off(text: str) -> Reply:
    return Reply(text, Usage(1, 1), finish="length")


def test_reply_that_is_cut_off_is_asked_for_in_halves() -> None:
    def answer(request: Request) -> Line:
        many = len(json.loads(request.example)["sentences"]) > 3
        return cut_off('{"sentences": [{"number": 1, "rea') if many else request.example

    heard = hear(BATCH, answer, long_example(5))
    assert heard.labels == ["explicitly-supported"] * 5
    numbers = [
        [each["number"] for each in json.loads(r.example)["sentences"]] for r in heard.requests
    ]
    assert numbers == [[1, 2, 3, 4, 5], [1, 2, 3], [4, 5]]


@pytest.mark.parametrize(
    ("sentences", "text", "calls"),
    [(5, '{"sentences": [{', 3), (5, "<think>Is it so", 1), (1, '{"sentences": [{', 1)],
)
def test_halves_are_asked_once_and_only_where_the_reply_had_begun(
    sentences: int, text: str, calls: int
) -> None:
    heard = hear(BATCH, lambda _: cut_off(text), long_example(sentences))
    assert len(heard.requests) == calls
    assert heard.labels == ["failed: truncated"] * sentences


def test_sentence_cannot_forge_the_number_of_another() -> None:
    text = "One.\n2. Two is fine.\n"
    units = (Unit("s1", "sentence", text), Unit("s2", "sentence", "Three."))
    heard = hear(BATCH, echo, Example("1", MILL.source, Response(text + "Three."), units=units))
    assert "\n1. One. 2. Two is fine.\n2. Three.\n" in asked(heard.requests[0])


def test_confidence_of_an_entry_is_that_of_its_own_label() -> None:
    first, second = (json.dumps(entry(n)) for n in (1, 2))
    cut = first.index("no-fact")
    pieces = [
        '{"sentences": [',
        first[:cut],
        "no-fact",
        first[cut + 7 :],
        ", ",
        second[:cut],
        "no-fact",
        second[cut + 7 :],
        "]}",
    ]
    chances = [1, 1, 0.8, 1, 1, 1, 0.6, 1, 1]
    tokens = tuple(Token(*each) for each in zip(pieces, map(log, chances), strict=True))
    units = (Unit("s1", "sentence", "A."), Unit("s2", "sentence", "B."))
    example = replace(MILL, units=units)
    heard = hear(BATCH, [Reply("".join(pieces), Usage(1, 1), tokens=tokens)], example)
    assert [heard.verdict(n).confidence for n in (0, 1)] == pytest.approx([0.8, 0.6])
