"""The styles that ask once: what a list becomes, and what is no list."""

import json
from dataclasses import replace
from typing import Any

import pytest

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.taxonomies import FINAL4
from assay.core.texts import Response, Source, Span
from tests.detectors.localize.scripts import AGE, BOAT, DAY, RESPONSE, hear, listed


def spans_of(finding: Finding) -> list[str]:
    return [span.text for span in finding.unit.spans]


def test_response_is_unfaithful_and_each_inconsistency_is_a_unit_of_its_own() -> None:
    heard = hear("localize-zero", [listed(AGE, DAY)])
    assert heard.labels == ["unfaithful", "unfaithful", "unfaithful"]
    assert [(each.id, each.kind) for each in heard.findings] == [
        ("response", "response"),
        ("i1", "inconsistency"),
        ("i2", "inconsistency"),
    ]
    assert {each.unit.parent for each in heard.findings} == {""}
    assert heard.verdict(0).note == "2 inconsistencies found."
    _, age, day = heard.findings
    assert (age.text, age.note) == (AGE["description"], "")
    error = heard.verdict(1).error
    assert error is not None
    assert (error.taxonomy, error.name) == ("final4", "intrinsic-alteration")
    assert [span.text for span in age.evidence] == ["Runa Dahl, 38"]
    assert spans_of(age) == ["both 39"]
    assert spans_of(day) == ["On 16 July", "reached the island"]
    assert all(span.verify(RESPONSE) == span for span in day.unit.spans)


def test_empty_list_is_a_faithful_response() -> None:
    heard = hear("localize-few", [listed()])
    assert heard.labels == ["faithful"]
    assert heard.verdict().note == "No inconsistency found."


@pytest.mark.parametrize(
    "end",
    [
        f"Final Output:\n{json.dumps([AGE])}",
        f"**Final Output:**\n```json\n{json.dumps([AGE])}\n```",
        f"Final Output: {listed(AGE)}",
        f"## FINAL OUTPUT\n\n{json.dumps(AGE)}",
        f"```json\n{json.dumps([AGE])}\n```",  # the marker is forgotten
        listed(AGE),
    ],
)
def test_free_reasoning_comes_first_and_is_the_note_of_the_response(end: str) -> None:
    heard = hear("localize-cot", [f"The ages:\n one is 38 {{not 39}}.\n\n{end}"])
    assert heard.verdict(0).note == "1 inconsistency found. The ages: one is 38 {not 39}."
    assert [span.text for span in heard.findings[1].unit.spans] == ["both 39"]
    assert heard.requests[0].schema is None


def test_reasoning_in_json_is_read_as_well() -> None:
    heard = hear("localize-cot", [listed(AGE, reasoning="The ages:\n one is 38.")])
    assert heard.verdict(0).note == "1 inconsistency found. The ages: one is 38."


@pytest.mark.parametrize(
    "end",
    [
        "[]",
        "None",
        "None.",
        "No inconsistencies.",
        '{"inconsistencies": []}',
        "[]\n\nThe response is fully supported.",
        "```json\n[]\n```\nAll of it is there.",
    ],
)
def test_reasoning_can_end_in_nothing(end: str) -> None:
    heard = hear("localize-cot", [f"- The day fits.\n- The ages fit.\n\nFinal Output:\n{end}"])
    assert heard.labels == ["faithful"]
    assert heard.verdict().note.startswith("No inconsistency found. - The day fits.")


@pytest.mark.parametrize("line", ["Final Output: None", "Final Output: []"])
@pytest.mark.parametrize("mark", ["", "> ", '"'])
@pytest.mark.parametrize("after", ["", "\nwhich I ignored."])
def test_output_that_the_response_contains_turns_no_verdict_round(
    line: str, mark: str, after: str
) -> None:
    example = replace(BOAT, response=Response(f"{RESPONSE}\n{line}"))
    note = f"Note that the response itself contains the line\n{mark}{line}{after}"
    for found in (json.dumps([AGE]), f"A. {AGE['description']}"):
        heard = hear("localize-cot", [f"Final Output:\n{found}\n\n{note}"], example)
        assert heard.labels == ["unfaithful"] * 2
    assert hear("localize-cot", [note] * 2, example).labels == ["failed: parse"]


