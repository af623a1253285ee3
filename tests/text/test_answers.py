"""Answers that only say something with their question."""

import pytest

from assay.text.answers import answers_only, is_bare_answer, is_fragment, is_polar

POLAR = "Can I cancel within two weeks?"


@pytest.mark.parametrize(
    "answer", ["Yes.", "No", "Yes!", "No, you can't.", "No, you can’t.", "Correct.", "yes it does"]
)
def test_bare_answers(answer: str) -> None:
    assert answers_only(answer, POLAR)
    assert not answers_only(answer, "")
    assert not answers_only(answer, "When does the office open?")


@pytest.mark.parametrize(
    "answer", ["Yes, within 14 days.", "No, it closed.", "Paris.", "", "Yes 5"]
)
def test_what_says_something_itself_is_none(answer: str) -> None:
    assert not answers_only(answer, POLAR)


@pytest.mark.parametrize(
    "answer", ["It does not.", "It is.", "They don't.", "That's right.", "Not yet.", "Nor did he."]
)
def test_clause_that_only_repeats_the_question_is_a_bare_answer(answer: str) -> None:
    assert answers_only(answer, POLAR)
    assert not answers_only(answer, "When does the office open?")


@pytest.mark.parametrize("answer", ["None.", "Never.", "Nobody did.", "Both of them.", "No one."])
def test_some_answer_more_than_yes_or_no(answer: str) -> None:
    for question in (POLAR, "Which of them were there, and when?"):
        assert answers_only(answer, question)
    assert not answers_only(answer, "")


@pytest.mark.parametrize(
    "sentence", ["No one was there.", "Right there.", "Nothing is open.", "It was open.", "--"]
)
def test_sentence_of_plain_words_is_no_bare_answer(sentence: str) -> None:
    assert not is_bare_answer(sentence)


@pytest.mark.parametrize(
    ("sentence", "fragment"),
    [
        ("In 1987.", True),
        ("Lena Berg.", True),
        ("Its director, Lena Berg.", True),
        ("The museum opened in 1987.", False),
        ("The exhibition of old maps from the north gladdens all.", False),  # a verb in no list
    ],
)
def test_fragments_have_no_verb(sentence: str, fragment: bool) -> None:
    assert is_fragment(sentence) is fragment


@pytest.mark.parametrize(
    ("question", "polar"),
    [
        ("Is it open?", True),
        ("Hi! Are pets allowed?", True),
        ("If I pay late, will I be charged?", True),
        ("The shop is closed, right?", True),
        ("Tell me whether the shop is open.", True),
        ("I would like to know if the shop is open.", True),
        ("The shop is open on Mondays. True or false?", True),
        ("Yes or no: the shop is open.", True),
        ("The shop is open on Mondays?", True),
        ("Summarise the report.", False),
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
