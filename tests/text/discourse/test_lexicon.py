"""The word lists: every entry can be read and is found where it stands."""

import pytest

from assay.text.discourse.lexicon import (
    connectives,
    find_cues,
    find_evaluation,
    find_hedges,
    finite_verbs,
    firm_kinds,
    plain,
    relations_shown,
    word_lists,
)
from assay.text.discourse.outline import without
from assay.text.discourse.relations import KINDS

FORMS = {"clause", "phrase", "between", "opening", "verb", "sign"}


def test_every_connective_has_a_relation_and_a_form_that_exist() -> None:
    uses = [use for each in connectives().values() for use in each]
    assert len(uses) > 300
    assert {use.relation for use in uses} <= set(KINDS)
    assert {use.form for use in uses} <= FORMS
    assert {use.follows for use in uses} == {"first", "second"}


@pytest.mark.parametrize("relation", [name for name in KINDS if name != "evaluation"])
def test_every_relation_has_a_connective_that_divides(relation: str) -> None:
    uses = [use for each in connectives().values() for use in each if use.relation == relation]
    assert any(use.form != "sign" for use in uses)


@pytest.mark.parametrize("words", sorted(connectives()))
def test_connective_is_found_as_a_whole(words: str) -> None:
    [cue] = [cue for cue in find_cues(f"They left {words} nobody.") if cue.start == 10]
    assert cue.end == 10 + len(words)


def test_longer_connectives_win_and_parts_of_words_are_none() -> None:
    assert [cue.uses[0].words for cue in find_cues("It fell because of rain.")] == ["because of"]
    assert find_cues("The button is soft.") == []
    assert "cause" in relations_shown("IT FELL BECAUSE\n OF RAIN")


@pytest.mark.parametrize(
    ("text", "hedges"),
    [
        ("It may protect calves.", ["may"]),
        ("It was built in May.", []),
        ("It mostly seemed to work.", ["mostly", "seemed"]),
        ("The town plans to open it.", ["plans to"]),
        ("The suspect was arrested.", []),
    ],
)
def test_hedges_are_found(text: str, hedges: list[str]) -> None:
    assert [text[slice(*place)] for place in find_hedges(text, firm_kinds())] == hedges


def test_loose_hedges_count_only_where_all_do() -> None:
    assert find_hedges("It could rain.") == [(3, 8)]
    assert find_hedges("It could rain.", firm_kinds()) == []


def test_words_that_judge_are_found_and_left_out() -> None:
    text = "An effective drug."
    place = find_evaluation(text)
    assert place == (3, 12)
    assert without(text, place) == "A drug."
    assert find_evaluation("The drug was tested.") is None


def test_lists_have_no_word_twice_in_a_section() -> None:
    for name in ("evaluations", "hedges", "reporting", "verbs"):
        for words in word_lists(name).values():
            assert len(words) == len(set(words)), name


def test_verbs_are_conjugated() -> None:
    assert {"stopped", "carries", "reaches", "went", "realised"} <= finite_verbs()


def test_plain_text_keeps_its_length() -> None:
    assert len(plain("İstanbul’S")) == 10
    assert plain("Don’T") == "don't"


def test_no_use_of_a_connective_is_listed_twice() -> None:
    for uses in connectives().values():
        assert len({(use.relation, use.form) for use in uses}) == len(uses)