def test_empty_list_before_another_is_not_the_answer() -> None:
    reply = f"Final Output:\n[]\n\nNo, wait:\n{json.dumps([AGE])}"
    assert hear("localize-cot", [reply]).labels == ["unfaithful"] * 2


def test_lettered_list_below_the_marker_is_read_instead_of_json() -> None:
    reply = f"The ages differ.\nFinal Output:\nA. {AGE['description']}\nB. {DAY['description']}"
    heard = hear("localize-cot", [reply])
    assert [each.text for each in heard.findings[1:]] == [AGE["description"], DAY["description"]]
    assert heard.verdict(1).error is None


@pytest.mark.parametrize(
    "reply", ["- The day fits.\n- The age does not.", "The evidence is [], so the age is wrong."]
)
def test_reasoning_without_a_list_is_no_verdict(reply: str) -> None:
    heard = hear("localize-cot", [reply] * 2)
    assert heard.labels == ["failed: parse"]
    assert "Final Output:" in heard.requests[1].messages[-1].content


@pytest.mark.parametrize(
    "reply",
    [
        "[]",
        "```json\n[]\n```",
        '{"inconsistencies": null}',
        '{"inconsistencies": "None"}',
        "None",
        "None.",
        "No inconsistencies.",
        "There are no inconsistencies.",
    ],
)
def test_every_way_to_say_none_is_a_faithful_response(reply: str) -> None:
    heard = hear("localize-zero", [reply])
    assert (heard.labels, len(heard.requests)) == (["faithful"], 1)


@pytest.mark.parametrize(
    "reply", [json.dumps([AGE, DAY]), f"{json.dumps(AGE)}\n{json.dumps(DAY)}", listed(AGE, DAY)]
)
def test_list_may_come_without_the_object_around_it(reply: str) -> None:
    assert hear("localize-zero", [reply]).labels == ["unfaithful"] * 3


@pytest.mark.parametrize(
    ("quotes", "spans", "note"),
    [
        ([], [], "It names no words of the response."),
        (["", " "], [], "It names no words of the response."),
        (None, [], "It names no words of the response."),
        (["both forty"], [], "The words it quotes are not in the response."),
        (["both 39", "nowhere"], ["both 39"], "1 of its 2 quotes are not in the response."),
        ("both 39", ["both 39"], ""),
        (["BOTH  39,"], ["both 39"], ""),
        (["Berg, both", "both 39"], ["Berg, both 39"], ""),
        (["both ... reached"], ["both", "reached"], ""),
        (["ashore first", "On 16 July"], ["On 16 July", "ashore first"], ""),
    ],
)
def test_quoted_words_are_found_in_the_response_or_their_absence_is_told(
    quotes: Any, spans: list[str], note: str
) -> None:
    finding = hear("localize-zero", [listed({**AGE, "quotes": quotes})]).findings[1]
    assert (spans_of(finding), finding.note) == (spans, note)


def test_evidence_that_is_not_in_the_source_is_dropped_and_told() -> None:
    entry = {**AGE, "evidence": ["Runa Dahl, 38", "Dahl, who is 38"]}
    verdict = hear("localize-zero", [listed(entry)]).verdict(1)
    assert [span.text for span in verdict.evidence] == ["Runa Dahl, 38"]
    assert verdict.note == "1 quote is not in the source."


def test_entry_that_repeats_another_word_for_word_is_left_out_and_told() -> None:
    heard = hear("localize-zero", [listed(AGE, DAY, AGE)])
    assert [each.text for each in heard.findings[1:]] == [AGE["description"], DAY["description"]]
    assert [each.id for each in heard.findings] == ["response", "i1", "i2"]
    assert "1 of the model's entries repeat another" in heard.verdict(0).note


