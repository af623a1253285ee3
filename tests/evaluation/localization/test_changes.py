"""What a correction takes out, and which explanations can be taken apart by it."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.units import Unit
from assay.evaluation.localization.changes import changed_spans, split_explanation

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
