"""Thoughts and refusals."""

import pytest

from assay.llm.replies.texts import UnreadableError, final_text, is_refusal, separated


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("Consistent", "Consistent"),
        ("<think>Hm.\n\nYes?</think>\n\nConsistent", "Consistent"),
        ("<THINK>Hm.</Think> Consistent", "Consistent"),
        ("a <think>b</think>c<thinking>d</thinking> e", "a c e"),
        ("<think>a <think>b</think> c</think> d", "d"),
        ("<reasoning>a <think>b</think> c</reasoning> d", "d"),
        ("<think>I <reasoning> on</think> d", "d"),
        ("thoughts that began in the prompt</think>\nConsistent", "Consistent"),
        ("a</think>b</think> c", "c"),
        ("<think>a </reasoning> b</think> c", "c"),
        ("<think>Never ends. Consistent", ""),
        ("Consistent <think>but wait", ""),
        ("<think>a</think> b <think>c", ""),
        ('<think type="long">a</think> b', "b"),
        ("x < thinker > y", "x < thinker > y"),
        ("", ""),
    ],
)
def test_thoughts_are_no_part_of_the_reply(reply: str, text: str) -> None:
    assert final_text(reply) == text


@pytest.mark.parametrize(
    "reply",
    [
        "The response uses `<think>` without need. Consistent",
        'It ends with "</think>", which is odd. Consistent',
        '{"reason": "It says </think> and <think> on the way", "label": "fine"}',
    ],
)
def test_tags_that_are_spoken_of_are_left_alone(reply: str) -> None:
    assert final_text(reply) == reply


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't assist with that.",
        "I’m sorry, but I can’t help with this request.",
        "I am sorry, I cannot comply.",
        "Sorry, I won't evaluate this content.",
        "I cannot provide a judgment on this material.",
        "I can not provide any verdict here.",
        "Unfortunately, I am unable to process your request.",
        "As an AI language model, I cannot engage with such content.",
        "I apologize, but I'm not able to continue with this conversation.",
        "I must decline.",
        "I have to decline to answer this question.",
        "I'm not comfortable judging this.",
        "**I'm sorry**, but I can't do that.",
        "This request violates our content policy.",
        "Your request was flagged as unsafe.",
    ],
)
def test_refusals_are_recognised(reply: str) -> None:
    assert is_refusal(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "The response says: I'm sorry, but I can't help with that. It makes no claim.",
        "\"I'm sorry, but I can't help with that\" is a refusal, which states no fact.",
        "> I'm sorry, but I can't help with that.\n\nThis is what the response says.",
        "The model refuses to answer the question, so there is nothing to judge.",
        "I can't find any claim that the source does not support.",
        "I cannot classify this text as faithful, since the date is wrong.",
        "I cannot help but notice that the date is wrong.",
        "I'm sorry, the date in the response is wrong.",
        "Unfortunately, the response contradicts the source.",
        "I cannot determine whether the source supports this.",
        "I won't go into detail: the response is faithful.",
        "As an AI topic, the response is well covered by the source.",
    ],
)
def test_judging_a_refusal_is_not_one(reply: str) -> None:
    assert not is_refusal(reply)


def test_an_unreadable_reply_is_a_parse_failure_unless_said_otherwise() -> None:
    assert UnreadableError("no verdict").reason == "parse"
    assert UnreadableError("no verdict", reason="off_menu").reason == "off_menu"


@pytest.mark.parametrize(
    ("reply", "said", "thought"),
    [
        ("Yes.", "Yes.", ""),
        ("<think>Hm.</think>\nYes.", "Yes.", "Hm."),
        ("Hm.</think>Yes.", "Yes.", "Hm."),
        ("Yes, <think>or?</think> no.", "Yes,  no.", "or?"),
        ("<think>a<think>b</think>c</think>d", "d", "a\nb\nc"),
        ("<think>It never ends", "", "It never ends"),
        ("Yes. <think>It never ends", "", "It never ends"),
    ],
)
def test_thoughts_are_kept_apart(reply: str, said: str, thought: str) -> None:
    assert separated(reply) == (said, thought)