@pytest.mark.parametrize(
    ("category", "note"),
    [
        ("contradiction", "Its category is unknown: 'contradiction'."),
        (None, "It names no category."),
        ("", "It names no category."),
        (["intrinsic-alteration"], "It names no category."),
    ],
)
def test_entry_with_another_category_keeps_its_words_and_place(category: Any, note: str) -> None:
    heard = hear("localize-zero", [listed(DAY, {**AGE, "category": category})])
    assert heard.labels == ["unfaithful"] * 3
    assert (heard.verdict(1).error, heard.verdict(2).error) == (
        FINAL4["intrinsic-composition"],
        None,
    )
    assert spans_of(heard.findings[2]) == ["both 39"]
    assert heard.findings[2].note == note


def test_category_may_be_missing() -> None:
    bare = {name: value for name, value in AGE.items() if name != "category"}
    heard = hear("localize-zero", [listed(bare)])
    assert (heard.verdict(1).error, heard.findings[1].note) == (None, "It names no category.")


@pytest.mark.parametrize(
    "bad", [{**AGE, "description": " "}, {**AGE, "description": None}, {"quotes": ["x"]}, 3, None]
)
def test_bad_entry_is_dropped_and_counted_and_the_others_stay(bad: Any) -> None:
    heard = hear("localize-zero", [listed(AGE, bad, DAY)])
    assert [each.text for each in heard.findings[1:]] == [AGE["description"], DAY["description"]]
    assert (
        heard.verdict(0).note == "2 inconsistencies found. 1 entry of the reply could not be read."
    )


def test_entry_of_words_alone_describes_an_error_without_a_place() -> None:
    heard = hear("localize-zero", [json.dumps({"inconsistencies": ["The age is wrong."]})])
    assert (heard.findings[1].text, heard.findings[1].unit.spans) == ("The age is wrong.", ())


@pytest.mark.parametrize("bad", [{**AGE, "description": " "}, {"quotes": ["both 39"]}, 3])
def test_list_without_any_readable_entry_is_asked_for_once_more_and_then_a_failure(
    bad: Any,
) -> None:
    heard = hear("localize-zero", [listed(bad), listed(bad)])
    assert heard.labels == ["failed: parse"]
    assert "no entry of the list has a description" in heard.failure().detail
    assert heard.failure().raw == listed(bad)
    assert '"category": "extrinsic-wrong" |' in heard.requests[1].messages[-1].content


def test_reply_that_is_fixed_counts() -> None:
    heard = hear("localize-cot", ["Hm.", listed(AGE)])
    assert heard.labels == ["unfaithful", "unfaithful"]


def test_list_that_only_stands_in_the_material_is_not_the_answer() -> None:
    example = Example("1", Source(f"Nothing is wrong. {listed()}"), Response("It rains."))
    heard = hear("localize-zero", [f"The source says {listed()}"] * 2, example)
    assert heard.labels == ["failed: parse"]


def test_repeated_words_are_marked_where_they_first_stand() -> None:
    example = Example("1", Source("It is dry."), Response("Rain fell. Rain fell again."))
    entry = {**AGE, "quotes": ["Rain fell"]}
    finding = hear("localize-zero", [listed(entry)], example).findings[1]
    assert finding.unit.spans == (Span("response", 0, 9, "Rain fell"),)


@pytest.mark.parametrize("piece", ["Final Output:", "A. ", "{", "[", "`", "- x\n", "None ", '"'])
def test_hostile_reply_is_read_in_no_time(piece: str) -> None:
    heard = hear(
        "localize-cot", [piece * (100_000 // len(piece)) + f"\nFinal Output:\n{listed(AGE)}"]
    )
    assert heard.labels[0] in ("unfaithful", "failed: parse")
