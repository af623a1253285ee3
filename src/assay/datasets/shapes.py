"""Answers of frameworks as plain values: objects, documents, nodes, conversations.

Nothing is imported for it; what an object is, its attributes say. The documents of LangChain, the
responses and nodes of LlamaIndex, the test cases of DeepEval and the samples of Ragas are all
dataclasses or pydantic models.
"""

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from assay.core.errors import InputError
from assay.core.rendering import METADATA_KEYS, TEXT_KEYS, NamedText, origin_of
from assay.core.system.lines import has_more_values, row_limit
from assay.datasets.fields import conversations

_STRING = re.compile(r"'[^'\\]*+(?:\\.[^'\\]*+)*'|\"[^\"\\]*+(?:\\.[^\"\\]*+)*\"", re.DOTALL)
_MISSING = re.compile(r"(?:None|null|nan|NaN|<NA>)(?=[\s,\]])")
_LONGEST_LITERAL = 2**20  # what is not strings only takes a hundred times its size to parse


def read_list(text: str) -> list[object] | None:
    """The list of texts, or of objects, that a text is from end to end; otherwise None.

    It may be empty, and have None where a value is missing.

    >>> read_list("['One.', 'Two.']"), read_list("['One.' 'Two.']"), read_list("[1] see below [2]")
    (['One.', 'Two.'], ['One.', 'Two.'], None)
    """
    text = text.strip()
    if not (text.startswith("[") and text.endswith("]")):
        return None
    found = _json(text)
    if found is None:
        found = _strings(text)
    if found is None and len(text) <= _LONGEST_LITERAL:
        found = _literal(text)
    if not isinstance(found, list):
        return None
    found = [None if each != each else each for each in found]  # NaN equals nothing
    kinds = {type(each) for each in found if each is not None}
    return found if kinds in (set(), {str}, {dict}) else None


def _json(text: str) -> object:
    if has_more_values(text, row_limit()):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _strings(text: str) -> object:
    """String literals with commas or white space between them, and where values are missing."""
    found: list[object] = []
    place, end = 1, len(text) - 1
    while place < end:
        if text[place] == "," or text[place].isspace():
            place += 1
            continue
        if missing := _MISSING.match(text, place):
            found.append(None)
            place = missing.end()
            continue
        literal = _STRING.match(text, place, end)
        if not literal:
            return None
        value = _literal(literal[0]) if "\\" in literal[0] else literal[0][1:-1]
        if value is None:
            return None
        found.append(value)
        place = literal.end()
    return found


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None


ANSWER = ("response", "source_nodes")  # what an answer that is an object brings into its row
_ROLES = {
    "assistant": "assistant",
    "ai": "assistant",
    "user": "user",
    "human": "user",
    "tool": "tool",
    "function": "tool",
    "system": "system",
    "developer": "system",
}


def object_fields(value: Any) -> dict[str, object] | None:
    """The fields of a dataclass or a pydantic model, by name; None for anything else."""
    kind = type(value)
    names = getattr(kind, "model_fields", None)
    if isinstance(names, Mapping):
        return {name: getattr(value, name) for name in names}
    if is_dataclass(kind) and not hasattr(kind, "__iter__"):
        return {each.name: getattr(value, each.name) for each in fields(kind)}
    return None


def plain_source(value: object) -> object:
    """A source without the objects of a framework: documents and nodes become named texts."""
    try:
        plain = _passage(value)
    except RecursionError:
        raise InputError("the source is nested too deeply to be read") from None
    # A document by itself is one passage, and what else is known of it is no evidence.
    return [plain] if _is_one(plain) else plain


def plain_answer(value: Any) -> object:
    """The text of an answer that is an object: a message, or a response of LlamaIndex."""
    if isinstance(value, str) or value is None:
        return value
    if isinstance(value, Mapping):
        return _text(value.get("content")) if "role" in value else value
    said = getattr(value, "content", None)
    if said is not None and not callable(said):
        return _text(said)
    said = getattr(value, "response", None)
    return said if isinstance(said, str) else value


