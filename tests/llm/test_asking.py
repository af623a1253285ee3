"""A question until its reply can be read."""

import asyncio

import pytest

from assay.core.errors import ServiceError
from assay.llm.asking import Answer, ask
from assay.llm.client import CallError, Line, Message, Reply, Request, Scripted, Usage
from assay.llm.replies.schemas import object_of, one_of, read_json
from assay.llm.replies.texts import UnreadableError

SCHEMA = object_of(label=one_of(("yes", "no")))
QUESTION = Request((Message("system", "Judge."), Message("user", "Is it?")), SCHEMA, sample=2)
YES = '{"label": "yes"}'


def asked(*lines: Line) -> tuple[Answer[str], Scripted]:
    client = Scripted(lines)
    return asyncio.run(ask(client, QUESTION, lambda text: read_json(text, SCHEMA)["label"])), client


def failure(*lines: Line) -> tuple[CallError, Scripted]:
    client = Scripted(lines)
    with pytest.raises(CallError) as error:
        asyncio.run(ask(client, QUESTION, lambda text: read_json(text, SCHEMA)["label"]))
    return error.value, client


def cut(text: str) -> Reply:
    return Reply(text, Usage(9, 1_234), finish="length")


def test_a_readable_reply_is_asked_for_once() -> None:
    answer, client = asked(f"<think>no?</think>{YES}")
    assert (answer.value, answer.reply.text) == ("yes", f"<think>no?</think>{YES}")
    assert client.requests == [QUESTION]


def test_an_unreadable_reply_is_asked_for_once_more() -> None:
    answer, client = asked("<think>Hm.</think>Yes, I think.", YES)
    assert (answer.value, answer.reply.text) == ("yes", YES)
    first, second = client.requests
    assert second.messages == (
        *first.messages,
        Message("assistant", "Yes, I think."),
        Message(
            "user",
            "I could not read your verdict: there is no whole JSON value in the reply. "
            'Reply with JSON only, in this form: {"label": "yes" | "no"}',
        ),
    )
    assert (second.schema, second.sample) == (SCHEMA, 2)


def test_a_turn_without_words_is_never_sent() -> None:
    _, client = asked("<think>Hm", YES)
    assert client.requests[1].messages[2] == Message("assistant", "(no answer)")


def test_twice_unreadable_is_a_failure_with_the_last_raw_text() -> None:
    error, client = failure("Yes.", "<think>Hm.</think>Yes!", YES)
    assert (error.reason, error.raw) == ("parse", "<think>Hm.</think>Yes!")
    assert error.detail == "there is no whole JSON value in the reply (asked twice)"
    assert len(client.requests) == 2


def test_off_menu_stays_off_menu_after_the_repair() -> None:
    error, client = failure('{"label": "maybe"}', '{"label": "perhaps"}')
    assert (error.reason, error.raw) == ("off_menu", '{"label": "perhaps"}')
    assert "'label' is 'maybe', not one of yes, no" in client.requests[1].messages[-1].content


def test_a_refusal_in_words_is_not_asked_for_again() -> None:
    error, client = failure("I'm sorry, but I can't help with that.", YES)
    assert (error.reason, error.detail) == ("refused", "the model declined to judge")
    assert (error.raw, len(client.requests)) == ("I'm sorry, but I can't help with that.", 1)


def test_a_verdict_after_words_of_regret_is_a_verdict() -> None:
    answer, _ = asked(f"I'm sorry, but I can't help with that. {YES}")
    assert answer.value == "yes"


@pytest.mark.parametrize(
    ("reply", "detail"),
    [
        (Reply("", Usage(9, 1), refusal="No."), "No."),
        (Reply(YES, Usage(9, 1), finish="filter"), "the server's content filter stopped the reply"),
    ],
)
def test_a_refusal_by_the_server_is_one(reply: Reply, detail: str) -> None:
    error, client = failure(reply, YES)
    assert (error.reason, error.detail, error.raw) == ("refused", detail, reply.text)
    assert len(client.requests) == 1


@pytest.mark.parametrize("text", [YES, '{"label": "y', "<think>Let me see", ""])
def test_a_cut_off_reply_is_recognised_even_if_it_seems_to_hold_a_verdict(text: str) -> None:
    error, client = failure(cut(text), YES)
    assert (error.reason, error.raw, len(client.requests)) == ("truncated", text, 1)
    assert error.detail == "the reply was cut off at 1,234 tokens"


def test_a_repair_that_is_refused_or_cut_off_is_told_as_such() -> None:
    assert failure("Yes.", "I must decline.")[0].reason == "refused"
    assert failure("Yes.", cut("Well"))[0].reason == "truncated"


def test_a_repair_that_is_not_answered_keeps_what_was_said_at_first() -> None:
    lost = CallError("transport", "reset", worth_retrying=True, wait=2, maybe_charged=True)
    error, _ = failure("Yes.", lost)
    assert (error.reason, error.detail, error.raw) == ("transport", "reset", "Yes.")
    assert (error.worth_retrying, error.wait, error.maybe_charged) == (True, 2, True)
    assert lost.raw == ""  # others may hold the same error


@pytest.mark.parametrize("error", [CallError("transport", "reset"), ServiceError("wrong key")])
def test_errors_of_the_call_pass_through(error: Exception) -> None:
    with pytest.raises(type(error), match=str(error)):
        asked(error)


def test_the_reader_never_sees_thoughts() -> None:
    seen: list[str] = []

    def read(text: str) -> str:
        seen.append(text)
        raise UnreadableError("never")

    with pytest.raises(CallError, match=r"never \(asked twice\)"):
        asyncio.run(ask(Scripted(["<think>a</think>b", "c</think>d"]), QUESTION, read))
    assert seen == ["b", "d"]


def torn(*lines: Line) -> tuple[Answer[str], Scripted]:
    """A reader for which "no" contradicts itself, and which would take it for "perhaps"."""

    def read(text: str) -> str:
        label: str = read_json(text, SCHEMA)["label"]
        if label == "no":
            raise UnreadableError("no is no answer", fallback="perhaps")
        return label

    client = Scripted(lines)
    return asyncio.run(ask(client, QUESTION, read)), client


NO = '{"label": "no"}'


def test_a_reply_that_contradicts_itself_is_asked_for_once_more() -> None:
    answer, client = torn(NO, YES)
    assert (answer.value, answer.reply.text) == ("yes", YES)
    last = client.requests[1].messages[-1].content
    assert last == "Your reply needs a correction: no is no answer. Reply again."


def test_a_contradiction_that_stays_falls_back() -> None:
    answer, client = torn(NO, f" {NO}")
    assert (answer.value, answer.reply.text) == ("perhaps", f" {NO}")
    assert len(client.requests) == 2


@pytest.mark.parametrize("second", ["What?", cut("Yes"), CallError("transport", "reset")])
def test_without_a_second_verdict_the_first_one_falls_back(second: Line) -> None:
    answer, _ = torn(NO, second)
    assert (answer.value, answer.reply.text) == ("perhaps", NO)


def test_a_first_reply_that_is_good_in_part_is_combined_with_the_second() -> None:
    def read(text: str) -> str:
        if text == "a?":
            raise UnreadableError("? is no answer", fallback="a")
        return text

    client = Scripted(["a?", "b"])
    answer = asyncio.run(ask(client, QUESTION, read, lambda first, second: first + second))
    assert (answer.value, answer.reply.text) == ("ab", "b")
    assert answer.earlier is not None
    assert answer.earlier.text == "a?"
