"""Claims and relations of a response, with exact places."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.units import Unit
from assay.text.discourse.outline import Outline, outline
from assay.text.discourse.relations import KINDS
from assay.text.sentences import find_sentences

WORDS = (
    *"because although if but so then however after before unless despite which said".split(),
    *("due to", "in order to", "as a result", "According to", "led to", "Ada", "the mayor"),
    *("it rained", "they left", "was seen", "promising", "mostly", ",", ".", ";", "“", "”", "\n- "),
    *("é", "İ", "😀", "中文", "\t", "’s", "1. ", "#"),
)
ANY = st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=25).map(" ".join)


def outlines(text: str) -> list[Outline]:
    return outline(find_sentences(text) if text.strip() else [])


def shown(text: str) -> list[tuple[list[str], list[str]]]:
    """The claims and the relations of each sentence."""
    return [
        ([claim.text for claim in each.claims], [link.relation.text for link in each.links])
        for each in outlines(text)
    ]


def test_claims_stand_alone_and_relations_say_what_they_link() -> None:
    assert shown("She retired after winning the race. He left due to heavy rain.") == [
        (
            ["She retired.", "She was winning the race."],
            ["temporal: She was winning the race → She retired (“after”)"],
        ),
        (
            ["He left.", "There was heavy rain."],
            ["cause: There was heavy rain → He left (“due to”)"],
        ),
    ]


def test_sentence_of_one_clause_is_its_own_claim() -> None:
    assert shown("The bridge opened in 1986.") == [(["The bridge opened in 1986."], [])]


def test_relation_across_sentences_links_the_main_claims() -> None:
    first, second = shown("The bridge fell because it was old. As a result, the road closed.")
    assert first[1] == ["cause: It was old → The bridge fell (“because”)"]
    assert second[1] == ["cause: The bridge fell → The road closed (“As a result”)"]


def test_opening_of_the_first_sentence_links_nothing() -> None:
    assert shown("However, the road closed.") == [(["The road closed."], [])]


def test_speaker_is_linked_with_what_is_said() -> None:
    [(claims, relations)] = shown("The mayor said that the road closed.")
    assert claims == ["The road closed."]
    assert relations == ["attribution: The mayor → The road closed (“The mayor said”)"]


def test_word_that_judges_is_an_evaluation_and_can_be_left_out() -> None:
    [found] = outlines("It was a truly impressive old bridge.")
    [link] = found.links
    assert link.name == "evaluation"
    assert link.statement == "It was an old bridge."


def test_each_link_of_several_has_a_statement_of_its_own() -> None:
    [found] = outlines("They left because it rained, but nobody minded.")
    statements = [link.statement for link in found.links]
    assert statements[0] == "They left because it rained."


INSIDE = {
    "cause": "They left because it rained.",
    "contrast": "Ada left, but Ben stayed.",
    "concession": "Although it rained, they left.",
    "condition": "If it rains, the match moves indoors.",
    "temporal": "They left after it had rained.",
    "purpose": "They left in order to save time.",
    "attribution": "Ada said that it had rained.",
    "evaluation": "It was an impressive match.",
    "elaboration": "They met the mayor, who opened the hall.",
}
ACROSS = {
    "cause": "Therefore",
    "contrast": "However",
    "concession": "Nevertheless",
    "condition": "In that case",
    "temporal": "Before that",
    "purpose": "To this end",
    "elaboration": "For example",
}


@pytest.mark.parametrize("name", KINDS)
def test_every_relation_is_found_inside_a_sentence_with_its_cue(name: str) -> None:
    [found] = outlines(INSIDE[name])
    link = next(each.relation.link for each in found.links if each.name == name)
    assert link is not None
    assert link.cue is not None
    assert link.cue.verify(INSIDE[name])


@pytest.mark.parametrize("name", ACROSS)
def test_relations_are_found_across_sentences_with_their_cue(name: str) -> None:
    _, found = outlines(f"The shop burned. {ACROSS[name]}, they left.")
    [found_link] = found.links
    assert found_link.is_across
    assert {found_link.first.id, found_link.second.id} == {"s1.c1", "s2.c1"}
    link = found_link.relation.link
    assert link is not None
    assert link.cue is not None
    assert (link.name, link.cue.text) == (name, ACROSS[name])


def test_judgement_of_what_stands_before_is_an_evaluation_of_that() -> None:
    _, found = outlines("The bridge opened in 1986. This was a remarkable success.")
    [link] = found.links
    assert link.relation.text == "evaluation: The bridge opened in 1986 → remarkable (“remarkable”)"


def test_word_that_is_all_that_a_sentence_states_cannot_be_left_out() -> None:
    [found] = outlines("The bridge is very impressive.")
    assert [link.statement for link in found.links] == [""]


def test_claim_of_a_list_item_is_without_its_marker() -> None:
    [found] = outlines("- The bridge opened in 1986.")
    [claim] = found.claims
    assert (claim.text, claim.spans[0].start) == ("The bridge opened in 1986.", 2)


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        ("If it rains, they leave.", ["It rains.", "They leave."]),
        ("Otherwise, nothing happened.", ["Nothing happened."]),
        ("The fire led to panic.", ["There was the fire.", "There was panic."]),
    ],
)
def test_clauses_with_a_subject_get_no_second_one(text: str, claims: list[str]) -> None:
    assert shown(text)[0][0] == claims


@pytest.mark.parametrize(
    "text",
    [
        "The plan is not only cheap, but it is quick.",
        "He saw that, if asked, she would go.",
        "The minister, who had resigned, said nothing.",
        "The results were announced as planned.",
    ],
)
def test_words_that_only_look_like_a_link_divide_nothing(text: str) -> None:
    assert shown(text) == [([text], [])]


@given(ANY)
def test_every_place_is_exact_and_every_relation_is_known(text: str) -> None:
    for each in outlines(text):
        assert each.claims
        assert 0 <= each.main < len(each.claims)
        for unit in (*each.claims, *(link.relation for link in each.links)):
            assert all(span.verify(text) for span in unit.spans)
        for found in each.links:
            relation, link = found.relation, found.relation.link
            assert link is not None
            assert link.name in KINDS
            assert (link.first, link.second) == (found.first.id, found.second.id)
            assert link.cue is None or link.cue.verify(text)
            assert list(relation.spans) == sorted(relation.spans)


@given(ANY)
def test_every_part_has_an_id_of_its_own_and_hangs_under_its_sentence(text: str) -> None:
    found = outlines(text)
    parts = [
        (each.sentence.id, unit)
        for each in found
        for link in each.links
        for unit in (link.relation, link.first, link.second)
        if unit.kind != "claim"  # those are listed below
    ] + [(each.sentence.id, claim) for each in found for claim in each.claims]
    assert len({unit.id for _, unit in parts}) == len(parts)
    assert all(unit.parent == sentence for sentence, unit in parts)
    assert all(unit.id.startswith(f"{sentence}.") for sentence, unit in parts)


@given(ANY)
def test_sentences_without_a_place_have_claims_without_one(text: str) -> None:
    for each in outline([Unit("s1", "sentence", text)]):
        assert all(claim.spans == () for claim in each.claims)
        assert all(link.relation.spans == () for link in each.links)
