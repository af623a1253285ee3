"""A question to a model until its reply can be read: the reply, one repair, then no answer."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from assay.llm.client import CallError, Client, Message, Reply, Request
from assay.llm.replies import UnreadableError, final_text, is_refusal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """What was read from a reply, and the reply."""

    value: T
    reply: Reply


async def ask(client: Client, request: Request, read: Callable[[str], T]) -> Answer[T]:
    """What `read` makes of the reply; an unreadable one is asked for once more.

    `read` gets the reply without its thoughts and raises `UnreadableError` where it has no verdict.
    Refused, cut off or twice unreadable: `CallError`, with the reason and the last raw text.
    """
    reply = await client.ask(request)
    try:
        return Answer(_read(reply, read), reply)
    except UnreadableError as problem:
        repair = _repair(request, reply, problem)
    again = await _ask_again(client, repair, reply)
    try:
        return Answer(_read(again, read), again)
    except UnreadableError as problem:
        raise CallError(problem.reason, f"{problem} (asked twice)", raw=again.text) from None


async def _ask_again(client: Client, repair: Request, first: Reply) -> Reply:
    """The reply to the repair; if none comes, the error keeps what the model said at first."""
    try:
        return await client.ask(repair)
    except CallError as error:
        raise CallError(
            error.reason,
            error.detail,
            raw=error.raw or first.text,
            worth_retrying=error.worth_retrying,
            wait=error.wait,
            maybe_charged=error.maybe_charged,
        ) from error


def _read(reply: Reply, read: Callable[[str], T]) -> T:
    """What the reply says; refusals and cut-off replies are not worth a repair."""
    if reply.refusal or reply.finish == "filter":
        detail = reply.refusal or "the server's content filter stopped the reply"
        raise CallError("refused", detail, raw=reply.text)
    if reply.finish == "length":
        detail = f"the reply was cut off after {reply.usage.completion:,} tokens"
        raise CallError("truncated", f"{detail}; allow more with --max-tokens", raw=reply.text)
    text = final_text(reply.text)
    try:
        return read(text)
    except UnreadableError:
        if is_refusal(text):
            raise CallError("refused", "the model refuses to judge", raw=reply.text) from None
        raise


def _repair(request: Request, reply: Reply, problem: UnreadableError) -> Request:
    """The conversation so far, without thoughts, and what was wrong with the reply."""
    said = final_text(reply.text) or "(no answer)"  # servers reject a turn without words
    return replace(
        request,
        messages=(
            *request.messages,
            Message("assistant", said),
            Message("user", f"I could not read your verdict: {problem}. {problem.wanted}"),
        ),
    )