def _passage(value: Any) -> object:
    plain = (str, bytes, bytearray, int, float, NamedText)
    if isinstance(value, plain) or value is None:
        return value
    if hasattr(value, "tolist"):  # an array
        value = value.tolist()
    if isinstance(value, Mapping):
        node = value.get("node")  # a LlamaIndex node with its score, saved as JSON
        return node if isinstance(node, Mapping) else value
    if isinstance(value, Sequence):
        return _scored(value) if len(value) == 2 else list(map(_passage, value))
    text = _document_text(value)
    return value if text is None else NamedText(_document_origin(value), text)


def _scored(pair: Sequence[Any]) -> object:
    """Two passages; or the first of them, if it is a document and the second its score."""
    first, score = pair
    is_score = isinstance(score, float | int) or hasattr(score, "dtype")
    if is_score and not isinstance(first, str | Sequence):
        passage = _passage(first)
        if _is_one(passage):
            return passage
    return [_passage(first), _passage(score)]


def _is_one(passage: object) -> bool:
    """True if something is the passage of one document."""
    is_saved = isinstance(passage, Mapping) and _is_document(passage)
    return is_saved or isinstance(passage, NamedText)


def _is_document(value: Mapping[str, object]) -> bool:
    """True if it is a document of LangChain or a node of LlamaIndex, saved as JSON."""
    if isinstance(value.get("page_content"), str):
        return True
    return "metadata" in value and any(isinstance(value.get(key), str) for key in TEXT_KEYS)


def _document_text(value: Any) -> str | None:
    for name in ("page_content", "get_content", "text", "content"):
        found = getattr(value, name, None)
        text = found() if name == "get_content" and callable(found) else found
        if isinstance(text, str):
            return text
    return None


def _document_origin(value: Any) -> str:
    found = (origin_of(getattr(value, name, None)) for name in METADATA_KEYS)
    return next(filter(None, found), "")


@dataclass(frozen=True, slots=True)
class Conversation:
    """A list of messages taken apart: the reply to check, its question, results of tools."""

    field: str  # of the row that holds it
    response: str
    question: str
    source: tuple[str, ...]


def find_conversation(row: Mapping[str, object]) -> Conversation | None:
    """The conversation in a row, if it has one; the reply is the last text of the assistant."""
    for field in conversations(tuple(row)):
        value = row[field]
        messages = _messages(read_list(value) if isinstance(value, str) else value)
        if messages:
            return _conversation(field, messages)
    return None


def _messages(value: object) -> list[tuple[str, str]] | None:
    """Roles and texts, if the value is a list of messages."""
    if not isinstance(value, Iterable) or isinstance(value, str | bytes | Mapping):
        return None
    found = []
    for each in value:
        role = _ROLES.get(str(_value(each, "role") or _value(each, "type")).casefold())
        if role is None:
            return None
        found.append((role, _text(_value(each, "content"))))
    return found


def _conversation(field: str, messages: list[tuple[str, str]]) -> Conversation:
    replies = [place for place, (role, text) in enumerate(messages) if role == "assistant" and text]
    end = replies[-1] if replies else len(messages)
    before = messages[:end]
    questions = [text for role, text in before if role == "user"]
    return Conversation(
        field,
        messages[end][1] if replies else "",
        questions[-1] if questions else "",
        tuple(text for role, text in before if role == "tool" and text),
    )


def _value(message: Any, name: str) -> object:
    found = message.get(name) if isinstance(message, Mapping) else getattr(message, name, None)
    return getattr(found, "value", found)  # some roles are enumerations


def _text(content: object) -> str:
    """The text of a message: as it is, or the text parts of a list of parts."""
    if isinstance(content, str):
        return content.strip() and content
    if not isinstance(content, Iterable) or isinstance(content, Mapping):
        return ""
    parts = (part if isinstance(part, str) else _value(part, "text") for part in content)
    return "\n\n".join(part for part in parts if isinstance(part, str) and part.strip())
