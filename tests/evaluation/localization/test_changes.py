"""What a correction takes out, and which explanations can be taken apart by it."""

from itertools import pairwise
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.units import Unit
from assay.evaluation.localization.changes import Wordings, changed_spans, split_explanation

RESPONSE = "Ada Lund, 39, left Rome by train on Monday."
CORRECTED = "Ada left Rome on Tuesday."


@pytest.mark.parametrize(
    ("response", "corrected", "changed"),
    [
        ("Ada left on Monday.", "Ada left on Tuesday.", ["Monday"]),
        ("Ada, 39, left early.", "Ada left.", ["39", "early"]),
        ("Ada left.", "Ada left.", []),
        ("Ada left.", "Ada Lovelace left the town.", []),
        ("Ada left.", "", ["Ada left"]),
        ("ADA  left!", "Ada left.", []),
        ("", "Ada.", []),
    ],
)
def test_what_is_replaced_or_removed_is_marked(
    response: str, corrected: str, changed: list[str]
) -> None:
    assert [span.text for span in changed_spans(response, corrected)] == changed


@given(st.text(max_size=50), st.text(max_size=50))
def test_spans_are_cut_from_the_response_in_order(response: str, corrected: str) -> None:
    spans = changed_spans(response, corrected)
    assert all(span.verify(response) == span for span in spans)
    assert all(a.end <= b.start for a, b in pairwise(spans))


def split(explanation: str) -> list[tuple[str, list[str]]]:
    """The parts of an explanation, each with the changes that it names."""
    whole = Unit("r", "inconsistency", explanation, changed_spans(RESPONSE, CORRECTED))
    return [(each.text, [span.text for span in each.spans]) for each in split_explanation(whole)]


def test_sentences_and_clauses_that_name_changes_of_their_own_are_errors_of_their_own() -> None:
    told = "Lund and 39 are not in the text; no train is mentioned. The source does not say Monday."
    assert split(told) == [
        ("Lund and 39 are not in the text;", ["Lund, 39"]),
        ("no train is mentioned.", ["by train"]),
        ("The source does not say Monday.", ["Monday"]),
    ]


def test_sentence_that_names_no_change_belongs_to_the_one_before_or_else_to_the_first() -> None:
    told = "This is wrong. No Lund, no train. That is all. Monday is wrong. It was Tuesday."
    assert split(told) == [
        ("This is wrong. No Lund, no train. That is all.", ["Lund, 39", "by train"]),
        ("Monday is wrong. It was Tuesday.", ["Monday"]),
    ]


def test_sentences_about_the_same_change_are_one_error() -> None:
    told = "Lund is made up. No train. Monday is wrong. The train and Lund are nowhere."
    assert split(told) == [
        ("Lund is made up. No train. The train and Lund are nowhere.", ["Lund, 39", "by train"]),
        ("Monday is wrong.", ["Monday"]),
    ]


@pytest.mark.parametrize(
    "told",
    [
        "Lund, the train and Monday are made up.",  # one sentence
        "Lund is made up. Monday is wrong.",  # who knows where the train belongs
        "Lund, train. Train, Monday.",  # all hang together
        "It is all wrong. Nothing is right.",
    ],
)
def test_explanation_that_cannot_be_taken_apart_safely_stays_whole(told: str) -> None:
    assert split(told) == [(told, ["Lund, 39", "by train", "Monday"])]


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_taking_apart_loses_no_words_and_adds_no_place(told: str, text: str, fixed: str) -> None:
    whole = Unit("r", "inconsistency", " ".join(told.split()) or "x", changed_spans(text, fixed))
    parts = split_explanation(whole)
    assert sorted(" ".join(each.text for each in parts).split()) == sorted(whole.text.split())
    assert {span for each in parts for span in each.spans} <= set(whole.spans)


PLAIN = Wordings("")


def test_same_words_are_wholly_alike_and_different_ones_not_at_all() -> None:
    assert PLAIN.similarity("The red boat sank.", "A boat, red, sank") == pytest.approx(1.0)
    assert PLAIN.similarity("The red boat sank.", "It rained.") == 0.0


def test_similarity_is_the_shared_weight_over_the_geometric_mean() -> None:
    # {red, boat, sank} and {boat, burn}: 1 / sqrt(3 x 2).
    assert PLAIN.similarity("red boat sank", "boat burned") == pytest.approx(1 / sqrt(6))


def test_number_weighs_twice_as_much_as_a_word() -> None:
    # {boat: 1, 12: 2} and {ship: 1, 12: 2}: 2 / sqrt(3 x 3).
    assert PLAIN.similarity("12 boats", "12 ships") == pytest.approx(2 / 3)


def test_number_is_the_same_however_it_is_written() -> None:
    # {boat: 1, 12: 2} and {ship: 1, twelve: 1, 12: 2}: 2 / sqrt(3 x 4).
    assert PLAIN.similarity("12 boats", "twelve ships") == pytest.approx(2 / sqrt(12))


def test_words_of_reporting_weigh_nothing() -> None:
    first = "The summary says that the boat sank, which the source does not mention."
    assert PLAIN.similarity(first, "boat sank") == pytest.approx(1.0)
    assert PLAIN.similarity("The source does not say so.", "The source does not mention it.") == 0.0


def test_word_that_the_response_repeats_weighs_less() -> None:
    wordings = Wordings("The boat left. The boat sank. A storm came.")
    # {boat: 1/2, storm: 1} and {boat: 1/2, sank: 1}: 1/2 / (3/2); and the same with the storm.
    assert wordings.similarity("boat storm", "boat sank") == pytest.approx(1 / 3)
    assert wordings.similarity("boat storm", "storm sank") == pytest.approx(1 / sqrt(1.5 * 2))


@given(st.text(max_size=40), st.text(max_size=40))
def test_similarity_is_symmetric_and_between_0_and_1(first: str, second: str) -> None:
    wordings = Wordings(first)
    alike = wordings.similarity(first, second)
    assert alike == pytest.approx(wordings.similarity(second, first))
    assert 0 <= alike <= 1 + 1e-9
