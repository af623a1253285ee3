"""Claims and relations of a response, with exact places."""

from hypothesis import given
from hypothesis import strategies as st

from assay.core.units import Relation, Unit
from assay.text.discourse.outline import Outline, outline
from assay.text.discourse.relations import KINDS
from assay.text.sentences import split_sentences

WORDS = (
    *"because although if but so then however after before unless despite which said".split(),
    *("due to", "in order to", "as a result", "According to", "led to", "Ada", "the mayor"),
    *("it rained", "they left", "was seen", "promising", "mostly", ",", ".", ";", "“", "”", "\n- "),
    *("é", "İ", "😀", "中文", "\t", "’s", "1. ", "#"),
)
ANY = st.lists(st.sampled_from(WORDS) | st.text(max_size=3), max_size=25).map(" ".join)


def outlines(text: str) -> list[Outline]:
    return outline([Unit.at("sentence", span) for span in split_sentences(text)])


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
    assert link.relation.name == "evaluation"
    assert link.statement == "It was an old bridge."


def test_each_link_of_several_has_a_statement_of_its_own() -> None:
    [found] = outlines("They left because it rained, but nobody minded.")
    statements = [link.statement for link in found.links]
    assert statements[0] == "They left because it rained."


@given(ANY)
def test_every_place_is_exact_and_every_relation_is_known(text: str) -> None:
    for each in outlines(text):
        assert each.claims
        assert 0 <= each.main < len(each.claims)
        for unit in (*each.claims, *(link.relation for link in each.links)):
            assert all(span.verify(text) for span in unit.spans)
        for link in each.links:
            relation = link.relation
            assert isinstance(relation, Relation)
            assert relation.name in KINDS
            assert relation.cue is None or relation.cue.verify(text)
            assert list(relation.spans) == sorted(relation.spans)


@given(ANY)
def test_sentences_without_a_place_have_claims_without_one(text: str) -> None:
    for each in outline([Unit("sentence", text)]):
        assert all(claim.spans == () for claim in each.claims)
        assert all(link.relation.spans == () for link in each.links)
