"""The styles that ask once: what a list becomes, and what is no list."""

from typing import Any

import pytest

from assay.core.examples import Example
from assay.core.judgements import Finding
from assay.core.spans import Span
from assay.core.texts import Response, Source
from tests.detectors.localize.scripts import AGE, DAY, RESPONSE, hear, listed


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


def test_reasoning_is_the_note_of_the_response() -> None:
    heard = hear("localize-cot", [listed(AGE, reasoning="The ages:\n one is 38.")])
    assert heard.verdict(0).note == "1 inconsistency found. The ages: one is 38."


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
    ("entry", "reason", "detail"),
    [
        ({**AGE, "category": "lie"}, "off_menu", "'lie'"),
        ({**AGE, "description": " "}, "parse", "description of inconsistency 1 is empty"),
        ({**AGE, "description": None}, "parse", "inconsistencies[0].description"),
        ({"quotes": ["both 39"]}, "parse", "'inconsistencies[0].description' is missing"),
        ("The age is wrong.", "parse", "inconsistencies[0]"),
    ],
)
def test_entry_that_cannot_be_read_is_asked_for_once_more_and_then_a_failure(
    entry: Any, reason: str, detail: str
) -> None:
    bad = listed(entry)
    heard = hear("localize-cot", [bad, bad])
    assert heard.labels == [f"failed: {reason}"]
    assert detail in heard.failure().detail
    assert heard.failure().raw == bad
    assert len(heard.requests) == 2
    assert '"category": "extrinsic-wrong" |' in heard.requests[1].messages[-1].content


def test_reply_that_is_fixed_counts() -> None:
    heard = hear("localize-cot", [listed({**AGE, "category": "lie"}), listed(AGE)])
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
