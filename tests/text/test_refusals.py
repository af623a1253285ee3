"""What counts as a response, and what declines to be one."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.datasets.selection import DataChoice, load
from assay.text.refusals import FEWEST, LONGEST, refusal_of

EXPLICIT = [
    "I'm sorry, but I can't help with that request.",
    "I apologize, but I cannot provide a summary of this material.",
    "**Unfortunately**, I am unable to summarize the passage, since it is cut off.",
    "There is no passage provided for me to summarize.",
    "Sure, please provide me with the text that you want me to shorten.",
    "As an AI language model, I cannot answer this question.",
    "Unable to answer based on the given passages.",
    "I must decline. This would not be right.",
    "I don’t have enough information to answer the question.",
    "Based on the passage, I cannot answer the question about the harbour.",
]
RESPONSES = [
    'The minister said: "I am sorry, but I cannot answer that question today."',
    "\"I'm sorry, I can't help,\" the clerk told the family, according to the report.",
    "Sorry is the fifth album of the band, and was recorded in Leeds in 1998.",
    "Unable to pay its debts, the club was expelled from the league in June.",
    "The passage does not say who won; the match was abandoned after 60 minutes.",
    "I cannot help but admire the bridge, writes the author of the essay about Bath.",
    "Unfortunately, one person died on the A9 near Berriedale, and two were hurt.",
    "I cannot provide a summary of all of it. Here is a short summary: the ferry sank in May.",
    "There is no passage to cite here for sure. However, if I had to: two films were shown.",
]


@pytest.mark.parametrize("text", EXPLICIT)
def test_response_that_begins_by_declining_is_a_refusal(text: str) -> None:
    found = refusal_of(text)
    assert found is not None
    assert found.kind == "explicit"
    assert "declines" in found.detail


@pytest.mark.parametrize("text", RESPONSES)
def test_what_is_quoted_told_or_followed_by_the_answer_is_a_response(text: str) -> None:
    assert refusal_of(text) is None


def test_five_words_are_too_short_and_six_are_not() -> None:
    assert FEWEST == 6
    found = refusal_of("The ferry sank in May.")
    assert found is not None
    assert (found.kind, found.detail) == ("short", "the reply has only 5 words")
    assert refusal_of("The ferry sank early in May.") is None


def test_the_answer_to_a_question_may_be_one_word() -> None:
    assert refusal_of("In May.", "When did the ferry sink?") is None
    for text in ("", "I'm sorry, but I cannot answer this question."):
        assert refusal_of(text, "When did the ferry sink?") is not None


def test_languages_without_spaces_have_words_too() -> None:
    assert refusal_of("渡轮在五月沉没了。") is None


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_nothing_is_an_empty_reply(text: str) -> None:
    found = refusal_of(text)
    assert found is not None
    assert found.kind == "empty"


def test_whoever_declines_and_writes_at_length_has_answered() -> None:
    long = "I cannot summarize all of it. " + "The ferry sank in May. " * (LONGEST // 4)
    assert refusal_of(long) is None


@given(st.text(max_size=300), st.sampled_from(EXPLICIT))
def test_a_refusal_after_a_sentence_of_content_is_none(text: str, refusal: str) -> None:
    assert refusal_of(f"The old ferry sank near the harbour. {text} {refusal}") is None


@pytest.mark.shared_data
def test_faithbench_has_one_refusal(shared_data: Path) -> None:
    rows = load(DataChoice("faithbench", str(shared_data))).annotated
    found = [kind for each in rows if (kind := refusal_of(each.example.response.text))]
    assert [each.kind for each in found] == ["explicit"]
