"""Replies as they are kept: their text, and what is read back from it."""

from dataclasses import asdict, replace

import msgspec

from assay.core.codec import Reader, encode, loads
from assay.core.errors import InputError
from assay.llm.client import Reply, Token, Usage

_replies = Reader(Reply)


def write_reply(reply: Reply) -> str:
    """The text of a reply."""
    return encode(reply).decode()


def read_reply(text: str | bytes | None) -> Reply | None:
    """The reply that was written; None where it is not one."""
    text = text.encode() if isinstance(text, str) else text
    try:
        if text is None or not text.startswith(b"["):
            return replace(_replies.read(text or b"", "a reply"), cached=True)
        said, usage, finish, refusal, tokens = loads(text)  # as earlier versions wrote it
        pieces = tuple(Token(piece, logprob) for piece, logprob in tokens)
        reply = Reply(said, Usage(*usage), finish, refusal, pieces, cached=True)
        return msgspec.convert(asdict(reply), Reply)
    except (InputError, msgspec.MsgspecError, ValueError, TypeError, RecursionError):
        return None
