"""Asking a model until its reply can be read: once, then once more with what was wrong."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar, cast

from assay.llm.client import CallError, Message, ModelClient, Reply, Request
from assay.llm.replies.texts import UnreadableError, final_text, is_refusal

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A value read from a reply, and the reply; `earlier` is the first one if both count."""

    value: T
    reply: Reply
    earlier: Reply | None = None


async def ask(
    client: ModelClient,
    request: Request,
    read: Callable[[str], T],
    combine: Callable[[T, T], T] | None = None,
) -> Answer[T]:
    """Asks, and reads the reply with `read`; if it is unreadable, the model is asked once more.

    `read` gets the reply without the model's thoughts, and raises `UnreadableError` if it finds no
    verdict. A reply that is refused, cut off or unreadable twice raises `CallError`, with the
    reason and the last raw text, unless one of the two has a fallback. Where the first has one,
    `combine` makes one value of it and the second reply's; otherwise the second counts alone.
    """
    reply = await client.ask(request)
    try:
        return Answer(_read(reply, read), reply)
    except UnreadableError as problem:
        first = problem
    try:
        again = await _ask_again(client, _repair(request, reply, first), reply)
        answer = _read_again(again, read)
    except CallError:
        if first.fallback is None:
            raise
        return Answer(cast(T, first.fallback), reply)
    if combine is None or first.fallback is None:
        return answer
    return Answer(combine(cast(T, first.fallback), answer.value), again, reply)


def _read_again(again: Reply, read: Callable[[str], T]) -> Answer[T]:
    """The answer in the second reply; nobody asks a third time."""
    try:
        return Answer(_read(again, read), again)
    except UnreadableError as problem:
        if problem.fallback is not None:
            return Answer(cast(T, problem.fallback), again)
        raise CallError(problem.reason, f"{problem} (asked twice)", raw=again.text) from None


async def _ask_again(client: ModelClient, repair: Request, first: Reply) -> Reply:
    """The reply to the repair; if there is none, the error keeps what the model said first."""
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
    """The value of a reply; refusals and cut-off replies are not worth asking again."""
    if reply.refusal or reply.finish == "filter":
        detail = reply.refusal or "the server's content filter stopped the reply"
        raise CallError("refused", detail, raw=reply.text)
    if reply.finish == "length":
        detail = f"the reply was cut off at {reply.usage.completion:,} tokens"
        raise CallError("truncated", detail, raw=reply.text)
    text = final_text(reply.text)
    try:
        return read(text)
    except UnreadableError:
        if is_refusal(text):
            raise CallError("refused", "the model declined to judge", raw=reply.text) from None
        raise


def _repair(request: Request, reply: Reply, problem: UnreadableError) -> Request:
    """The conversation so far, without the model's thoughts, and what was wrong with the reply."""
    said = final_text(reply.text) or "(no answer)"  # servers reject an empty turn
    is_read = problem.fallback is not None
    what = "Your reply needs a correction" if is_read else "I could not read your verdict"
    return replace(
        request,
        messages=(
            *request.messages,
            Message("assistant", said),
            Message("user", f"{what}: {problem}. {problem.wanted}"),
        ),
    )
