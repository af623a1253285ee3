"""Fingerprints: the same finding has the same one, whatever else changes."""

from dataclasses import replace

import pytest

from assay.core.complaints import CheckEnd, fingerprint, key_of
from assay.core.examples import Example
from assay.core.places import RowPlace
from assay.core.texts import Response, Source

EXAMPLE = Example("a", Source("Ada was born in 1815."), Response("One. Two."), "When?")
NUMBERED = replace(EXAMPLE, id="3", place=RowPlace("a.jsonl", 3, names_example=True))


def test_fingerprint_is_the_same_for_ever() -> None:
    # printf 'a\nTwo.' | b2sum -l 48; files that teams keep depend on it
    assert fingerprint(EXAMPLE, "Two.") == "8d984fb50530"


@pytest.mark.parametrize(
    "other",
    [
        replace(EXAMPLE, response=Response("Zero. One. Two.", model="m")),
        replace(EXAMPLE, source=Source("Ada.")),
        replace(EXAMPLE, place=RowPlace("b.csv", 7)),
        replace(EXAMPLE, question="Who?"),
    ],
)
def test_what_stands_around_a_sentence_does_not_count(other: Example) -> None:
    assert fingerprint(other, " Two.\n") == fingerprint(EXAMPLE, "Two.")


def test_form_of_accents_does_not_count() -> None:
    composed, decomposed = "Caf\u00e9.", "Cafe\u0301."
    assert fingerprint(EXAMPLE, composed) == fingerprint(EXAMPLE, decomposed)


def test_id_and_text_count() -> None:
    marks = {
        fingerprint(EXAMPLE, "Two."),
        fingerprint(EXAMPLE, "two."),
        fingerprint(replace(EXAMPLE, id="b"), "Two."),
        fingerprint(NUMBERED, "Two."),
    }
    assert len(marks) == 4


def test_row_without_an_id_is_known_by_its_source_and_question_and_not_by_its_number() -> None:
    moved = replace(NUMBERED, id="9", response=Response("Two."))
    assert key_of(moved) == key_of(NUMBERED) != key_of(EXAMPLE) == "a"
    assert key_of(NUMBERED).startswith("source ")
    assert key_of(replace(NUMBERED, question="Who?")) != key_of(NUMBERED)
    assert key_of(replace(NUMBERED, source=Source("Ada."))) != key_of(NUMBERED)


def test_half_a_character_has_a_fingerprint() -> None:
    assert len(fingerprint(EXAMPLE, "\ud800")) == 12


def test_end_says_why_not_all_was_judged() -> None:
    assert CheckEnd().cut_off == ""
    assert CheckEnd("budget", "used up").cut_off == "it did not go on to its end: used up"
    assert CheckEnd("interrupted").cut_off == "it did not go on to its end: interrupted"
