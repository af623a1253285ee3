"""Answers that only say something with their question."""

import pytest

from assay.text.answers import answers_only, is_polar

POLAR = "Can I cancel within two weeks?"


@pytest.mark.parametrize(
    "answer", ["Yes.", "No", "Yes!", "No, you can't.", "No, you can’t.", "Correct.", "yes it does"]
)
def test_bare_answers(answer: str) -> None:
    assert answers_only(answer, POLAR)
    assert not answers_only(answer, "")
    assert not answers_only(answer, "When does the office open?")


@pytest.mark.parametrize(
    "answer", ["Yes, within 14 days.", "No, it closed.", "Paris.", "", "Ja.", "да", "Yes 5"]
)
def test_what_says_something_itself_is_none(answer: str) -> None:
    assert not answers_only(answer, POLAR)


@pytest.mark.parametrize(
    ("question", "polar"),
    [
        ("Is it open?", True),
        ("Hi! Are pets allowed?", True),
        ("If I pay late, will I be charged?", True),
        ("The shop is closed, right?", True),
        ("Who is the mayor?", False),
        ("How long does it take?", False),
        ("What is the price, and is it fixed?", True),
    ],
)
def test_questions_that_yes_or_no_answers(question: str, polar: bool) -> None:
    assert is_polar(question) is polar


def test_long_questions_are_quick() -> None:
    assert not is_polar("what and " * 20_000)
    assert not answers_only("yes " * 20_000, POLAR)
