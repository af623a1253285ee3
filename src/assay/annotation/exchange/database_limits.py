"""Limits of what a database can keep: the length of names, the size of numbers, valid text."""

import json
from typing import Any

import msgspec

from assay.core.codec import encode, read_example, write_example
from assay.core.errors import InputError
from assay.core.examples import Annotated, Example
from assay.core.judgements import Judgement
from assay.knowledge.sources import encodable

MOST = 2**31 - 1  # the largest number that every database keeps
LONGEST_ID = 1_000
LONGEST_TIME = 40
_LONGEST_AUTHOR = 200
_HALF = "it has half a character (a lone surrogate), which no database keeps"


def require_storable(example: Example, said: tuple[Judgement, ...]) -> None:
    """Raises if a database cannot keep it, and if two judgements have the same name."""
    if len(example.id) > LONGEST_ID:
        raise InputError(f"its id has {len(example.id):,} characters; the limit is {LONGEST_ID:,}")
    for name in (example.id, example.response.model, *(each.author.name for each in said)):
        if "\x00" in name or encodable(name) != name:
            raise InputError(f"a name in it is not text: {name!r}")
    authors = [(each.author.name, each.author.kind, each.round) for each in said]
    if len(set(authors)) < len(authors):
        raise InputError("two of its judgements have the same author and round")
    longest = max((len(each.author.name) for each in said), default=0)
    if longest > _LONGEST_AUTHOR:
        raise InputError(f"the name of an author has {longest} characters, over {_LONGEST_AUTHOR}")
    for each in said:
        if not 1 <= each.round <= MOST:
            raise InputError(f"a judgement has the round {each.round}, not 1 to {MOST:,}")
        if len(each.at) > LONGEST_TIME or "\x00" in each.at:
            raise InputError(f"the time of a judgement is none: {each.at[:LONGEST_TIME]!r}")
    if _has_half(write_example(Annotated(example, said))):
        raise InputError(_HALF)


def require_texts(record: msgspec.Struct) -> None:
    """Raises if a text in a record is not valid text."""
    line = encode(record)
    if _has_half(line):
        raise InputError(_HALF)
    if rb"\u0000" in line and _has_zero(msgspec.to_builtins(record)):
        raise InputError("it has a character U+0000, which no text has")


def with_whole_characters(annotated: Annotated) -> Annotated:
    """The example with a replacement character for each lone surrogate, for files of UTF-8."""
    line = write_example(annotated)
    return read_example(encode(_whole(json.loads(line)))) if _has_half(line) else annotated


def _has_half(line: bytes) -> bool:
    """True if JSON that we wrote has a lone surrogate, which can only be escaped."""
    if rb"\ud" not in line:
        return False
    try:
        msgspec.json.decode(line)
    except msgspec.DecodeError:
        return True
    return False


def _has_zero(value: Any) -> bool:
    if isinstance(value, dict):
        return any(map(_has_zero, value.values()))
    if isinstance(value, list):
        return any(map(_has_zero, value))
    return isinstance(value, str) and "\x00" in value


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _whole(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_whole(each) for each in value]
    return encodable(value) if isinstance(value, str) else value
